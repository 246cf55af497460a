// What is made from results: accumulators, and every variable that is given a value made from one.
// Operands of those are no loads (Exchange.h).
//
//   p[j] = pack(c[j][0], c[j][1]);   p is made from c
//   args.out[i] = c[j][0];           args is not, but what its member `out` points to
//   half *h = (half *)&d[j][0];      d is made from c with what h points to
//   h[0] = scale * c[j][0];
#include "native/EpilogueMemory.h"
#include "native/Recovery.h"

#include "native/SharedFlow.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// A variable, or the memory that a member of it points to, and what it or a part of it is given.
struct Giving {
  const VarDecl *variable = nullptr;
  const FieldDecl *pointer = nullptr;
  const Expr *value = nullptr;
};
class Givings : public DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getInit())
      found.push_back({variable, nullptr, variable->getInit()});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isAssignmentOp())
      give(op->getLHS(), op->getRHS(), false);
    return true;
  }
  // What a function is handed by reference it may write to; the products are known.
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!callee || (definition && definition->hasBody() && isMatrix_(definition)))
      return true;
    for (unsigned i = 0; i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
      const QualType type = callee->getParamDecl(i)->getType();
      if ((type->isReferenceType() || type->isPointerType()) &&
          !type->getPointeeType().isConstQualified())
        for (const Expr *value : call->arguments())
          give(call->getArg(i), value, type->isPointerType());
    }
    return true;
  }
  explicit Givings(std::function<bool(const FunctionDecl *)> isMatrix)
      : isMatrix_(std::move(isMatrix)) {}
  std::vector<Giving> found;

private:
  // The variable at the root of an lvalue or a pointer; not those of its indices. `isBehind`: it is
  // the memory that the target points to.
  void give(const Expr *target, const Expr *value, bool isBehind) {
    const FieldDecl *pointer = nullptr;
    for (;;) {
      target = stripped(target);
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(target)) {
        target = access->getBase();
        isBehind |= stripped(target)->getType()->isPointerType();
      } else if (const auto *member = dyn_cast<MemberExpr>(target)) {
        const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
        if (isBehind && field && field->getType()->isPointerType() &&
            !field->getParent()->isUnion())
          pointer = field;
        target = member->getBase();
        isBehind = member->isArrow();
      } else if (const auto *op = dyn_cast<UnaryOperator>(target)) {
        target = op->getSubExpr();
        isBehind |= op->getOpcode() == UO_Deref;
      } else if (const auto *op = dyn_cast<BinaryOperator>(target)) {
        target = op->getLHS();
      } else if (const auto *cast = dyn_cast<CastExpr>(target)) {
        target = cast->getSubExpr();
      } else {
        break;
      }
    }
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable)
      return;
    found.push_back({variable, pointer, value});
    const QualType type = variable->getType();
    const bool isOtherName =
        type->isReferenceType() || (isBehind && !pointer && type->isPointerType());
    if (isOtherName && variable->isLocalVarDecl() && variable->getInit())
      give(variable->getInit(), value, type->isPointerType());
  }
  std::function<bool(const FunctionDecl *)> isMatrix_;
};

// Is the member in the class, in a base or in a member of it, or of what it points to?
bool has(QualType type, const FieldDecl &member, llvm::DenseSet<const CXXRecordDecl *> &seen) {
  if (type->isReferenceType() || type->isPointerType())
    type = type->getPointeeType();
  const auto *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || !seen.insert(record->getDefinition()).second)
    return false;
  record = record->getDefinition();
  return llvm::any_of(record->fields(),
                      [&](const FieldDecl *field) {
                        return field == &member || has(field->getType(), member, seen);
                      }) ||
         llvm::any_of(record->bases(), [&](const CXXBaseSpecifier &base) {
           return has(base.getType(), member, seen);
         });
}
bool has(QualType type, const FieldDecl &member) {
  llvm::DenseSet<const CXXRecordDecl *> seen;
  return has(type, member, seen);
}

