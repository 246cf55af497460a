#include "native/RecoverEpilogue.h"

#include "native/FragmentName.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool isSharedVariable(const VarDecl *variable) { return variable->hasAttr<CUDASharedAttr>(); }

// ---- memory ----------------------------------------------------------------------------

// A read or a write of memory, and the variable that its address is counted from (none
// where that is not clear).
struct Touch {
  const Expr *place = nullptr;
  const VarDecl *root = nullptr;
  bool isWrite = false, isRead = false;
};

bool isMemory(const Expr *expr) {
  if (const auto *op = dyn_cast<UnaryOperator>(expr))
    return op->getOpcode() == UO_Deref;
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return member->isArrow();
  return isa<ArraySubscriptExpr>(expr);
}

const VarDecl *rootOf(const Expr *expr, int depth = 0);

const VarDecl *rootOfPlace(const Expr *place, int depth) {
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
    return rootOf(access->getBase(), depth);
  if (const auto *op = dyn_cast<UnaryOperator>(place))
    return rootOf(op->getSubExpr(), depth);
  if (const auto *member = dyn_cast<MemberExpr>(place))
    return rootOf(member->getBase(), depth);
  return nullptr;
}

// Of a pointer, or of an array.
const VarDecl *rootOf(const Expr *expr, int depth) {
  constexpr int kDeepest = 16;
  if (depth > kDeepest)
    return nullptr;
  expr = bare(expr);
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
    return rootOf(cast->getSubExpr(), depth + 1);
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_AddrOf) {
    const Expr *place = bare(op->getSubExpr());
    return isMemory(place) || isa<MemberExpr>(place) ? rootOfPlace(place, depth + 1)
                                                     : rootOf(place, depth + 1);
  }
  if (isMemory(expr) || isa<MemberExpr>(expr))
    return expr->getType()->isArrayType() || expr->getType()->isRecordType()
               ? rootOfPlace(expr, depth + 1)
               : nullptr; // a pointer that lies in memory
  if (const auto *op = dyn_cast<BinaryOperator>(expr);
      op && (op->getOpcode() == BO_Add || op->getOpcode() == BO_Sub))
    return rootOf(op->getLHS()->getType()->isPointerType() ? op->getLHS() : op->getRHS(),
                  depth + 1);
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable)
    return nullptr;
  const bool leads = variable->getType()->isPointerType() || variable->getType()->isReferenceType();
  if (leads && !isa<ParmVarDecl>(variable)) {
    if (!variable->getInit())
      return nullptr;
    return rootOf(variable->getInit(), depth + 1);
  }
  return variable;
}

