// Where an epilogue's elements are named: every mention of a register behind the products is found,
// with the tile that it is of, and the mentions that stand together become one group.
//
//   for (int j = 0; j < 4; ++j) {          one group: the statements in the loop over tiles
//     C[p + 8 * j] = acc[i][j][0];         tile acc[i][j], register 0
//     C[p + 8 * j + 8 * N] = acc[i][j][2];
//   }
#include "native/EpilogueFinder.h"

#include "native/Around.h"
#include "native/AstRead.h"
#include "native/Digits.h"
#include "native/FragmentName.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// ---- where a statement stands

// Of a function that is called for the epilogue, the body stands in the call.
const Stmt *EpilogueFinder::parentOf(const Stmt *stmt) const {
  if (in_.in && stmt == in_.in->function->getBody())
    return in_.in->call;
  if (const auto known = parents_.find(stmt); known != parents_.end())
    return known->second;
  auto parents = in_.context.getParents(*stmt);
  if (const auto *place = dyn_cast<UnaryOperator>(stmt); place && parents.empty())
    return parentOf(place->getSubExpr()); // of a cached store
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

const Stmt *EpilogueFinder::userOf(const Stmt *stmt) const {
  stmt = parentOf(stmt);
  while (isa_and_nonnull<ParenExpr>(stmt))
    stmt = parentOf(stmt);
  return stmt;
}

bool EpilogueFinder::contains(const Stmt *outer, const Stmt *inner) const {
  for (const Stmt *at = inner; at; at = parentOf(at))
    if (at == outer)
      return true;
  return false;
}

bool EpilogueFinder::isWithin(const Stmt *inner, const std::vector<const Stmt *> &stmts) const {
  return llvm::any_of(stmts, [&](const Stmt *stmt) { return contains(stmt, inner); });
}

uint64_t EpilogueFinder::bytesOf(const Expr *expr) const {
  return in_.context.getTypeSizeInChars(expr->getType()).getQuantity();
}

// ---- which registers are named

// The variable or the member that the expression names.
static const ValueDecl &declNamed(const Expr &name) {
  const auto *member = dyn_cast<MemberExpr>(&name);
  return member ? *member->getMemberDecl() : *cast<DeclRefExpr>(name).getDecl();
}

class EpilogueFinder::Uses : public DynamicRecursiveASTVisitor {
public:
  explicit Uses(EpilogueFinder &finder) : f_(finder) {}
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
    if (range && (f_.in_.in || range->begin >= accumulator->region.end) &&
        !f_.in_.isFill(name, accumulator->declaration))
      f_.addAccess(name, *accumulator);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    if (const auto *accumulator = f_.mayBeAccumulator(*member))
      f_.addAccess(member, *accumulator);
    return true;
  }

private:
  EpilogueFinder &f_;
};

void EpilogueFinder::findAccesses() { Uses(*this).TraverseStmt(home().getBody()); }

void EpilogueFinder::addAccess(const Expr *name, const Accumulator &accumulator) {
  RegisterAccess access;
  access.accumulator = accumulator.declaration;
  follow(*name, access, *name);
}

// From a place that the accumulator's name, or a view of it, stands for, to the register that is
// named there; `access` is what has been named on the way.
void EpilogueFinder::follow(const Expr &from, RegisterAccess access, const Expr &name) {
  const Expr *whole = &from;
  const auto isOfTiles = [&](const Expr *expr) { // float (*acc)[4], float *acc of a function
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    return name && isa<ParmVarDecl>(name->getDecl()) && name->getType()->isPointerType() &&
           (name->getType()->getPointeeType()->isArrayType() || isFlatArray(*name));
  };
  while (!whole->getType()->isScalarType() || isOfTiles(whole)) {
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
      addMember(*member, whole->getType(), access);
      whole = member;
    } else if (const CallExpr *call = storesTile(whole)) {
      if (access.index)
        access.tile.push_back(access.index);
      access.index = nullptr;
      access.call = call;
      break;
    } else if (takeView(*whole, access, name)) {
      return;
    } else
      return void(refuse("'" + declNamed(name).getNameAsString() + "' is handed on as a whole",
                         name.getSourceRange()));
  }
  if (access.call || !takeView(*whole, access, name))
    addRegister(*whole, access, name);
}

// Of a vector, it is a register.
void EpilogueFinder::addMember(const MemberExpr &member, QualType whole,
                               RegisterAccess &access) const {
  if (!vectorOf(whole, in_.context))
    return;
  if (access.index)
    access.tile.push_back(access.index);
  access.index = nullptr;
  access.number = numberOf(*cast<FieldDecl>(member.getMemberDecl()));
}