// Looks for what is made; of `args.in` and `args.out` at what is named alone.
class MadeFinder : public DynamicRecursiveASTVisitor {
public:
  explicit MadeFinder(const Made &made) : made_(made) {}
  bool TraverseMemberExpr(MemberExpr *member) override {
    std::vector<const ValueDecl *> named;
    const Expr *object = member;
    while (const auto *access = dyn_cast<MemberExpr>(object)) {
      named.push_back(access->getMemberDecl());
      object = stripped(access->getBase());
    }
    const VarDecl *variable = variableNamed(object);
    if (!variable || !isa<FieldDecl>(named.front()))
      return TraverseStmt(member->getBase());
    isFound |=
        made_.variables.count(variable) || llvm::any_of(made_.pointers, [&](const auto &pointer) {
          return pointer.first == variable && (llvm::is_contained(named, pointer.second) ||
                                               has(named.front()->getType(), *pointer.second));
        });
    return !isFound;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    isFound |= variable && made_.holds(*variable);
    return !isFound;
  }
  bool isFound = false;

private:
  const Made &made_;
};

} // namespace

bool Made::isIn(const Expr &value) const {
  MadeFinder finder(*this);
  finder.TraverseStmt(const_cast<Expr *>(&value));
  return finder.isFound;
}

bool Made::holds(const VarDecl &variable) const {
  return variables.count(&variable) ||
         llvm::any_of(pointers, [&](const auto &pointer) { return pointer.first == &variable; });
}

// Of members of a method's object, too.
bool Recovery::isMadeFromAny(const Expr &value, const Made &made) {
  const auto object = function_ ? handedTo(nullptr) : std::nullopt;
  return made.isIn(value) || (object && made.holds(*object->variable) && mentionsObject(value));
}

// The object that a method is called for, or a member of it that is not set once, by what is known.
bool Recovery::mentionsObject(const Stmt &stmt) const {
  const auto *member = dyn_cast<MemberExpr>(&stmt);
  const auto known = member && isa<CXXThisExpr>(stripped(member->getBase()))
                         ? settled_.find(dyn_cast<FieldDecl>(member->getMemberDecl()))
                         : settled_.end();
  if (known != settled_.end() && known->second)
    return false;
  return isa<CXXThisExpr>(stmt) || llvm::any_of(stmt.children(), [&](const Stmt *child) {
           return child && mentionsObject(*child);
         });
}

// In the kernel's own text behind all of them, and in no loop with one: no operand is made of it.
bool Recovery::isBehindProducts(const Expr &value) const {
  const auto place = texts_.statement(value.getSourceRange());
  if (!place || !out_.range.contains(*place))
    return false;
  TextRange alone = *place; // with the loops around
  for (const Stmt *at = &value; at; at = parentOf(DynTypedNode::create(*at)))
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, LambdaExpr>(at)) {
      const auto around = texts_.statement(at->getSourceRange());
      if (!around || isa<LambdaExpr>(at))
        return false;
      alone = *around;
    }
  return llvm::all_of(out_.mmas, [&](const MmaSite &mma) {
    return regionOf(out_, mma.d[0].declaration).end <= alone.begin;
  });
}

Made Recovery::madeFromResults() {
  Made made;
  for (const MmaSite &mma : out_.mmas)
    for (const Root &root : rootsOf(mma.d[0].declaration))
      made.variables.insert(root.variable);
  Givings givings([this](const FunctionDecl *function) { return matrixWithin(function); });
  givings.TraverseStmt(kernel_.getBody());
  for (const auto &[function, handings] : handings_) {
    givings.TraverseStmt(function->getBody());
    for (const Handing &handing : handings)
      for (unsigned i = 0; i < function->getNumParams(); ++i)
        if (const Expr *argument = argumentOf(*handing.call, i))
          givings.found.push_back({function->getParamDecl(i), nullptr, argument});
  }
  const auto isBehind = [&](const Giving &giving) { return isBehindProducts(*giving.value); };
  const auto isForAll = [&](const Giving &giving) {
    return giving.variable->hasAttr<CUDASharedAttr>() &&
           isReadBehindBarrier(*giving.variable, *giving.value, *kernel_.getBody());
  };
  for (bool again = true; again;) {
    again = false;
    for (const Giving &giving : givings.found) {
      const bool isKnown = made.variables.count(giving.variable) ||
                           made.pointers.count({giving.variable, giving.pointer});
      if (isKnown || isBehind(giving) || !made.isIn(*giving.value) || isForAll(giving))
        continue;
      if (giving.pointer)
        made.pointers.insert({giving.variable, giving.pointer});
      else
        made.variables.insert(giving.variable);
      again = true;
    }
  }
  return made;
}

} // namespace layout_port::native
