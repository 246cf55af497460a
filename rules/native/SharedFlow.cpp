#include "native/SharedFlow.h"

#include "native/AstRead.h"
#include "native/EpilogueMemory.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>

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
    const bool isPointer = cast && cast->getType()->isPointerType();
    if (cast && cast->getCastKind() == CK_LValueToRValue && !(isPointer && isa<DeclRefExpr>(inner)))
      return Use::Read;
    if (copy && copy->getConstructor()->isCopyConstructor() && copy->getConstructor()->isTrivial())
      return Use::Read;
    if (assignment && assignment->getOpcode() == BO_Assign && assignment->getLHS() == inner)
      return Use::Written;
    if (call && call->getOperator() == OO_Equal && call->getArg(0) == inner)
      return Use::Written;
    const bool leadsOn =
        (access && access->getBase() == inner) || (cast && (cast->isGLValue() || isPointer)) ||
        (assignment && assignment->isAdditiveOp() && assignment->getType()->isPointerType()) ||
        (op && (op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Deref)) ||
        isa<ParenExpr, MemberExpr>(user);
    if (!leadsOn)
      return Use::Other;
  }
  return Use::Other;
}

// uint32_t base = shared32(s) + n; : a number that says where it is, and nothing is read.
bool isAddressOf(const Path &name, size_t declared) {
  bool isNumber = false;
  for (size_t i = name.size() - 1; i-- > declared + 1;) {
    const Stmt *user = name[i];
    const auto *call = dyn_cast<CallExpr>(user);
    const auto *access = dyn_cast<ArraySubscriptExpr>(user);
    const auto *op = dyn_cast<UnaryOperator>(user);
    const auto *sum = dyn_cast<BinaryOperator>(user);
    const auto *cast = dyn_cast<CastExpr>(user);
    const bool isRead = cast && cast->getCastKind() == CK_LValueToRValue;
    if (call && !isNumber && sharedPointerIn(*call))
      isNumber = true;
    else if (!(isNumber ? (cast && !isRead) || isa<ParenExpr>(user) || (sum && sum->isAdditiveOp())
                        : (cast && !isRead) || isa<ParenExpr>(user) ||
                              (access && access->getBase() == name[i + 1]) ||
                              (op && op->getOpcode() == UO_AddrOf)))
      return false;
  }
  return isNumber;
}

// Behind a statement, in the rest of its block: neither it nor another one leaves in front.
template <class It> bool endsWithBarrier(It from, It end) {
  const std::function<bool(const Stmt *)> leaves = [&](const Stmt *stmt) {
    return stmt && (isa<ContinueStmt, BreakStmt>(stmt) || llvm::any_of(stmt->children(), leaves));
  };
  for (It at = from; at != end && !leaves(*at); ++at)
    if (at != from && isBarrierCall(*at))
      return true;
  return false;
}

// In a block that holds one of the statements and not the other, a barrier stands behind the first,
// before the block is left, or in front of the second:
//
//   for (..) { s[i] = x;  __syncthreads();  y = s[j];  __syncthreads(); }     s[k] = z;
bool isPartedWithin(const Path &from, const Path &to, size_t common) {
  for (size_t i = common + 1; i + 1 < from.size(); ++i)
    if (const auto *block = dyn_cast<CompoundStmt>(from[i]);
        block && endsWithBarrier(llvm::find(block->body(), from[i + 1]), block->body_end()))
      return true;
  for (size_t i = common + 1; i + 1 < to.size(); ++i)
    if (const auto *block = dyn_cast<CompoundStmt>(to[i]);
        block &&
        std::any_of(block->body_begin(),
                    CompoundStmt::const_body_iterator(llvm::find(block->body(), to[i + 1])),
                    isBarrierCall))
      return true;
  return false;
}

// On every way from one statement to the other there is a barrier: it stands between them in the
// block that holds both, so that whoever comes to the second has come by it, in this turn of the
// loops around, or further in. What stands in front is reached again by such loops alone.
// `loopsWait`: a loop that waits in each of its turns counts as one, though it may have none.
bool isParted(const Path &from, const Path &to, bool loopsWait = false) {
  size_t common = 0;
  while (common + 1 < from.size() && common + 1 < to.size() && from[common + 1] == to[common + 1])
    ++common;
  const auto *block = dyn_cast<CompoundStmt>(from[common]);
  if (isPartedWithin(from, to, common))
    return true;
  if (!block || common + 1 >= from.size() || common + 1 >= to.size())
    return false;
  const auto first = llvm::find(block->body(), from[common + 1]);
  const auto second = llvm::find(block->body(), to[common + 1]);
  const auto waits = [&](const Stmt *stmt) {
    const auto *loop = loopsWait ? dyn_cast<ForStmt>(stmt) : nullptr;
    return isBarrierCall(stmt) || (loop && waitsInTurns(*loop));
  };
  const auto hasBarrier = [&](auto begin, auto end) { return std::any_of(begin, end, waits); };
  if (second < first)
    return hasBarrier(block->body_begin(), second) || endsWithBarrier(first, block->body_end()) ||
           std::none_of(from.begin(), from.begin() + static_cast<long>(common), isLoop);
  return hasBarrier(first + 1, second);
}