void EpilogueFinder::addRegister(const Expr &expr, RegisterAccess access, const Expr &name) {
  const std::string variable = declNamed(name).getNameAsString();
  access.expr = &expr;
  access.bytes = access.call ? bytesOf(&expr) : bytesRead(&expr);
  if (!access.bytes)
    return void(
        refuse("'" + variable + "' is read through a pointer or reference", expr.getSourceRange()));
  if (!access.call && !isReadAlone(expr))
    return void(refuse("a function goes on from the address of '" + variable + "'s register",
                       expr.getSourceRange()));
  if (!access.index && !access.number && !access.call && !access.flatRegister)
    return void(refuse("'" + variable + "' is not an array", name.getSourceRange()));
  const Accumulator *accumulator = accumulatorWith(
      [&](const Accumulator &known) { return known.declaration == access.accumulator; });
  if (accumulator->flat && !numberFlat(name, *accumulator->flat, access))
    return void(refuse("its tiles lie in one flat array", name.getSourceRange()));
  const auto isOfThread = [&](const auto *number) { return in_.sampler.dependsOnThread(number); };
  if (llvm::any_of(tileVariables(access), isOfThread) || llvm::any_of(access.tile, isOfThread))
    return void(refuse("which tile is meant depends on the thread", expr.getSourceRange()));
  group(access, &name);
}

