// Numbers of the thread's own that the author's text does not say for another lane, in other words:
//
//   Ids at;  ids(at, wm);  const auto [lane, warp] = indices();  #define WM (threadIdx.x / 64 * 32)
//
//   &tile[at.row + WM][..]
//     ->  [&](int lane, int warp) { return &tile[(lane % 16) + (warp / 2 * 32)][..]; }
//
// A number that each bit of the thread's index adds something to (Sampler::formulaOf) is a sum of
// digits of lane and warp. It is said so where the author's own words cannot be.
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr size_t kLaneBits = 5;

// Digits [first, end) of `name`, of which it has `bits`: name / 2 % 4.
std::string digitsOf(const std::string &name, size_t first, size_t end, size_t bits) {
  std::string text = name;
  if (first)
    text += " / " + std::to_string(1u << first);
  if (end < bits)
    text += " % " + std::to_string(1u << (end - first));
  return text;
}

void addTerm(std::string &sum, const std::string &term) {
  sum += (sum.empty() ? "" : " + ") + term;
}

// Runs of weights that double, lowest first. False: a weight is negative.
bool addDigits(const std::string &name, llvm::ArrayRef<int64_t> weights, std::string &sum) {
  for (size_t first = 0; first < weights.size();) {
    const int64_t weight = weights[first];
    size_t end = first + 1;
    if (weight < 0)
      return false;
    if (weight)
      while (end < weights.size() && weights[end] == 2 * weights[end - 1])
        ++end;
    if (weight)
      addTerm(sum, digitsOf(name, first, end, weights.size()) +
                       (weight == 1 ? "" : " * " + std::to_string(weight)));
    first = end;
  }
  return true;
}

// An object or array of the thread's own that a place is in; null: it may be anywhere.
const VarDecl *ownRoot(const Expr *place) {
  for (;;) {
    place = stripped(place);
    if (const auto *member = dyn_cast<MemberExpr>(place); member && !member->isArrow())
      place = member->getBase();
    else if (const auto *access = dyn_cast<ArraySubscriptExpr>(place);
             access && stripped(access->getBase())->getType()->isArrayType())
      place = access->getBase();
    else
      break;
  }
  const VarDecl *variable = variableNamed(place);
  return variable && variable->isLocalVarDecl() && variable->hasLocalStorage() ? variable : nullptr;
}

const VarDecl *capturedBy(const LambdaCapture &capture) {
  return dyn_cast<VarDecl>(capture.getCapturedVar());
}

} // namespace

// A whole expression of a macro's own text that speaks of the thread.
bool Recovery::isOfMacro(const Expr &expr) const {
  const SourceManager &sources = context_.getSourceManager();
  if (!expr.getBeginLoc().isMacroID() || !expr.getEndLoc().isMacroID() ||
      !texts_.range(expr.getSourceRange()))
    return false;
  ThreadMentions mentions;
  mentions.TraverseStmt(const_cast<Expr *>(&expr));
  return !mentions.found.empty() && sources.getExpansionRange(expr.getBeginLoc()).getAsRange() ==
                                        sources.getExpansionRange(expr.getEndLoc()).getAsRange();
}

bool Recovery::mayBeFormula(const Expr &expr) const {
  if (!expr.getType()->isIntegerType() || expr.getType()->isBooleanType() || threadIndexAxis(&expr))
    return false;
  if (isa<CallExpr>(expr))
    return true;
  const auto *cast = dyn_cast<ImplicitCastExpr>(&expr);
  if (cast && cast->getCastKind() == CK_LValueToRValue) {
    const Expr *place = stripped(cast->getSubExpr());
    return isa<MemberExpr, ArraySubscriptExpr>(place) && ownRoot(place);
  }
  return !cast && isOfMacro(expr);
}

const Sampler::Formula *Recovery::formulaFor(const Expr &expr) {
  const auto [known, isNew] = formulas_.try_emplace(&expr);
  if (isNew) {
    known->second = sampler_.formulaOf(&expr);
    if (known->second && !formulaText(*known->second, AddressFunction()))
      known->second.reset();
  }
  return known->second ? &*known->second : nullptr;
}

// Whether it is a number that is said in other words.
bool Recovery::isFormula(const Expr &expr) {
  return saysFormulas_ && mayBeFormula(expr) && formulaFor(expr);
}

// Something in it is, where it stands.
bool Recovery::saysInOtherWords(const Stmt &stmt) {
  return llvm::any_of(indicesBelow(stmt), [&](const Expr *index) { return isFormula(*index); });
}

std::optional<std::string> Recovery::formulaText(const Sampler::Formula &formula,
                                                 const AddressFunction &out) const {
  const llvm::ArrayRef<int64_t> weights = formula.weights;
  std::string sum;
  if (formula.base < 0 || !addDigits(out.laneName, weights.take_front(kLaneBits), sum))
    return std::nullopt;
  if (weights.size() > kLaneBits && !addDigits(warpText(out), weights.drop_front(kLaneBits), sum))
    return std::nullopt;
  if (formula.base || sum.empty())
    addTerm(sum, std::to_string(formula.base));
  return sum;
}

