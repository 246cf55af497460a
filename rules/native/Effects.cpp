#include "native/Effects.h"

#include "native/AstRead.h"
#include "native/Gather.h"
#include "native/MergeRows.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {
namespace {

// How much is let pass.
struct Allowed {
  bool shuffles = false;
  bool ptx = false; // that computes; else only conversions
};

using Functions = std::set<std::pair<const FunctionDecl *, bool>>;

} // namespace

bool actsByName(StringRef name) {
  for (const char *prefix :
       {"atomic",       "__shfl",      "__sync",       "__ballot",        "__any",
        "__all",        "__match",     "__reduce",     "__activemask",    "printf",
        "vprintf",      "__nanosleep", "curand",       "__nvvm_bar",      "__nvvm_atom",
        "__nvvm_shfl",  "__nvvm_vote", "__nvvm_match", "__nvvm_redux",    "__nvvm_membar",
        "__nvvm_fence", "__nvvm_cp",   "__nvvm_st",    "__nvvm_mbarrier", "__atomic",
        "__st"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

namespace {

// Takes nothing that it could write to, and gives something.
bool canOnlyGive(const FunctionDecl &function) {
  return (!function.getReturnType()->isVoidType() || isa<CXXConstructorDecl>(function)) &&
         llvm::all_of(function.parameters(), [](const ParmVarDecl *parameter) {
           const QualType type = parameter->getType();
           return !(type->isPointerType() || type->isReferenceType()) ||
                  type->getPointeeType().isConstQualified();
         });
}

// x = y of halves and their kin: it writes x, and does nothing else.
bool isPlainAssignment(const CallExpr &call) {
  const auto *op = dyn_cast<CXXOperatorCallExpr>(&call);
  const FunctionDecl *callee = call.getDirectCallee();
  return op && op->isAssignmentOp() && callee && (callee->isTrivial() || isOfCuda(*callee));
}

// Looks for what a piece of code changes besides its own variables.
class Deeds : public ExecutedVisitor {
public:
  Deeds(const Allowed &allowed, Functions &seen, bool ownsThis = false)
      : allowed_(allowed), seen_(seen), ownsThis_(ownsThis) {}

  // What a call of it does. `ownsObject`: it is called for an object that nobody else knows.
  bool computes(const FunctionDecl &callee, bool ownsObject) {
    const StringRef name = cudaName(&callee);
    if (actsByName(name))
      return allowed_.shuffles && isShuffle(name) && name.starts_with("__shfl_xor");
    const FunctionDecl *definition = callee.getDefinition();
    if (!definition || !definition->hasBody())
      return isTrivial(callee) || (isOfCuda(callee) && canOnlyGive(callee));
    if (!seen_.insert({definition, ownsObject}).second)
      return true;
    Deeds inner(allowed_, seen_, ownsObject);
    inner.enter(*definition);
    return !inner.any;
  }

  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->hasLocalStorage() && !variable->getType()->isReferenceType())
      own_.insert(variable);
    const CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
    return note(record && record->hasDefinition() && !record->hasTrivialDestructor());
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    return note(op->isAssignmentOp() && !isOwn(op->getLHS()));
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    return note(op->isIncrementDecrementOp() && !isOwn(op->getSubExpr()));
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    const std::string text = stmt->getAsmString();
    const bool converts = text.find("cvta") != text.npos || text.find("cvt.") != text.npos;
    if (!(allowed_.ptx ? actsInPtx(*stmt) : converts ? obstacleInAsm(*stmt) : "acts").empty())
      return note(true);
    for (unsigned i = 0; i < stmt->getNumOutputs(); ++i)
      if (!isOwn(stmt->getOutputExpr(i)))
        return note(true);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return note(true);
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    const auto *member = dyn_cast<CXXMemberCallExpr>(call);
    const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
    const Expr *object = member ? member->getImplicitObjectArgument()
                         : op && method && method->isInstance() ? op->getArg(0)
                                                                : nullptr;
    const bool ownsObject = object && isOwn(object);
    if (isPlainAssignment(*call))
      return note(!isOwn(op->getArg(0)));
    return note(!computes(*callee, ownsObject));
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    return note(!computes(*made->getConstructor(), true));
  }
  // What its body does counts where it is called.
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    return llvm::all_of(lambda->capture_inits(),
                        [&](Expr *init) { return !init || TraverseStmt(init); });
  }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *) override { return note(true); }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr *) override { return note(true); }
  bool VisitCXXNewExpr(CXXNewExpr *) override { return note(true); }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *) override { return note(true); }
  bool VisitCXXThrowExpr(CXXThrowExpr *) override { return note(true); }
  bool VisitAtomicExpr(AtomicExpr *) override { return note(true); }
  bool VisitMSAsmStmt(MSAsmStmt *) override { return note(true); }

  bool any = false;

