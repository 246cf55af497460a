#include "native/RecoverEpilogue.h"

#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/EpilogueMemory.h"
#include "native/FragmentName.h"
#include "native/Gather.h"
#include "native/MergeRows.h"
#include "native/RowFunction.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// ---- one accumulator --------------------------------------------------------------------

class Finder {
public:
  explicit Finder(const EpilogueInput &input) : in_(input) {
    if (in_.between && in_.ownsRows)
      rows_ = RowValues(in_.context, in_.between->rows);
  }

  Epilogue run() {
    out_.accumulator = out_.leader = in_.accumulators[0].declaration;
    Values values;
    values.TraverseStmt(in_.kernel.getBody());
    values_ = std::move(values.from);
    lent_ = std::move(values.lent);
    chooseNames();
    findAccesses();
    for (Group &group : groups_) {
      group.stmts = statementsOf(group);
      group.rowLoop = rowLoopAround(group);
    }
    for (const Group &group : groups_)
      if (out_.problem.empty() && !group.rowLoop)
        addBody(group);
    if (out_.problem.empty() && !sums_.empty())
      addSums();
    out_.isBehindBetween = in_.between != nullptr;
    if (out_.problem.empty() && !groups_.empty())
      addRowStatements();
    for (size_t i = 0; i < out_.bodies.size(); ++i)
      tellTurns(bodyStmts_[i].front(), out_.bodies[i]);
    if (out_.problem.empty())
      checkWaysOut();
    return std::move(out_);
  }

private:
  // The accesses of one body.
  struct Group {
    std::vector<RegisterAccess> accesses;
    std::vector<const Stmt *> stmts;
    bool isRow = false;
    const Stmt *holder = nullptr;     // the tile loop, or the block the statements stand in
    const ForStmt *rowLoop = nullptr; // around it, over both rows; or of which it is the body
    std::vector<const Stmt *> prefix; // of a row loop: statements that only compute
  };

  bool refuse(const std::string &reason, SourceRange at) {
    if (out_.problem.empty()) {
      out_.problem = reason;
      if (const auto range = in_.texts.statement(at))
        out_.problemAt = *range;
    }
    return false;
  }

  // ---- where

  const Stmt *parentOf(const Stmt *stmt) const {
    auto parents = in_.context.getParents(*stmt);
    while (!parents.empty()) {
      if (const auto *parent = parents[0].get<Stmt>())
        return parent;
      if (const auto *decl = parents[0].get<Decl>())
        parents = in_.context.getParents(*decl);
      else
        return nullptr;
    }
    return nullptr;
  }