// Every mention of a memory, and of what is made of it.
class Mentioner {
public:
  Mentioner(const Memory &memory, const Expr &write) : memory_(memory), write_(write) {
    made_.insert(memory.root);
  }

  // Until nothing more is made of it.
  void walkAll(const Stmt &body) {
    for (size_t before = 0; before != made_.size();) {
      before = made_.size();
      uses.clear();
      walk(&body);
    }
  }

  std::vector<Path> uses;
  Path written;
  bool jumps = false, isKept = false;

private:
  void walk(const Stmt *stmt) {
    if (!stmt)
      return;
    path_.push_back(stmt);
    const auto *name = dyn_cast<DeclRefExpr>(stmt);
    const auto *part = name ? dyn_cast<BindingDecl>(name->getDecl()) : nullptr;
    const auto *variable =
        name ? dyn_cast<VarDecl>(part ? part->getDecomposedDecl() : name->getDecl()) : nullptr;
    if (variable && made_.count(variable) && !isOfOtherMember(*variable) && !isPointerMoved())
      note();
    if (stmt == &write_)
      written = path_;
    jumps |= isa<GotoStmt, IndirectGotoStmt, LabelStmt, SwitchStmt>(stmt);
    for (const Stmt *child : stmt->children())
      walk(child);
    path_.pop_back();
  }

  // sm.q, where sm.s is meant.
  bool isOfOtherMember(const VarDecl &variable) const {
    const auto *member = path_.size() > 1 ? dyn_cast<MemberExpr>(path_[path_.size() - 2]) : nullptr;
    return memory_.member && !memory_.member->getParent()->isUnion() && &variable == memory_.root &&
           member && !member->isArrow() && isa<FieldDecl>(member->getMemberDecl()) &&
           member->getMemberDecl() != memory_.member;
  }

  // p += n
  bool isPointerMoved() const {
    const auto *op = path_.size() > 1 ? dyn_cast<BinaryOperator>(path_[path_.size() - 2]) : nullptr;
    return op && op->isAssignmentOp() && op->getLHS() == path_.back() &&
           op->getLHS()->getType()->isPointerType();
  }

  // A name makes the variable that is being set, and is a use but where it only says where. What
  // a lambda does with it is done where the lambda is named.
  void note() {
    const auto lambda = llvm::find_if(path_, [](const Stmt *s) { return isa<LambdaExpr>(s); });
    const Stmt *user = nullptr;
    const bool isTouched = lambda == path_.end() && useOf(path_, user) != Use::Other;
    size_t i = static_cast<size_t>(lambda - path_.begin()) - 1;
    bool isNamed = false; // by another variable from here on, and nothing else
    for (; i-- > 0 && !isa<CompoundStmt>(path_[i]);) {
      isKept |= isKeptBy(path_[i], path_[i + 1]);
      const VarDecl *made = setBy(path_[i], path_[i + 1]);
      if (!made || !leadsTo(made->getType()))
        continue;
      made_.insert(made);
      isNamed |= !made->getType()->isIntegerType() || isAddressOf(path_, i);
    }
    if (!isNamed || isTouched)
      uses.push_back(path_);
  }

  // Its address goes to memory: who reads it there is not followed.
  static bool isKeptBy(const Stmt *stmt, const Stmt *inner) {
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    return op && op->getOpcode() == BO_Assign && op->getRHS() == inner &&
           op->getType()->isPointerType() && !ownVariable(op->getLHS());
  }

  static const VarDecl *setBy(const Stmt *stmt, const Stmt *inner) {
    if (const auto *op = dyn_cast<BinaryOperator>(stmt))
      return op->getOpcode() == BO_Assign && op->getRHS() == inner ? ownVariable(op->getLHS())
                                                                   : nullptr;
    return isa<DeclStmt>(stmt) ? holder(stmt, inner) : nullptr;
  }