private:
  bool note(bool isEffect) { return !(any = any || isEffect); }

  static bool isTrivial(const FunctionDecl &callee) {
    const auto *method = dyn_cast<CXXMethodDecl>(&callee);
    return method && method->isTrivial() && isa<CXXConstructorDecl>(method);
  }

  void enter(const FunctionDecl &function) {
    for (const ParmVarDecl *parameter : function.parameters())
      if (!parameter->getType()->isReferenceType())
        own_.insert(parameter);
    traverseDefinition(function);
  }

  // A variable that is declared here, a temporary or a part of one.
  bool isOwn(const Expr *target) const {
    for (target = bare(target);;) {
      const auto *member = dyn_cast<MemberExpr>(target);
      const auto *access = dyn_cast<ArraySubscriptExpr>(target);
      if (member && isa<CXXThisExpr>(bare(member->getBase())))
        return ownsThis_ && !member->getType()->isReferenceType() && isHeld(*member);
      if (member && !member->isArrow() && isHeld(*member))
        target = bare(member->getBase());
      else if (access && bare(access->getBase())->getType()->isArrayType())
        target = bare(access->getBase());
      else if (const Expr *place = access ? placeOfAddress(*access->getBase()) : nullptr)
        target = place;
      else
        break;
    }
    if (isa<CXXThisExpr>(target))
      return ownsThis_;
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable ? own_.count(variable) != 0
                    : isa<CXXConstructExpr, CXXTemporaryObjectExpr>(target);
  }
  // x of (&x)[i]; null: it is no such address.
  static const Expr *placeOfAddress(const Expr &pointer) {
    const auto *address = dyn_cast<UnaryOperator>(bare(&pointer));
    return address && address->getOpcode() == UO_AddrOf ? bare(address->getSubExpr()) : nullptr;
  }
  // Not static, and no reference: it lies in its object.
  static bool isHeld(const MemberExpr &member) {
    const auto *field = dyn_cast<FieldDecl>(member.getMemberDecl());
    return field && !field->getType()->isReferenceType();
  }

  const Allowed &allowed_;
  Functions &seen_;
  const bool ownsThis_;
  std::set<const VarDecl *> own_;
};

bool isFree(const Stmt &stmt, const Allowed &allowed) {
  Functions seen;
  Deeds deeds(allowed, seen);
  deeds.TraverseStmt(const_cast<Stmt *>(&stmt));
  return !deeds.any;
}

bool isFreeCall(const CallExpr &call, const Allowed &allowed) {
  Functions seen;
  const FunctionDecl *callee = call.getDirectCallee();
  return isPlainAssignment(call) || (callee && Deeds(allowed, seen).computes(*callee, false));
}

} // namespace

bool onlyComputes(const CallExpr &call) { return isFreeCall(call, {}); }
bool changesOnlyIts(const CXXMemberCallExpr &call) {
  Functions seen;
  const FunctionDecl *callee = call.getDirectCallee();
  return callee && Deeds({}, seen).computes(*callee, true);
}
bool onlyComputesInWarp(const CallExpr &call) { return isFreeCall(call, {true, false}); }
bool changesNothing(const Stmt &stmt) { return isFree(stmt, {false, true}); }

std::string actsInPtx(const GCCAsmStmt &stmt) {
  const std::string text = stmt.getAsmString();
  llvm::SmallVector<StringRef, 8> words;
  llvm::SplitString(text, words, " \t\n\r;{}");
  for (const StringRef word : words)
    for (const char *opcode :
         {"st.",   "atom",           "red.",       "redux",     "bar",      "mbarrier",
          "shfl",  "vote",           "mma",        "ldmatrix",  "stmatrix", "movmatrix",
          "cp.",   "match",          "activemask", "fence",     "membar",   "elect",
          "wgmma", "tcgen",          "call",       "multimem",  "trap",     "exit",
          "brkpt", "griddepcontrol", "nanosleep",  "setmaxnreg"})
      if (word.starts_with(opcode))
        return "is made with " + word.str() + " in PTX";
  return "";
}

} // namespace layout_port::native