// What is read and written below a statement.
class Touches : public DynamicRecursiveASTVisitor {
public:
  bool TraverseStmt(Stmt *stmt) override {
    if (!stmt)
      return true;
    if (const auto *op = dyn_cast<UnaryOperator>(stmt); op && op->getOpcode() == UO_AddrOf)
      return inside(bare(op->getSubExpr()));
    if (const auto *op = dyn_cast<BinaryOperator>(stmt); op && op->isAssignmentOp()) {
      written(op->getLHS(), op->isCompoundAssignmentOp());
      return TraverseStmt(op->getRHS());
    }
    if (const auto *op = dyn_cast<UnaryOperator>(stmt); op && op->isIncrementDecrementOp()) {
      written(op->getSubExpr(), true);
      return true;
    }
    if (const auto *call = dyn_cast<CXXOperatorCallExpr>(stmt); call && call->isAssignmentOp()) {
      written(call->getArg(0), call->getOperator() != OO_Equal);
      return TraverseStmt(const_cast<Expr *>(call->getArg(1)));
    }
    if (const auto *call = dyn_cast<CallExpr>(stmt); call && isAtomic(call)) {
      all.push_back({nullptr, rootOf(call->getArg(0)), true, false});
      return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    const auto *expr = dyn_cast<Expr>(stmt);
    if (expr && isMemory(expr)) {
      all.push_back({expr, rootOfPlace(expr, 0), false, true});
      return inside(expr);
    }
    return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
  }

  static bool isAtomic(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    return callee && callee->getIdentifier() && callee->getName().starts_with("atomic") &&
           call->getNumArgs() > 0;
  }

  std::vector<Touch> all;
  std::vector<const Expr *> variables; // that are assigned

private:
  // The address's own parts: a place inside an array is no access of the array.
  bool inside(const Expr *place) {
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
      return address(access->getBase()) && TraverseStmt(const_cast<Expr *>(access->getIdx()));
    if (const auto *op = dyn_cast<UnaryOperator>(place))
      return address(op->getSubExpr());
    if (const auto *member = dyn_cast<MemberExpr>(place))
      return address(member->getBase());
    return TraverseStmt(const_cast<Expr *>(place));
  }
  bool address(const Expr *expr) {
    const Expr *inner = bare(expr);
    const bool isPlace = inner->getType()->isArrayType() || inner->getType()->isRecordType();
    return isPlace && isMemory(inner) ? inside(inner) : TraverseStmt(const_cast<Expr *>(inner));
  }

  void written(const Expr *target, bool isRead) {
    const Expr *place = bare(target);
    while (const auto *member = dyn_cast<MemberExpr>(place)) {
      if (member->isArrow())
        break;
      place = bare(member->getBase());
    }
    if (!isMemory(place)) {
      variables.push_back(target);
      TraverseStmt(const_cast<Expr *>(place));
      return;
    }
    all.push_back({place, rootOfPlace(place, 0), true, isRead});
    inside(place);
  }
};

std::vector<Touch> touchesOf(const Stmt *stmt) {
  Touches touches;
  touches.TraverseStmt(const_cast<Stmt *>(stmt));
  return touches.all;
}

// ---- values that live in registers ---------------------------------------------------

// What every variable of the kernel is computed from.
class Values : public DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getInit())
      from[variable].push_back(variable->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    const auto *name = dyn_cast<DeclRefExpr>(bare(op->getLHS()));
    if (const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
        variable && op->isAssignmentOp())
      from[variable].push_back(op->getRHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    if (op->getOpcode() == UO_AddrOf)
      lend(op->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    for (unsigned i = 0; callee && i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
      const QualType type = callee->getParamDecl(i)->getType();
      if (type->isReferenceType() && !type.getNonReferenceType().isConstQualified())
        lend(call->getArg(i));
    }
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    for (unsigned i = 0; i < stmt->getNumOutputs(); ++i)
      lend(stmt->getOutputExpr(i));
    return true;
  }
  std::map<const VarDecl *, std::vector<const Expr *>> from;
  std::set<const VarDecl *> lent;

private:
  void lend(const Expr *expr) {
    if (const auto *name = dyn_cast<DeclRefExpr>(bare(expr)))
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
        lent.insert(variable);
  }
};

// A variable of the thread's own that is no number: an array or struct in registers.
bool isRegisters(const VarDecl *variable) {
  const QualType type = variable->getType().getNonReferenceType();
  return variable->isLocalVarDecl() && !isSharedVariable(variable) && !variable->isStaticLocal() &&
         !variable->isConstexpr() && (type->isArrayType() || type->isRecordType());
}

class Names : public DynamicRecursiveASTVisitor {
public:
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (isa<VarDecl>(name->getDecl()))
      all.push_back(name);
    return true;
  }
  std::vector<const DeclRefExpr *> all;
};

std::vector<const DeclRefExpr *> mentionsIn(const Stmt *stmt) {
  Names names;
  names.TraverseStmt(const_cast<Stmt *>(stmt));
  return names.all;
}

std::set<const VarDecl *> namesIn(const Stmt *stmt) {
  std::set<const VarDecl *> variables;
  for (const DeclRefExpr *name : mentionsIn(stmt))
    variables.insert(cast<VarDecl>(name->getDecl()));
  return variables;
}

// ---- one accumulator --------------------------------------------------------------------

class Finder {
public:
  explicit Finder(const EpilogueInput &input) : in_(input) {}