  // Names that the kernel does not use.
  void chooseNames() {
    out_.lowerName = lowerIn(in_.kernel);
    out_.valueNames = numbered(fresh(in_.kernel, {"v", "pair", "own"}, kMostTiles), kMostTiles);
    out_.pairName = fresh(in_.kernel, {"h", "which", "second"});
  }
  std::string lowerIn(const FunctionDecl &function) const {
    return fresh(function, {"lower", "lower8", "lower_row"});
  }
  std::string fresh(const FunctionDecl &function, std::initializer_list<const char *> candidates,
                    int last = 1) const {
    const SourceManager &sm = in_.context.getSourceManager();
    const SourceLocation first = sm.getExpansionLoc(function.getBeginLoc());
    const unsigned begin = sm.getFileOffset(first);
    const unsigned end = sm.getFileOffset(sm.getExpansionLoc(function.getEndLoc()));
    const StringRef text = sm.getBufferData(sm.getFileID(first)).slice(begin, end);
    for (const char *name : candidates)
      if (llvm::none_of(numbered(name, last),
                        [&](const std::string &each) { return mentions(text, each); }))
        return std::string(name);
    return std::string("lp_") + *candidates.begin();
  }
  // v, v2, v3...
  static std::vector<std::string> numbered(const std::string &name, int last) {
    std::vector<std::string> names = {name};
    for (int i = 2; i <= last; ++i)
      names.push_back(name + std::to_string(i));
    return names;
  }
  static bool mentions(StringRef text, StringRef word) {
    const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1))
      if ((at == 0 || !isWord(text[at - 1])) &&
          (at + word.size() == text.size() || !isWord(text[at + word.size()])))
        return true;
    return false;
  }

  class Uses : public DynamicRecursiveASTVisitor {
  public:
    explicit Uses(Finder &finder) : f_(finder) {}
    bool TraverseStmt(Stmt *stmt) override {
      return !stmt || f_.in_.isSite(stmt) || DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    bool TraverseMemberExpr(MemberExpr *member) override {
      return isOfClass(*member) || DynamicRecursiveASTVisitor::TraverseMemberExpr(member);
    }
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const EpilogueInput::Accumulator *accumulator = f_.mayBeAccumulator(*name);
      if (!accumulator)
        return true;
      const auto range = f_.in_.texts.statement(name->getSourceRange());
      if (range && range->begin >= accumulator->region.end &&
          !f_.in_.isFill(name, accumulator->declaration))
        f_.addAccess(name, accumulator->declaration);
      return true;
    }

  private:
    Finder &f_;
  };

  void findAccesses() { Uses(*this).TraverseStmt(in_.kernel.getBody()); }

  void addAccess(const DeclRefExpr *name, uint64_t accumulator) {
    RegisterAccess access;
    access.accumulator = accumulator;
    const Expr *whole = name;
    while (!whole->getType()->isScalarType()) {
      const Stmt *parent = parentOf(whole);
      while (parent && isa<ImplicitCastExpr, ParenExpr>(parent))
        parent = parentOf(parent);
      if (const auto *index = dyn_cast_or_null<ArraySubscriptExpr>(parent);
          index && bare(index->getBase()) == whole) {
        if (access.index)
          access.tile.push_back(access.index);
        access.index = index->getIdx();
        whole = index;
      } else if (const auto *member = dyn_cast_or_null<MemberExpr>(parent);
                 member && isa<FieldDecl>(member->getMemberDecl())) {
        if (access.index && vectorOf(whole->getType(), in_.context)) {
          access.tile.push_back(access.index);
          access.index = nullptr;
        }
        if (vectorOf(whole->getType(), in_.context))
          access.number = numberOf(*cast<FieldDecl>(member->getMemberDecl()));
        whole = member;
      } else if (const CallExpr *call = storesTile(whole)) {
        if (access.index)
          access.tile.push_back(access.index);
        access.index = nullptr;
        access.call = call;
        break;
      } else
        return void(refuse("'" + name->getDecl()->getNameAsString() + "' is handed on as a whole",
                           name->getSourceRange()));
    }
    access.expr = whole;
    access.bytes = access.call ? bytesOf(whole) : bytesRead(whole);
    if (!access.bytes)
      return void(refuse("'" + name->getDecl()->getNameAsString() +
                             "' is read through a pointer or reference",
                         whole->getSourceRange()));
    if (!access.index && !access.number && !access.call)
      return void(refuse("'" + name->getDecl()->getNameAsString() + "' is not an array",
                         name->getSourceRange()));
    group(access, name);
  }

  const Stmt *userOf(const Stmt *stmt) const {
    stmt = parentOf(stmt);
    while (isa_and_nonnull<ParenExpr>(stmt))
      stmt = parentOf(stmt);
    return stmt;
  }
  uint64_t bytesOf(const Expr *expr) const {
    return in_.context.getTypeSizeInChars(expr->getType()).getQuantity();
  }

  // The function of the author's that a whole tile is handed to: store(p, acc[i][j], n).
  const CallExpr *storesTile(const Expr *whole) const {
    const auto *array = in_.context.getAsConstantArrayType(whole->getType());
    const uint64_t registers = in_.isPacked ? 2 : 4;
    const Stmt *user = whole;
    do
      user = parentOf(user);
    while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
    const auto *call = dyn_cast_or_null<CallExpr>(user);
    const FunctionDecl *function = call ? storingFunction(*call) : nullptr;
    return array && array->getElementType()->isScalarType() && array->getSize() == registers &&
                   function && !isOfHeaders(*function) && tileOf(*call, *whole)
               ? call
               : nullptr;
  }
  // ... and its parameter for it.
  static const ParmVarDecl *tileOf(const CallExpr &call, const Expr &whole) {
    const FunctionDecl *function = storingFunction(call);
    if (isa<CXXOperatorCallExpr, CXXMemberCallExpr>(call))
      return nullptr;
    for (unsigned i = 0; i < call.getNumArgs() && i < function->getNumParams(); ++i) {
      const QualType type = function->getParamDecl(i)->getType();
      if (bare(call.getArg(i)) == &whole && (type->isReferenceType() || type->isPointerType()))
        return function->getParamDecl(i);
    }
    return nullptr;
  }

  // How many bytes are read from there on: a register's, more for *(float2 *)&c[0] and for
  // reinterpret_cast<float2 &>(c[0]); 0 where its address goes elsewhere.
  uint64_t bytesRead(const Expr *access) const {
    const Stmt *user = userOf(access);
    if (const auto *cast = dyn_cast_or_null<CastExpr>(user);
        cast && cast->getCastKind() == CK_LValueBitCast)
      return bytesOf(cast);
    const auto *op = dyn_cast_or_null<UnaryOperator>(user);
    if (!op || op->getOpcode() != UO_AddrOf)
      return isa_and_nonnull<DeclStmt>(user) ? 0 : bytesOf(access);
    const Stmt *cast = userOf(op);
    while (isa_and_nonnull<CastExpr>(cast))
      cast = userOf(cast);
    const auto *read = dyn_cast_or_null<UnaryOperator>(cast);
    return read && read->getOpcode() == UO_Deref ? bytesOf(read) : 0;
  }

  // reinterpret_cast<float2 *>(&c[0]): a cast that keeps what is const so.
  bool isCastByName(const Expr &access) const {
    const Stmt *user = userOf(&access);
    const auto *op = dyn_cast_or_null<UnaryOperator>(user);
    if (op && op->getOpcode() == UO_AddrOf)
      user = userOf(op);
    const auto *cast = dyn_cast_or_null<CXXNamedCastExpr>(user);
    const QualType type = cast ? cast->getTypeAsWritten() : QualType();
    return cast && (type->isPointerType() || type->isReferenceType()) &&
           !type->getPointeeType().isConstQualified();
  }

  // The innermost loop over tiles that holds the access, else the block it stands in.
  void group(const RegisterAccess &access, const DeclRefExpr *name) {
    std::set<const VarDecl *> tileVariables;
    for (const Expr *index : access.tile)
      for (const VarDecl *variable : namesIn(index))
        tileVariables.insert(variable);
    const Stmt *holder = nullptr, *block = nullptr;
    for (const Stmt *at = access.expr; at && !holder; at = parentOf(at)) {
      const auto *loop = dyn_cast<ForStmt>(at);
      const auto *init = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
      if (init && init->isSingleDecl() &&
          tileVariables.count(dyn_cast<VarDecl>(init->getSingleDecl())))
        holder = loop;
      if (isa<CompoundStmt>(at))
        block = at;
    }
    if (!holder)
      holder = block; // the kernel's own
    if (!holder)
      return void(refuse("where '" + name->getDecl()->getNameAsString() + "' is read is not clear",
                         name->getSourceRange()));
    auto known = llvm::find_if(groups_, [&](const Group &g) { return g.holder == holder; });
    if (known == groups_.end()) {
      groups_.emplace_back();
      groups_.back().holder = holder;
      known = std::prev(groups_.end());
    }
    known->accesses.push_back(access);
  }

  bool contains(const Stmt *outer, const Stmt *inner) const {
    for (const Stmt *at = inner; at; at = parentOf(at))
      if (at == outer)
        return true;
    return false;
  }

  // The statements of the group: the loop's body, or of a block those from the first to
  // the last that mention the accumulator.
  std::vector<const Stmt *> statementsOf(const Group &group) const {
    if (const auto *loop = dyn_cast<ForStmt>(group.holder))
      return {loop->getBody()};
    const CompoundStmt *block = cast<CompoundStmt>(group.holder);
    for (;;) { // down to the block in which they part
      std::vector<const Stmt *> all(block->body_begin(), block->body_end());
      const auto holds = [&](const Stmt *stmt) {
        return llvm::any_of(group.accesses,
                            [&](const RegisterAccess &a) { return contains(stmt, a.expr); });
      };
      while (!all.empty() && !holds(all.front()))
        all.erase(all.begin());
      while (!all.empty() && !holds(all.back()))
        all.pop_back();
      const auto *inner = all.size() == 1 ? dyn_cast<CompoundStmt>(all[0]) : nullptr;
      if (const auto *branch = all.size() == 1 ? dyn_cast<IfStmt>(all[0]) : nullptr;
          branch && !branch->getElse())
        inner = nullptr;
      if (!inner)
        return all;
      block = inner;
    }
  }

  // ---- whether

  void addBody(Group group) {
    const Expr *first = group.accesses.front().expr;
    if (!tellTiles(group) || !ownsMentions(group))
      return;
    if (group.stmts.empty())
      return void(refuse("a statement of the epilogue is not found", first->getSourceRange()));
    EpilogueBody body;
    body.isInRowLoop = group.rowLoop != nullptr;
    if (!place(group, body) || !reached(group))
      return;
    finish(group, body);
  }

  // Which of the tiles that the statements name each access is of.
  bool tellTiles(Group &group) {
    std::vector<const RegisterAccess *> tiles;
    for (RegisterAccess &access : group.accesses) {
      const auto known =
          llvm::find_if(tiles, [&](const RegisterAccess *tile) { return sameTile(access, *tile); });
      access.which = static_cast<int>(known - tiles.begin());
      if (known == tiles.end())
        tiles.push_back(&access);
      if (tiles.size() > kMostTiles)
        return refuse("several tiles are handed on in one list of statements",
                      access.expr->getSourceRange());
    }
    return true;
  }

  // All mentions of accumulators in the statements are accesses of this group: one whose tile is
  // counted by another loop, or that stands before its products' end, is another lane's.
  bool ownsMentions(const Group &group) {
    for (const Stmt *stmt : group.stmts)
      for (const DeclRefExpr *name : mentionsIn(stmt)) {
        const bool isOwn = llvm::any_of(group.accesses, [&](const RegisterAccess &access) {
          return contains(access.expr, name);
        });
        const auto *accumulator = isOwn ? nullptr : mayBeAccumulator(*name);
        if (accumulator && !in_.isFill(name, accumulator->declaration))
          return refuse("tiles of several loops are handed on in one list of statements",
                        name->getSourceRange());
      }
    return true;
  }

  // What the statements do, and their edits.
  void finish(const Group &group, EpilogueBody &body) {
    if (!group.isRow && !group.rowLoop && !findSums(group))
      return;
    if (!bound(group) || !onlyStores(group) || !namesTilesOutside(group))
      return;
    const Stmt *first = group.isRow ? group.stmts.front() : group.accesses.front().expr;
    RowMerger merger(in_.context, in_.texts, group.accesses, in_.isPacked, out_.lowerName,
                     out_.valueNames);
    for (const auto &[upper, lower] : sums_)
      merger.addSum(upper, lower, out_.pairName);
    merger.setRows(rows_, out_.pairName);
    if (group.rowLoop)
      merger.setRowLoop(counterOf(*group.rowLoop));
    body.changes = !group.isRow && changesElements(group);
    if (body.changes && !areApartTiles(group))
      return void(refuse("a tile that is changed may be handed on by two names",
                         group.stmts.front()->getSourceRange()));
    if (body.changes)
      merger.keepOrder();
    body.changes |= llvm::any_of(group.accesses,
                                 [&](const RegisterAccess &a) { return isCastByName(*a.expr); });
    const std::string problem = merger.merge(group.stmts, body.edits);
    if (!problem.empty())
      return void(refuse(problem, first->getSourceRange()));
    body.usesLower = merger.usesLower() || body.isRowLoop;
    std::set<const VarDecl *> own = declared(group.stmts);
    if (group.rowLoop) {
      own.insert(counterOf(*group.rowLoop));
      for (const Stmt *stmt : group.stmts) // those of the tiles in it
        for (const DeclRefExpr *name : mentionsIn(stmt))
          if (mayBeAccumulator(*name))
            own.insert(cast<VarDecl>(name->getDecl()));
      if (!group.isRow)
        addEvenInRow(group, own);
    }
    for (const RegisterAccess &access : group.accesses)
      for (const VarDecl *variable : namesIn(access.expr))
        own.insert(variable);
    for (const auto &[upper, lower] : sums_) {
      own.insert(upper);
      own.insert(lower);
      for (const Stmt *stmt : group.stmts)
        body.usesPair |= namesIn(stmt).count(upper) != 0;
    }
    for (const Stmt *stmt : group.stmts)
      for (const VarDecl *variable : namesIn(stmt))
        if (rows_.holds(variable) || rowLocals_.count(variable)) {
          own.insert(variable);
          body.usesPair |= rows_.holds(variable);
          out_.usesRows = true;
        }
    body.isRow = group.isRow;
    if (!takeWaysOut(group, body))
      return;
    std::vector<const Stmt *> stmts = group.stmts;
    for (const IfStmt *branch : waysOut_[group.stmts.front()])
      stmts.push_back(branch->getCond());
    body.forThread = in_.rebind(stmts, body, own, false);
    body.forLane = in_.rebind(stmts, body, own, true);
    for (const RegisterAccess &access : group.accesses)
      if (access.call && !writeForRow(access, group, body))
        return;
    out_.bodies.push_back(std::move(body));
    bodyStmts_.push_back(group.stmts);
  }

  // ---- functions that are handed a whole tile

  // Of one template, or in other classes of one, from the same text.
  static bool hasOtherInstances(const FunctionDecl &function) {
    const FunctionTemplateDecl *pattern = function.getPrimaryTemplate();
    if (pattern)
      return llvm::count_if(pattern->specializations(), [](const FunctionDecl *instance) {
               return instance->getDefinition() != nullptr;
             }) > 1;
    const auto *owner = dyn_cast<ClassTemplateSpecializationDecl>(function.getDeclContext());
    return owner && std::distance(owner->getSpecializedTemplate()->spec_begin(),
                                  owner->getSpecializedTemplate()->spec_end()) > 1;
  }

  // The function is written once more for one row of the tile: it must speak of the tile by its
  // registers alone, and of one tile.
  bool writeForRow(const RegisterAccess &handed, const Group &group, EpilogueBody &body) {
    const CallExpr &call = *handed.call;
    const FunctionDecl &function = *storingFunction(call);
    const ParmVarDecl &tile = *tileOf(call, *handed.expr);
    const auto no = [&](const std::string &why) {
      return refuse("in '" + function.getNameAsString() + "', " + why, call.getSourceRange());
    };
    if (llvm::count_if(group.accesses, [&](const auto &access) { return access.call == &call; }) >
        1)
      return no("two tiles are handed on together");
    if (hasOtherInstances(function))
      return no("what is written once for one row would be another in its other instances");
    std::vector<RegisterAccess> accesses;
    for (const DeclRefExpr *name : mentionsIn(function.getBody())) {
      const auto access = name->getDecl() == &tile ? registerNamed(*name) : std::nullopt;
      if (access)
        accesses.push_back(*access);
      else if (name->getDecl() == &tile)
        return no("'" + tile.getNameAsString() + "' is used in another way than by its registers");
    }
    const std::string lower = lowerIn(function);
    RowMerger merger(in_.context, in_.texts, accesses, in_.isPacked, lower,
                     {tile.getNameAsString()});
    std::vector<SourceEdit> edits;
    if (const std::string problem = merger.merge({function.getBody()}, edits); !problem.empty())
      return no(problem);
    const auto name = in_.texts.range(call.getCallee()->getSourceRange());
    const bool isConst = llvm::none_of(
        accesses, [&](const RegisterAccess &access) { return isCastByName(*access.expr); });
    body.changes |= !isConst;
    RowFunction out =
        functionForRow(in_.texts, function, tile, in_.isPacked, isConst, lower, edits);
    const auto isIts = [&](const ToldFunction &told) {
      return llvm::any_of(told.edits,
                          [&](const SourceEdit &edit) { return out.range.contains(edit.range); });
    };
    for (EpilogueBody::Rebound *rebound : {&body.forThread, &body.forLane}) {
      std::vector<ToldFunction> &told = rebound->names.told;
      const auto own = llvm::find_if(told, isIts);
      if (own != told.end() && rebound == &body.forThread)
        llvm::append_range(edits, own->edits);
      llvm::erase_if(told, isIts);
    }
    if (out.text.empty() || !name)
      return no("a macro or a template's parameter writes the tile");
    const auto known = llvm::find_if(
        body.functions, [&](const RowFunction &other) { return other.range.contains(out.range); });
    if (known != body.functions.end()) {
      known->calls.push_back(*name);
      return true;
    }
    body.functions.push_back(
        functionForRow(in_.texts, function, tile, in_.isPacked, isConst, lower, std::move(edits)));
    body.functions.back().calls = {*name};
    return true;
  }

  // c[2 * h + 1], of a parameter that is a tile.
  std::optional<RegisterAccess> registerNamed(const DeclRefExpr &tile) const {
    const Stmt *user = &tile;
    do
      user = parentOf(user);
    while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
    const auto *element = dyn_cast_or_null<ArraySubscriptExpr>(user);
    if (!element || bare(element->getBase()) != &tile)
      return std::nullopt;
    RegisterAccess access;
    access.expr = element;
    access.index = element->getIdx();
    access.bytes = bytesRead(element);
    return access.bytes ? std::optional(access) : std::nullopt;
  }
  // What is handed to the function as a tile.
  const ParmVarDecl *tileHandedTo(const CallExpr &call) const {
    for (const Group &group : groups_)
      for (const RegisterAccess &access : group.accesses)
        if (access.call == &call)
          return tileOf(call, *access.expr);
    return nullptr;
  }

  // ---- the turns of the loops around

  // Where tiles go together, one turn of the loop over them stands for several.
  void tellTurns(const Stmt *first, EpilogueBody &body) {
    for (const Stmt *at = parentOf(first); at; at = parentOf(at)) {
      const auto *loop = dyn_cast<ForStmt>(at);
      if (loop && counterOf(*loop) && !onlyRunsBodies(loop->getBody(), *loop))
        body.ownTurns.insert(counterOf(*loop)->getNameAsString());
    }
  }

  // In a turn of the loop nothing else is done than in any other, but by bodies.
  bool onlyRunsBodies(const Stmt *stmt, const ForStmt &loop) {
    const auto all = [&](const Stmt &of) {
      return llvm::all_of(of.children(),
                          [&](const Stmt *child) { return onlyRunsBodies(child, loop); });
    };
    if (!stmt || isa<NullStmt>(stmt) ||
        llvm::any_of(bodyStmts_, [&](const auto &stmts) { return isWithin(stmt, stmts); }))
      return true;
    if (isa<CompoundStmt, AttributedStmt>(stmt))
      return all(*stmt);
    if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
      return llvm::all_of(declarations->decls(), [&](const Decl *decl) {
        const auto *variable = dyn_cast<VarDecl>(decl);
        return variable && (!variable->getInit() || isPure(*variable->getInit()));
      });
    if (const auto *inner = dyn_cast<ForStmt>(stmt)) {
      const auto *init = dyn_cast_or_null<DeclStmt>(inner->getInit());
      return counterOf(*inner) && plainCounter(inner, in_.context) && init->isSingleDecl() &&
             !isOfTurn(inner->getCond(), loop) && onlyRunsBodies(inner->getBody(), loop);
    }
    const auto *branch = dyn_cast<IfStmt>(stmt);
    if (!branch || branch->getInit() || branch->getConditionVariable() ||
        !isPure(*branch->getCond()) || isOfTurn(branch->getCond(), loop))
      return isa<ContinueStmt, BreakStmt>(stmt);
    return onlyRunsBodies(branch->getThen(), loop) && onlyRunsBodies(branch->getElse(), loop);
  }

  bool isPure(const Expr &value) const {
    AsmFinder inside;
    inside.TraverseStmt(const_cast<Expr *>(&value));
    return changesNothing(value) && inside.found.empty() &&
           llvm::all_of(inside.calls, [](const CallExpr *call) { return onlyComputes(*call); });
  }

  // Perhaps another value in each turn of the loop.
  bool isOfTurn(const Expr *value, const ForStmt &loop) {
    std::set<const VarDecl *> made;
    addMakers(value, made);
    bool reads = !touchesOf(value).empty();
    for (const VarDecl *variable : made)
      for (const Expr *from : values_[variable])
        reads |= !touchesOf(from).empty();
    const SourceManager &sm = in_.context.getSourceManager();
    const auto isInside = [&](SourceLocation at) {
      return !sm.isBeforeInTranslationUnit(at, loop.getBeginLoc()) &&
             !sm.isBeforeInTranslationUnit(loop.getEndLoc(), at);
    };
    return reads || llvm::any_of(made, [&](const VarDecl *variable) {
             return variable == counterOf(loop) ||
                    (!isCounterWithin(*variable, loop) &&
                     llvm::any_of(in_.sampler.changesOf(variable), isInside));
           });
  }
  bool isCounterWithin(const VarDecl &variable, const ForStmt &loop) const {
    const auto parents = in_.context.getParents(variable);
    const auto *declaration = parents.empty() ? nullptr : parents[0].get<Stmt>();
    const auto *inner = declaration ? dyn_cast_or_null<ForStmt>(parentOf(declaration)) : nullptr;
    return inner && inner != &loop && inner->getInit() == declaration && contains(&loop, inner) &&
           plainCounter(inner, in_.context);
  }

  // The tile is handed over where the statements begin: what numbers it is known there.
  bool namesTilesOutside(const Group &group) {
    const std::set<const VarDecl *> inside = declared(group.stmts);
    for (const RegisterAccess &access : group.accesses)
      for (const Expr *index : access.tile)
        for (const VarDecl *variable : namesIn(index))
          if (inside.count(variable))
            return refuse("its tile is numbered by '" + variable->getNameAsString() +
                              "', which the epilogue declares itself",
                          index->getSourceRange());
    return true;
  }

  // What the loop over rows around has for the row and the warp already, for all of a quad.
  void addEvenInRow(const Group &group, std::set<const VarDecl *> &own) {
    std::set<const VarDecl *> made;
    for (const Stmt *stmt : group.stmts)
      for (const VarDecl *variable : namesIn(stmt)) {
        made.insert(variable);
        for (const Expr *value : values_[variable])
          addMakers(value, made);
      }
    for (const VarDecl *variable : made)
      if (variable->getInit() && !in_.sampler.changes(variable) && !isOfRegisters(variable) &&
          in_.sampler.dependsOnThread(variable) && in_.sampler.sameForQuads(variable->getInit()))
        own.insert(variable);
  }

  // Of two accumulators, or of two numbers somewhere.
  bool areApartTiles(const Group &group) const {
    const auto areApart = [&](const RegisterAccess &a, const RegisterAccess &b) {
      if (a.which == b.which || a.accumulator != b.accumulator)
        return true;
      for (size_t i = 0; i < std::min(a.tile.size(), b.tile.size()); ++i) {
        const auto one = linearIndex(a.tile[i], in_.context),
                   other = linearIndex(b.tile[i], in_.context);
        if (one && other && one->terms == other->terms && one->constant != other->constant)
          return true;
      }
      return false;
    };
    return llvm::all_of(group.accesses, [&](const RegisterAccess &a) {
      return llvm::all_of(group.accesses, [&](const RegisterAccess &b) { return areApart(a, b); });
    });
  }

  static bool sameTile(const RegisterAccess &a, const RegisterAccess &b,
                       const ASTContext &context) {
    if (a.accumulator != b.accumulator || a.tile.size() != b.tile.size())
      return false;
    for (size_t i = 0; i < a.tile.size(); ++i) {
      llvm::FoldingSetNodeID x, y;
      bare(a.tile[i])->Profile(x, context, true);
      bare(b.tile[i])->Profile(y, context, true);
      if (!(x == y))
        return false;
    }
    return true;
  }
  bool sameTile(const RegisterAccess &a, const RegisterAccess &b) const {
    return sameTile(a, b, in_.context);
  }

  bool place(const Group &group, EpilogueBody &body) {
    const Stmt *front = group.stmts.front(), *back = group.stmts.back();
    body.isBlock = group.stmts.size() == 1 && isa<CompoundStmt>(front);
    while (const auto *attributed = dyn_cast<AttributedStmt>(front))
      front = attributed->getSubStmt();
    const auto range = in_.texts.statement(SourceRange(front->getBeginLoc(), back->getEndLoc()));
    if (!range)
      return refuse("the epilogue is written by a macro", front->getSourceRange());
    body.range = *range;
    if (!body.isBlock)
      takePragmas(front, body);
    for (const Stmt *at = parentOf(front); at; at = parentOf(at))
      if (isa<ForStmt>(at))
        body.loops.insert(body.loops.begin(), in_.loopOf(at));
    for (const RegisterAccess &access : group.accesses)
      if (access.which == static_cast<int>(body.tiles.size()) && !placeTile(access, body))
        return false;
    return true;
  }

  bool placeTile(const RegisterAccess &access, EpilogueBody &body) {
    const Expr *tile = nullptr; // the access without its register
    if (access.call)
      tile = access.expr;
    else if (const auto *index = dyn_cast<ArraySubscriptExpr>(bare(access.expr)))
      tile = index->getBase();
    else if (const auto *member = dyn_cast<MemberExpr>(bare(access.expr)); access.number)
      tile = member->getBase();
    if (!tile)
      return refuse("the accumulator's register is a member", access.expr->getSourceRange());
    const auto text = in_.texts.range(bare(tile)->getSourceRange());
    if (!text)
      return refuse("the accumulator's tile is named by a macro", access.expr->getSourceRange());
    Slot slot;
    slot.declaration = access.accumulator;
    slot.tileText = in_.texts.spelled(bare(tile));
    fillTile(bare(tile), slot);
    if (access.number)
      slot.vectorType = vectorOf(bare(tile)->getType(), in_.context)
                            ->element.getAsString(in_.context.getPrintingPolicy());
    body.tiles.push_back(std::move(slot));
    return true;
  }

  // A loop's '#pragma unroll' stays with it: the body begins on the pragma's line.
  void takePragmas(const Stmt *front, EpilogueBody &body) const {
    const SourceManager &sm = in_.context.getSourceManager();
    const StringRef text = sm.getBufferData(sm.getFileID(sm.getExpansionLoc(front->getBeginLoc())));
    size_t line = text.rfind('\n', body.range.begin) + 1; // npos + 1 is 0
    if (!text.slice(line, body.range.begin).ltrim(" \t").empty())
      return; // those above are of what stands in front of it
    while (line > 0) {
      const size_t above = line > 1 ? text.rfind('\n', line - 2) + 1 : 0;
      if (!text.slice(above, line).ltrim().starts_with("#pragma"))
        return;
      body.range.begin = static_cast<unsigned>(line = above);
      body.hasPragma = true;
    }
  }

  // acc.x[i][j] as a slot: indices outermost first.
  void fillTile(const Expr *expr, Slot &slot) {
    if (const auto *index = dyn_cast<ArraySubscriptExpr>(expr)) {
      fillTile(bare(index->getBase()), slot);
      slot.tile.push_back(in_.indexOf(index->getIdx()));
    } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
      const Expr *base = bare(member->getBase());
      fillTile(base, slot);
      if (isa<DeclRefExpr>(base) && hasParts(base->getType(), in_.context)) {
        slot.variable += "." + member->getMemberDecl()->getNameAsString();
        return;
      }
      Index index;
      index.text = "." + member->getMemberDecl()->getNameAsString();
      index.isMember = true;
      slot.tile.push_back(index);
    } else if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      slot.variable = name->getDecl()->getNameAsString();
    }
  }

  // All lanes of a wave get there, or none.
  bool reached(const Group &group) {
    for (const Stmt *at = parentOf(group.stmts.front()); at; at = parentOf(at)) {
      const Expr *condition = nullptr;
      if (const auto *branch = dyn_cast<IfStmt>(at))
        condition = branch->isConstexpr() ? nullptr : branch->getCond();
      else if (const auto *loop = dyn_cast<ForStmt>(at))
        condition = loop->getCond();
      else if (const auto *loop = dyn_cast<WhileStmt>(at))
        condition = loop->getCond();
      else if (!isa<CompoundStmt, AttributedStmt>(at))
        return refuse("the epilogue is reached through a statement that is not followed",
                      at->getSourceRange());
      if (at == group.rowLoop && !group.isRow)
        return true; // what stands around that is its own matter
      const auto *loop = dyn_cast<ForStmt>(at);
      const bool isCounted = loop && plainCounter(loop, in_.context);
      if (group.rowLoop && !group.isRow &&
          (isCounted || (condition && in_.sampler.sameForQuads(condition))))
        continue;
      if (condition && !sameForWave(*condition))
        return refuse("some lanes of a wave may not reach the epilogue: " +
                          in_.texts.spelled(condition),
                      condition->getSourceRange());
    }
    return returnsBefore(group) && noneLeaves(group);
  }

  // A 'continue' or 'break' of a loop around: where lanes do not agree on it, some of them would
  // not be there for the elements that they hold for others.
  bool noneLeaves(const Group &group) {
    class Jumps : public DynamicRecursiveASTVisitor {
    public:
      bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
      bool VisitContinueStmt(ContinueStmt *stmt) override {
        all.push_back(stmt);
        return true;
      }
      bool VisitBreakStmt(BreakStmt *stmt) override {
        all.push_back(stmt);
        return true;
      }
      std::vector<const Stmt *> all;
    };
    Jumps jumps;
    jumps.TraverseStmt(in_.kernel.getBody());
    for (const Stmt *jump : jumps.all) {
      if (isWithin(jump, group.stmts))
        continue;
      const Expr *parting = nullptr;
      const bool isInRow = group.rowLoop && !group.isRow && contains(group.rowLoop, jump);
      const Stmt *loop = parentOf(jump);
      for (; loop && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(loop);
           loop = parentOf(loop)) {
        const auto *branch = dyn_cast<IfStmt>(loop);
        const Expr *condition = branch && !branch->isConstexpr() ? branch->getCond() : nullptr;
        if (const auto *choice = dyn_cast<SwitchStmt>(loop))
          condition = choice->getCond();
        if (condition && !sameForWave(*condition) &&
            !(isInRow && in_.sampler.sameForQuads(condition)))
          parting = condition;
      }
      if (parting && loop && contains(loop, group.stmts.front()) && !leavesBy(*jump, group))
        return refuse("some lanes of a wave may not reach the epilogue: " +
                          in_.texts.spelled(parting),
                      parting->getSourceRange());
    }
    return true;
  }

  bool sameForWave(const Expr &condition) const {
    return in_.sampler.sameForWave(&condition) || in_.isAssumedUniform(&condition);
  }

  class Returns : public DynamicRecursiveASTVisitor {
  public:
    bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
    bool VisitReturnStmt(ReturnStmt *stmt) override {
      all.push_back(stmt);
      return true;
    }
    std::vector<const ReturnStmt *> all;
  };
  bool returnsBefore(const Group &group) {
    Returns returns;
    returns.TraverseStmt(in_.kernel.getBody());
    for (const ReturnStmt *stmt : returns.all)
      for (const Stmt *at = parentOf(stmt); at; at = parentOf(at))
        if (const auto *branch = dyn_cast<IfStmt>(at); branch && !branch->isConstexpr() &&
                                                       !sameForWave(*branch->getCond()) &&
                                                       !leavesBy(*stmt, group))
          return refuse("some lanes of a wave may have returned before the epilogue",
                        stmt->getSourceRange());
    return true;
  }

  // ---- ways out that go with the elements
  //
  //   if (row >= M) return;             lp::each_pair(acc[j], [&](int lane, ...) {
  //   for (j...) {                        const int row = ...;
  //     C[row * N + col] = acc[j][0]; ──▶ if (row >= M) return;
  //   }                                   C[row * N + col] = v[0];
  //
  // Who leaves in CUDA has nothing to hand on behind it; here, its elements are other lanes'. So
  // the condition is asked in each body behind it, and nothing else may stand there.

  // if (...) return; and what it leaves: the kernel, or the turn of a loop.
  const IfStmt *wayOut(const Stmt &jump) const {
    const Stmt *at = parentOf(&jump);
    if (const auto *block = dyn_cast_or_null<CompoundStmt>(at); block && block->size() == 1)
      at = parentOf(at);
    const auto *branch = dyn_cast_or_null<IfStmt>(at);
    return branch && !branch->getElse() && !branch->getInit() && !branch->getConditionVariable() &&
                   !branch->isConstexpr()
               ? branch
               : nullptr;
  }

  // The group's elements may ask for themselves whether they are left out there; or the jump is no
  // matter of theirs.
  bool leavesBy(const Stmt &jump, const Group &group) {
    const IfStmt *branch = wayOut(jump);
    const auto *block = branch ? dyn_cast_or_null<CompoundStmt>(parentOf(branch)) : nullptr;
    if (!block)
      return false;
    const Stmt *around = parentOf(block);
    const auto *loop = dyn_cast_or_null<ForStmt>(around);
    const bool isReturn = isa<ReturnStmt>(jump);
    if (isReturn ? block != in_.kernel.getBody() : !loop || loop->getBody() != block)
      return false;
    if (!isa<BreakStmt>(jump) && isBefore(*group.stmts.back(), *branch))
      return true;
    if (!isBefore(*branch, *group.stmts.front()) || group.rowLoop || group.isRow ||
        !mayBeAskedAgain(*branch->getCond(), *branch) ||
        (isa<BreakStmt>(jump) && !leavesForGood(*branch, *block, *loop)))
      return false;
    std::vector<const IfStmt *> &all = waysOut_[group.stmts.front()];
    if (!llvm::is_contained(all, branch))
      all.push_back(branch);
    return true;
  }

  bool isBefore(const Stmt &a, const Stmt &b) const {
    const auto one = in_.texts.statement(a.getSourceRange()),
               other = in_.texts.statement(b.getSourceRange());
    return one && other && one->file == other->file && one->end <= other->begin;
  }

  // Arithmetic of what nothing changes behind it, and no lane keeps for itself.
  bool mayBeAskedAgain(const Expr &condition, const Stmt &at) {
    ThreadMentions mentions;
    mentions.TraverseStmt(const_cast<Expr *>(&condition));
    AsmFinder inside;
    inside.TraverseStmt(const_cast<Expr *>(&condition));
    if (!mentions.found.empty() || mentions.hasOther || !inside.calls.empty() ||
        !touchesOf(&condition).empty() || condition.HasSideEffects(in_.context) ||
        !in_.texts.range(condition.getSourceRange()) || at.getBeginLoc().isMacroID() ||
        at.getEndLoc().isMacroID())
      return false;
    return llvm::all_of(mentionsIn(&condition), [&](const DeclRefExpr *name) {
      const auto *variable = cast<VarDecl>(name->getDecl());
      return !mayBeAccumulator(*name) && !isOfRegisters(variable) && !isSum(variable) &&
             (!in_.sampler.changes(variable) || countsAround(*variable, at));
    });
  }
  // A loop around has it as its counter, and nobody else changes it.
  bool countsAround(const VarDecl &variable, const Stmt &at) const {
    for (const Stmt *up = parentOf(&at); up; up = parentOf(up))
      if (const auto *loop = dyn_cast<ForStmt>(up); loop && counterOf(*loop) == &variable)
        return plainCounter(loop, in_.context) && in_.sampler.changesOf(&variable).size() == 1;
    return false;
  }

  // if (col >= N) break; at the beginning of a turn: who leaves would do so in all turns behind,
  // too.
  bool leavesForGood(const IfStmt &branch, const CompoundStmt &block, const ForStmt &loop) {
    for (const Stmt *stmt : block.body())
      if (stmt == &branch)
        break;
      else if (!isa<DeclStmt>(stmt) || !onlyRunsBodies(stmt, loop))
        return false;
    const auto *op = dyn_cast<BinaryOperator>(bare(branch.getCond()));
    if (!op || !plainCounter(&loop, in_.context) ||
        !in_.context.hasSameType(op->getLHS()->getType().getUnqualifiedType(), in_.context.IntTy))
      return false; // less than zero, an unsigned number is large, and then small
    const bool isLess = op->getOpcode() == BO_LE || op->getOpcode() == BO_LT;
    if (!isLess && op->getOpcode() != BO_GE && op->getOpcode() != BO_GT)
      return false;
    const Expr *grows = isLess ? op->getRHS() : op->getLHS(),
               *stays = isLess ? op->getLHS() : op->getRHS();
    return growth(*grows, loop).has_value() && growth(*stays, loop) == 0;
  }

  // 1: not less in a later turn of the loop; 0: the same. Of numbers far below 2^31.
  std::optional<int> growth(const Expr &value, const ForStmt &loop, int depth = 0) {
    constexpr int kDeepest = 16;
    const Expr *expr = bare(&value);
    if (depth > kDeepest || !expr->getType()->isIntegralOrEnumerationType())
      return std::nullopt;
    if (!isOfTurn(expr, loop))
      return 0;
    constexpr uint64_t kWide = 32; // a byte comes back to where it was
    if (in_.context.getTypeSize(expr->getType()) < kWide)
      return std::nullopt;
    if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (variable == counterOf(loop))
        return in_.sampler.changesOf(variable).size() == 1 ? std::optional(1) : std::nullopt;
      return variable && variable->getInit() && !in_.sampler.changes(variable)
                 ? growth(*variable->getInit(), loop, depth + 1)
                 : std::nullopt;
    }
    const auto *op = dyn_cast<BinaryOperator>(expr);
    if (!op)
      return std::nullopt;
    const auto left = growth(*op->getLHS(), loop, depth + 1),
               right = growth(*op->getRHS(), loop, depth + 1);
    const auto isCount = [&](const Expr *factor) {
      Expr::EvalResult number;
      return factor->EvaluateAsInt(number, in_.context) && number.Val.getInt() >= 0;
    };
    if (!left || !right)
      return std::nullopt;
    if (op->getOpcode() == BO_Add)
      return 1;
    if (op->getOpcode() == BO_Mul && (isCount(op->getLHS()) || isCount(op->getRHS())))
      return 1;
    return op->getOpcode() == BO_Shl && isCount(op->getRHS()) ? std::optional(1) : std::nullopt;
  }

  // The condition goes into the body; behind the statement, which goes, is nothing else.
  bool takeWaysOut(const Group &group, EpilogueBody &body) {
    for (const IfStmt *branch : waysOut_[group.stmts.front()]) {
      const auto condition = in_.texts.range(branch->getCond()->getSourceRange());
      if (!condition || !body.isBlock)
        return refuse("some lanes of a wave may not reach the epilogue: " +
                          in_.texts.spelled(branch->getCond()),
                      branch->getSourceRange());
      const unsigned at = body.range.begin + 1;
      body.edits.insert(body.edits.begin(), {{body.range.file, at, at},
                                             "\n" + indentOf(group) + "if (" +
                                                 sourceRange(condition->begin, condition->end) +
                                                 ")\n" + indentOf(group) + "  return;"});
      if (gone_.insert(branch).second &&
          !RowMerger(in_.context, in_.texts, group.accesses, in_.isPacked, "", {})
               .drop(branch, body.edits))
        return refuse("the epilogue is written by a macro", branch->getSourceRange());
    }
    return true;
  }
  // Of the first statement in the group's block.
  std::string indentOf(const Group &group) const {
    const SourceManager &sm = in_.context.getSourceManager();
    const Stmt *first = group.stmts.front();
    if (const auto *block = dyn_cast<CompoundStmt>(first); block && !block->body_empty())
      first = block->body_front();
    const SourceLocation at = sm.getExpansionLoc(first->getBeginLoc());
    const StringRef text = sm.getBufferData(sm.getFileID(at));
    const size_t line = text.rfind('\n', sm.getFileOffset(at)) + 1; // npos + 1 is 0
    return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }
  // All that stands behind a way out, up to what it leaves.
  void checkWaysOut() {
    for (const IfStmt *branch : gone_) {
      bool isBehind = false;
      for (const Stmt *stmt : cast<CompoundStmt>(parentOf(branch))->body()) {
        if (isBehind && !onlyBodies(stmt))
          return void(refuse("some lanes of a wave may not reach the epilogue: " +
                                 in_.texts.spelled(branch->getCond()),
                             branch->getSourceRange()));
        isBehind = isBehind || stmt == branch;
      }
    }
  }
  bool onlyBodies(const Stmt *stmt) {
    if (!stmt || isa<NullStmt>(stmt) || gone_.count(dyn_cast<IfStmt>(stmt)) ||
        llvm::any_of(bodyStmts_, [&](const auto &stmts) { return isWithin(stmt, stmts); }))
      return true;
    const auto isQuiet = [&](const Expr *value) {
      return !value || (isPure(*value) && touchesOf(value).empty());
    };
    if (isa<CompoundStmt, AttributedStmt>(stmt))
      return llvm::all_of(stmt->children(), [&](const Stmt *child) { return onlyBodies(child); });
    if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
      return llvm::all_of(declarations->decls(), [&](const Decl *decl) {
        const auto *variable = dyn_cast<VarDecl>(decl);
        return variable && isQuiet(variable->getInit());
      });
    if (const auto *loop = dyn_cast<ForStmt>(stmt))
      return plainCounter(loop, in_.context) && isQuiet(loop->getCond()) &&
             onlyBodies(loop->getBody());
    const auto *branch = dyn_cast<IfStmt>(stmt);
    return branch && !branch->getInit() && !branch->getConditionVariable() &&
           isQuiet(branch->getCond()) && onlyBodies(branch->getThen()) &&
           onlyBodies(branch->getElse());
  }

  static std::set<const VarDecl *> declared(const std::vector<const Stmt *> &stmts) {
    class Declarations : public DynamicRecursiveASTVisitor {
    public:
      bool VisitVarDecl(VarDecl *variable) override {
        all.insert(variable);
        return true;
      }
      std::set<const VarDecl *> all;
    };
    Declarations declarations;
    for (const Stmt *stmt : stmts)
      declarations.TraverseStmt(const_cast<Stmt *>(stmt));
    return declarations.all;
  }

  // A value that another lane may not have: it lives in registers, or was made from such.
  bool isOfRegisters(const VarDecl *variable) {
    const auto [known, isNew] = ofRegisters_.try_emplace(variable, false);
    if (!isNew)
      return known->second;
    bool is =
        isRegisters(variable) || rows_.holds(variable) ||
        (lent_.count(variable) && variable->isLocalVarDecl() && !in_.sampler.isReadLane(variable));
    for (const Expr *value : values_[variable])
      for (const VarDecl *input : namesIn(value))
        is = is || (input != variable && isOfRegisters(input));
    return ofRegisters_[variable] = is;
  }

  // Everything that the statements name, but for their own variables and the accumulator,
  // is the same for all lanes or computed from the lane.
  bool bound(const Group &group) {
    const std::set<const VarDecl *> own = declared(group.stmts);
    for (const Stmt *stmt : group.stmts)
      for (const DeclRefExpr *name : mentionsIn(stmt)) {
        const auto *variable = cast<VarDecl>(name->getDecl());
        if (own.count(variable) || isAccumulator(*name) || isSum(variable) ||
            isCalledLambda(*name) || isAlikeObject(*variable))
          continue;
        if (storingCallOf(*name))
          return refuse(whyNotAlike(*variable), name->getSourceRange());
        const bool isRow = rows_.holds(variable) || rowLocals_.count(variable);
        if (isRow && !group.isRow && !isEvenInQuads(variable, group))
          return refuse("the lanes of a quad may have different values of '" +
                            variable->getNameAsString() + "'",
                        stmt->getSourceRange());
        if (isOfRegisters(variable) && !isRow)
          return refuse("'" + variable->getNameAsString() + std::string("' ") + kOfLane,
                        stmt->getSourceRange());
      }
    // Nothing declared in between may be used behind.
    if (isa<ForStmt>(group.holder))
      return true;
    for (const VarDecl *variable : own)
      if (usedBehind(variable, group))
        return refuse("'" + variable->getNameAsString() + "' is used behind the epilogue",
                      variable->getSourceRange());
    return true;
  }
  // store(...), of a lambda: what it does is looked at where it is called.
  bool isCalledLambda(const DeclRefExpr &name) const {
    const auto *record = name.getType()->getAsCXXRecordDecl();
    const Stmt *user = &name;
    do
      user = parentOf(user);
    while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
    const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(user);
    return record && record->isLambda() && call && call->getOperator() == OO_Call &&
           storingFunction(*call) && bare(call->getArg(0)) == &name;
  }
  // epi(row, col, x) or epi.store(row, col, x).
  const CallExpr *storingCallOf(const DeclRefExpr &name) const {
    const Stmt *user = &name;
    do
      user = parentOf(user);
    while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
    if (const auto *method = dyn_cast_or_null<MemberExpr>(user);
        method && isa<CXXMethodDecl>(method->getMemberDecl()))
      user = parentOf(method);
    const auto *call = dyn_cast_or_null<CallExpr>(user);
    return call && storingFunction(*call) && objectOf(*call) == name.getDecl() ? call : nullptr;
  }
  // An object of a struct that all threads have alike: it is made of what they have alike, and
  // nothing changes it.
  bool isAlikeObject(const VarDecl &variable) { return whyNotAlike(variable).empty(); }
  std::string whyNotAlike(const VarDecl &variable) {
    const std::string name = "'" + variable.getNameAsString() + "' ";
    const bool isOfKernel =
        isa<ParmVarDecl>(variable)
            ? variable.getDeclContext() == &in_.kernel
            : variable.isLocalVarDecl() && variable.hasLocalStorage() && variable.getInit();
    if (!variable.getType()->isRecordType() || !isOfKernel)
      return name + kOfLane;
    if (variable.getInit() && in_.sampler.dependsOnThread(variable.getInit()))
      return name + "is made of what each thread has for itself";
    std::set<const VarDecl *> made;
    if (variable.getInit())
      addMakers(variable.getInit(), made);
    const auto isHeld = [&](const VarDecl *input) {
      return isOfRegisters(input) || heldBy(*input);
    };
    if (llvm::any_of(made, isHeld))
      return name + kOfLane;
    class Uses : public DynamicRecursiveASTVisitor {
    public:
      explicit Uses(const VarDecl &object) : object_(object) {}
      bool VisitDeclRefExpr(DeclRefExpr *name) override {
        if (name->getDecl() == &object_)
          all.push_back(name);
        return true;
      }
      std::vector<const DeclRefExpr *> all;

    private:
      const VarDecl &object_;
    };
    Uses uses(variable);
    uses.TraverseStmt(in_.kernel.getBody());
    for (const DeclRefExpr *use : uses.all)
      if (const CallExpr *call = storingCallOf(*use);
          call && !cast<CXXMethodDecl>(call->getDirectCallee())->isConst())
        return name + "may be changed by a method that is not const";
      else if (!call && !isMemberRead(*use))
        return name + "may be changed";
    return in_.sampler.dependsOnThread(&variable) ? name + "may be changed" : "";
  }
  // epi.alpha, where it is read.
  bool isMemberRead(const DeclRefExpr &name) const {
    const auto *member = dyn_cast_or_null<MemberExpr>(userOf(&name));
    const auto *cast = member ? dyn_cast_or_null<ImplicitCastExpr>(userOf(member)) : nullptr;
    return cast && cast->getCastKind() == CK_LValueToRValue;
  }
  using Accumulator = EpilogueInput::Accumulator;
  const Accumulator *isAccumulator(const DeclRefExpr &name) const {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    return variable ? accumulatorWith([&](const Accumulator &accumulator) {
      return fragmentOf(*variable, partNamed(name, in_.context)) == accumulator.declaration;
    })
                    : nullptr;
  }
  // ... or the variable that it is a part of.
  const Accumulator *mayBeAccumulator(const DeclRefExpr &name) const {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    if (const Accumulator *known = isAccumulator(name); known || !variable)
      return known;
    return partNamed(name, in_.context) ? nullptr : heldBy(*variable);
  }
  // The variable is an accumulator, or has one as a part.
  const Accumulator *heldBy(const VarDecl &variable) const {
    return accumulatorWith([&](const Accumulator &accumulator) {
      return isFragmentOf(variable, accumulator.declaration);
    });
  }
  const Accumulator *accumulatorWith(llvm::function_ref<bool(const Accumulator &)> is) const {
    const auto known = llvm::find_if(in_.accumulators, is);
    return known == in_.accumulators.end() ? nullptr : &*known;
  }
  bool usedBehind(const VarDecl *variable, const Group &group) {
    class Mentions : public DynamicRecursiveASTVisitor {
    public:
      explicit Mentions(const VarDecl *variable) : variable_(variable) {}
      bool VisitDeclRefExpr(DeclRefExpr *name) override {
        if (name->getDecl() == variable_)
          all.push_back(name);
        return true;
      }
      std::vector<const DeclRefExpr *> all;

    private:
      const VarDecl *variable_;
    };
    Mentions mentions(variable);
    mentions.TraverseStmt(in_.kernel.getBody());
    return llvm::any_of(mentions.all, [&](const DeclRefExpr *name) {
      return llvm::none_of(group.stmts, [&](const Stmt *s) { return contains(s, name); });
    });
  }

  // ---- sums over rows

  bool isSum(const VarDecl *variable) const {
    return llvm::any_of(
        sums_, [&](const auto &sum) { return sum.first == variable || sum.second == variable; });
  }
  bool isSum(const Expr *target) const {
    const auto *name = dyn_cast<DeclRefExpr>(bare(target));
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable && isSum(variable);
  }

  // s0 += ... of the upper row and s1 += ... of the lower, statements of the body itself.
  bool findSums(const Group &group) {
    const auto *block = group.stmts.size() == 1 ? dyn_cast<CompoundStmt>(group.stmts[0]) : nullptr;
    const std::set<const VarDecl *> own = declared(group.stmts);
    std::vector<const VarDecl *> upper, lower;
    for (const Stmt *stmt :
         block ? std::vector<const Stmt *>(block->body_begin(), block->body_end()) : group.stmts) {
      const auto *op = dyn_cast<CompoundAssignOperator>(stmt);
      const auto *name = op ? dyn_cast<DeclRefExpr>(bare(op->getLHS())) : nullptr;
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      if (!variable || op->getOpcode() != BO_AddAssign || !variable->isLocalVarDecl() ||
          !variable->getType()->isRealFloatingType() || rows_.holds(variable) ||
          own.count(variable))
        continue;
      RowMerger rows(in_.context, in_.texts, group.accesses, in_.isPacked, "", {});
      const unsigned which = rows.rowsOf(op->getRHS());
      if (which == 1)
        upper.push_back(variable);
      else if (which == 2)
        lower.push_back(variable);
    }
    if (upper.size() != lower.size())
      return refuse("a sum over one row has none beside it for the other",
                    group.stmts.front()->getSourceRange());
    for (size_t i = 0; i < upper.size(); ++i)
      if (upper[i] == lower[i] || isSum(upper[i]) || isSum(lower[i]))
        return refuse("'" + upper[i]->getNameAsString() + "' sums over several rows",
                      group.stmts.front()->getSourceRange());
      else
        sums_.push_back({upper[i], lower[i]});
    if (!upper.empty())
      sumBody_ = group.stmts.front();
    return true;
  }

  // Where the sums are declared: then the loop, the butterflies, what reads them.
  void addSums() {
    out_.hasSums = true;
    const CompoundStmt *block = nullptr;
    for (const Stmt *at = sumBody_; at && !block; at = parentOf(at))
      if (const auto *inner = dyn_cast<CompoundStmt>(at); inner && declares(inner, sums_[0].first))
        block = inner;
    if (!block)
      return void(refuse("a sum over a row is declared too far away", sumBody_->getSourceRange()));
    for (const auto &[upper, lower] : sums_)
      if (!declares(block, upper) || !declares(block, lower) || !uniformStart(upper) ||
          !uniformStart(lower))
        return void(refuse("'" + upper->getNameAsString() + "' does not begin as a constant",
                           sumBody_->getSourceRange()));
    Group rows;
    rows.isRow = true;
    rows.holder = block;
    std::map<const VarDecl *, unsigned> summed; // over which bits of the quad
    bool behind = false;
    for (const Stmt *stmt : block->body()) {
      const bool holds = contains(stmt, sumBody_);
      if (holds || !mentionsSum(stmt)) {
        behind = behind || holds;
        continue;
      }
      if (isa<DeclStmt>(stmt) && !behind)
        continue;
      if (!behind || !(butterfly(stmt, summed) || (allSummed(summed) && addRow(rows, stmt))))
        return void(refuse("a sum over a row is used in another way than across its quad",
                           stmt->getSourceRange()));
    }
    if (!rows.stmts.empty())
      addRows(rows);
  }

  bool declares(const CompoundStmt *block, const VarDecl *variable) const {
    return llvm::any_of(block->body(), [&](const Stmt *stmt) {
      const auto *declarations = dyn_cast<DeclStmt>(stmt);
      return declarations && llvm::is_contained(declarations->decls(), variable);
    });
  }
  bool uniformStart(const VarDecl *variable) const {
    Expr::EvalResult value;
    return variable->getInit() && variable->getInit()->EvaluateAsRValue(value, in_.context);
  }
  bool mentionsSum(const Stmt *stmt) const {
    return llvm::any_of(namesIn(stmt), [&](const VarDecl *v) { return isSum(v); });
  }
  bool allSummed(const std::map<const VarDecl *, unsigned> &summed) const {
    const auto whole = [&](const VarDecl *v) {
      const auto known = summed.find(v);
      return known != summed.end() && known->second == 3;
    };
    return llvm::all_of(sums_,
                        [&](const auto &sum) { return whole(sum.first) && whole(sum.second); });
  }
  bool addRow(Group &rows, const Stmt *stmt) const {
    rows.stmts.push_back(stmt);
    return true;
  }

  // s += __shfl_xor_sync(0xffffffff, s, 1 or 2)
  bool butterfly(const Stmt *stmt, std::map<const VarDecl *, unsigned> &summed) {
    const auto *op = dyn_cast<CompoundAssignOperator>(stmt);
    const auto *call =
        op && op->getOpcode() == BO_AddAssign ? dyn_cast<CallExpr>(bare(op->getRHS())) : nullptr;
    if (!call || cudaName(call->getDirectCallee()) != "__shfl_xor_sync" || call->getNumArgs() < 3)
      return false;
    const auto *target = dyn_cast<DeclRefExpr>(bare(op->getLHS()));
    const auto *value = dyn_cast<DeclRefExpr>(bare(call->getArg(1)));
    Expr::EvalResult mask, distance, width;
    if (!target || !value || target->getDecl() != value->getDecl() ||
        !call->getArg(0)->EvaluateAsInt(mask, in_.context) ||
        !call->getArg(2)->EvaluateAsInt(distance, in_.context) ||
        mask.Val.getInt().getZExtValue() % (uint64_t(1) << 32) != 0xffffffff)
      return false;
    if (call->getNumArgs() > 3 && (!call->getArg(3)->EvaluateAsInt(width, in_.context) ||
                                   width.Val.getInt().getExtValue() < 4))
      return false;
    const int64_t by = distance.Val.getInt().getExtValue();
    const auto range = in_.texts.range(call->getSourceRange());
    const auto text = in_.texts.range(value->getSourceRange());
    unsigned &bits = summed[cast<VarDecl>(target->getDecl())];
    if ((by != 1 && by != 2) || (bits & by) || !range || !text)
      return false;
    bits |= static_cast<unsigned>(by);
    out_.butterflies.push_back({*range, sourceRange(text->begin, text->end), by == 1 ? 0 : 1});
    return true;
  }

  // The statements that read whole sums, as one body.
  void addRows(Group &rows) {
    const auto *block = cast<CompoundStmt>(rows.holder);
    std::vector<const Stmt *> between;
    bool inside = false;
    for (const Stmt *stmt : block->body()) {
      inside = inside || stmt == rows.stmts.front();
      if (inside)
        between.push_back(stmt);
      if (stmt == rows.stmts.back())
        break;
    }
    rows.stmts = between;
    EpilogueBody body;
    const auto range = in_.texts.statement(
        SourceRange(between.front()->getBeginLoc(), between.back()->getEndLoc()));
    if (!range)
      return void(refuse("the epilogue is written by a macro", between.front()->getSourceRange()));
    body.range = *range;
    for (const Stmt *at = parentOf(between.front()); at; at = parentOf(at))
      if (isa<ForStmt>(at))
        body.loops.insert(body.loops.begin(), in_.loopOf(at));
    if (reached(rows))
      finish(rows, body);
  }

  // ---- values of rows, from between the products

  bool isWithin(const Stmt *inner, const std::vector<const Stmt *> &stmts) const {
    return llvm::any_of(stmts, [&](const Stmt *stmt) { return contains(stmt, inner); });
  }

  // A loop over r and r + 8 around the loop over tiles, that its registers are chosen by.
  const ForStmt *rowLoopAround(const Group &group) const {
    std::set<const VarDecl *> indices;
    for (const RegisterAccess &access : group.accesses)
      if (access.index)
        for (const VarDecl *variable : namesIn(access.index))
          indices.insert(variable);
    for (const Stmt *at = parentOf(group.holder); at; at = parentOf(at))
      if (const auto *loop = dyn_cast<ForStmt>(at); loop && isa<ForStmt>(group.holder)) {
        const auto counter = plainCounter(loop, in_.context);
        if (counter && counter->second == 2 && indices.count(counter->first))
          return loop;
      }
    return nullptr;
  }

  // ... or by which values of rows are.
  bool isRowLoop(const ForStmt *loop) const {
    const auto counter = plainCounter(loop, in_.context);
    if (!counter || counter->second != 2)
      return false;
    return llvm::any_of(groups_, [&](const Group &group) { return group.rowLoop == loop; }) ||
           llvm::any_of(rows_.accessesIn(loop->getBody()), [&](const RowValues::Access &access) {
             return namesIn(access.index).count(counter->first) != 0;
           });
  }

  // Values of rows are named below `stmt` outside of the bodies of tiles.
  bool namesRows(const Stmt *stmt) const {
    return llvm::any_of(mentionsIn(stmt), [&](const DeclRefExpr *name) {
      return rows_.holds(cast<VarDecl>(name->getDecl())) &&
             llvm::none_of(groups_,
                           [&](const Group &group) { return isWithin(name, group.stmts); });
    });
  }
  bool holdsTiles(const Stmt *stmt) const {
    return llvm::any_of(groups_, [&](const Group &group) {
      return !group.stmts.empty() && contains(stmt, group.stmts.front());
    });
  }
  bool holdsRowLoop(const Stmt *stmt) const {
    return llvm::any_of(groups_, [&](const Group &group) {
      return group.rowLoop && contains(stmt, group.rowLoop);
    });
  }

  bool holdsAnyRowLoop(const Stmt *stmt) const {
    const auto *loop = dyn_cast_or_null<ForStmt>(stmt);
    return stmt && ((loop && isRowLoop(loop)) ||
                    llvm::any_of(stmt->children(),
                                 [&](const Stmt *child) { return holdsAnyRowLoop(child); }));
  }

  void addRowStatements() {
    std::vector<std::vector<const Stmt *>> behind;
    addBehind(*in_.kernel.getBody(), behind);
    for (const auto &stmts : behind) {
      for (const Stmt *stmt : stmts)
        if (const DeclRefExpr *name = rows_.otherMention(stmt))
          return void(refuse("'" + name->getDecl()->getNameAsString() + std::string("' ") + kOfLane,
                             stmt->getSourceRange()));
      addRowsOf(stmts);
    }
    for (const Group &group : groups_)
      if (group.rowLoop && !isWritten(*group.rowLoop))
        return void(refuse("a loop over rows is not followed", group.rowLoop->getSourceRange()));
  }

  bool isWritten(const ForStmt &rowLoop) const {
    const auto range = in_.texts.statement(rowLoop.getSourceRange());
    return llvm::any_of(out_.bodies, [&](const EpilogueBody &body) {
      return body.isRowLoop && range && body.range.contains(*range);
    });
  }

  // The statements behind the products, by the blocks that those stand in.
  void addBehind(const Stmt &block, std::vector<std::vector<const Stmt *>> &behind) const {
    std::vector<const Stmt *> stmts;
    for (const Stmt *stmt : block.children()) {
      const auto range = stmt ? in_.texts.statement(stmt->getSourceRange()) : std::nullopt;
      if (stmt && (!range || range->begin >= in_.accumulators[0].region.end))
        stmts.push_back(stmt);
      else if (range && in_.accumulators[0].region.end < range->end)
        addBehind(*stmt, behind);
    }
    behind.push_back(std::move(stmts));
  }

  // Neighbouring statements that speak of rows alone are one body.
  void addRowsOf(llvm::ArrayRef<const Stmt *> stmts) {
    Group rows;
    const auto flush = [&] {
      if (!rows.stmts.empty() && out_.problem.empty())
        addRowBody(rows);
      rows = Group();
    };
    for (const Stmt *stmt : stmts) {
      while (const auto *attributed = dyn_cast_or_null<AttributedStmt>(stmt))
        stmt = attributed->getSubStmt();
      const auto *loop = dyn_cast_or_null<ForStmt>(stmt);
      const bool isLoop = loop && isRowLoop(loop);
      if (!stmt || (!isLoop && !namesRows(stmt) && !holdsRowLoop(stmt))) {
        flush();
      } else if (isLoop) {
        flush();
        if (out_.problem.empty())
          addRowLoop(loop);
      } else if (!holdsTiles(stmt) && !holdsRowLoop(stmt)) {
        rows.stmts.push_back(stmt);
      } else {
        flush();
        if (!addRowsBelow(stmt))
          return void(refuse("values of rows are used beside the accumulator's elements",
                             stmt->getSourceRange()));
      }
    }
    flush();
  }

  bool addRowsBelow(const Stmt *stmt) {
    if (const auto *block = dyn_cast<CompoundStmt>(stmt)) {
      addRowsOf({block->body_begin(), block->body_end()});
      return true;
    }
    if (const auto *loop = dyn_cast<ForStmt>(stmt)) {
      addRowsOf({loop->getBody()});
      return true;
    }
    const auto *branch = dyn_cast<IfStmt>(stmt);
    if (!branch || namesRows(branch->getCond()) || branch->getInit())
      return false;
    addRowsOf({branch->getThen(), branch->getElse()});
    return true;
  }

  // Statements side by side, once for each row: l0 and l1, or l[0] and l[1].
  void addRowBody(Group &rows) {
    rows.isRow = true;
    rows.holder = parentOf(rows.stmts.front());
    EpilogueBody body;
    const auto range = in_.texts.statement(
        SourceRange(rows.stmts.front()->getBeginLoc(), rows.stmts.back()->getEndLoc()));
    if (!range)
      return void(
          refuse("the epilogue is written by a macro", rows.stmts.front()->getSourceRange()));
    body.range = *range;
    addLoops(rows.stmts.front(), body);
    if (reached(rows))
      finish(rows, body);
  }

  void addLoops(const Stmt *stmt, EpilogueBody &body) const {
    for (const Stmt *at = parentOf(stmt); at; at = parentOf(at))
      if (isa<ForStmt>(at))
        body.loops.insert(body.loops.begin(), in_.loopOf(at));
  }

  // for (int r = 0; r < 2; ++r) { ... }: what is in it is done for the one row that the lane has
  // of either warp, as the lane and warp that CUDA would do it in. So nothing may be carried
  // from one turn to the next but values of rows.
  void addRowLoop(const ForStmt *loop) {
    Group rows;
    rows.isRow = true;
    rows.holder = rows.rowLoop = loop;
    const auto *block = dyn_cast<CompoundStmt>(loop->getBody());
    rows.stmts = block ? std::vector<const Stmt *>(block->body_begin(), block->body_end())
                       : std::vector<const Stmt *>{loop->getBody()};
    EpilogueBody body;
    if (!followsPrefix(rows) || !placeLoop(rows, block != nullptr, body) || !reached(rows))
      return;
    const size_t at = out_.bodies.size();
    finish(rows, body);
    if (!out_.problem.empty())
      return;
    out_.bodies[at].usesPair = true;
    out_.usesRows = true;
    for (const Group &group : groups_)
      if (group.rowLoop == loop && out_.problem.empty())
        addBody(group);
  }

  bool placeLoop(const Group &rows, bool isBlock, EpilogueBody &body) {
    const ForStmt *loop = rows.rowLoop;
    const auto range = in_.texts.statement(loop->getSourceRange()),
               inner = in_.texts.statement(loop->getBody()->getSourceRange());
    if (!range || !inner || loop->getBeginLoc().isMacroID() || loop->getEndLoc().isMacroID() ||
        loop->getBody()->getBeginLoc().isMacroID())
      return refuse("the epilogue is written by a macro", loop->getSourceRange());
    body.range = *range;
    body.inner = *inner;
    body.isBlock = isBlock;
    body.isRowLoop = true;
    takePragmas(loop, body);
    addLoops(loop, body);
    const Loop known = in_.loopOf(loop);
    body.rowName = known.variable;
    body.rowType = known.type;
    if (!in_.context.hasSameType(counterOf(*loop)->getType(), in_.context.IntTy))
      return refuse("a loop over rows does not count in int", loop->getSourceRange());
    return true;
  }

  // Up to the first statement that hands something on, a turn may change values of its row, and
  // variables of its own.
  bool followsPrefix(Group &rows) {
    const auto own = declared(rows.stmts);
    const Stmt *first = nullptr;
    for (const Stmt *stmt : rows.stmts) {
      first = handsOn(stmt) ? stmt : nullptr;
      if (first)
        break;
      rows.prefix.push_back(stmt);
    }
    if (!first)
      return refuse("a loop over rows hands nothing on", rows.rowLoop->getSourceRange());
    Exchange::Seen seen;
    if (in_.between)
      seen = in_.between->seenAt(first);
    if (!seen.problem.empty())
      return refuse(seen.problem, seen.problemAt);
    visits_[rows.rowLoop] = seen.visits;
    for (const Stmt *stmt : rows.prefix)
      for (const CallExpr *shuffle : shufflesBelow(stmt))
        if (!llvm::is_contained(seen.shuffles, shuffle) || !in_.takeShuffle(*shuffle))
          return refuse("a shuffle in the epilogue is not one of values of rows",
                        shuffle->getSourceRange());
    for (const VarDecl *variable : own)
      if (isOfRegisters(variable) && llvm::none_of(groups_, [&](const Group &group) {
            return declared(group.stmts).count(variable) != 0;
          }))
        rowLocals_.insert(variable);
    return true;
  }

  bool handsOn(const Stmt *stmt) const {
    if (holdsTiles(stmt))
      return true;
    Touches visitor;
    visitor.TraverseStmt(const_cast<Stmt *>(stmt));
    return llvm::any_of(visitor.all, [](const Touch &touch) {
      return touch.isWrite && (!touch.root || !isRegisters(touch.root));
    });
  }

  // In the part of a loop over rows that only computes: variables of its own, and the value of
  // the row whose turn it is.
  bool mayChange(const Expr *target, const Stmt *stmt, const Group &group) const {
    if (target && (isOfElement(*target, *stmt) || isOfBody(*target, group)))
      return true;
    if (!target || !llvm::is_contained(group.prefix, stmt))
      return false;
    const Expr *place = bare(target);
    if (const auto access = rows_.accessAt(place)) {
      const auto *index = dyn_cast<DeclRefExpr>(bare(access->index));
      return index && index->getDecl() == counterOf(*group.rowLoop);
    }
    const auto *name = dyn_cast<DeclRefExpr>(place);
    return name && declared(group.stmts).count(dyn_cast<VarDecl>(name->getDecl()));
  }

  // The variable whose value, or a member of it, is changed.
  static const VarDecl *changedBy(const Expr &target) {
    const Expr *place = bare(&target);
    while (const auto *member = dyn_cast<MemberExpr>(place)) {
      if (member->isArrow())
        return nullptr;
      place = bare(member->getBase());
    }
    const auto *name = dyn_cast<DeclRefExpr>(place);
    return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  }
  // float2 c = *p; c.x = ...; *p = c; in a body of a tile: it has one for itself, of what no place
  // is made of.
  bool isOfBody(const Expr &target, const Group &group) const {
    const VarDecl *variable = changedBy(target);
    return isOwnVariable(variable) && !group.isRow && !isPlaceType(variable->getType()) &&
           !variable->getType()->isArrayType() && declared(group.stmts).count(variable);
  }

  // A variable of the body of the innermost loop in the statement: each turn has its own.
  static bool isOwnVariable(const VarDecl *variable) {
    return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
  }
  bool isOfElement(const Expr &target, const Stmt &stmt) const {
    const VarDecl *variable = changedBy(target);
    const Stmt *at = &target;
    while (at && at != &stmt && !isa<ForStmt>(at))
      at = parentOf(at);
    const auto *loop = dyn_cast_or_null<ForStmt>(at);
    return loop && isOwnVariable(variable) && declared({loop->getBody()}).count(variable);
  }

  // Shuffles that the statement does, itself or by the functions that it calls.
  static std::vector<const CallExpr *> shufflesBelow(const Stmt *stmt, int depth = 0) {
    constexpr int kDeepest = 8;
    class Calls : public DynamicRecursiveASTVisitor {
    public:
      bool VisitCallExpr(CallExpr *call) override {
        all.push_back(call);
        return true;
      }
      std::vector<const CallExpr *> all;
    };
    Calls calls;
    calls.TraverseStmt(const_cast<Stmt *>(stmt));
    std::vector<const CallExpr *> found;
    for (const CallExpr *call : calls.all) {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      if (isShuffle(cudaName(callee)))
        found.push_back(call);
      else if (definition && definition->hasBody() && depth < kDeepest)
        llvm::append_range(found, shufflesBelow(definition->getBody(), depth + 1));
    }
    return found;
  }

  // A shuffle, or a function that computes by shuffles and asks nothing else of its thread.
  bool exchanges(const CallExpr &call) const {
    if (shufflesBelow(&call).empty() || !onlyComputesInWarp(call))
      return false;
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!definition || !definition->hasBody())
      return true;
    if (!asksOnlyByShuffles(definition->getBody()))
      return false;
    in_.takeExchanging(*definition);
    return true;
  }
  static bool asksOnlyByShuffles(const Stmt *body, int depth = 0) {
    constexpr int kDeepest = 8;
    ThreadMentions mentions;
    mentions.TraverseStmt(const_cast<Stmt *>(body));
    AsmFinder inner;
    inner.TraverseStmt(const_cast<Stmt *>(body));
    return depth < kDeepest && mentions.found.empty() && !mentions.hasOther &&
           inner.found.empty() && llvm::all_of(inner.calls, [&](const CallExpr *call) {
             const FunctionDecl *callee = call->getDirectCallee();
             const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
             return !definition || !definition->hasBody() ||
                    asksOnlyByShuffles(definition->getBody(), depth + 1);
           });
  }

  // What is known where the group's statements begin.
  const std::vector<Visit> &visitsOf(const Group &group) {
    const Stmt *key = group.rowLoop ? group.rowLoop : group.stmts.front();
    const auto [known, isNew] = visits_.try_emplace(key);
    if (isNew && in_.between) {
      const Stmt *at = key;
      for (const Stmt *up = parentOf(at); up && up != in_.kernel.getBody() && !holdsAnyRowLoop(up);
           up = parentOf(up))
        at = up;
      if (Exchange::Seen seen = in_.between->seenAt(at); seen.problem.empty())
        known->second = std::move(seen.visits);
    }
    return known->second;
  }

  // The lanes of a quad have the same of what the group uses of the variable.
  bool isEvenInQuads(const VarDecl *variable, const Group &group) {
    const std::vector<Visit> &visits = visitsOf(group);
    if (visits.empty())
      return false;
    std::vector<RowValues::Access> accesses;
    for (const Stmt *stmt : group.stmts)
      for (const RowValues::Access &access : rows_.accessesIn(stmt))
        if (access.array == variable)
          accesses.push_back(access);
    return llvm::all_of(visits, [&](const Visit &visit) {
      return accesses.empty() ? visit.evenInQuads.count({variable, 0}) != 0
                              : llvm::all_of(accesses, [&](const RowValues::Access &access) {
                                  return isEven(access, visit);
                                });
    });
  }

  // l[i][r], in words: i * 2 + r. An index that is not known may be any.
  bool isEven(const RowValues::Access &access, const Visit &visit) const {
    const auto row = valueOf(access.index, visit.numbers, in_.context);
    std::optional<int64_t> outer = 0;
    int64_t stride = 1;
    QualType type = access.array->getType();
    std::vector<int64_t> extents;
    while (const auto *array = in_.context.getAsConstantArrayType(type)) {
      extents.push_back(static_cast<int64_t>(array->getSize().getZExtValue()));
      type = array->getElementType();
    }
    for (size_t i = 0; i < access.outer.size(); ++i) {
      const auto index = valueOf(access.outer[i], visit.numbers, in_.context);
      outer = outer && index ? std::optional(*outer + *index * stride) : std::nullopt;
      stride *= extents[extents.size() - 2 - i];
    }
    constexpr int64_t kWord = 4;
    for (int64_t word = 0; word < 2 * stride; ++word)
      if ((!row || *row == word % 2) && (!outer || *outer == word / 2) &&
          !visit.evenInQuads.count({access.array, word * kWord}))
        return false;
    return true;
  }

  // ---- only stores

  bool onlyStores(const Group &group) {
    std::vector<Touch> touches;
    for (const Stmt *stmt : group.stmts) {
      if (!plainStatements(stmt, group))
        return false;
      Touches visitor;
      visitor.TraverseStmt(const_cast<Stmt *>(stmt));
      for (const Expr *target : visitor.variables)
        if (!isCounter(target, stmt) && (group.isRow || !isSum(target)) &&
            !mayChange(target, stmt, group))
          return refuse("'" + in_.texts.spelled(target) + "' is changed in the epilogue",
                        target->getSourceRange());
      for (const Touch &touch : visitor.all)
        if (touch.root && llvm::is_contained(group.prefix, stmt) &&
            mayChange(touch.place, stmt, group))
          continue;
        else if (touch.root && touch.isWrite && rows_.holds(touch.root))
          return refuse("'" + touch.root->getNameAsString() + "' is changed in the epilogue",
                        touch.place->getSourceRange());
        else if (!touch.root || !heldBy(*touch.root))
          touches.push_back(touch);
        else if (touch.isWrite && !isElement(touch.place))
          return refuse("'" + touch.root->getNameAsString() + "' is changed in the epilogue",
                        touch.place->getSourceRange());
    }
    for (const Touch &write : touches)
      for (const Touch &read : touches)
        if (write.isWrite && read.isRead && !maySee(read, write, group, touches))
          return false;
    return isWrittenOnce(group, touches) && notReadBehind(group, touches);
  }

  // One register of the accumulator, in a body of its tile: whoever has it may change it.
  bool isElement(const Expr *place) const {
    return llvm::any_of(groups_, [&](const Group &group) {
      return llvm::any_of(group.accesses, [&](const RegisterAccess &access) {
        return access.expr == place && access.index && access.bytes == bytesOf(place);
      });
    });
  }
  bool changesElements(const Group &group) const {
    return llvm::any_of(group.stmts, [&](const Stmt *stmt) {
      return llvm::any_of(touchesOf(stmt), [&](const Touch &touch) {
        return touch.isWrite && touch.place && isElement(touch.place);
      });
    });
  }

  // What is read is the element itself, or lies elsewhere than what is written.
  bool maySee(const Touch &read, const Touch &write, const Group &group,
              const std::vector<Touch> &touches) {
    const bool isOwn = isOwnElement(read, touches);
    for (const Touch &other : touches)
      if (isOwn && !read.isWrite && isSameElement(read, other) && !isOfSameRow(read, other, group))
        return refuse("'" + nameOf(read) +
                          "' is read for one row of a tile where the other's element is written",
                      read.anchor()->getSourceRange());
    if (isOwn && in_.sampler.isMirrored())
      return refuse("'" + nameOf(read) +
                        "' is changed from what it was, which the other half of "
                        "a padded block would do again",
                    read.anchor()->getSourceRange());
    const bool mayMeet = !isOwn && !apart(write, read);
    if (mayMeet && !read.root)
      return refuse("the epilogue may read what it writes, by a pointer that is not followed",
                    read.anchor()->getSourceRange());
    if (mayMeet)
      return refuse("'" + nameOf(read) +
                        "' may be the memory that the epilogue writes; "
                        "'// layout-port: noalias(" +
                        nameOf(read) + ")' would tell",
                    read.anchor()->getSourceRange());
    return true;
  }

  // Every element goes to a place of its own. What one thread writes twice, or counts up, has an
  // order that is lost when other lanes act for it.
  bool isWrittenOnce(const Group &group, const std::vector<Touch> &touches) {
    std::vector<const Expr *> places;
    const auto isOfFunction = [](const Touch &touch) { return touch.isWrite && touch.call; };
    if (llvm::any_of(touches, isOfFunction))
      return functionsWriteOnce(group, touches);
    for (const Touch &touch : touches)
      if (touch.isWrite && touch.place && (!touch.root || !isRegisters(touch.root)) &&
          llvm::none_of(places, [&](const Expr *other) {
            return sameText(other, touch.place) && excludeEachOther(*other, *touch.place);
          }))
        places.push_back(touch.place);
    if (!areOfOneValue(group, places))
      return false;
    if (group.isRow && group.rowLoop)
      return isWrittenOnceARow(group, places);
    return places.empty() || liesApart(places, countersOf(group));
  }
  // Of nothing that the statements declare and change: what it is by then is not followed.
  bool areOfOneValue(const Group &group, const std::vector<const Expr *> &places) {
    std::set<const VarDecl *> own = declared(group.stmts);
    for (const ForStmt *loop : loopsIn(group.stmts))
      own.erase(counterOf(*loop));
    for (const Expr *place : places) {
      std::set<const VarDecl *> made;
      addMakers(place, made);
      for (const VarDecl *variable : made)
        if (own.count(variable) && in_.sampler.changes(variable) &&
            isPlaceType(variable->getType()))
          return refuse("whether each element is written to a place of its own is not clear",
                        place->getSourceRange());
    }
    return true;
  }
  // All that is written is written by calls of one function. To its places, its parameters are
  // what the call gives: of two calls, one or the other.
  bool functionsWriteOnce(const Group &group, const std::vector<Touch> &touches) {
    std::vector<const CallExpr *> calls;
    std::vector<const Expr *> places;
    const FunctionDecl *function = nullptr;
    const VarDecl *object = nullptr;
    for (const Touch &touch : touches) {
      if (!touch.isWrite || (touch.root && isRegisters(touch.root)))
        continue;
      const FunctionDecl *its = touch.call ? storingFunction(*touch.call) : nullptr;
      const bool isOther = function && (its != function || objectOf(*touch.call) != object);
      if (!its || !touch.place || isOther || group.isRow)
        return refuse("whether each element is written to a place of its own is not clear",
                      touch.anchor() ? touch.anchor()->getSourceRange()
                                     : group.stmts.front()->getSourceRange());
      function = its;
      object = objectOf(*touch.call);
      if (!llvm::is_contained(calls, touch.call))
        calls.push_back(touch.call);
      if (!llvm::is_contained(places, touch.place))
        places.push_back(touch.place);
    }
    if (!function)
      return true;
    Sampler::Counters counters = countersOf(group);
    std::vector<std::pair<const VarDecl *, const Expr *>> before;
    const VarDecl *which = numberOfCall(calls.size(), counters);
    for (unsigned i = 0; i < function->getNumParams(); ++i) {
      const ParmVarDecl *parameter = function->getParamDecl(i);
      const QualType type = parameter->getType();
      const Expr *given = isPlaceType(type) ? eitherArgument(calls, i, which) : nullptr;
      before.push_back({parameter, in_.sampler.aliasOf(parameter)});
      in_.sampler.alias(parameter, given);
    }
    std::set<const VarDecl *> counts;
    for (const ForStmt *loop : loopsIn({function->getBody()})) {
      addCounter(*loop, counters);
      counts.insert(counterOf(*loop));
    }
    for (const VarDecl *local : declared({function->getBody()})) { // made of those
      if (counts.count(local))
        continue;
      before.push_back({local, nullptr});
      in_.sampler.alias(local, local->getInit());
    }
    in_.sampler.takeObject(object != nullptr);
    const bool holds = liesApart(places, counters);
    in_.sampler.takeObject(false);
    for (const auto &[parameter, argument] : before)
      in_.sampler.alias(parameter, argument);
    return holds;
  }

  // A counter that no loop has: which of the calls.
  const VarDecl *numberOfCall(size_t calls, Sampler::Counters &counters) const {
    if (calls < 2)
      return nullptr;
    ASTContext &context = in_.context;
    VarDecl *which = VarDecl::Create(context, const_cast<FunctionDecl *>(&in_.kernel),
                                     in_.kernel.getLocation(), in_.kernel.getLocation(),
                                     &context.Idents.get("which"), context.IntTy, nullptr, SC_None);
    std::vector<int64_t> turns;
    for (size_t i = 0; i < calls; ++i)
      turns.push_back(static_cast<int64_t>(i));
    counters.push_back({which, std::move(turns)});
    return which;
  }

  // which == 0 ? the first call's : which == 1 ? ...
  const Expr *eitherArgument(const std::vector<const CallExpr *> &calls, unsigned parameter,
                             const VarDecl *which) const {
    ASTContext &context = in_.context;
    Expr *either = const_cast<Expr *>(argumentOf(*calls.back(), parameter));
    const SourceLocation at = in_.kernel.getLocation();
    for (size_t i = calls.size() - 1; either && i-- > 0;) {
      Expr *own = const_cast<Expr *>(argumentOf(*calls[i], parameter));
      auto *name =
          DeclRefExpr::Create(context, NestedNameSpecifierLoc(), SourceLocation(),
                              const_cast<VarDecl *>(which), false, at, context.IntTy, VK_LValue);
      auto *value = ImplicitCastExpr::Create(context, context.IntTy, CK_LValueToRValue, name,
                                             nullptr, VK_PRValue, FPOptionsOverride());
      auto *number = IntegerLiteral::Create(context, llvm::APInt(32, i), context.IntTy, at);
      auto *isIt = BinaryOperator::Create(context, value, number, BO_EQ, context.BoolTy, VK_PRValue,
                                          OK_Ordinary, at, FPOptionsOverride());
      either = new (context)
          ConditionalOperator(isIt, at, own, at, either, own->getType(), VK_PRValue, OK_Ordinary);
    }
    return either;
  }

  bool liesApart(const std::vector<const Expr *> &places, const Sampler::Counters &counters) {
    const std::optional<bool> areApart = in_.sampler.areApart(places, counters);
    if (areApart && *areApart)
      return true;
    return refuse(areApart ? "several elements are written to one place"
                           : "whether each element is written to a place of its own is not clear",
                  places.front()->getSourceRange());
  }

  // What a loop over rows writes besides tiles, by the loops around it.
  bool isWrittenOnceARow(const Group &group, const std::vector<const Expr *> &all) {
    std::map<std::vector<const ForStmt *>, std::vector<const Expr *>> places;
    for (const Expr *place : all) {
      if (llvm::any_of(groups_, [&](const Group &tile) { return isWithin(place, tile.stmts); }))
        continue;
      std::vector<const ForStmt *> loops;
      for (const Stmt *at = place; at != group.rowLoop; at = parentOf(at))
        if (const auto *loop = dyn_cast<ForStmt>(at))
          loops.push_back(loop);
      places[std::move(loops)].push_back(place);
    }
    for (const auto &[loops, same] : places) {
      Sampler::Counters counters;
      addCounter(*group.rowLoop, counters);
      for (const ForStmt *loop : loops)
        addCounter(*loop, counters);
      if (!liesApart(same, counters))
        return false;
    }
    return true;
  }

  // In two arms of one 'if'.
  bool excludeEachOther(const Stmt &a, const Stmt &b) const {
    for (const Stmt *at = &a; at; at = parentOf(at))
      if (const auto *branch = dyn_cast<IfStmt>(at); branch && contains(branch, &b))
        return branch->getElse() &&
               contains(branch->getThen(), &a) != contains(branch->getThen(), &b) &&
               !contains(branch->getCond(), &a) && !contains(branch->getCond(), &b);
    return false;
  }

  // Of the loops over tiles and registers: those in the body, and those around that its tile is
  // made from.
  Sampler::Counters countersOf(const Group &group) {
    std::set<const VarDecl *> made;
    for (const RegisterAccess &access : group.accesses)
      for (const Expr *index : access.tile)
        addMakers(index, made);
    Sampler::Counters counters;
    for (const ForStmt *loop : loopsIn(group.stmts))
      addCounter(*loop, counters);
    if (group.rowLoop)
      addCounter(*group.rowLoop, counters);
    for (const Stmt *at = parentOf(group.stmts.front()); at; at = parentOf(at))
      if (const auto *loop = dyn_cast<ForStmt>(at);
          loop && made.count(counterOf(*loop)) && !waitsInTurns(*loop))
        addCounter(*loop, counters);
    return counters;
  }
  // All threads of the block wait for each other in each turn: what one writes comes before what
  // another does in the next, wherever that is.
  static bool waitsInTurns(const ForStmt &loop) {
    class Skips : public DynamicRecursiveASTVisitor {
    public:
      bool VisitContinueStmt(ContinueStmt *) override { return !(any = true); }
      bool VisitGotoStmt(GotoStmt *) override { return !(any = true); }
      bool any = false;
    };
    const auto *block = dyn_cast<CompoundStmt>(loop.getBody());
    Skips skips;
    skips.TraverseStmt(const_cast<Stmt *>(loop.getBody()));
    return block && !skips.any && llvm::any_of(block->body(), [](const Stmt *stmt) {
             const auto *call = dyn_cast<CallExpr>(stmt);
             return call && cudaName(call->getDirectCallee()) == "__syncthreads";
           });
  }
  static std::vector<const ForStmt *> loopsIn(const std::vector<const Stmt *> &stmts) {
    class Loops : public DynamicRecursiveASTVisitor {
    public:
      bool VisitForStmt(ForStmt *loop) override {
        all.push_back(loop);
        return true;
      }
      std::vector<const ForStmt *> all;
    };
    Loops loops;
    for (const Stmt *stmt : stmts)
      loops.TraverseStmt(const_cast<Stmt *>(stmt));
    return loops.all;
  }
  static const VarDecl *counterOf(const ForStmt &loop) {
    const auto *init = dyn_cast_or_null<DeclStmt>(loop.getInit());
    return init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  }
  void addCounter(const ForStmt &loop, Sampler::Counters &counters) const {
    constexpr int64_t kSome = 4; // where the bounds are no constants
    const VarDecl *counter = counterOf(loop);
    if (!counter)
      return;
    const Loop known = in_.loopOf(&loop);
    std::vector<int64_t> turns;
    if (known.first && known.last && known.step && *known.step > 0)
      for (int64_t i = *known.first; i < *known.last; i += *known.step)
        turns.push_back(i);
    for (int64_t i = 0; turns.empty() && i < kSome; ++i)
      turns.push_back(i);
    counters.push_back({counter, std::move(turns)});
  }
  void addMakers(const Expr *value, std::set<const VarDecl *> &made) {
    for (const VarDecl *variable : namesIn(value))
      if (made.insert(variable).second)
        for (const Expr *from : values_[variable])
          addMakers(from, made);
  }

  // C[i] = beta * C[i] + ...: what is read is what is written.
  bool isOwnElement(const Touch &read, const std::vector<Touch> &touches) const {
    return llvm::any_of(touches, [&](const Touch &write) { return isSameElement(read, write); });
  }
  bool isSameElement(const Touch &read, const Touch &write) const {
    return write.isWrite && write.place && read.place && write.root && write.root == read.root &&
           write.call == read.call &&
           (sameText(write.place, read.place) || isMemberAt(*read.place, *write.place));
  }
  // p->x of *p.
  bool isMemberAt(const Expr &member, const Expr &whole) const {
    const auto *part = dyn_cast<MemberExpr>(&member);
    const auto *op = dyn_cast<UnaryOperator>(&whole);
    return part && part->isArrow() && op && op->getOpcode() == UO_Deref &&
           sameText(bare(part->getBase()), bare(op->getSubExpr()));
  }

  // One statement reads and writes; or nothing that comes of what is read is of another row than
  // the one that is written, as rows r and r + 8 are two lanes' now:
  //
  //   C[i] = acc[0];  C[i + 8 * N] = acc[2] + C[i];     the second lane may be first
  bool isOfSameRow(const Touch &read, const Touch &write, const Group &group) {
    const Stmt *reads = statementOf(*read.anchor()), *writes = statementOf(*write.anchor());
    if (read.call && rowsMadeOf(*reads, group) == 3) // both rows are the function's
      return statementOf(*read.place) == statementOf(*write.place);
    if (reads == writes || group.isRow)
      return true;
    const unsigned row = rowsMadeOf(*writes, group);
    const ForStmt *loop = loopWithin(*writes, group);
    return llvm::all_of(usesOf(*read.anchor(), group), [&](const Stmt *use) {
      const unsigned rows = rowsMadeOf(*use, group);
      return rows == 0 || row == 0 ||
             (rows == row && (row != 3 || (loop && loopWithin(*use, group) == loop)));
    });
  }
  // The statement that an expression stands in; where it gives a variable of the group's own its
  // value, those that mention the variable.
  std::vector<const Stmt *> usesOf(const Stmt &inner, const Group &group) {
    std::vector<const Stmt *> uses;
    std::vector<const Stmt *> next = {&inner};
    std::set<const VarDecl *> followed;
    for (size_t i = 0; i < next.size(); ++i) {
      const Stmt *use = statementOf(*next[i]);
      const VarDecl *made = madeBy(*use, *next[i]);
      if (!isa<DeclStmt>(use) && !llvm::is_contained(uses, use))
        uses.push_back(use);
      if (!made || !declared(group.stmts).count(made) || !followed.insert(made).second)
        continue;
      for (const Stmt *stmt : group.stmts)
        for (const DeclRefExpr *name : mentionsIn(stmt))
          if (name->getDecl() == made)
            next.push_back(name);
    }
    return uses;
  }
  // float x = ..inner..; x = ..inner..; x.y += ..inner..
  const VarDecl *madeBy(const Stmt &stmt, const Stmt &inner) const {
    if (const auto *declarations = dyn_cast<DeclStmt>(&stmt)) {
      for (const Decl *decl : declarations->decls())
        if (const auto *variable = dyn_cast<VarDecl>(decl);
            variable && variable->getInit() && contains(variable->getInit(), &inner))
          return variable;
      return nullptr;
    }
    const auto *op = dyn_cast<BinaryOperator>(&stmt);
    const auto *overloaded = dyn_cast<CXXOperatorCallExpr>(&stmt);
    if (!(op && op->isAssignmentOp()) && !(overloaded && overloaded->isAssignmentOp()))
      return nullptr;
    const Expr *target = bare(op ? op->getLHS() : overloaded->getArg(0));
    while (const auto *member = dyn_cast<MemberExpr>(target))
      target = bare(member->getBase());
    const auto *name = dyn_cast<DeclRefExpr>(target);
    return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  }
  // The statement of a block, or an arm, that an expression stands in.
  const Stmt *statementOf(const Stmt &inner) const {
    const Stmt *at = &inner;
    for (const Stmt *up = parentOf(at); up && !isa<CompoundStmt>(up); up = parentOf(at)) {
      const auto *branch = dyn_cast<IfStmt>(up);
      const auto *loop = dyn_cast<ForStmt>(up);
      if ((branch && at != branch->getCond()) || (loop && at == loop->getBody()))
        break;
      at = up;
    }
    return at;
  }
  // The innermost loop of the group's own around a statement.
  const ForStmt *loopWithin(const Stmt &stmt, const Group &group) const {
    for (const Stmt *at = &stmt; at && isWithin(at, group.stmts); at = parentOf(at))
      if (const auto *loop = dyn_cast<ForStmt>(at))
        return loop;
    return nullptr;
  }
  // The rows whose elements a statement names, itself or in variables of the group's own.
  unsigned rowsMadeOf(const Stmt &stmt, const Group &group) {
    RowMerger merger(in_.context, in_.texts, group.accesses, in_.isPacked, "", {});
    for (const Stmt *all : group.stmts)
      merger.rowsOf(all); // knows the loops around
    const std::set<const VarDecl *> own = declared(group.stmts);
    unsigned rows = 0;
    std::vector<const Stmt *> open = {&stmt};
    for (size_t i = 0; i < open.size(); ++i) {
      rows |= merger.rowsOf(open[i]);
      for (const VarDecl *variable : namesIn(open[i]))
        for (const Stmt *makes :
             own.count(variable) ? makersOf(*variable, group) : std::vector<const Stmt *>())
          if (!llvm::is_contained(open, makes))
            open.push_back(makes);
    }
    return rows;
  }
  // What gives a variable its value.
  std::vector<const Stmt *> makersOf(const VarDecl &variable, const Group &group) {
    std::vector<const Stmt *> makers;
    if (variable.getInit())
      makers.push_back(variable.getInit());
    for (const Stmt *stmt : group.stmts)
      for (const DeclRefExpr *name : mentionsIn(stmt))
        if (const Stmt *use = statementOf(*name);
            !isa<DeclStmt>(use) && name->getDecl() == &variable && madeBy(*use, *name) == &variable)
          makers.push_back(use);
    return makers;
  }

  static std::string nameOf(const Touch &touch) {
    return touch.root ? touch.root->getNameAsString() : "memory";
  }

  // A loop's own counter, in its head.
  bool isCounter(const Expr *target, const Stmt *within) const {
    const auto *name = dyn_cast<DeclRefExpr>(bare(target));
    for (const Stmt *at = target; at && name; at = parentOf(at)) {
      const auto *loop = dyn_cast<ForStmt>(at);
      if (loop && loop->getInc() && contains(loop->getInc(), target)) {
        const auto counter = plainCounter(loop, in_.context);
        return counter && counter->first == name->getDecl();
      }
      if (at == within)
        break;
    }
    return false;
  }

  // Two places that cannot be one, or that are the very same element.
  bool apart(const Touch &write, const Touch &read) {
    if (write.root && read.root && write.root != read.root) {
      const bool isLocal = isSharedVariable(write.root) != isSharedVariable(read.root);
      const bool arrays =
          write.root->getType()->isArrayType() && read.root->getType()->isArrayType();
      const bool registers = isRegisters(write.root) || isRegisters(read.root);
      if (isLocal || arrays || registers || isRestrict(write.root) || isRestrict(read.root) ||
          saidApart(read.root) || saidApart(write.root))
        return true;
    }
    // Read by several lanes: writing it would be a race in the source.
    return write.root != read.root && read.place && in_.sampler.isReadByOthers(read.place);
  }
  static bool isRestrict(const VarDecl *variable) {
    return variable->getType().isRestrictQualified();
  }
  bool saidApart(const VarDecl *variable) {
    if (!in_.isNoAlias(variable))
      return false;
    const std::string said =
        "nothing else leads to the memory of '" + variable->getNameAsString() + "'";
    if (!llvm::is_contained(out_.assumptions, said))
      out_.assumptions.push_back(said);
    return true;
  }
  bool sameText(const Expr *a, const Expr *b) const {
    llvm::FoldingSetNodeID x, y;
    a->Profile(x, in_.context, true);
    b->Profile(y, in_.context, true);
    return x == y;
  }

  // No shuffle, vote, barrier or other matter of several threads; no way out.
  bool plainStatements(const Stmt *stmt, const Group &group) {
    class Others : public DynamicRecursiveASTVisitor {
    public:
      bool VisitStmt(Stmt *s) override {
        if (isa<AsmStmt, LambdaExpr, ReturnStmt, GotoStmt, SwitchStmt, WhileStmt, DoStmt,
                CXXForRangeStmt>(s))
          hit = hit ? hit : s;
        return true;
      }
      bool VisitBreakStmt(BreakStmt *s) override {
        breaks.push_back(s);
        return true;
      }
      bool VisitContinueStmt(ContinueStmt *s) override {
        skips.push_back(s);
        return true;
      }
      bool VisitCallExpr(CallExpr *call) override {
        calls.push_back(call);
        return true;
      }
      const Stmt *hit = nullptr;
      std::vector<const Stmt *> skips, breaks;
      std::vector<const CallExpr *> calls;
    };
    Others others;
    others.TraverseStmt(const_cast<Stmt *>(stmt));
    for (const Stmt *skip : others.skips)
      if (!others.hit && !isOfLoopIn(*stmt, *skip) && !skipsBody(*skip, group))
        others.hit = skip;
    for (const Stmt *stop : others.breaks)
      if (!others.hit && !leavesTiles(*stop, group))
        others.hit = stop;
    if (others.hit)
      return refuse("a statement of the epilogue is not followed", others.hit->getSourceRange());
    const bool mayShuffle = llvm::is_contained(group.prefix, stmt);
    return llvm::all_of(others.calls, [&](const CallExpr *call) {
      return (mayShuffle && exchanges(*call)) || plainCall(call);
    });
  }

  // A 'break' of the loop over tiles that leaves out what a 'continue' in each turn behind would.
  bool leavesTiles(const Stmt &stop, const Group &group) {
    const IfStmt *branch = wayOut(stop);
    const auto *loop = dyn_cast<ForStmt>(group.holder);
    const auto *block = branch ? dyn_cast_or_null<CompoundStmt>(parentOf(branch)) : nullptr;
    return loop && block && loop->getBody() == block && !group.isRow &&
           leavesForGood(*branch, *block, *loop);
  }

  // The turn of the loop whose body the group is. A row's, whose tiles lanes of a quad hand on
  // together, all of them leave or none.
  bool skipsBody(const Stmt &skip, const Group &group) {
    const Stmt *at = parentOf(&skip);
    for (; at && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(at); at = parentOf(at)) {
      const auto *branch = dyn_cast<IfStmt>(at);
      if (group.isRow && branch && !in_.sampler.sameForQuads(branch->getCond()))
        return false;
    }
    return at == group.holder;
  }

  // A turn of a loop inside the statement is skipped: of its element, which no other knows of.
  bool isOfLoopIn(const Stmt &stmt, const Stmt &skip) const {
    const Stmt *at = &skip;
    while (at && at != &stmt && !isa<ForStmt>(at))
      at = parentOf(at);
    return at && isa<ForStmt>(at);
  }

  bool plainCall(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const std::string name = callee && callee->getIdentifier() ? callee->getNameAsString() : "";
    if (!callee)
      return refuse("the epilogue calls what is not known here", call->getSourceRange());
    if (Touches::isAtomic(call)) {
      if (!isa<CompoundStmt, ForStmt, IfStmt>(parentOf(call)))
        return refuse("the epilogue uses what an atomic returns", call->getSourceRange());
      if (callee->getName().starts_with("atomicExch") || callee->getName().starts_with("atomicCAS"))
        return refuse("the order of '" + name + "' of several elements is lost",
                      call->getSourceRange());
      return true;
    }
    if (const FunctionDecl *storing = storingFunction(*call); storing && !isOfHeaders(*callee))
      return onlyWrites(*call, *storing, callee->getNameAsString());
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    if (isa<CXXOperatorCallExpr>(call) || (method && method->isConst()))
      return isOfCuda(*callee) || asksNothing(*call);
    if (method && !method->isStatic())
      return refuse("the epilogue calls '" + name + "', which may change its object",
                    call->getSourceRange());
    for (const char *prefix : {"__shfl", "__sync", "__ballot", "__any", "__all", "__match",
                               "__reduce", "__activemask", "__barrier", "__nvvm", "__builtin_nv"})
      if (StringRef(name).starts_with(prefix))
        return refuse("the epilogue calls '" + name + "'", call->getSourceRange());
    if (in_.sampler.indexOf(call) != ThreadValue::Other)
      return true;
    const FunctionDecl *definition = callee->getDefinition();
    AsmFinder inside;
    if (definition && definition->hasBody())
      inside.TraverseStmt(definition->getBody());
    if (llvm::any_of(inside.calls, [](const CallExpr *c) { return Touches::isAtomic(c); }))
      return refuse("the epilogue calls '" + name + "', which uses an atomic of its own",
                    call->getSourceRange());
    if (definition && definition->hasBody() && in_.sampler.asksOthers(definition->getBody()))
      return refuse("the epilogue calls '" + name + "', which asks other lanes",
                    call->getSourceRange());
    if (definition && definition->hasBody() && !in_.isTold(*call) &&
        in_.sampler.dependsOnThread(definition->getBody()))
      return refuse("the epilogue calls '" + name + "', which reads the thread's index itself",
                    call->getSourceRange());
    if (!onlyComputes(*call))
      return refuse("the epilogue calls '" + name + "'", call->getSourceRange());
    for (const ParmVarDecl *parameter : callee->parameters()) {
      const QualType type = parameter->getType();
      const bool lends = type->isPointerType() || (type->isReferenceType() &&
                                                   !type.getNonReferenceType().isConstQualified());
      if (lends)
        return refuse("the epilogue hands memory to '" + name + "'", call->getSourceRange());
    }
    return true;
  }

  // It computes places from what it is given and writes there: declarations, conditions and
  // assignments to memory, of nothing that another lane may have another of.
  bool onlyWrites(const CallExpr &call, const FunctionDecl &function, const std::string &name) {
    const auto *method = dyn_cast<CXXMethodDecl>(&function);
    const bool isLambda = method && method->getParent()->isLambda();
    const std::string called = isLambda ? "a lambda" : "'" + name + "'";
    const ParmVarDecl *tile = tileHandedTo(call);
    if (tile && !in_.takesOneMore(call))
      return refuse("in '" + name + "', there is no place for another parameter",
                    call.getSourceRange());
    const auto no = [&](const std::string &why) {
      return refuse("the epilogue calls " + called + ", which " + why, call.getSourceRange());
    };
    AsmFinder inside;
    inside.TraverseStmt(function.getBody());
    if (llvm::any_of(inside.calls, [](const CallExpr *c) { return Touches::isAtomic(c); }))
      return no("uses an atomic of its own");
    if (in_.sampler.asksOthers(function.getBody()))
      return no("asks other lanes");
    if (in_.sampler.dependsOnThread(function.getBody()) && !(tile && in_.isTold(call)))
      return no("reads the thread's index itself");
    if (method && !isLambda && !method->isStatic() && (!objectOf(call) || method->isVirtual()))
      return refuse("the epilogue calls '" + name + "' of what is no variable",
                    call.getSourceRange());
    if (const VarDecl *object = objectOf(call); object && !isAlikeObject(*object))
      return refuse(whyNotAlike(*object), call.getSourceRange());
    for (const CallExpr *inner : inside.calls)
      if (!onlyComputes(*inner))
        return no("calls another that does more than compute");
    if (!onlyWritesBelow(function.getBody(), function))
      return no("does more than write to places that it is given");
    for (const ParmVarDecl *parameter : function.parameters()) {
      const QualType type = parameter->getType();
      const bool lends = type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
      if (lends && parameter != tile)
        return refuse("the epilogue hands memory to " + called, call.getSourceRange());
    }
    for (unsigned i = 0; i < function.getNumParams(); ++i)
      if (const Expr *argument = argumentOf(call, i);
          argument && isPlaceType(argument->getType()) && isChosen(argument))
        return refuse("whether each element is written to a place of its own is not clear",
                      argument->getSourceRange());
    return true;
  }

  bool onlyWritesBelow(const Stmt *stmt, const FunctionDecl &function, bool isInLoop = false) {
    if (!stmt)
      return true;
    if (const auto *loop = dyn_cast<ForStmt>(stmt))
      return plainCounter(loop, in_.context) && onlyWritesBelow(loop->getBody(), function, true);
    const bool isPlain =
        isa<CompoundStmt, DeclStmt, IfStmt, NullStmt, AttributedStmt, Expr>(stmt) ||
        (isa<ReturnStmt>(stmt) && !cast<ReturnStmt>(stmt)->getRetValue() && !isInLoop);
    const auto *method = dyn_cast<CXXMethodDecl>(&function);
    const bool isLambda = method && method->getParent()->isLambda();
    if (!isPlain || isa<LambdaExpr, CXXNewExpr, CXXDeleteExpr>(stmt) ||
        (isa<CXXThisExpr>(stmt) && isLambda))
      return false;
    if (const auto *op = dyn_cast<UnaryOperator>(stmt); op && op->isIncrementDecrementOp())
      return false;
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    const auto *assigns = dyn_cast<CXXOperatorCallExpr>(stmt);
    const Expr *target = op && op->isAssignmentOp()             ? op->getLHS()
                         : assigns && assigns->isAssignmentOp() ? assigns->getArg(0)
                                                                : nullptr;
    if (target && !isStoredTo(target))
      return false;
    if (const auto *name = dyn_cast<DeclRefExpr>(stmt))
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl());
          variable && !mayBeNamed(*variable, function))
        return false;
    return llvm::all_of(stmt->children(), [&](const Stmt *child) {
      return onlyWritesBelow(child, function, isInLoop);
    });
  }

  // Memory, by a pointer or an array that is not the function's own.
  static bool isStoredTo(const Expr *target) {
    const Expr *place = bare(target);
    if (isPartOfThis(place))
      return false;
    if (memberOfThis(place))
      return isMemory(place) || isa<MemberExpr>(place);
    while (const auto *member = dyn_cast<MemberExpr>(place)) {
      if (member->isArrow())
        return true;
      place = bare(member->getBase());
    }
    const VarDecl *root = isMemory(place) ? rootOfPlace(place, 0) : nullptr;
    return root && !isRegisters(root);
  }
  // Its own, or what all lanes have alike at any time.
  bool mayBeNamed(const VarDecl &variable, const FunctionDecl &function) {
    if (variable.getDeclContext() == &function)
      return !variable.isStaticLocal();
    return !variable.isLocalVarDeclOrParm() || isSharedVariable(&variable) ||
           (!in_.sampler.changes(&variable) && !isOfRegisters(&variable) && !heldBy(variable) &&
            (isa<ParmVarDecl>(variable) || !variable.getType()->isRecordType()));
  }

  static bool isPlaceType(QualType type) {
    return type->isIntegralOrEnumerationType() || type->isPointerType();
  }

  // A condition on the thread picks the place: of lanes that are not looked at, perhaps.
  bool isChosen(const Expr *value) {
    class Choices : public DynamicRecursiveASTVisitor {
    public:
      explicit Choices(Sampler &sampler) : sampler_(sampler) {}
      bool VisitAbstractConditionalOperator(AbstractConditionalOperator *op) override {
        any |= sampler_.dependsOnThread(op->getCond());
        return !any;
      }
      bool VisitBinaryOperator(BinaryOperator *op) override {
        any |= (op->isComparisonOp() || op->isLogicalOp()) && sampler_.dependsOnThread(op);
        return !any;
      }
      bool any = false;

    private:
      Sampler &sampler_;
    };
    std::set<const VarDecl *> made;
    addMakers(value, made);
    Choices choices(in_.sampler);
    choices.TraverseStmt(const_cast<Expr *>(value));
    for (const VarDecl *variable : made)
      for (const Expr *from : values_[variable])
        choices.TraverseStmt(const_cast<Expr *>(from));
    return choices.any;
  }

  // An operator or const method of the author's: whatever it is called on, it may be asked for by
  // another lane, and writes nothing.
  bool asksNothing(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const std::string name = callee->getNameAsString();
    const FunctionDecl *definition = callee->getDefinition();
    if (!definition || !definition->hasBody())
      return refuse("the epilogue calls what is not known here", call.getSourceRange());
    if (in_.sampler.dependsOnThread(definition->getBody()))
      return refuse("the epilogue calls '" + name + "', which reads the thread's index itself",
                    call.getSourceRange());
    return onlyComputes(call) || refuse("the epilogue calls '" + name + "'", call.getSourceRange());
  }

  // Up to the next barrier nobody reads what the epilogue wrote: another lane wrote it.
  bool notReadBehind(const Group &group, const std::vector<Touch> &touches) {
    const Stmt *inner = group.stmts.back();
    for (const Stmt *at = parentOf(inner); at; inner = at, at = parentOf(at)) {
      const auto *block = dyn_cast<CompoundStmt>(at);
      if (!block) { // in the next turn, if there is one
        if (isa<ForStmt, WhileStmt, DoStmt>(at) && passing(at, group, touches) == Passing::Read)
          return false;
        continue;
      }
      bool behind = false;
      for (const Stmt *stmt : block->body()) {
        const Passing passed = behind ? passing(stmt, group, touches) : Passing::Quiet;
        if (passed != Passing::Quiet)
          return passed == Passing::Barrier;
        behind = behind || stmt == inner;
      }
    }
    return true;
  }

  // What comes first on the way through a statement: a read of what the epilogue wrote, or a
  // barrier. A loop may have no turns.
  enum class Passing { Quiet, Read, Barrier };
  Passing passing(const Stmt *stmt, const Group &group, const std::vector<Touch> &touches) {
    const auto all = [&](llvm::ArrayRef<const Stmt *> stmts) {
      for (const Stmt *part : stmts)
        if (const Passing passed = part ? passing(part, group, touches) : Passing::Quiet;
            passed != Passing::Quiet)
          return passed;
      return Passing::Quiet;
    };
    if (isBarrier(stmt))
      return Passing::Barrier;
    if (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
      return passing(attributed->getSubStmt(), group, touches);
    if (const auto *block = dyn_cast<CompoundStmt>(stmt))
      return all({block->body_begin(), block->body_end()});
    const Passing turn = [&] {
      if (const auto *loop = dyn_cast<ForStmt>(stmt))
        return all({loop->getInit(), loop->getCond(), loop->getBody(), loop->getInc()});
      if (const auto *loop = dyn_cast<WhileStmt>(stmt))
        return all({loop->getCond(), loop->getBody()});
      if (const auto *loop = dyn_cast<DoStmt>(stmt))
        return all({loop->getBody(), loop->getCond()});
      return quiet(stmt, group, touches) ? Passing::Quiet : Passing::Read;
    }();
    return turn == Passing::Read ? turn : Passing::Quiet;
  }
  static bool isBarrier(const Stmt *stmt) {
    const auto *expr = dyn_cast<Expr>(stmt);
    const auto *call = expr ? dyn_cast<CallExpr>(bare(expr)) : nullptr;
    return call && native::isBarrier(cudaName(call->getDirectCallee()));
  }
  bool quiet(const Stmt *stmt, const Group &group, const std::vector<Touch> &touches) {
    for (const Touch &read : touchesOf(stmt)) {
      const bool own = !read.place || llvm::any_of(group.stmts, [&](const Stmt *s) {
        return contains(s, read.anchor());
      });
      if (own || !read.isRead || (read.root && isRegisters(read.root)))
        continue;
      for (const Touch &write : touches)
        if (write.isWrite && !apart(write, read))
          return refuse("'" + nameOf(read) + "' is read behind the epilogue without a barrier",
                        read.anchor()->getSourceRange());
    }
    return true;
  }

  const EpilogueInput &in_;
  Epilogue out_;
  std::vector<Group> groups_;
  std::vector<std::pair<const VarDecl *, const VarDecl *>> sums_; // of rows r and r + 8
  const Stmt *sumBody_ = nullptr;
  std::map<const VarDecl *, std::vector<const Expr *>> values_;
  std::set<const VarDecl *> lent_;
  std::map<const VarDecl *, bool> ofRegisters_;
  RowValues rows_;
  std::set<const VarDecl *> rowLocals_; // of loops over rows: what is made from values of rows
  std::map<const Stmt *, std::vector<Visit>> visits_;
  std::vector<std::vector<const Stmt *>> bodyStmts_;
  std::map<const Stmt *, std::vector<const IfStmt *>> waysOut_; // by the first of its statements
  std::set<const IfStmt *> gone_;
  static constexpr int kMostTiles = 4;
};

} // namespace

Epilogue recoverEpilogue(const EpilogueInput &input) { return Finder(input).run(); }

} // namespace layout_port::native