// The function of the author's that a whole tile is handed to: store(p, acc[i][j], n).
const CallExpr *EpilogueFinder::storesTile(const Expr *whole) const {
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
const ParmVarDecl *EpilogueFinder::tileOf(const CallExpr &call, const Expr &whole) {
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
uint64_t EpilogueFinder::bytesRead(const Expr *access) const {
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
  if (const auto *element = dyn_cast_or_null<ArraySubscriptExpr>(cast)) // ((float2 *)&c[0])[0]
    return valueOf(element->getIdx(), {}, in_.context) == 0 ? bytesOf(element) : 0;
  const auto *read = dyn_cast_or_null<UnaryOperator>(cast);
  return read && read->getOpcode() == UO_Deref ? bytesOf(read) : 0;
}

// reinterpret_cast<float2 *>(&c[0]): a cast that keeps what is const so.
bool EpilogueFinder::isCastByName(const Expr &access) const {
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
void EpilogueFinder::group(const RegisterAccess &access, const Expr *name) {
  const std::set<const VarDecl *> variables = tileVariables(access);
  const Stmt *holder = nullptr, *block = nullptr;
  for (const Stmt *at = access.expr; at && !holder; at = parentAtHome(at)) {
    const auto *loop = dyn_cast<ForStmt>(at);
    const auto *init = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
    if (init && init->isSingleDecl() && variables.count(dyn_cast<VarDecl>(init->getSingleDecl())))
      holder = loop;
    if (isa<CompoundStmt>(at))
      block = at;
  }
  if (!holder)
    holder = block; // the kernel's own
  if (!holder)
    return void(refuse("where '" + declNamed(*name).getNameAsString() + "' is read is not clear",
                       name->getSourceRange()));
  auto known = llvm::find_if(groups_, [&](const Group &g) { return g.holder == holder; });
  if (known == groups_.end()) {
    groups_.emplace_back();
    groups_.back().holder = holder;
    known = std::prev(groups_.end());
  }
  known->accesses.push_back(access);
}

// The statements of the group: the loop's body, or of a block those from the first to
// the last that mention the accumulator.
std::vector<const Stmt *> EpilogueFinder::statementsOf(const Group &group) const {
  if (const auto *loop = dyn_cast<ForStmt>(group.holder))
    return {loop->getBody()};
  const CompoundStmt *block = cast<CompoundStmt>(group.holder);
  for (;;) { // down to the block in which they part
    std::vector<const Stmt *> all(block->body_begin(), block->body_end());
    const auto holds = [&](const Stmt *stmt) {
      return llvm::any_of(group.accesses,
                          [&](const RegisterAccess &a) { return contains(stmt, a.expr); }) ||
             llvm::any_of(views_, [&](const View &view) {
               return isUsed(view, group) && contains(stmt, view.statement);
             });
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

// ---- of which tiles

// Which of the tiles that the statements name each access is of.
bool EpilogueFinder::tellTiles(Group &group) {
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

// Of two accumulators, or of two numbers somewhere.
bool EpilogueFinder::areApartTiles(const Group &group) const {
  const auto areApart = [&](const RegisterAccess &a, const RegisterAccess &b) {
    if (a.which == b.which || a.accumulator != b.accumulator)
      return true;
    if (a.flatTile && b.flatTile)
      return a.flatTile->terms == b.flatTile->terms;
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

bool EpilogueFinder::sameTile(const RegisterAccess &a, const RegisterAccess &b,
                              const ASTContext &context) {
  if (a.accumulator != b.accumulator || a.tile.size() != b.tile.size())
    return false;
  if (a.flatTile && b.flatTile)
    return a.flatTile->terms == b.flatTile->terms && a.flatTile->constant == b.flatTile->constant;
  for (size_t i = 0; i < a.tile.size(); ++i) {
    llvm::FoldingSetNodeID x, y;
    bare(a.tile[i])->Profile(x, context, true);
    bare(b.tile[i])->Profile(y, context, true);
    if (!(x == y))
      return false;
  }
  return true;
}

bool EpilogueFinder::sameTile(const RegisterAccess &a, const RegisterAccess &b) const {
  return sameTile(a, b, in_.context);
}

// ---- in which text

bool EpilogueFinder::place(const Group &group, EpilogueBody &body) {
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
  addLoops(front, body);
  for (const RegisterAccess &access : group.accesses)
    if (access.which == static_cast<int>(body.tiles.size()) && !placeTile(access, body))
      return false;
  return true;
}

void EpilogueFinder::addLoops(const Stmt *stmt, EpilogueBody &body) const {
  for (const Stmt *at = parentAtHome(stmt); at; at = parentAtHome(at))
    if (isa<ForStmt>(at))
      body.loops.insert(body.loops.begin(), in_.loopOf(at));
}

bool EpilogueFinder::placeTile(const RegisterAccess &access, EpilogueBody &body) {
  if (access.flatTile)
    return placeFlat(access, body);
  const Expr *tile = tileNamed(access);
  if (!tile)
    return refuse("the accumulator's register is a member", access.expr->getSourceRange());
  const auto text = in_.texts.range(tile->getSourceRange());
  if (!text)
    return refuse("the accumulator's tile is named by a macro", access.expr->getSourceRange());
  Slot slot;
  slot.declaration = access.accumulator;
  slot.tileText = in_.texts.spelled(tile);
  fillTile(tile, body.loops, slot);
  if (access.number)
    slot.vectorType = vectorOf(tile->getType(), in_.context)
                          ->element.getAsString(in_.context.getPrintingPolicy());
  body.tiles.push_back(std::move(slot));
  return true;
}

// A loop's '#pragma unroll' stays with it: the body begins on the pragma's line.
void EpilogueFinder::takePragmas(const Stmt *front, EpilogueBody &body) const {
  const StringRef before = Around(in_.context, front->getSourceRange(), body.range).before();
  size_t line = before.rfind('\n') + 1; // npos + 1 is 0
  if (!before.drop_front(line).ltrim(" \t").empty())
    return; // those above are of what stands in front of it
  const unsigned begin = body.range.begin;
  while (line > 0) {
    const size_t above = line > 1 ? before.rfind('\n', line - 2) + 1 : 0;
    if (!before.slice(above, line).ltrim().starts_with("#pragma"))
      return;
    body.range.begin = begin - static_cast<unsigned>(before.size() - (line = above));
    body.hasPragma = true;
  }
}

// acc.x[i][j] as a slot: indices outermost first.
void EpilogueFinder::fillTile(const Expr *expr, const std::vector<Loop> &loops, Slot &slot) {
  if (const Expr *place = placeViewed(*expr))
    fillTile(bare(place), loops, slot);
  else if (const auto *index = dyn_cast<ArraySubscriptExpr>(expr)) {
    fillTile(bare(index->getBase()), loops, slot);
    slot.tile.push_back(in_.indexOf(index->getIdx()));
    takeDigit(index->getIdx(), loops, in_.context, slot.tile.back());
  } else if (const auto *own = dyn_cast<MemberExpr>(expr); own && isAccumulator(*own)) {
    slot.variable = own->getMemberDecl()->getNameAsString();
  } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    const Expr *base = bare(member->getBase());
    fillTile(base, loops, slot);
    if (const auto *name = dyn_cast<DeclRefExpr>(base);
        name && !viewNamed(*name) && hasParts(base->getType(), in_.context)) {
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

} // namespace layout_port::native