  Epilogue run() {
    out_.accumulator = in_.accumulator;
    Values values;
    values.TraverseStmt(in_.kernel.getBody());
    values_ = std::move(values.from);
    lent_ = std::move(values.lent);
    chooseNames();
    findAccesses();
    for (const Group &group : groups_)
      if (out_.problem.empty())
        addBody(group);
    if (out_.problem.empty() && !sums_.empty())
      addSums();
    return std::move(out_);
  }

private:
  // The accesses of one body.
  struct Group {
    std::vector<RegisterAccess> accesses;
    std::vector<const Stmt *> stmts;
    bool isRow = false;
    const Stmt *holder = nullptr; // the tile loop, or the block the statements stand in
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
    const SourceManager &sm = in_.context.getSourceManager();
    const StringRef all =
        sm.getBufferData(sm.getFileID(sm.getExpansionLoc(in_.kernel.getBeginLoc())));
    const unsigned begin = sm.getFileOffset(sm.getExpansionLoc(in_.kernel.getBeginLoc()));
    const unsigned end = sm.getFileOffset(sm.getExpansionLoc(in_.kernel.getEndLoc()));
    const StringRef text = all.slice(begin, end);
    const auto fresh = [&](std::initializer_list<const char *> candidates) {
      for (const char *name : candidates)
        if (!mentions(text, name))
          return std::string(name);
      return std::string("lp_") + *candidates.begin();
    };
    out_.lowerName = fresh({"lower", "lower8", "lower_row"});
    out_.valueName = fresh({"v", "pair", "own"});
    out_.pairName = fresh({"h", "which", "second"});
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
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      if (!f_.mayBeAccumulator(*name))
        return true;
      const auto range = f_.in_.texts.statement(name->getSourceRange());
      if (range && range->begin >= f_.in_.region.end)
        f_.addAccess(name);
      return true;
    }