  static const VarDecl *holder(const Stmt *declarations, const Stmt *init) {
    for (const Decl *decl : cast<DeclStmt>(declarations)->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl); variable && variable->getInit() == init)
        return variable;
    return nullptr;
  }

  static const VarDecl *ownVariable(const Expr *target) {
    for (target = target->IgnoreParenCasts();;) {
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(target))
        target = access->getBase()->IgnoreParenCasts();
      else if (const auto *member = dyn_cast<MemberExpr>(target); member && !member->isArrow())
        target = member->getBase()->IgnoreParenCasts();
      else
        break;
    }
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable && variable->hasLocalStorage() && !isSharedVariable(variable) ? variable
                                                                                  : nullptr;
  }

  // A value of the type may say where memory is.
  static bool leadsTo(QualType type) {
    type = QualType(type.getNonReferenceType()->getBaseElementTypeUnsafe(), 0);
    return type->isPointerType() || type->isRecordType() ||
           (type->isIntegerType() && !type->isBooleanType() && !type->isCharType());
  }

  const Memory memory_;
  const Expr &write_;
  std::set<const VarDecl *> made_;
  Path path_;
};

} // namespace

bool waitsInTurns(const ForStmt &loop) {
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

const Expr *sharedPointerIn(const CallExpr &call) {
  if (call.getNumArgs() != 1)
    return nullptr;
  if (cudaName(call.getDirectCallee()) == "__cvta_generic_to_shared")
    return call.getArg(0);
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *function = callee ? callee->getDefinition() : nullptr;
  const auto *body = function ? dyn_cast_or_null<CompoundStmt>(function->getBody()) : nullptr;
  if (!body || isa<CXXMethodDecl>(function) || function->getNumParams() != 1)
    return nullptr;
  bool casts = false; // by an asm
  const Expr *value = nullptr;
  for (const Stmt *stmt : body->body()) {
    const auto *code = dyn_cast<GCCAsmStmt>(stmt);
    const auto *end = dyn_cast<ReturnStmt>(stmt);
    const auto *declarations = dyn_cast<DeclStmt>(stmt);
    casts |= code && onlyCasts(*code);
    if (end)
      value = end->getRetValue();
    else if (!declarations && !(code && onlyCasts(*code)))
      return nullptr;
  }
  while (value && !casts) {
    value = stripped(value);
    const auto *cast = dyn_cast<ExplicitCastExpr>(value);
    const auto *inner = dyn_cast<CallExpr>(value);
    if (cast)
      value = cast->getSubExpr();
    else if (inner && cudaName(inner->getDirectCallee()) == "__cvta_generic_to_shared")
      value = inner->getArg(0);
    else
      break;
  }
  return casts || (value && variableNamed(value) == function->getParamDecl(0)) ? call.getArg(0)
                                                                               : nullptr;
}

Memory memoryOf(const Expr &place, std::vector<const VarDecl *> *through) {
  constexpr int kSteps = 64; // float *p = p leads nowhere
  const Expr *at = &place;
  const FieldDecl *member = nullptr;
  for (int step = 0; step < kSteps; ++step) {
    at = at->IgnoreParenCasts();
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(at)) {
      at = access->getBase();
    } else if (const auto *op = dyn_cast<UnaryOperator>(at)) {
      at = op->getSubExpr();
    } else if (const auto *sum = dyn_cast<BinaryOperator>(at); sum && sum->isAdditiveOp()) {
      at = sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
    } else if (const auto *part = dyn_cast<MemberExpr>(at)) {
      member = part->isArrow() ? nullptr : dyn_cast<FieldDecl>(part->getMemberDecl());
      at = part->getBase();
    } else {
      const auto *name = dyn_cast<DeclRefExpr>(at);
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      const bool leads =
          variable && !isa<ParmVarDecl>(variable) && variable->hasLocalStorage() &&
          (variable->getType()->isPointerType() || variable->getType()->isReferenceType());
      if (!leads)
        return {variable, member};
      if (through)
        through->push_back(variable);
      if (!variable->getInit())
        return {};
      member = nullptr;
      at = variable->getInit();
    }
  }
  return {};
}

bool isWrittenApart(const Memory &memory, const Expr &write, const std::set<const Expr *> &beside,
                    const Stmt &body, const std::set<const Expr *> &addresses, bool isMatrix) {
  Mentioner mentions(memory, write);
  mentions.walkAll(body);
  if (mentions.written.empty() || mentions.jumps || mentions.isKept)
    return false;
  const auto isBeside = [&](const Stmt *stmt) {
    const auto *expr = dyn_cast<Expr>(stmt);
    return expr && (expr == &write || beside.count(expr));
  };
  return llvm::all_of(mentions.uses, [&](const Path &use) {
    const Stmt *user = nullptr;
    const bool isTarget = useOf(use, user) == Use::Written && isBeside(user);
    const bool isAddress = llvm::any_of(use, [&](const Stmt *stmt) {
      const auto *expr = dyn_cast<Expr>(stmt);
      return expr && addresses.count(expr);
    });
    return isTarget || isAddress ||
           (isParted(mentions.written, use) && isParted(use, mentions.written, isMatrix));
  });
}

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