void Recovery::noteLanes(const std::string &text, AddressFunction &out) const {
  out.usesLane |= mentionsWord(text, out.laneName);
  out.usesWarp |= mentionsWord(text, out.warpName);
}

// mn(at.wm, 64u): which instance is meant hangs on the type.
bool Recovery::isGivenToTemplate(const Expr &expr) const {
  for (const Stmt *at = parentOf(DynTypedNode::create(expr)); at && isa<Expr>(at);
       at = parentOf(DynTypedNode::create(*at)))
    if (const auto *call = dyn_cast<CallExpr>(at)) {
      const FunctionDecl *callee = call->getDirectCallee();
      if (!callee || callee->getPrimaryTemplate() ||
          !callee->getDeclContext()->lookup(callee->getDeclName()).isSingleResult())
        return true;
    }
  return false;
}

// In place of the expression.
std::string Recovery::formulaAs(const Expr &expr, bool keepsType, AddressFunction &out) {
  const std::string text = *formulaText(*formulaFor(expr), out);
  noteLanes(text, out);
  const QualType type = expr.getType().getCanonicalType().getUnqualifiedType();
  const bool isWord = context_.getTypeSize(type) == context_.getTypeSize(context_.IntTy);
  if (isWord && !keepsType && !isGivenToTemplate(expr))
    return text.find(' ') == text.npos ? text : "(" + text + ")";
  return asType(text, type);
}

// A variable that is declared anew: const int wm = warp / 2 * 32;
bool Recovery::needByFormula(const DeclRefExpr &name, AddressFunction &out) {
  const auto *variable = dyn_cast<VarDecl>(name.getDecl());
  const auto *binding = dyn_cast<BindingDecl>(name.getDecl());
  const QualType type = name.getType().getCanonicalType().getUnqualifiedType();
  if (!saysFormulas_ || !type->isIntegerType() || type->isBooleanType() ||
      (variable && !isMadeUnsaid(*variable)) || (!variable && !binding))
    return false;
  const std::string own = name.getDecl()->getNameAsString();
  const Sampler::Formula *formula = formulaFor(name);
  if (!formula)
    return false;
  if (!byFormula_.insert(name.getDecl()).second)
    return true;
  if (variable) {
    needed_.insert(variable);
    spoken_.push_back(variable);
  }
  const std::string text = *formulaText(*formula, out);
  const std::string spelled = "const " + type.getAsString(context_.getPrintingPolicy());
  if (text == out.laneName) {
    takeLane(own, spelled, out);
  } else if (text == out.warpName && !sampler_.mirrorsWarps()) {
    takeWarp(own, spelled, out);
  } else {
    noteLanes(text, out);
    out.variables.push_back({spelled, own, text});
  }
  return true;
}

// The kernel's own, by what cannot be repeated.
bool Recovery::isMadeUnsaid(const VarDecl &variable) {
  return variable.isLocalVarDecl() && variable.hasLocalStorage() && isOfKernel(&variable) &&
         !variable.getType()->isReferenceType() && !sampler_.aliasOf(&variable) &&
         !inner_.count(&variable) && !own_.count(&variable) &&
         (sampler_.isMadeByStatements(variable) ||
          (variable.getInit() && !sampler_.changes(&variable) &&
           !canBeMadeAgain(*variable.getInit())));
}

// auto where = [&](int j) { return (warp * 16 + lane / 4) * n + j * 8; };  of the kernel: declared
// anew where the lane is another, it speaks of that one.
const VarDecl *Recovery::lambdaMadeAgain(const CallExpr &call) {
  const auto *op = dyn_cast<CXXOperatorCallExpr>(&call);
  const VarDecl *variable = op && op->getNumArgs() ? variableNamed(op->getArg(0)) : nullptr;
  const Expr *init = variable ? variable->getInit() : nullptr;
  const auto *lambda = init ? dyn_cast<LambdaExpr>(init->IgnoreUnlessSpelledInSource()) : nullptr;
  if (!lambda || !variable->isLocalVarDecl() || !isOfKernel(variable) || lambda->isMutable() ||
      lambda->isGenericLambda() || !changesNothing(*lambda->getBody()) ||
      sampler_.asksOthers(lambda->getBody()) || !texts_.range(lambda->getSourceRange()))
    return nullptr;
  const auto isFollowed = [&](const LambdaCapture &capture) {
    return capture.capturesVariable() &&
           (capture.getCaptureKind() == LCK_ByRef || !sampler_.changes(capturedBy(capture)));
  };
  return llvm::all_of(lambda->captures(), isFollowed) ? variable : nullptr;
}

} // namespace layout_port::native