  private:
    Finder &f_;
  };

  void findAccesses() { Uses(*this).TraverseStmt(in_.kernel.getBody()); }

  void addAccess(const DeclRefExpr *name) {
    RegisterAccess access;
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
      } else
        return void(refuse("'" + name->getDecl()->getNameAsString() + "' is handed on as a whole",
                           name->getSourceRange()));
    }
    access.expr = whole;
    access.bytes = bytesRead(whole);
    if (!access.bytes)
      return void(refuse("'" + name->getDecl()->getNameAsString() +
                             "' is read through a pointer or reference",
                         whole->getSourceRange()));
    if (!access.index && !access.number)
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
      groups_.push_back({{}, {}, false, holder});
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
    for (const RegisterAccess &access : group.accesses)
      if (!sameTile(access, group.accesses.front()))
        return void(refuse("several tiles are handed on in one list of statements",
                           access.expr->getSourceRange()));
    group.stmts = statementsOf(group);
    if (group.stmts.empty())
      return void(refuse("a statement of the epilogue is not found", first->getSourceRange()));
    EpilogueBody body;
    if (!place(group, body) || !reached(group))
      return;
    finish(group, body);
  }

  // What the statements do, and their edits.
  void finish(const Group &group, EpilogueBody &body) {
    if (!group.isRow && !findSums(group))
      return;
    if (!bound(group) || !onlyStores(group))
      return;
    const Stmt *first = group.isRow ? group.stmts.front() : group.accesses.front().expr;
    RowMerger merger(in_.context, in_.texts, group.accesses, in_.isPacked, out_.lowerName,
                     out_.valueName);
    for (const auto &[upper, lower] : sums_)
      merger.addSum(upper, lower, out_.pairName);
    const std::string problem = merger.merge(group.stmts, body.edits);
    if (!problem.empty())
      return void(refuse(problem, first->getSourceRange()));
    body.usesLower = merger.usesLower();
    std::set<const VarDecl *> own = declared(group.stmts);
    for (const RegisterAccess &access : group.accesses)
      for (const VarDecl *variable : namesIn(access.expr))
        own.insert(variable);
    for (const auto &[upper, lower] : sums_) {
      own.insert(upper);
      own.insert(lower);
      for (const Stmt *stmt : group.stmts)
        body.usesPair |= namesIn(stmt).count(upper) != 0;
    }
    body.isRow = group.isRow;
    body.forThread = in_.rebind(group.stmts, body, own, false);
    body.forLane = in_.rebind(group.stmts, body, own, true);
    out_.bodies.push_back(std::move(body));
  }

  static bool sameTile(const RegisterAccess &a, const RegisterAccess &b,
                       const ASTContext &context) {
    if (a.tile.size() != b.tile.size())
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
    const RegisterAccess &access = group.accesses.front();
    const Expr *tile = nullptr; // the access without its register
    if (const auto *index = dyn_cast<ArraySubscriptExpr>(bare(access.expr)))
      tile = index->getBase();
    else if (const auto *member = dyn_cast<MemberExpr>(bare(access.expr)); access.number)
      tile = member->getBase();
    if (!tile)
      return refuse("the accumulator's register is a member", access.expr->getSourceRange());
    const auto text = in_.texts.range(bare(tile)->getSourceRange());
    if (!text)
      return refuse("the accumulator's tile is named by a macro", access.expr->getSourceRange());
    body.tile.declaration = in_.accumulator;
    body.tile.tileText = in_.texts.spelled(bare(tile));
    fillTile(bare(tile), body.tile);
    if (access.number)
      body.tile.vectorType = vectorOf(bare(tile)->getType(), in_.context)
                                 ->element.getAsString(in_.context.getPrintingPolicy());
    return true;
  }

  // A loop's '#pragma unroll' stays with it: the body begins on the pragma's line.
  void takePragmas(const Stmt *front, EpilogueBody &body) const {
    const SourceManager &sm = in_.context.getSourceManager();
    const StringRef text = sm.getBufferData(sm.getFileID(sm.getExpansionLoc(front->getBeginLoc())));
    size_t line = text.rfind('\n', body.range.begin) + 1; // npos + 1 is 0
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
      else if (!isa<CompoundStmt, AttributedStmt>(at))
        return refuse("the epilogue is reached through a statement that is not followed",
                      at->getSourceRange());
      if (condition && !in_.sampler.sameForWave(condition))
        return refuse("some lanes of a wave may not reach the epilogue: " +
                          in_.texts.spelled(condition),
                      condition->getSourceRange());
    }
    return returnsBefore(group);
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
        if (const auto *branch = dyn_cast<IfStmt>(at);
            branch && !branch->isConstexpr() && !in_.sampler.sameForWave(branch->getCond()))
          return refuse("some lanes of a wave may have returned before the epilogue",
                        stmt->getSourceRange());
    return true;
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
    bool is = isRegisters(variable) || (lent_.count(variable) && variable->isLocalVarDecl());
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
        if (own.count(variable) || isAccumulator(*name) || isSum(variable))
          continue;
        if (isOfRegisters(variable))
          return refuse("'" + variable->getNameAsString() + "' is kept in registers by lane",
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
  bool isAccumulator(const DeclRefExpr &name) const {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    return variable && fragmentOf(*variable, partNamed(name, in_.context)) == in_.accumulator;
  }
  // ... or the variable that it is a part of.
  bool mayBeAccumulator(const DeclRefExpr &name) const {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    return variable && (isAccumulator(name) || (isFragmentOf(*variable, in_.accumulator) &&
                                                !partNamed(name, in_.context)));
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
    std::vector<const VarDecl *> upper, lower;
    for (const Stmt *stmt :
         block ? std::vector<const Stmt *>(block->body_begin(), block->body_end()) : group.stmts) {
      const auto *op = dyn_cast<CompoundAssignOperator>(stmt);
      const auto *name = op ? dyn_cast<DeclRefExpr>(bare(op->getLHS())) : nullptr;
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      if (!variable || op->getOpcode() != BO_AddAssign || !variable->isLocalVarDecl() ||
          !variable->getType()->isRealFloatingType())
        continue;
      RowMerger rows(in_.context, in_.texts, group.accesses, in_.isPacked, "", "");
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
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee || !callee->getIdentifier() || callee->getName() != "__shfl_xor_sync" ||
        call->getNumArgs() < 3)
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

  // ---- only stores

  bool onlyStores(const Group &group) {
    std::vector<Touch> touches;
    for (const Stmt *stmt : group.stmts) {
      if (!plainStatements(stmt, group))
        return false;
      Touches visitor;
      visitor.TraverseStmt(const_cast<Stmt *>(stmt));
      for (const Expr *target : visitor.variables)
        if (!isCounter(target, stmt) && (group.isRow || !isSum(target)))
          return refuse("'" + in_.texts.spelled(target) + "' is changed in the epilogue",
                        target->getSourceRange());
      for (const Touch &touch : visitor.all)
        if (!touch.root || !isFragmentOf(*touch.root, in_.accumulator))
          touches.push_back(touch);
        else if (touch.isWrite)
          return refuse("'" + touch.root->getNameAsString() + "' is changed in the epilogue",
                        touch.place->getSourceRange());
    }
    for (const Touch &write : touches)
      if (write.isWrite)
        for (const Touch &read : touches)
          if (read.isRead && !isOwnElement(read, touches) && !apart(write, read))
            return refuse("'" + nameOf(read) +
                              "' may be the memory that the epilogue writes; "
                              "'// layout-port: noalias(" +
                              nameOf(read) + ")' would tell",
                          read.place->getSourceRange());
    return isWrittenOnce(group, touches) && notReadBehind(group, touches);
  }

  // Every element goes to a place of its own. What one thread writes twice, or counts up, has an
  // order that is lost when other lanes act for it.
  bool isWrittenOnce(const Group &group, const std::vector<Touch> &touches) {
    std::vector<const Expr *> places;
    for (const Touch &touch : touches)
      if (touch.isWrite && touch.place && (!touch.root || !isRegisters(touch.root)) &&
          llvm::none_of(places, [&](const Expr *other) {
            return sameText(other, touch.place) && excludeEachOther(*other, *touch.place);
          }))
        places.push_back(touch.place);
    if (places.empty() || group.isRow)
      return true;
    const std::optional<bool> areApart = in_.sampler.areApart(places, countersOf(group));
    if (areApart && *areApart)
      return true;
    return refuse(areApart ? "several elements are written to one place"
                           : "whether each element is written to a place of its own is not clear",
                  places.front()->getSourceRange());
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
    class Loops : public DynamicRecursiveASTVisitor {
    public:
      bool VisitForStmt(ForStmt *loop) override {
        all.push_back(loop);
        return true;
      }
      std::vector<const ForStmt *> all;
    };
    Loops loops;
    for (const Stmt *stmt : group.stmts)
      loops.TraverseStmt(const_cast<Stmt *>(stmt));
    std::set<const VarDecl *> made;
    for (const RegisterAccess &access : group.accesses)
      for (const Expr *index : access.tile)
        addMakers(index, made);
    Sampler::Counters counters;
    for (const ForStmt *loop : loops.all)
      addCounter(*loop, counters);
    for (const Stmt *at = parentOf(group.stmts.front()); at; at = parentOf(at))
      if (const auto *loop = dyn_cast<ForStmt>(at); loop && made.count(counterOf(*loop)))
        addCounter(*loop, counters);
    return counters;
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
    return llvm::any_of(touches, [&](const Touch &write) {
      return write.isWrite && write.place && read.place && write.root && write.root == read.root &&
             sameText(write.place, read.place);
    });
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
      if (isLocal || arrays || isRestrict(write.root) || isRestrict(read.root) ||
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
  bool plainStatements(const Stmt *stmt, const Group &) {
    class Others : public DynamicRecursiveASTVisitor {
    public:
      bool VisitStmt(Stmt *s) override {
        if (isa<AsmStmt, LambdaExpr, ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, SwitchStmt,
                WhileStmt, DoStmt, CXXForRangeStmt>(s))
          hit = hit ? hit : s;
        return true;
      }
      bool VisitCallExpr(CallExpr *call) override {
        calls.push_back(call);
        return true;
      }
      const Stmt *hit = nullptr;
      std::vector<const CallExpr *> calls;
    };
    Others others;
    others.TraverseStmt(const_cast<Stmt *>(stmt));
    if (others.hit)
      return refuse("a statement of the epilogue is not followed", others.hit->getSourceRange());
    return llvm::all_of(others.calls, [&](const CallExpr *call) { return plainCall(call); });
  }

  bool plainCall(const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const std::string name = callee && callee->getIdentifier() ? callee->getNameAsString() : "";
    if (!callee)
      return refuse("the epilogue calls what is not known here", call->getSourceRange());
    if (Touches::isAtomic(call)) {
      if (!isa<CompoundStmt, ForStmt, IfStmt>(parentOf(call)))
        return refuse("the epilogue uses what an atomic returns", call->getSourceRange());
      return true;
    }
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    if (isa<CXXOperatorCallExpr>(call) || (method && method->isConst()))
      return true;
    if (method && !method->isStatic())
      return refuse("the epilogue calls '" + name + "', which may change its object",
                    call->getSourceRange());
    for (const char *prefix : {"__shfl", "__sync", "__ballot", "__any", "__all", "__match",
                               "__reduce", "__activemask", "__barrier", "__nvvm", "__builtin_nv"})
      if (StringRef(name).starts_with(prefix))
        return refuse("the epilogue calls '" + name + "'", call->getSourceRange());
    const FunctionDecl *definition = callee->getDefinition();
    if (definition && definition->hasBody() && in_.sampler.dependsOnThread(definition->getBody()))
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

  // Up to the next barrier nobody reads what the epilogue wrote: another lane wrote it.
  bool notReadBehind(const Group &group, const std::vector<Touch> &touches) {
    const Stmt *inner = group.stmts.back();
    for (const Stmt *at = parentOf(inner); at; inner = at, at = parentOf(at)) {
      const auto *block = dyn_cast<CompoundStmt>(at);
      if (!block) {
        if (isa<ForStmt>(at) && !quiet(at, group, touches))
          return false;
        continue;
      }
      bool behind = false;
      for (const Stmt *stmt : block->body()) {
        if (behind && isBarrier(stmt))
          return true;
        if (behind && !quiet(stmt, group, touches))
          return false;
        behind = behind || stmt == inner;
      }
    }
    return true;
  }
  static bool isBarrier(const Stmt *stmt) {
    const auto *expr = dyn_cast<Expr>(stmt);
    const auto *call = expr ? dyn_cast<CallExpr>(bare(expr)) : nullptr;
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return callee && callee->getIdentifier() && callee->getName().starts_with("__sync");
  }
  bool quiet(const Stmt *stmt, const Group &group, const std::vector<Touch> &touches) {
    for (const Touch &read : touchesOf(stmt)) {
      const bool own = !read.place || llvm::any_of(group.stmts, [&](const Stmt *s) {
        return contains(s, read.place);
      });
      if (own || !read.isRead || (read.root && isRegisters(read.root)))
        continue;
      for (const Touch &write : touches)
        if (write.isWrite && !apart(write, read))
          return refuse("'" + nameOf(read) + "' is read behind the epilogue without a barrier",
                        read.place->getSourceRange());
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
};

} // namespace

namespace {

// What a function does to the world, as far as it can be seen.
class Deeds : public DynamicRecursiveASTVisitor {
public:
  bool VisitBinaryOperator(BinaryOperator *op) override {
    any |= op->isAssignmentOp() && !isOwn(op->getLHS());
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    const std::string text = stmt->getAsmString();
    any |= text.find("cvta") == text.npos && text.find("cvt.") == text.npos;
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
    if (!op || !op->isAssignmentOp())
      calls.push_back(call);
    else
      any |= !isOwn(op->getArg(0));
    return true;
  }
  bool any = false;
  std::vector<const CallExpr *> calls;

private:
  // A variable of the function's own, or a part of one.
  static bool isOwn(const Expr *target) {
    for (target = bare(target);;) {
      const auto *member = dyn_cast<MemberExpr>(target);
      const auto *access = dyn_cast<ArraySubscriptExpr>(target);
      if (member && !member->isArrow())
        target = bare(member->getBase());
      else if (access && bare(access->getBase())->getType()->isArrayType())
        target = bare(access->getBase());
      else
        break;
    }
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
  }
};

bool computes(const CallExpr &call, int depth) {
  constexpr int kDeepest = 8;
  const FunctionDecl *callee = call.getDirectCallee();
  if (!callee || depth > kDeepest)
    return false;
  if (callee->getBuiltinID() || callee->isConstexpr())
    return true;
  const std::string name = callee->getIdentifier() ? callee->getNameAsString() : "";
  for (const char *prefix : {"atomic", "__shfl", "__sync", "__ballot", "__any", "__all", "__match",
                             "__reduce", "__activemask", "printf", "__nanosleep", "curand"})
    if (StringRef(name).starts_with(prefix))
      return false;
  const FunctionDecl *definition = callee->getDefinition();
  if (!definition || !definition->hasBody())
    return !callee->getReturnType()->isVoidType();
  Deeds deeds;
  deeds.TraverseStmt(definition->getBody());
  return !deeds.any && llvm::all_of(deeds.calls, [&](const CallExpr *inner) {
    return computes(*inner, depth + 1);
  });
}

} // namespace

bool onlyComputes(const CallExpr &call) { return computes(call, 0); }

Epilogue recoverEpilogue(const EpilogueInput &input) { return Finder(input).run(); }

} // namespace layout_port::native
