#include "native/SharedFlow.h"

#include "native/AstRead.h"

#include "llvm/ADT/STLExtras.h"

#include <vector>

using namespace clang;

namespace layout_port::native {

namespace {

using Path = std::vector<const Stmt *>; // from the kernel's body down

class Finder {
public:
  Finder(const VarDecl &array, const Expr &value) : array_(array), value_(value) {}

  void walk(const Stmt *stmt) {
    if (!stmt)
      return;
    path_.push_back(stmt);
    const auto *name = dyn_cast<DeclRefExpr>(stmt);
    if (name && name->getDecl() == &array_)
      names.push_back(path_);
    if (stmt == &value_)
      written = path_;
    jumps |= isa<GotoStmt, IndirectGotoStmt, LabelStmt, SwitchStmt>(stmt);
    for (const Stmt *child : stmt->children())
      walk(child);
    path_.pop_back();
  }

  std::vector<Path> names;
  Path written;
  bool jumps = false;

private:
  const VarDecl &array_;
  const Expr &value_;
  Path path_;
};

bool isBarrierCall(const Stmt *stmt) {
  const auto *expr = dyn_cast_or_null<Expr>(stmt);
  const auto *call = expr ? dyn_cast<CallExpr>(expr->IgnoreParenImpCasts()) : nullptr;
  return call && isBarrier(cudaName(call->getDirectCallee()));
}

bool isLoop(const Stmt *stmt) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt); }

// How an element is used where it stands: its address goes nowhere else.
enum class Use { Read, Written, Other };
Use useOf(const Path &name, const Stmt *&user) {
  for (size_t i = name.size() - 1; i-- > 0;) {
    user = name[i];
    const Stmt *inner = name[i + 1];
    const auto *access = dyn_cast<ArraySubscriptExpr>(user);
    const auto *op = dyn_cast<UnaryOperator>(user);
    const auto *cast = dyn_cast<CastExpr>(user);
    const auto *assignment = dyn_cast<BinaryOperator>(user);
    const auto *call = dyn_cast<CXXOperatorCallExpr>(user);
    const auto *copy = dyn_cast<CXXConstructExpr>(user);
    if (cast && cast->getCastKind() == CK_LValueToRValue)
      return Use::Read;
    if (copy && copy->getConstructor()->isCopyConstructor() && copy->getConstructor()->isTrivial())
      return Use::Read;
    if (assignment && assignment->getOpcode() == BO_Assign && assignment->getLHS() == inner)
      return Use::Written;
    if (call && call->getOperator() == OO_Equal && call->getArg(0) == inner)
      return Use::Written;
    const bool leadsOn = (access && access->getBase() == inner) ||
                         (cast && (cast->isGLValue() || cast->getType()->isPointerType())) ||
                         (op && (op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Deref)) ||
                         isa<ParenExpr, MemberExpr>(user);
    if (!leadsOn)
      return Use::Other;
  }
  return Use::Other;
}

// On every way from one statement to the other there is a barrier: it stands between them in the
// block that holds both, so that whoever comes to the second has come by it, in this turn of the
// loops around. What stands in front is reached again by such loops alone.
bool isParted(const Path &from, const Path &to) {
  size_t common = 0;
  while (common + 1 < from.size() && common + 1 < to.size() && from[common + 1] == to[common + 1])
    ++common;
  const auto *block = dyn_cast<CompoundStmt>(from[common]);
  if (!block || common + 1 >= from.size() || common + 1 >= to.size())
    return false;
  const auto first = llvm::find(block->body(), from[common + 1]);
  const auto second = llvm::find(block->body(), to[common + 1]);
  const auto hasBarrier = [](auto begin, auto end) {
    return std::any_of(begin, end, isBarrierCall);
  };
  if (second < first)
    return hasBarrier(block->body_begin(), second) ||
           std::none_of(from.begin(), from.begin() + static_cast<long>(common), isLoop);
  return hasBarrier(first + 1, second);
}

} // namespace

bool isReadBehindBarrier(const VarDecl &array, const Expr &value, const Stmt &body) {
  if (!array.isLocalVarDecl() || array.hasExternalStorage())
    return false; // by its name, or another, functions get at it too
  Finder finder(array, value);
  finder.walk(&body);
  if (finder.written.empty() || finder.jumps)
    return false;
  return llvm::all_of(finder.names, [&](const Path &name) {
    const Stmt *user = nullptr;
    const Use use = useOf(name, user);
    const bool isTarget = use == Use::Written && llvm::is_contained(finder.written, user);
    return use != Use::Other && (isTarget || isParted(finder.written, name));
  });
}

} // namespace layout_port::native
