// Addresses as functions of (lane, warp): the author's variables that they are made from,
// in the order in which they must be computed anew for another lane, and why that cannot
// be done where one of them has another value by then.
#include "native/Recovery.h"

#include "native/Digits.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <limits>

using namespace clang;

namespace layout_port::native {

// The author's variables below `expr` that depend on the thread, in the order in
// which they must be computed; a lane, a warp or the thread itself ends the search.
class Recovery::Needs : public ExecutedVisitor {
public:
  Needs(Recovery &recovery, AddressFunction &out, std::string &problem, unsigned file)
      : r_(recovery), out_(out), problem_(problem), file_(file) {}

  // What is read through a pointer is another's only where the pointer leads to the same memory.
  bool TraverseStmt(Stmt *stmt) override {
    if (const auto *expr = dyn_cast_or_null<Expr>(stmt); expr && r_.isFormula(*expr))
      return true;
    const bool reads = r_.readsThrough_ || (stmt && readsThrough(*stmt));
    const bool outer = std::exchange(r_.readsThrough_, reads);
    const bool goesOn = ExecutedVisitor::TraverseStmt(stmt);
    r_.readsThrough_ = outer;
    return goesOn;
  }
  // Of tile.I, a constant of its class, only the name is needed.
  bool TraverseMemberExpr(MemberExpr *member) override {
    const VarDecl *object = objectOfStatic(*member);
    if (r_.namesHandedOn(*member) || r_.leadsToPlaceForAll(*member))
      return true;
    if (!object)
      return DynamicRecursiveASTVisitor::TraverseMemberExpr(member);
    if (const Expr *argument = r_.sampler_.aliasOf(object))
      r_.siteNames_[object] = r_.siteTextOf(*argument);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (r_.needByFormula(*name, out_))
      return true;
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable && (variable->isLocalVarDecl() || isa<ParmVarDecl>(variable)))
      r_.need(variable, out_, problem_, file_);
    const auto *binding = dyn_cast<BindingDecl>(name->getDecl());
    const auto *whole = binding ? dyn_cast<VarDecl>(binding->getDecomposedDecl()) : nullptr;
    if (whole && !r_.own_.count(whole) && !r_.inner_.count(whole) &&
        r_.sampler_.dependsOnThread(name))
      problem_ = "the address is computed from the structured binding '" +
                 binding->getNameAsString() + "', which depends on the thread";
    return true;
  }
  // *(int *)n: who knows of whose memory.
  bool VisitCastExpr(CastExpr *cast) override {
    if (cast->getCastKind() == CK_IntegralToPointer)
      problem_ = "the address is read through a number";
    return true;
  }
  bool TraverseImplicitCastExpr(ImplicitCastExpr *cast) override {
    const bool isRead = cast->getCastKind() == CK_LValueToRValue && !isInSelf_;
    const MemberExpr *member = isRead ? r_.ownMember(*cast->getSubExpr()) : nullptr;
    if (!member)
      return ExecutedVisitor::TraverseImplicitCastExpr(cast);
    r_.needMember(*member, out_, problem_, file_);
    return true;
  }
  // Of the object that the method is called for, where the call says which that is.
  bool VisitCXXThisExpr(CXXThisExpr *) override {
    const Expr *self = isInSelf_ ? nullptr : r_.siteSelf();
    if (!self || self->HasSideEffects(r_.context_, false)) {
      problem_ = "the address is computed from members of a class";
      return true;
    }
    isInSelf_ = true;
    TraverseStmt(const_cast<Expr *>(self));
    isInSelf_ = false;
    return true;
  }
  // What it captures is looked at where its body names it.
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    for (const ParmVarDecl *parameter : lambda->getCallOperator()->parameters())
      r_.inner_.insert(parameter);
    addLocals(*lambda->getBody());
    for (const LambdaCapture &capture : lambda->captures()) {
      const auto *own =
          capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
      if (!own || !own->isInitCapture())
        continue;
      r_.inner_.insert(own);
      TraverseStmt(const_cast<Expr *>(own->getInit()));
    }
    return TraverseStmt(lambda->getBody());
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (callee && callee->getDefinition() && callee->getDefinition()->hasBody() &&
        !r_.exchanging_.count(callee->getDefinition()) && !r_.lambdaMadeAgain(*call) &&
        r_.sampler_.indexOf(call) == ThreadValue::Other && !r_.isToldCall(*call) &&
        r_.sampler_.dependsOnThread(callee->getDefinition()->getBody()))
      readsIndex(nameOf(*call, *callee));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    const auto *definition =
        dyn_cast_or_null<CXXConstructorDecl>(made->getConstructor()->getDefinition());
    if (definition && definition->hasBody() &&
        (r_.sampler_.dependsOnThread(definition->getBody()) ||
         llvm::any_of(definition->inits(), [&](const CXXCtorInitializer *init) {
           return r_.sampler_.dependsOnThread(init->getInit());
         })))
      readsIndex(definition->getParent()->getNameAsString());
    return true;
  }
  // They are written elsewhere, where another lane has no name.
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *given) override {
    if (r_.sampler_.dependsOnThread(given->getExpr()))
      readsIndex(given->getParam()->getNameAsString());
    return true;
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *given) override {
    if (r_.sampler_.dependsOnThread(given->getExpr()))
      readsIndex(given->getField()->getNameAsString());
    return true;
  }

private:
  void addLocals(const Stmt &body) {
    class Locals : public DynamicRecursiveASTVisitor {
    public:
      bool VisitVarDecl(VarDecl *variable) override {
        all.push_back(variable);
        return true;
      }
      std::vector<const VarDecl *> all;
    };
    Locals locals;
    locals.TraverseStmt(const_cast<Stmt *>(&body));
    r_.inner_.insert(locals.all.begin(), locals.all.end());
  }
  static bool isThroughPointer(const Expr *place) {
    for (;;) {
      place = stripped(place);
      const auto *member = dyn_cast<MemberExpr>(place);
      const auto *access = dyn_cast<ArraySubscriptExpr>(place);
      if (member && member->isArrow())
        return !isa<CXXThisExpr>(stripped(member->getBase()));
      if (access && !stripped(access->getBase())->getType()->isArrayType())
        return true;
      if (!member && !access)
        break;
      place = member ? member->getBase() : access->getBase();
    }
    const auto *op = dyn_cast<UnaryOperator>(place);
    return op && op->getOpcode() == UO_Deref;
  }
  static bool readsThrough(const Stmt &stmt) {
    const auto *cast = dyn_cast<ImplicitCastExpr>(&stmt);
    if (cast && cast->getCastKind() == CK_LValueToRValue)
      return isThroughPointer(cast->getSubExpr());
    const auto *call = dyn_cast<CallExpr>(&stmt);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    return callee && callee->hasBody() && readsMemory(*callee);
  }

  // A lambda goes by the name of its variable.
  static std::string nameOf(const CallExpr &call, const FunctionDecl &callee) {
    const auto *method = dyn_cast<CXXMethodDecl>(&callee);
    const bool isLambda = method && method->getParent()->isLambda() && call.getNumArgs() > 0;
    const auto *name = isLambda ? dyn_cast<DeclRefExpr>(stripped(call.getArg(0))) : nullptr;
    return name ? name->getDecl()->getNameAsString() : callee.getNameAsString();
  }

  void readsIndex(llvm::StringRef who) {
    if (problem_.empty() && !who.starts_with("__fetch_builtin")) // threadIdx.x is looked at as such
      problem_ =
          "the address is computed by '" + who.str() + "', which reads the thread's index itself";
  }

  Recovery &r_;
  AddressFunction &out_;
  std::string &problem_;
  unsigned file_;
  bool isInSelf_ = false;
};

namespace {

constexpr const char *kHasEffects =
    "it changes something where it is computed, which other lanes cannot do again";

// What is assigned to each pointer, and where addresses are taken of what a thread has for
// itself: its local variables and their elements and members.
class OwnAddresses : public DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getInit())
      values_[variable].push_back(variable->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    const auto *name = dyn_cast<DeclRefExpr>(stripped(op->getLHS()));
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : arrayOf(*op->getLHS());
    if (variable && op->isAssignmentOp())
      values_[variable].push_back(op->getRHS());
    return true;
  }
  // Who is handed an array of pointers may set them.
  bool VisitCallExpr(CallExpr *call) override {
    for (const Expr *argument : call->arguments())
      if (const auto *name = dyn_cast<DeclRefExpr>(stripped(argument)))
        if (const auto *variable = dyn_cast<VarDecl>(name->getDecl());
            variable && variable->getType()->isArrayType())
          handed_.insert(variable);
    return true;
  }
  bool mayBe(const VarDecl *pointer) {
    if (handed_.count(pointer))
      return true;
    if (!seen_.insert(pointer).second)
      return false;
    const auto isOwn = [&](const Expr *value) { return comesFromOwn(value); };
    const auto known = values_.find(pointer);
    return known != values_.end() && llvm::any_of(known->second, isOwn);
  }
  void give(const VarDecl *pointer, const Expr *value) { values_[pointer].push_back(value); }
  bool comesFromOwn(const Expr *value);
  std::function<bool(const MemberExpr &)> mayLeadToOwn; // a pointer that an object keeps

private:
  static bool isOwn(const Expr *place) {
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
    const auto *name = dyn_cast<DeclRefExpr>(place);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
  }
  // half *stages[] = {..}: the array whose element this is.
  static const VarDecl *arrayOf(const Expr &element) {
    const auto *access = dyn_cast<ArraySubscriptExpr>(stripped(&element));
    const auto *name = access ? dyn_cast<DeclRefExpr>(stripped(access->getBase())) : nullptr;
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const ArrayType *type = variable ? variable->getType()->getAsArrayTypeUnsafe() : nullptr;
    return type && type->getElementType()->isPointerType() ? variable : nullptr;
  }
  std::map<const VarDecl *, std::vector<const Expr *>> values_;
  std::set<const VarDecl *> seen_, handed_;
};

bool OwnAddresses::comesFromOwn(const Expr *value) {
  class Sources : public DynamicRecursiveASTVisitor {
  public:
    explicit Sources(OwnAddresses &all) : all_(all) {}
    bool TraverseStmt(Stmt *stmt) override {
      const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(stmt);
      const bool isRead = cast && cast->getCastKind() == CK_LValueToRValue;
      if (isRead && !cast->getType()->isPointerType())
        return true;
      if (const VarDecl *array = isRead ? arrayOf(*cast->getSubExpr()) : nullptr)
        return note(all_.mayBe(array));
      return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    bool VisitUnaryOperator(UnaryOperator *op) override {
      return note(op->getOpcode() == UO_AddrOf && isOwn(op->getSubExpr()));
    }
    bool VisitMemberExpr(MemberExpr *member) override {
      return note(member->getType()->isPointerType() && all_.mayLeadToOwn &&
                  all_.mayLeadToOwn(*member));
    }
    bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
      return note(cast->getCastKind() == CK_ArrayToPointerDecay && isOwn(cast->getSubExpr()));
    }
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      return note(variable && variable->getType()->isPointerType() && all_.mayBe(variable));
    }
    bool found = false;

  private:
    bool note(bool isOne) { return !(found = found || isOne); }
    OwnAddresses &all_;
  };
  Sources sources(*this);
  sources.TraverseStmt(const_cast<Expr *>(value));
  return sources.found;
}

} // namespace

bool Recovery::leadsToOwn(const Expr &value) {
  OwnAddresses addresses;
  addresses.TraverseStmt(kernel_.getBody());
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  for (const VarDecl *input : inputs.found)
    if (const Expr *given = sampler_.aliasOf(input))
      addresses.give(input, given);
  return addresses.comesFromOwn(&value);
}

bool Recovery::pointsToOwn(const VarDecl &pointer) {
  OwnAddresses addresses;
  addresses.mayLeadToOwn = [&](const MemberExpr &member) {
    const auto known = settled_.find(dyn_cast<FieldDecl>(member.getMemberDecl()));
    return (fetchesNumbers_ || readsThrough_) && ownMember(member) &&
           !leadsElsewhere(known == settled_.end() ? nullptr : known->second);
  };
  addresses.TraverseStmt(kernel_.getBody());
  if (pointer.getInit() && !isOfKernel(&pointer))
    addresses.VisitVarDecl(const_cast<VarDecl *>(&pointer));
  if (function_) {
    addresses.TraverseStmt(function_->getBody());
    for (const Handing &handing : handings_[function_])
      for (unsigned i = 0; i < function_->getNumParams(); ++i)
        if (const Expr *value = valueHanded(handing, *function_, i))
          addresses.give(function_->getParamDecl(i), value);
  }
  return addresses.mayBe(&pointer);
}

// Two branches that go declare it each for itself; this is the later one.
static bool isNamedAgain(const Filling *filling, const VarDecl &variable) {
  for (const VarDecl *local : filling ? filling->locals : std::vector<const VarDecl *>())
    if (local == &variable)
      return false;
    else if (local->getName() == variable.getName())
      return llvm::is_contained(filling->locals, &variable);
  return false;
}

void Recovery::needAll(const Stmt *below, AddressFunction &out, std::string &problem,
                       unsigned file) {
  Needs(*this, out, problem, file).TraverseStmt(const_cast<Stmt *>(below));
}

void Recovery::need(const VarDecl *variable, AddressFunction &out, std::string &problem,
                    unsigned file) {
  if (inner_.count(variable))
    return;
  const bool leads = variable->getType()->isPointerType() ||
                     variable->getType()->isReferenceType() ||
                     variable->getType()->isRecordType() || variable->getType()->isArrayType();
  const bool outer = std::exchange(readsThrough_, readsThrough_ && leads);
  const auto leave = llvm::make_scope_exit([&] { readsThrough_ = outer; });
  if (askedIn_.function && variable->getDeclContext() == askedIn_.function &&
      isa<ParmVarDecl>(variable))
    return needOfAsked(*cast<ParmVarDecl>(variable), out, problem);
  if (filling_ && needOfFilling(*variable, out, problem, file))
    return;
  if (isGivenToObject(*variable))
    return needGiven(*variable, out);
  if (const Sampler::Walk *walk = walkAtSite(*variable))
    return addWalked(*variable, *walk, out, problem, file);
  // A wrapper's parameter: what it was called with, by value.
  if (const Expr *argument = sampler_.aliasOf(variable)) {
    const bool isNew = needed_.insert(variable).second;
    if (isNew || readsThrough_)
      needAll(argument, out, problem, file);
    if (!isNew)
      return;
    if (!changesNothing(*argument))
      problem = kHasEffects;
    if (sampler_.asksOthers(argument))
      problem = "it is computed from what other lanes say";
    const auto *same = dyn_cast<DeclRefExpr>(stripped(argument));
    const auto *its = same ? dyn_cast<VarDecl>(same->getDecl()) : nullptr;
    if (its && its->getName() == variable->getName() && isAsGiven(*variable, *argument)) {
      siteNames_[variable] = siteName(*its); // the lambda sees the caller's
      return;
    }
    takeSiteName(*variable, out);
    const std::string type = givenType(*variable, *argument);
    if (type.empty())
      problem = "a wrapper's parameter '" + variable->getNameAsString() +
                "' is of another type than what it is given";
    out.variables.push_back({type, siteName(*variable), textOf(argument, out, file, problem)});
    return;
  }
  if (const auto view = isa<ParmVarDecl>(variable) ? handedTo(variable) : std::nullopt;
      view && !own_.count(variable) && sampler_.dependsOnThread(view->variable)) {
    if (const auto &parameter = *cast<ParmVarDecl>(variable);
        !needed_.count(variable) && isPosition(parameter) && needPosition(parameter, out))
      needed_.insert(variable);
    if (needed_.count(variable))
      return;
    problem = "'" + variable->getNameAsString() + "' is an array or struct of the thread's own";
    return;
  }
  // A wrapper's own variable, a macro's, or one of a loop that goes, has to be made again, whatever
  // it depends on.
  const bool isForeign =
      variable->hasLocalStorage() && (!isOfKernel(variable) || remade_.count(variable) ||
                                      goesWithSite(*variable) || isOfLambdaElsewhere(*variable));
  if (variable->isStaticLocal() && !isOfKernel(variable))
    problem = "the address uses '" + variable->getNameAsString() +
              "', which only the wrapper function sees";
  spoken_.push_back(variable);
  if (variable->getType()->isPointerType() && pointsToOwn(*variable)) {
    const std::string own = "a variable of the thread's own";
    const std::string member = variable->getInit() ? staleMember(*variable->getInit()) : "";
    problem =
        "'" + variable->getNameAsString() +
        (member.empty() ? "' points to " + own
                        : "' is made from the member '" + member + "', which may point to " + own);
  }
  const auto isFragment = [&](const VarDecl &array) {
    return llvm::any_of(roots_, [&](const auto &root) { return root.second.variable == &array; });
  };
  if (asks_ && isCounter(*variable) && !sampler_.dependsOnThread(variable) &&
      namesOnlyRest(*variable, tileVariables_, const_cast<ASTContext &>(context_), isFragment))
    return;
  if (!isForeign && !sampler_.dependsOnThread(variable) && !followsTile(variable)) {
    if (sampler_.changes(variable) && !llvm::is_contained(out.loopVariables, variable->getName()))
      out.loopVariables.push_back(variable->getNameAsString());
    noteWalk(*variable, out);
    for (const Loop &loop : loops_)
      if (follows(variable, {loop.variable}))
        out.hiddenVariables.insert(loop.variable);
    return;
  }
  if (!needed_.insert(variable).second)
    return;
  if (variable->hasLocalStorage() && (!isOfKernel(variable) || isNamedAgain(filling_, *variable)))
    takeSiteName(*variable, out);
  const std::string name = siteName(*variable);
  if (const std::string why = isOfApart_ ? obstacleToApart(*variable) : ""; !why.empty()) {
    problem = why;
    return;
  }
  const bool hasParts = variable->getType()->isArrayType() || variable->getType()->isRecordType();
  const bool isMadeOnce =
      !variable->getType()->isArrayType() && sampler_.changesOf(variable).empty();
  if (const auto filled = filledArray(*variable))
    return addFilled(*variable, *filled, out, problem, file);
  if (const auto listed = listedArray(*variable); !listed.empty())
    return addListed(*variable, listed, out, problem, file);
  const bool isSetByParts = !isMadeOnce && !isa<ParmVarDecl>(variable);
  if (hasParts && isSetByParts && !isForeign && isOfWords(*variable) &&
      needPosition(*variable, out))
    return;
  if (hasParts && variable->hasLocalStorage() && !isMadeOnce) {
    problem = "'" + name + "' is an array or struct of the thread's own";
    return;
  }
  if (sampler_.isReadLane(variable))
    return takeLane(name, typeText(*variable), out);
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable);
      parameter && function_ && parameter->getDeclContext() == function_ &&
      !sampler_.isAssigned(parameter))
    return needHanded(*parameter, out, problem);
  if (warpStays_ && !sampler_.changes(variable) && variable->getInit() &&
      sampler_.sameForWarp(variable->getInit()))
    return;
  if (const auto *parameter = dyn_cast<ParmVarDecl>(variable);
      parameter && addGiven(*parameter, out, problem, file))
    return;
  if (const std::vector<Step> steps = stepsOf(*variable); !steps.empty())
    return addSteps(*variable, steps, out, problem, file);
  if (const std::string stale = staleInput(*variable);
      !sampler_.changes(variable) && !stale.empty()) {
    if (!fetch(*variable, isForeign, out))
      problem = "'" + name + "' is computed from '" + stale + "', which changes before it is used";
    return;
  }
  const Expr *value = sampler_.changes(variable) ? latestValue(*variable) : nullptr;
  if (value) {
    sampler_.alias(variable, value);
    siteAliases_.push_back(variable);
    needAll(value, out, problem, file);
    addMade(*variable, *value, out, problem, file);
    return;
  }
  if (warpCounters_.count(variable) && addMoved(*variable, isForeign, out, problem, file))
    return;
  const bool isMadeOnceHere = variable->getInit() && !sampler_.changes(variable);
  const ThreadValue kind = isMadeOnceHere ? classify(variable->getInit()) : ThreadValue::Other;
  const bool isIndex = kind != ThreadValue::Other && kind != ThreadValue::Uniform;
  if (!isMadeOnceHere || (!isIndex && !canBeMadeAgain(*variable->getInit()))) {
    if (!fetch(*variable, isForeign, out, warpCounters_.count(variable)))
      problem = "the address walks: '" + name + "' changes after it was computed from the thread";
    return;
  }
  const std::string type = typeText(*variable);
  switch (kind) {
  case ThreadValue::Lane:
    return takeLane(name, type, out);
  case ThreadValue::Warp:
    return takeWarp(name, type, out);
  case ThreadValue::Thread:
    out.usesLane = out.usesWarp = true;
    threads_.push_back({type, name, ""});
    return;
  default:
    break;
  }
  needAll(variable->getInit(), out, problem, file);
  addMade(*variable, *variable->getInit(), out, problem, file);
}

// Declared in a lambda whose text is written anew where it is called.
bool Recovery::isOfLambdaElsewhere(const VarDecl &variable) const {
  for (const DeclContext *context = variable.getDeclContext(); context && context != &kernel_;
       context = context->getParent()) {
    const auto *method = dyn_cast<CXXMethodDecl>(context);
    if (!method || !method->getParent()->isLambda() || !method->getBody())
      continue;
    const auto text = texts_.statement(method->getBody()->getSourceRange());
    if (text && siteRange_.end && !text->contains(siteRange_))
      return true;
  }
  return false;
}

bool Recovery::goesWithSite(const VarDecl &variable) const {
  const auto place = texts_.statement(variable.getSourceRange());
  return variable.getLocation().isMacroID() && place && siteRange_.end &&
         siteRange_.contains(*place);
}

bool Recovery::canBeMadeAgain(const Expr &value) {
  return changesNothing(value) && !sampler_.asksOthers(&value) && foreignName(value).empty();
}

std::string Recovery::foreignName(const Expr &value) const {
  class Calls : public DynamicRecursiveASTVisitor {
  public:
    explicit Calls(const Texts &texts) : texts_(texts) {}
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      // The cast to shared memory is printed as the runtime's (Texts.h).
      if (callee && callee->getIdentifier() && !callee->getName().starts_with("__nvvm") &&
          callee->getName() != "__cvta_generic_to_shared" &&
          !texts_.statement(callee->getSourceRange()))
        found = callee->getNameAsString();
      return found.empty();
    }
    std::string found;

  private:
    const Texts &texts_;
  };
  Calls calls(texts_);
  if (!texts_.range(value.getSourceRange()))
    calls.TraverseStmt(const_cast<Expr *>(&value));
  return calls.found;
}

void Recovery::addMade(const VarDecl &variable, const Expr &value, AddressFunction &out,
                       std::string &problem, unsigned file) {
  const std::string name = siteName(variable);
  std::string type = typeText(variable, value);
  if (type.empty())
    problem = "'" + name + "' is declared in a way that cannot be repeated elsewhere";
  // reinterpret_cast<uint32_t &>(pair) names what is not const.
  if (variable.getType()->isRecordType() && !variable.getType().isConstQualified() &&
      StringRef(type).starts_with("const "))
    type.erase(0, StringRef("const ").size());
  out.variables.push_back({type, name, textOf(&value, out, file, problem)});
}

void Recovery::takeLane(const std::string &name, const std::string &type, AddressFunction &out) {
  if (!out.usesLane)
    out.laneName = name;
  else if (name != out.laneName)
    out.variables.push_back({type, name, out.laneName});
  out.usesLane = true;
}

// The half wave beyond an odd number of warps does as the last warp, one whose own warp leaves as
// the other.
std::string Recovery::warpText(const AddressFunction &out) const {
  const unsigned warps = sampler_.paddedWarps();
  if (out_.leaving)
    return out_.leaving->name + "(" + out.warpName + ")";
  return warps > 1 ? "min(" + out.warpName + ", " + std::to_string(warps - 1) + ")" : out.warpName;
}

void Recovery::takeWarp(const std::string &name, const std::string &type, AddressFunction &out) {
  if (sampler_.mirrorsWarps())
    out.variables.push_back({type, name, warpText(out)});
  else if (!out.usesWarp)
    out.warpName = name;
  else if (name != out.warpName)
    out.variables.push_back({type, name, out.warpName});
  out.usesWarp = true;
}

void Recovery::forgetSiteValues() {
  for (const VarDecl *variable : siteAliases_) {
    sampler_.alias(variable, nullptr);
    sampler_.assume(variable, {});
  }
  siteAliases_.clear();
  for (const VarDecl *array : siteFilled_) {
    sampler_.fill(array, {});
    sampler_.list(array, {});
  }
  siteFilled_.clear();
  formulas_.clear();
  byFormula_.clear();
  inner_.clear();
  siteNames_.clear();
}

std::string Recovery::siteName(const VarDecl &variable) const {
  const auto known = siteNames_.find(&variable);
  return known == siteNames_.end() ? variable.getNameAsString() : known->second;
}

namespace {

// Everything that is named or declared below a statement, but for one declaration.
class NamesBut : public DynamicRecursiveASTVisitor {
public:
  explicit NamesBut(const VarDecl &own) : own_(own) {}
  bool VisitDeclRefExpr(DeclRefExpr *name) override { return note(*name->getDecl()); }
  bool VisitVarDecl(VarDecl *variable) override { return note(*variable); }
  bool VisitMemberExpr(MemberExpr *member) override {
    return !member->isImplicitAccess() || note(*member->getMemberDecl());
  }
  std::set<std::string> found;

private:
  bool note(const ValueDecl &decl) {
    if (&decl != &own_)
      found.insert(decl.getNameAsString());
    return true;
  }
  const VarDecl &own_;
};

} // namespace

// ldsm(a[p], base, 24): the parameter p of ldsm is not the p of the kernel.
void Recovery::takeSiteName(const VarDecl &variable, const AddressFunction &out) {
  NamesBut names(variable);
  std::vector<const FunctionDecl *> functions = {&kernel_, function_};
  for (const auto &[other, name] : siteNames_) {
    names.found.insert(name);
    functions.push_back(dyn_cast<FunctionDecl>(other->getDeclContext()));
  }
  functions.push_back(dyn_cast<FunctionDecl>(variable.getDeclContext()));
  for (const FunctionDecl *function : functions) {
    for (const ParmVarDecl *parameter :
         function ? function->parameters() : llvm::ArrayRef<ParmVarDecl *>())
      names.VisitVarDecl(const_cast<ParmVarDecl *>(parameter));
    if (function && function->hasBody())
      names.TraverseStmt(function->getBody());
  }
  names.found.insert({out.laneName, out.warpName});
  const auto isTaken = [&](const std::string &name) {
    return names.found.count(name) || context_.Idents.get(name).hasMacroDefinition();
  };
  const std::string own = variable.getNameAsString();
  std::string name = own;
  if (isNamedAgain(filling_, variable)) // p, p2
    for (int n = 2; isTaken(name); ++n)
      name = own + std::to_string(n);
  for (int n = 1; isTaken(name); ++n)
    name = "given" + std::string(1, llvm::toUpper(own[0])) + own.substr(1) +
           (n == 1 ? "" : std::to_string(n));
  siteNames_[&variable] = name;
}

// Tile &tile = tiles[k]: of a copy addresses would be other ones.
static bool isPlaceOfRecord(const VarDecl &variable, const Expr &value) {
  return variable.getType()->isReferenceType() &&
         variable.getType().getNonReferenceType()->isRecordType() && value.isGLValue();
}

// The parameter's value is the argument's, and of its type.
bool Recovery::isAsGiven(const VarDecl &parameter, const Expr &argument) const {
  return context_.hasSameUnqualifiedType(parameter.getType().getNonReferenceType(),
                                         stripped(&argument)->getType());
}

// Where the call converts the argument, so does the declaration.
std::string Recovery::givenType(const VarDecl &parameter, const Expr &argument) {
  const QualType type = parameter.getType().getNonReferenceType();
  const Expr *made = throughCopies(&argument);
  if (type->isRecordType() && isa<InitListExpr, CXXConstructExpr>(made))
    return typeText(parameter, argument);
  if (isAsGiven(parameter, argument))
    return isPlaceOfRecord(parameter, argument) ? "auto &&" : "const auto";
  if (type->isBuiltinType())
    return "const " +
           type.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  if (type->isVoidPointerType())
    return "const void *const";
  const auto pointee = [&](QualType t) {
    t = context_.getCanonicalType(t);
    t = t->isArrayType() ? context_.getArrayDecayedType(t) : t;
    return t->isPointerType() ? t->getPointeeType().getUnqualifiedType() : t.getUnqualifiedType();
  };
  return pointee(type) == pointee(stripped(&argument)->getType()) ? "const auto" : "";
}

// By times the turn may need more than 32 bits, or be negative where the counter has no sign. The
// author's sum is of addresses and has them; a product of two ints has not.
bool Recovery::outgrows(const Sampler::Walk &walk, const VarDecl &variable) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const QualType type = walk.by->IgnoreParenImpCasts()->getType();
  Expr::EvalResult by;
  if (!variable.getType()->isPointerType() &&
      context_.getTypeSize(variable.getType()) <= context_.getTypeSize(context_.IntTy))
    return false; // modulo its own width
  if (context_.getTypeSize(type) > context_.getTypeSize(context_.IntTy))
    return false;
  if (walk.by->isValueDependent() || !walk.by->EvaluateAsInt(by, context_))
    return true;
  const int64_t value = by.Val.getInt().getExtValue();
  return value < 0 ? !walk.counter->getType()->isSignedIntegerType() || -value > kMost / walk.last
                   : value > kMost / walk.last;
}

// half *p = C + row * n;                      half *p = C + row * n;      of another lane
// for (int j ..) { *p = acc[j][0]; p += 8; }  p += 8 * j;                 behind all that is made
// of it
void Recovery::addWalked(const VarDecl &variable, const Sampler::Walk &walk, AddressFunction &out,
                         std::string &problem, unsigned file) {
  if (!needed_.insert(&variable).second)
    return;
  const std::string name = variable.getNameAsString();
  if (const std::string stale = staleInput(variable); !stale.empty())
    problem = "'" + name + "' is computed from '" + stale + "', which changes before it is used";
  needAll(variable.getInit(), out, problem, file);
  needAll(walk.by, out, problem, file);
  const std::string type = repeatedType(variable, *variable.getInit(), true, problem);
  out.variables.push_back({type, name, textOf(variable.getInit(), out, file, problem)});
  const auto range = texts_.statement(walk.loop->getSourceRange());
  if (!range || !range->contains(siteRange_))
    return; // in front of the loop
  std::string by = textOf(walk.by, out, file, problem);
  if (!isa<IntegerLiteral, DeclRefExpr, ParenExpr>(walk.by->IgnoreImpCasts()))
    by = "(" + by + ")";
  if (outgrows(walk, variable))
    by = "(long long)" + by;
  const std::string counter = walk.counter->getNameAsString();
  walkedOn_.push_back(
      name + " += " + by + " * " +
      (walk.step == 1 ? counter : "(" + counter + " / " + std::to_string(walk.step) + ")") + ";");
}

// C += warp * 16 * n;     const auto givenC = C;       what the launch gave
//                    ──▶  C += warp * 16 * n;
//                         ..
//                         const auto C = givenC + (warp * 16 * n);       of another warp
bool Recovery::addGiven(const ParmVarDecl &parameter, AddressFunction &out, std::string &problem,
                        unsigned file) {
  const bool isKernels = !function_ && parameter.getDeclContext() == &kernel_;
  const Stmt *change = isKernels ? sampler_.onlyChangeOf(parameter) : nullptr;
  const auto *op = dyn_cast_or_null<BinaryOperator>(change);
  const auto range = op ? wholeStatement(*op) : std::nullopt;
  if (!range || range->file != file || op->getOpcode() != BO_AddAssign ||
      !parameter.getType()->isPointerType() || range->end > siteRange_.begin ||
      op->getBeginLoc().isMacroID() || !canBeMadeAgain(*op->getRHS()) ||
      !staleBut(parameter, *op->getRHS(), *range).empty())
    return false;
  const std::string name = parameter.getNameAsString();
  const std::string given =
      unusedName("given" + std::string(1, llvm::toUpper(name[0])) + name.substr(1));
  needAll(op->getRHS(), out, problem, file);
  out.variables.push_back(
      {"const auto", name, given + " + (" + textOf(op->getRHS(), out, file, problem) + ")"});
  out.kept.push_back({{range->file, range->begin, range->begin},
                      "const auto " + given + " = " + name + ";\n" + indentOf(op->getBeginLoc())});
  return true;
}

std::vector<Recovery::Step> Recovery::stepsOf(const VarDecl &variable) {
  std::vector<Step> steps;
  bool isThere = false;
  if (!siteBlock_ || !variable.getInit() || !variable.getType()->isScalarType() ||
      sampler_.changesUnseen(&variable))
    return {};
  for (const Stmt *stmt : siteBlock_->body()) {
    const auto range = texts_.statement(stmt->getSourceRange());
    if (!range || range->end > siteRange_.begin)
      break;
    const auto *declaration = dyn_cast<DeclStmt>(stmt);
    if (declaration && declaration->isSingleDecl() && declaration->getSingleDecl() == &variable)
      isThere = staleBut(variable, *variable.getInit(), *range).empty();
    else if (const auto step = isThere ? stepAt(variable, *stmt, *range) : std::nullopt)
      steps.push_back(*step);
    else if (isThere && llvm::any_of(sampler_.changesOf(&variable), [&](SourceLocation at) {
               const auto place = texts_.statement(SourceRange(at, at));
               return !place || range->contains(*place);
             }))
      return {};
  }
  return isThere ? steps : std::vector<Step>();
}

std::optional<Recovery::Step> Recovery::stepAt(const VarDecl &variable, const Stmt &stmt,
                                               const TextRange &range) {
  const auto *branch = dyn_cast<IfStmt>(&stmt);
  const auto whole = wholeStatement(stmt);
  const Stmt *taken = &stmt;
  if (!whole)
    return std::nullopt;
  if (branch && (!branch->isConstexpr() || branch->getElse() || branch->getInit() ||
                 !assignedUnder(*branch).count(variable.getLocation())))
    return std::nullopt;
  if (branch) {
    const auto arm = branch->getNondiscardedCase(context_);
    if (!arm || !*arm || isa<NullStmt>(*arm))
      return Step{*whole, nullptr};
    taken = *arm;
  }
  if (const auto *block = dyn_cast<CompoundStmt>(taken); block && block->size() == 1)
    taken = block->body_front();
  const auto *op = dyn_cast<BinaryOperator>(taken);
  const auto *name =
      op && op->isAssignmentOp() ? dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens()) : nullptr;
  if (!name || name->getDecl() != &variable || !staleBut(variable, *op->getRHS(), range).empty() ||
      !obstacleTo(op->getRHS(), context_).empty())
    return std::nullopt;
  return Step{*whole, op};
}

std::string Recovery::staleBut(const VarDecl &variable, const Expr &value, const TextRange &made) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  if (inputs.readsMemory)
    return "memory";
  for (const VarDecl *input : inputs.found)
    if (input != &variable && changesAfter(*input, made))
      return input->getNameAsString();
  return staleMember(value);
}

std::optional<TextRange> Recovery::wholeStatement(const Stmt &stmt) const {
  const SourceLocation behind = Lexer::findLocationAfterToken(
      stmt.getEndLoc(), tok::semi, context_.getSourceManager(), context_.getLangOpts(), false);
  if (behind.isInvalid())
    return texts_.range(stmt.getSourceRange());
  return texts_.range({stmt.getBeginLoc(), behind.getLocWithOffset(-1)});
}

std::set<SourceLocation> Recovery::assignedUnder(const IfStmt &branch) const {
  class Assigned : public DynamicRecursiveASTVisitor {
  public:
    explicit Assigned(SourceLocation at) : at_(at) {}
    bool TraverseIfStmt(IfStmt *stmt) override {
      const bool outer = std::exchange(isWithin_, isWithin_ || stmt->getIfLoc() == at_);
      const bool goesOn = DynamicRecursiveASTVisitor::TraverseIfStmt(stmt);
      isWithin_ = outer;
      return goesOn;
    }
    bool VisitBinaryOperator(BinaryOperator *op) override {
      if (const auto *name = dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens());
          name && op->isAssignmentOp() && isWithin_)
        found.insert(name->getDecl()->getLocation());
      return true;
    }
    std::set<SourceLocation> found;

  private:
    const SourceLocation at_;
    bool isWithin_ = false;
  };
  const FunctionDecl *pattern = kernel_.getTemplateInstantiationPattern();
  Assigned assigned(branch.getIfLoc());
  assigned.TraverseStmt(const_cast<FunctionDecl *>(pattern ? pattern : &kernel_)->getBody());
  return assigned.found;
}

void Recovery::addSteps(const VarDecl &variable, const std::vector<Step> &steps,
                        AddressFunction &out, std::string &problem, unsigned file) {
  const std::string name = variable.getNameAsString();
  std::vector<const BinaryOperator *> assignments;
  std::vector<std::string> texts;
  needAll(variable.getInit(), out, problem, file);
  for (const Step &step : steps) {
    ThreadMentions mentions;
    if (step.assignment) {
      assignments.push_back(step.assignment);
      needAll(step.assignment->getRHS(), out, problem, file);
      mentions.TraverseStmt(step.assignment->getRHS());
    }
    const bool asks = step.assignment && sampler_.asksOthers(step.assignment);
    const bool indices = step.assignment && !indicesBelow(*step.assignment->getRHS()).empty();
    OuterNames outer(context_, textSite(), templateCalls_);
    if (step.assignment)
      outer.TraverseStmt(const_cast<BinaryOperator *>(step.assignment));
    if (step.range.file != file || indices || mentions.hasOther || asks || !outer.found.empty())
      problem = "'" + name + "' is changed by a statement that cannot stand elsewhere";
    texts.push_back(sourceRange(step.range.begin, step.range.end));
  }
  sampler_.assume(&variable, assignments);
  siteAliases_.push_back(&variable);
  const std::string type = repeatedType(variable, *variable.getInit(), true, problem);
  out.variables.push_back({type, name, textOf(variable.getInit(), out, file, problem)});
  for (const std::string &text : texts)
    out.variables.push_back({"", "", text});
}

void Recovery::noteWalk(const VarDecl &variable, AddressFunction &out) {
  if (own_.count(&variable))
    return;
  for (const Loop &loop : loops_)
    if (!isCounter(variable) && variesIn(variable, loop, 0))
      out.walksIn.push_back(loop.variable);
}

bool Recovery::isCounter(const VarDecl &variable) const {
  return llvm::any_of(loops_,
                      [&](const Loop &l) { return l.isCountedBy(variable.getNameAsString()); });
}

// The variable of which the expression is a part: n, m[i], f.x
static const VarDecl *wholeOf(const Expr &place) {
  const Expr *at = stripped(&place);
  for (;;) {
    const auto *access = dyn_cast<ArraySubscriptExpr>(at);
    const auto *member = dyn_cast<MemberExpr>(at);
    const Expr *whole = access                         ? stripped(access->getBase())
                        : member && !member->isArrow() ? stripped(member->getBase())
                                                       : nullptr;
    if (!whole || (access && !whole->getType()->isArrayType()))
      return variableNamed(at);
    at = whole;
  }
}

bool Recovery::variesIn(const VarDecl &variable, const Loop &loop, int depth) {
  const auto isWithin = [&](SourceLocation at) {
    const auto range = texts_.statement(SourceRange(at, at));
    return !range || loop.range.contains(*range);
  };
  if (depth > 16 || sampler_.changesUnseen(&variable) ||
      llvm::any_of(sampler_.changesOf(&variable), isWithin))
    return true;
  if (!variable.hasLocalStorage() || isa<ParmVarDecl>(variable) || !variable.getInit())
    return false;
  // What a lambda names is read where it is called, wherever it is made; so is what a reference is
  // bound to, but which that is.
  const CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
  const bool isMadeOutside = !isWithin(variable.getLocation());
  if (isMadeOutside && variable.getType()->isReferenceType()) {
    const VarDecl *bound = wholeOf(*variable.getInit());
    return bound && variesIn(*bound, loop, depth + 1);
  }
  if (isMadeOutside && !(record && record->isLambda()))
    return false;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(variable.getInit()));
  return (inputs.readsMemory && !isMadeOutside) ||
         llvm::any_of(inputs.found,
                      [&](const VarDecl *input) { return variesIn(*input, loop, depth + 1); });
}

// What lanes can be asked for as it is: pointers and whole numbers, for addresses.
static bool isAddressWord(QualType type, const ASTContext &context) {
  const uint64_t bits = context.getTypeSize(type);
  return (type->isPointerType() || type->isIntegralOrEnumerationType()) &&
         (bits == 32 || bits == 64);
}

// ... and for the values of operands any numbers, and structs that are copied bit by bit.
static bool isCopied(QualType type, const ASTContext &context) {
  const uint64_t bits = context.getTypeSize(type);
  const bool isNumber = type->isIntegralOrEnumerationType() || type->isRealFloatingType();
  const bool isRecord = type->isRecordType() && type.isTriviallyCopyableType(context);
  return (isNumber && bits == 16) || ((isNumber || isRecord) && (bits == 32 || bits == 64)) ||
         (isRecord && (bits == 16 || bits == 128));
}

bool Recovery::isHeldByLanes(QualType type) const {
  return !type->isBooleanType() &&
         (isAddressWord(type, context_) || (fetchesNumbers_ && isCopied(type, context_)));
}

bool Recovery::fetch(const VarDecl &variable, bool isForeign, AddressFunction &out, bool isOfWarp) {
  const QualType type = variable.getType();
  const std::string name = variable.getNameAsString();
  const std::string asked = askedAs(name);
  if (isForeign || !isHeldByLanes(type) || type.isVolatileQualified() || variable.isStaticLocal() ||
      freeName(asked) != asked || hasMember(asked))
    return false;
  out.usesWarp = true;
  out.usesLane |= !isOfWarp;
  out.readsWarp |= isOfWarp;
  noteWalk(variable, out);
  out.fetched.push_back(name);
  const std::string who = (isOfWarp ? "" : out.laneName + ", ") + out.warpName + ")";
  const bool isNamed = type->isRecordType() && !type.isConstQualified(); // as in addMade
  out.variables.push_back({isNamed ? "auto" : "const auto", name,
                           (isOfWarp ? "lp::of_warp(" : "lp::of_thread(") + asked + ", " + who});
  return true;
}

//   for (int k = warp * 16; ..)     [&, k_ = k - warp * 16](int lane, int warp, ..) {
//                                     const int k = warp * 16 + k_;
//
// All warps have come equally far, whose loop is one.
bool Recovery::addMoved(const VarDecl &counter, bool isForeign, AddressFunction &out,
                        std::string &problem, unsigned file) {
  const Expr *begin = counter.getInit();
  const std::string name = counter.getNameAsString(), asked = askedAs(name);
  const auto made = texts_.statement(counter.getSourceRange());
  const auto place = begin ? texts_.range(begin->getSourceRange()) : std::nullopt;
  const bool isMirrored = llvm::any_of(out_.apart, [&](const Kernel::Apart &loop) {
    return loop.isMirrored && loop.counter == name; // it may be the other warp's already
  });
  if (!fetchesNumbers_ || asks_ || function_ || isForeign || isMirrored || !made || !place ||
      place->file != file || !counter.getType()->isIntegerType() ||
      !isHeldByLanes(counter.getType()) || counter.getType().isVolatileQualified() ||
      freeName(asked) != asked || hasMember(asked) || !canBeMadeAgain(*begin) ||
      !staleInput(*begin, *made).empty())
    return false;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(begin));
  ThreadMentions threads;
  threads.TraverseStmt(const_cast<Expr *>(begin));
  const auto isElsewhere = [&](const VarDecl *input) {
    return !isOfKernel(input) || isHidden(*input);
  };
  if (saysFormulas_ || !threads.found.empty() || threads.hasOther ||
      llvm::any_of(inputs.found, isElsewhere))
    return false;
  const auto *op = dyn_cast<BinaryOperator>(stripped(begin));
  const bool isProduct = op ? op->isMultiplicativeOp() : isa<DeclRefExpr>(stripped(begin));
  const bool isSum = isProduct || (op && op->isAdditiveOp());
  const auto inside = [](const std::string &text, bool isPlain) {
    return isPlain ? text : "(" + text + ")";
  };
  needAll(begin, out, problem, file);
  // Not quoted: the head that it is quoted from may be written anew.
  if (textOf(begin, out, file, problem) != texts_.quote(begin, file))
    problem = "'" + name + "' begins with what is said in other words for another lane";
  const std::string text = texts_.spelled(begin);
  out.moved.push_back({asked, name + " - " + inside(text, isProduct)});
  out.variables.push_back({typeText(counter), name, inside(text, isSum) + " + " + asked});
  noteWalk(counter, out);
  return true;
}

bool Recovery::follows(const VarDecl *variable, const std::set<std::string> &names, int depth) {
  constexpr int kDeepest = 16;
  if (names.empty() || depth > kDeepest || !variable->getInit() || isa<ParmVarDecl>(variable))
    return false;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(variable->getInit()));
  return llvm::any_of(inputs.found, [&](const VarDecl *input) {
    return names.count(input->getNameAsString()) ||
           (input != variable && follows(input, names, depth + 1));
  });
}

bool Recovery::followsTile(const VarDecl *variable) {
  return !variable->getType()->isRecordType() && follows(variable, tileVariables_);
}

std::set<std::string> Recovery::tileVariablesOf(const std::vector<Slot> &slots) {
  std::set<std::string> names;
  for (const Slot &slot : slots)
    for (const Index &index : slot.tile)
      if (!index.variable.empty())
        names.insert(index.variable);
  return names;
}

bool Recovery::mentionsWord(StringRef text, StringRef word) {
  const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
      return true;
  }
  return false;
}

const Expr *Recovery::latestValue(const VarDecl &variable) {
  const Expr *value = nullptr;
  std::optional<TextRange> made;
  if (!siteBlock_ || sampler_.changesUnseen(&variable))
    return nullptr;
  for (const Stmt *stmt : siteBlock_->body()) {
    const auto range = texts_.statement(stmt->getSourceRange());
    if (!range || range->end > siteRange_.begin)
      break;
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    const auto *name =
        op && op->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(op->getLHS()) : nullptr;
    if (!name || name->getDecl() != &variable)
      continue;
    value = op->getRHS();
    made = range;
  }
  if (!value && variable.getInit()) { // not yet assigned again
    value = variable.getInit();
    made = texts_.statement(variable.getSourceRange());
  }
  if (!value || !made || !canBeMadeAgain(*value) || changesAfter(variable, *made) ||
      !staleInput(*value, *made).empty())
    return nullptr;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(value));
  return llvm::is_contained(inputs.found, &variable) ? nullptr : value; // x = x + ...
}

bool Recovery::changesAfter(const VarDecl &variable, const TextRange &made) {
  if (sampler_.changesUnseen(&variable))
    return true;
  if (const Sampler::Walk *walk = walkAtSite(variable)) // it is made again as it begins
    if (const auto loop = texts_.statement(walk->loop->getSourceRange());
        loop && made.end <= loop->begin)
      return false;
  const unsigned end = lastRunOfSite(made);
  for (const SourceLocation at : sampler_.changesOf(&variable)) {
    const auto range = texts_.statement(SourceRange(at, at));
    // One macro may write both: which comes first its text does not say.
    const bool isBefore =
        maker_ && context_.getSourceManager().isBeforeInTranslationUnit(at, maker_->getLocation());
    const bool isOfMaker = range && at.isMacroID() && range->begin == made.begin && !isBefore;
    if (!range || isOfMaker || (range->begin >= made.end && range->begin < end))
      return true;
  }
  return false;
}

std::string Recovery::staleInput(const Expr &value, const TextRange &made) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  Inputs besides([this](const Expr &place) { return isStoredElsewhere(place); });
  if (inputs.readsMemory && !storing_.empty())
    besides.TraverseStmt(const_cast<Expr *>(&value));
  const bool isElsewhere = !storing_.empty() && !besides.readsMemory;
  if (inputs.readsMemory && !mayReadAgain(made, isElsewhere))
    return "memory";
  for (const VarDecl *input : inputs.found)
    if (changesAfter(*input, made))
      return input->getNameAsString();
  return staleMember(value);
}

std::string Recovery::staleInput(const VarDecl &variable) {
  const auto made = texts_.statement(variable.getSourceRange());
  if (!made || !variable.getInit())
    return variable.getNameAsString();
  // Of an operand's parts one word is read again; more are asked for as they lie in registers.
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(variable.getInit()));
  if (fetchesNumbers_ && !asks_ && inputs.readsMemory &&
      context_.getTypeSize(variable.getType()) > context_.getTypeSize(context_.IntTy))
    return "memory";
  const llvm::SaveAndRestore<const VarDecl *> maker(maker_, &variable);
  return staleInput(*variable.getInit(), *made);
}

std::string Recovery::typeText(const VarDecl &variable) const {
  const QualType type = variable.getType().getCanonicalType().getUnqualifiedType();
  if (type->isBuiltinType())
    return "const " + type.getAsString(context_.getPrintingPolicy());
  return "const auto";
}

// Where the value's type is another than the variable's, or none, the variable's is said.
std::string Recovery::typeText(const VarDecl &variable, const Expr &value) {
  const QualType type = variable.getType().getNonReferenceType();
  const Expr *made = throughCopies(&value);
  if (type->isBuiltinType())
    return "const " +
           type.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
  const auto plain = [&](QualType t) {
    t = context_.getCanonicalType(t.getNonReferenceType());
    t = t->isArrayType() ? context_.getArrayDecayedType(t) : t;
    return t->isPointerType() ? t->getPointeeType().getUnqualifiedType() : t.getUnqualifiedType();
  };
  if (isPlaceOfRecord(variable, value))
    return "auto &&";
  if (!isa<InitListExpr, CXXConstructExpr>(made))
    return plain(type) == plain(made->getType()) ? "const auto" : "";
  const TypeSourceInfo *info = variable.getTypeSourceInfo();
  const auto range =
      info ? texts_.range(info->getTypeLoc().getUnqualifiedLoc().getSourceRange()) : std::nullopt;
  const bool isCallLike = made->getBeginLoc() == variable.getLocation(); // T x(...)
  if (!range || isCallLike || !type->isRecordType())
    return "";
  OuterNames outer(context_, textSite(), templateCalls_,
                   classOfText(dyn_cast<FunctionDecl>(variable.getDeclContext())));
  outer.TraverseTypeLoc(info->getTypeLoc(), true);
  if (!outer.found.empty() || !outer.problem.empty())
    return "";
  const TagDecl *tag = type->getAsTagDecl();
  if (tag->getIdentifier() || tag->getTypedefNameForAnonDecl())
    return "const " + sourceRange(range->begin, range->end);
  // struct {...} x = {...}: only where x is seen.
  return isOfKernel(&variable) ? "const decltype(" + variable.getNameAsString() + ")" : "";
}

// ... where statements behind the declaration may change the variable.
std::string Recovery::repeatedType(const VarDecl &variable, const Expr &value, bool changes,
                                   std::string &problem) {
  const StringRef isConst = "const ";
  const std::string type = typeText(variable, value);
  if (type.empty())
    problem = "'" + siteName(variable) + "' is declared in a way that cannot be repeated elsewhere";
  return changes && StringRef(type).starts_with(isConst) ? type.substr(isConst.size()) : type;
}

std::string Recovery::parameterType(const VarDecl &variable) {
  const QualType type = variable.getType().getNonReferenceType();
  if (!type->isIntegerType() || type->isEnumeralType())
    return "int";
  const std::string text = type.getCanonicalType().getUnqualifiedType().getAsString(
      variable.getASTContext().getPrintingPolicy());
  return text == "unsigned int" ? "unsigned" : text;
}

// The names of everything that a site's text is made from mean the same where it stands.
std::string Recovery::ambiguity() const {
  std::map<std::string, const VarDecl *> names;
  if (filling_) // the register's number has the counter's name
    for (const Filling::Counter &counter : filling_->nest)
      names.try_emplace(siteName(*counter.variable), counter.variable);
  for (const VarDecl *variable : spoken_) {
    const std::string name = siteName(*variable);
    const bool isKnown = !names.try_emplace(name, variable).second && names[name] != variable;
    if (isKnown && !(own_.count(variable) && own_.count(names[name]))) // as the author has them
      return "it uses two variables of the name '" + name + "'";
    if (!needed_.count(variable) && isHidden(*variable))
      return "'" + name + "' is another variable where it is used";
  }
  return "";
}

// Another variable of the name is declared further in, around the site.
bool Recovery::isHidden(const VarDecl &variable) const {
  class Namesakes : public DynamicRecursiveASTVisitor {
  public:
    explicit Namesakes(const VarDecl &of) : of_(of) {}
    bool VisitVarDecl(VarDecl *other) override {
      if (other != &of_ && other->getDeclName() == of_.getDeclName() &&
          other->getLocation() != of_.getLocation()) // or it is the same of another instance
        found.push_back(other);
      return true;
    }
    std::vector<const VarDecl *> found;

  private:
    const VarDecl &of_;
  };
  Namesakes namesakes(variable);
  namesakes.TraverseStmt((function_ ? function_ : &kernel_)->getBody());
  const auto scope = scopeOf(variable);
  return llvm::any_of(namesakes.found, [&](const VarDecl *other) {
    const auto its = scopeOf(*other);
    return its && its->contains(siteRange_) && (!scope || scope->contains(*its));
  });
}

std::optional<TextRange> Recovery::scopeOf(const VarDecl &variable) const {
  if (isa<ParmVarDecl>(variable)) {
    const auto *owner = dyn_cast<FunctionDecl>(variable.getDeclContext());
    const Stmt *body = owner ? owner->getBody() : nullptr;
    return body ? texts_.statement(body->getSourceRange()) : std::nullopt;
  }
  DynTypedNode node = DynTypedNode::create(variable);
  for (int depth = 0; depth < 8; ++depth) {
    const auto parents = const_cast<ASTContext &>(context_).getParents(node);
    if (parents.empty())
      return std::nullopt;
    node = parents[0];
    if (node.get<DeclStmt>() || node.get<DecompositionDecl>())
      continue;
    const auto block = texts_.statement(node.getSourceRange());
    const auto declared = texts_.statement(variable.getSourceRange());
    if (!block || !declared)
      return std::nullopt;
    return TextRange{block->file, declared->end, block->end};
  }
  return std::nullopt;
}

// lane(), of a function that is more than the lane: a parameter of its name would hide it.
bool Recovery::callsFunctionNamed(StringRef name) {
  class Calls : public DynamicRecursiveASTVisitor {
  public:
    Calls(Sampler &sampler, StringRef name) : sampler_(sampler), name_(name) {}
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      found |= callee && callee->getIdentifier() && callee->getName() == name_ &&
               !isa<CXXMemberCallExpr>(call) && sampler_.indexOf(call) == ThreadValue::Other;
      return !found;
    }
    bool found = false;

  private:
    Sampler &sampler_;
    const StringRef name_;
  };
  Calls calls(sampler_, name);
  calls.TraverseStmt((function_ ? function_ : &kernel_)->getBody());
  return calls.found;
}

std::string Recovery::hiddenName(const std::string &name, ThreadValue meaning) {
  Inputs inputs;
  inputs.TraverseStmt(kernel_.getBody());
  if (function_)
    inputs.TraverseStmt(function_->getBody());
  const bool isOther = llvm::any_of(inputs.found, [&](const VarDecl *variable) {
    return variable->getName() == name &&
           !(meaning == ThreadValue::Lane && sampler_.isReadLane(variable)) &&
           (!variable->getInit() || isa<ParmVarDecl>(variable) || sampler_.changes(variable) ||
            classify(variable->getInit()) != meaning);
  });
  const IdentifierInfo &word = context_.Idents.get(name);
  return isOther || callsFunctionNamed(name) || isOtherMember(name, meaning) ||
                 word.hasMacroDefinition()
             ? "of" + std::string(1, llvm::toUpper(name[0])) + name.substr(1)
             : name;
}

void Recovery::nameLanes(AddressFunction &out) {
  out.laneName = hiddenName(out.laneName, ThreadValue::Lane);
  out.warpName = out_.leaving              ? hiddenName("own", ThreadValue::Other)
                 : sampler_.mirrorsWarps() ? hiddenName("padded", ThreadValue::Other)
                                           : hiddenName(out.warpName, ThreadValue::Warp);
}

void Recovery::typeLanes(AddressFunction &out) const {
  for (const VarDecl *variable : needed_) {
    if (siteName(*variable) == out.laneName)
      out.laneType = parameterType(*variable);
    if (siteName(*variable) == out.warpName)
      out.warpType = parameterType(*variable);
  }
}

bool Recovery::isOfKernel(const VarDecl *variable) const {
  for (const DeclContext *context = variable->getDeclContext(); context;
       context = context->getParent())
    if (context == &kernel_ || context == function_)
      return true;
  return false;
}

namespace {

// Names below a statement that go by another one in the site's text; members of the object whose
// method it is from go by `self`, which is that object and a dot or an arrow.
class OtherNames : public DynamicRecursiveASTVisitor, public PrinterHelper {
public:
  OtherNames(const std::map<const VarDecl *, std::string> &names,
             const std::vector<OuterNames::Found> &outer, std::string self)
      : names_(names), self_(std::move(self)) {
    for (const OuterNames::Found &name : outer)
      if (name.expr)
        outer_[name.expr] = &name.text;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const std::string *other = variableOf(name))
      found.push_back({name, *other});
    return true;
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    if (isOfSelf(*member) && self_.empty()) { // this->x: not the one that the lambda has
      if (member->hasQualifier() || member->hasExplicitTemplateArgs())
        problem = "'" + nameOf(*member) + "' is a member by another name where it is used";
      if (!member->isImplicitAccess())
        found.push_back({member, nameOf(*member)});
    } else if (isOfSelf(*member)) {
      if (member->hasQualifier() || member->hasExplicitTemplateArgs())
        problem = "'" + nameOf(*member) + "' is a member by another name where it is used";
      else if (member->getMemberDecl()->getAccess() != AS_public)
        hidden.insert(member->getMemberDecl());
      found.push_back({member, self_ + nameOf(*member)});
    }
    return true;
  }
  // The object itself, handed on.
  bool TraverseStmt(Stmt *stmt) override {
    const auto *member = dyn_cast_or_null<MemberExpr>(stmt);
    if (member && isOfSelf(*member))
      return VisitMemberExpr(const_cast<MemberExpr *>(member));
    if (stmt && isa<CXXThisExpr>(stmt))
      problem = "the address is computed from an object as a whole";
    return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
  }
  bool handledStmt(Stmt *stmt, llvm::raw_ostream &out) override {
    if (const auto *member = dyn_cast<MemberExpr>(stmt); member && isOfSelf(*member)) {
      out << self_ << nameOf(*member);
      return true;
    }
    const auto *name = dyn_cast<DeclRefExpr>(stmt);
    const std::string *other = outer_.lookup(dyn_cast<Expr>(stmt));
    other = other || !name ? other : variableOf(name);
    if (other)
      out << *other;
    return other;
  }
  std::vector<std::pair<const Expr *, std::string>> found;
  std::set<const ValueDecl *> hidden; // private to their classes
  std::string problem;

private:
  static bool isOfSelf(const MemberExpr &member) {
    return isa<CXXThisExpr>(member.getBase()->IgnoreParenImpCasts());
  }
  static std::string nameOf(const MemberExpr &member) {
    return member.getMemberDecl()->getNameAsString();
  }
  const std::string *variableOf(const DeclRefExpr *name) const {
    const auto known = names_.find(dyn_cast<VarDecl>(name->getDecl()));
    return known == names_.end() || known->second == name->getDecl()->getNameAsString()
               ? nullptr
               : &known->second;
  }
  const std::map<const VarDecl *, std::string> &names_;
  const std::string self_;
  llvm::DenseMap<const Expr *, const std::string *> outer_;
};

} // namespace

namespace {

// Without what is const in it, at any depth.
QualType bareType(QualType type, const ASTContext &context) {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  type = type->isArrayType() ? context.getArrayDecayedType(type) : type;
  return type->isPointerType() ? context.getPointerType(bareType(type->getPointeeType(), context))
                               : type;
}

// Of two overloads it hangs on what is const which one is called.
bool areTwins(const FunctionDecl &a, const FunctionDecl &b, const ASTContext &context) {
  if (a.getNumParams() != b.getNumParams() || a.getDescribedFunctionTemplate() ||
      b.getDescribedFunctionTemplate())
    return a.getDescribedFunctionTemplate() || b.getDescribedFunctionTemplate();
  const auto *method = dyn_cast<CXXMethodDecl>(&a), *other = dyn_cast<CXXMethodDecl>(&b);
  bool differs = method && other &&
                 (method->getMethodQualifiers() != other->getMethodQualifiers() ||
                  method->getRefQualifier() != other->getRefQualifier());
  for (unsigned i = 0; i < a.getNumParams(); ++i) {
    const QualType its = a.getParamDecl(i)->getType(), others = b.getParamDecl(i)->getType();
    if (bareType(its, context) != bareType(others, context))
      return false;
    differs |= !context.hasSameType(its, others);
  }
  return differs;
}

bool hasTwin(const FunctionDecl &callee, const ASTContext &context) {
  const FunctionTemplateDecl *own = callee.getPrimaryTemplate();
  const auto *constructor = dyn_cast<CXXConstructorDecl>(&callee);
  if (constructor && constructor->isCopyOrMoveConstructor())
    return false;
  if (const auto *conversion = dyn_cast<CXXConversionDecl>(&callee)) {
    const auto &all = conversion->getParent()->getVisibleConversionFunctions();
    return std::distance(all.begin(), all.end()) > 1;
  }
  const DeclContext *around = callee.getDeclContext()->getRedeclContext();
  return llvm::any_of(around->lookup(callee.getDeclName()), [&](const NamedDecl *decl) {
    decl = decl->getUnderlyingDecl();
    const auto *pattern = dyn_cast<FunctionTemplateDecl>(decl);
    const auto *other = pattern ? pattern->getTemplatedDecl() : dyn_cast<FunctionDecl>(decl);
    const bool isSame = pattern ? own && own->getCanonicalDecl() == pattern->getCanonicalDecl()
                                : other && other->getCanonicalDecl() == callee.getCanonicalDecl();
    return other && !isSame && areTwins(own ? *own->getTemplatedDecl() : callee, *other, context);
  });
}

// By its name the class has this very member, from itself or from another.
bool findsMember(const CXXRecordDecl &record, const NamedDecl &member) {
  const DeclContext *owner = member.getDeclContext();
  for (const auto *its = dyn_cast<RecordDecl>(owner); its && its->isAnonymousStructOrUnion();
       its = dyn_cast<RecordDecl>(owner))
    owner = owner->getParent();
  if (record.Equals(owner))
    return true;
  const CXXRecordDecl *definition = record.getDefinition();
  return definition && record.lookup(member.getDeclName()).empty() &&
         llvm::any_of(definition->bases(), [&](const CXXBaseSpecifier &base) {
           const CXXRecordDecl *its = base.getType()->getAsCXXRecordDecl();
           return its && findsMember(*its, member);
         });
}

} // namespace

class Recovery::Lookups : public DynamicRecursiveASTVisitor {
public:
  // `object`: what the site has for `this`; null: that is the same there.
  Lookups(const Recovery &recovery, const Expr *object) : r_(recovery) {
    if (!object)
      return;
    type_ = r_.givenAtSite(*object)->getType();
    type_ = type_->isPointerType() ? type_->getPointeeType() : type_;
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    const CXXRecordDecl *record = type_.isNull() ? nullptr : type_->getAsCXXRecordDecl();
    const Expr *base = stripped(member->getBase());
    while (const auto *outer = dyn_cast<MemberExpr>(base)) {
      if (outer->getMemberDecl()->getIdentifier())
        break;
      base = stripped(outer->getBase()); // an anonymous struct or union
    }
    if (record && isa<CXXThisExpr>(base) && !findsMember(*record, *member->getMemberDecl()))
      problem = "'" + member->getMemberDecl()->getNameAsString() + "' is another member of '" +
                record->getNameAsString() + "', by which it is used";
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    std::vector<const Expr *> given(call->arg_begin(), call->arg_end());
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call))
      given.push_back(member->getImplicitObjectArgument());
    return check(call->getDirectCallee(), given);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    return check(made->getConstructor(), {made->arg_begin(), made->arg_end()});
  }
  std::string problem;

private:
  bool check(const FunctionDecl *callee, std::vector<const Expr *> given) {
    const auto isOther = [&](const Expr *expr) { return mayBeOther(*expr); };
    if (callee && hasTwin(*callee, r_.context_) && llvm::any_of(given, isOther))
      problem =
          "'" + callee->getNameAsString() +
          "' is overloaded for const and not, and the other one may be meant where it is used";
    return true;
  }
  // What it is made from is const in other ways.
  bool mayBeOther(const Expr &expr) const {
    class Parts : public DynamicRecursiveASTVisitor {
    public:
      explicit Parts(const Lookups &all) : all_(all) {}
      bool VisitCXXThisExpr(CXXThisExpr *self) override {
        const QualType type = all_.type_;
        isOther |= !type.isNull() &&
                   type.isConstQualified() != self->getType()->getPointeeType().isConstQualified();
        return true;
      }
      bool VisitDeclRefExpr(DeclRefExpr *name) override {
        const auto *variable = dyn_cast<VarDecl>(name->getDecl());
        isOther |= variable && !all_.r_.isAsDeclared(*variable);
        return true;
      }
      bool isOther = false;

    private:
      const Lookups &all_;
    };
    Parts parts(*this);
    if (expr.isGLValue() || !expr.getType()->isArithmeticType())
      parts.TraverseStmt(const_cast<Expr *>(&expr));
    return parts.isOther;
  }

  const Recovery &r_;
  QualType type_;
};

const Expr *Recovery::givenAtSite(const Expr &argument) const {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(&argument));
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const Expr *outer = variable ? sampler_.aliasOf(variable) : nullptr;
  return outer ? givenAtSite(*outer) : stripped(&argument);
}

// At the site it is const in the same ways as where the text is from.
bool Recovery::isAsDeclared(const VarDecl &variable) const {
  const QualType type = variable.getType().getNonReferenceType();
  const Expr *argument = sampler_.aliasOf(&variable);
  if (type->isArithmeticType() || type->isEnumeralType())
    return true;
  if (!argument)
    return !variable.hasLocalStorage() || (isOfKernel(&variable) && !needed_.count(&variable));
  const QualType given = givenAtSite(*argument)->getType();
  if (!type->isPointerType())
    return variable.getType()->isReferenceType() && context_.hasSameType(type, given);
  return context_.hasSameUnqualifiedType(
      type, given->isArrayType() ? context_.getArrayDecayedType(given) : given);
}

// What a wrapper's parameter stands for, in the kernel's words.
std::string Recovery::siteTextOf(const Expr &argument) const {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(&argument));
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const Expr *outer = variable ? sampler_.aliasOf(variable) : nullptr;
  return outer ? siteTextOf(*outer) : texts_.spelled(&argument);
}

// tile.load(a, row): what `pitch` is in the method is tile.pitch at the site.
std::string Recovery::selfTextIn(const Expr &expr, AddressFunction &out, unsigned file,
                                 std::string &problem) {
  class Self : public DynamicRecursiveASTVisitor {
  public:
    bool VisitCXXThisExpr(CXXThisExpr *) override { return !(isFound = true); }
    bool isFound = false;
  };
  Self self;
  self.TraverseStmt(const_cast<Expr *>(&expr));
  const Expr *object = self.isFound && !speaksOfOwnObject() ? siteSelf() : nullptr;
  if (!object || !problem.empty()) // which is one, if there is no object
    return "";
  const std::string text = textOf(object, out, file, problem);
  const bool isPlace =
      isa<DeclRefExpr, ArraySubscriptExpr, MemberExpr>(object->IgnoreParenImpCasts());
  return (isPlace ? text : "(" + text + ")") + (object->getType()->isPointerType() ? "->" : ".");
}

// c ? x : y. Of choices with one other end, c && d ? x : y.
std::string Recovery::choiceText(const ConditionalOperator &choice, AddressFunction &out,
                                 unsigned file, std::string &problem) {
  std::vector<const Expr *> conditions = {choice.getCond()};
  const Expr *first = choice.getTrueExpr(), &second = *choice.getFalseExpr();
  const auto inner = [&] { return dyn_cast<ConditionalOperator>(first->IgnoreParenImpCasts()); };
  const auto isSecond = [&](const Expr &other) {
    return &other == &second || (isConstant(&other) && isConstant(&second) &&
                                 texts_.spelled(&other) == texts_.spelled(&second));
  };
  while (inner() && isSecond(*inner()->getFalseExpr())) {
    conditions.push_back(inner()->getCond());
    first = inner()->getTrueExpr();
  }
  std::string text;
  for (const Expr *condition : conditions) {
    const Expr *its = condition->IgnoreParenImpCasts();
    const auto *op = dyn_cast<BinaryOperator>(its);
    const bool isLoose = isa<AbstractConditionalOperator>(its) ||
                         (op && (op->isAssignmentOp() || op->isCommaOp() ||
                                 (op->getOpcode() == BO_LOr && conditions.size() > 1)));
    const std::string own = textOf(condition, out, file, problem);
    const bool isClosed = isa<ParenExpr>(condition->IgnoreImpCasts());
    text += (text.empty() ? "" : " && ") + (isLoose && !isClosed ? "(" + own + ")" : own);
  }
  const std::string then = textOf(first, out, file, problem);
  const bool isChoice = inner() && !isa<ParenExpr>(first->IgnoreImpCasts());
  return text + " ? " + (isChoice ? "(" + then + ")" : then) + " : " +
         textOf(&second, out, file, problem);
}

std::string Recovery::textOf(const Expr *expr, AddressFunction &out, unsigned file,
                             std::string &problem) {
  if (const ConditionalOperator *choice = madeChoice(*expr))
    return choiceText(*choice, out, file, problem);
  ThreadMentions mentions;
  mentions.TraverseStmt(const_cast<Expr *>(expr));
  if (mentions.hasOther)
    problem = "threadIdx is used as a whole: name its .x, .y or .z";
  if (const std::string name = foreignName(*expr); problem.empty() && !name.empty())
    problem = "'" + name + "' is called in a macro's own text";
  OuterNames outer(context_, textSite(), templateCalls_, classOfText(enclosingFunction(*expr)));
  outer.TraverseStmt(const_cast<Expr *>(expr));
  if (problem.empty() && !outer.problem.empty())
    problem = outer.problem;
  const std::string self = selfTextIn(*expr, out, file, problem);
  OtherNames others(siteNames_, outer.found, self);
  others.TraverseStmt(const_cast<Expr *>(expr));
  if (problem.empty())
    problem = others.problem;
  for (const ValueDecl *member : others.hidden)
    open(*member);
  Lookups lookups(*this, self.empty() ? nullptr : siteSelf());
  lookups.TraverseStmt(const_cast<Expr *>(expr));
  if (problem.empty())
    problem = lookups.problem;
  const std::vector<const Expr *> indices = indicesBelow(*expr);
  if (indices.empty() && others.found.empty() && outer.found.empty())
    return texts_.quote(expr, file);
  const bool keepsSign = keepsSign_ || isa<InitListExpr>(expr) || mayBeNegative(*expr);
  std::vector<SourceEdit> edits;
  const auto add = [&](SourceRange mention, const std::string &text) {
    const auto range = texts_.range(mention);
    edits.push_back({range ? *range : TextRange(), text});
    return range.has_value();
  };
  const auto whole = texts_.range(expr->getSourceRange());
  bool isWritten = whole && whole->file == file;
  for (const Expr *index : indices) {
    auto edit = indexEdit(*index, keepsSign, out);
    if (edit && stripped(index) == stripped(expr) && edit->text[0] == '(') // nothing around it
      edit->text = edit->text.substr(1, edit->text.size() - 2);
    edits.push_back(edit.value_or(SourceEdit()));
    isWritten &= edit.has_value();
  }
  for (const auto &[mention, name] : others.found)
    isWritten &= add(mention->getSourceRange(), name);
  for (const OuterNames::Found &name : outer.found)
    isWritten &= add(name.range, name.text);
  llvm::sort(edits, [](const SourceEdit &a, const SourceEdit &b) {
    return a.range.begin < b.range.begin;
  });
  std::string text;
  unsigned at = whole ? whole->begin : 0;
  for (const SourceEdit &edit : edits) {
    if (edit.range.end <= at && edit.range.begin < at)
      continue; // of a name within lane_id()
    isWritten = isWritten && at <= edit.range.begin && whole->contains(edit.range);
    text += isWritten ? sourceRange(at, edit.range.begin) + edit.text : "";
    at = edit.range.end;
  }
  if (isWritten)
    return text + sourceRange(at, whole->end);
  if (!indices.empty())
    problem = "threadIdx stands in the address inside a macro: name the lane first";
  const auto isOfType = [](const OuterNames::Found &name) { return !name.expr; };
  if (problem.empty() && llvm::any_of(outer.found, isOfType))
    problem = "a type in the address goes by another name where it is used";
  return texts_.printed(expr, &others);
}

const TextSite &Recovery::textSite() {
  const FunctionDecl *function = function_ ? function_ : &kernel_;
  return textSites_.try_emplace(function, *function).first->second;
}

// The same function may be called twice, and its arguments be said in other words.
void Recovery::noteTemplateCall(const FunctionDecl &callee, const CallExpr &call) {
  const auto wordsOf = [&](const CallExpr *of) {
    const auto *name = dyn_cast<DeclRefExpr>(of->getCallee()->IgnoreParenImpCasts());
    return name ? texts_.spelled(name) : "";
  };
  const auto [known, isNew] = templateCalls_.try_emplace(callee.getCanonicalDecl(), &call);
  if (!isNew && known->second && wordsOf(known->second) != wordsOf(&call))
    known->second = nullptr;
}

// A sum, a product or a quotient of such, a counter that begins so and goes up.
bool Recovery::isNeverNegative(const Expr &value, int depth) {
  constexpr int kDeepest = 8;
  const Expr *expr = stripped(&value);
  Expr::EvalResult number;
  if (!expr->isValueDependent() && expr->EvaluateAsInt(number, context_))
    return !number.Val.getInt().isNegative();
  if (expr->getType()->isUnsignedIntegerType())
    return true;
  if (const auto *op = dyn_cast<BinaryOperator>(expr))
    return llvm::is_contained({BO_Add, BO_Mul, BO_Div, BO_Rem, BO_Shr, BO_And}, op->getOpcode()) &&
           depth < kDeepest && isNeverNegative(*op->getLHS(), depth + 1) &&
           isNeverNegative(*op->getRHS(), depth + 1);
  const auto *member = dyn_cast<MemberExpr>(expr); // tile.I, a constant of its class
  const auto *constant = member ? dyn_cast<VarDecl>(member->getMemberDecl()) : nullptr;
  if (constant && constant->isConstexpr())
    if (const APValue *its = constant->evaluateValue(); its && its->isInt())
      return !its->getInt().isNegative();
  const VarDecl *variable = variableNamed(expr);
  if (!variable || !variable->getInit() || isa<ParmVarDecl>(variable) || depth == kDeepest ||
      sampler_.changesUnseen(variable) || !isNeverNegative(*variable->getInit(), depth + 1))
    return false;
  const Stmt *declaration = parentOf(DynTypedNode::create(*variable));
  const Stmt *holder = declaration ? parentOf(DynTypedNode::create(*declaration)) : nullptr;
  const auto *loop = dyn_cast_or_null<ForStmt>(holder);
  const size_t changes = sampler_.changesOf(variable).size();
  const auto step = loop && loop->getInc() ? stepOf(*variable, loop->getInc()) : std::nullopt;
  return changes == 0 || (changes == 1 && step && *step > 0);
}

// Where the thread's number, which is unsigned, meets what may be negative, and it matters.
bool Recovery::mayBeNegative(const Stmt &stmt) {
  class Differences : public DynamicRecursiveASTVisitor {
  public:
    explicit Differences(Recovery &recovery) : r_(recovery) {}
    bool VisitBinaryOperator(BinaryOperator *op) override {
      const BinaryOperatorKind kind = op->getOpcode();
      isFound |= kind == BO_Sub || kind == BO_SubAssign || kind == BO_Shl;
      if (op->isComparisonOp() || llvm::is_contained({BO_Div, BO_Rem, BO_Shr}, kind))
        for (const Expr *side : {op->getLHS(), op->getRHS()})
          isFound |= isUnsignedOfNegative(*side);
      return !isFound;
    }
    bool VisitUnaryOperator(UnaryOperator *op) override {
      return !(isFound |= op->getOpcode() == UO_Minus || op->getOpcode() == UO_Not);
    }
    bool VisitCastExpr(CastExpr *cast) override {
      const Expr *inner = cast->getSubExpr();
      const bool isWider =
          cast->getCastKind() == CK_IntegralCast &&
          r_.context_.getTypeSize(cast->getType()) > r_.context_.getTypeSize(inner->getType());
      isFound |=
          (isWider || cast->getCastKind() == CK_IntegralToFloating) && isUnsignedOfNegative(*inner);
      return !isFound;
    }
    bool isFound = false;

  private:
    // (threadIdx.x + n) of int n
    bool isUnsignedOfNegative(const Expr &value) {
      const Expr *expr = value.IgnoreParens();
      const auto *cast = dyn_cast<ImplicitCastExpr>(expr);
      const auto *op = dyn_cast<BinaryOperator>(expr);
      if (cast && cast->getCastKind() == CK_IntegralCast &&
          expr->getType()->isUnsignedIntegerType())
        return cast->getSubExpr()->getType()->isSignedIntegerType() &&
               !r_.isNeverNegative(*cast->getSubExpr(), 0);
      return op && expr->getType()->isUnsignedIntegerType() && !staysUnsigned(*op) &&
             (isUnsignedOfNegative(*op->getLHS()) || isUnsignedOfNegative(*op->getRHS()));
    }
    // Whatever the thread's number is: (blockIdx.x * 64 + threadIdx.y * 16) * n
    bool staysUnsigned(const Expr &value) {
      const Expr *expr = value.IgnoreParens();
      if (const auto *op = dyn_cast<BinaryOperator>(expr))
        return staysUnsigned(*op->getLHS()) || staysUnsigned(*op->getRHS());
      const auto *cast = dyn_cast<ImplicitCastExpr>(expr);
      if (cast && cast->getCastKind() == CK_IntegralCast)
        return false;
      return expr->getType()->isUnsignedIntegerType() && r_.indicesBelow(*expr).empty();
    }
    Recovery &r_;
  };
  Differences differences(*this);
  differences.TraverseStmt(const_cast<Stmt *>(&stmt));
  return differences.isFound;
}

std::vector<const Expr *> Recovery::indicesBelow(const Stmt &stmt) {
  class Finder : public DynamicRecursiveASTVisitor {
  public:
    explicit Finder(Recovery &recovery) : r_(recovery) {}
    bool TraverseStmt(Stmt *stmt) override {
      const auto *expr = dyn_cast_or_null<Expr>(stmt);
      const bool isIndex = expr && (r_.isFormula(*expr) || threadIndexAxis(expr) ||
                                    r_.sampler_.indexOf(expr) != ThreadValue::Other);
      const auto *call = isIndex ? nullptr : dyn_cast_or_null<CallExpr>(stmt);
      if (isIndex || (call && r_.isToldCall(*call)))
        found.push_back(expr);
      return isIndex || DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    std::vector<const Expr *> found;

  private:
    Recovery &r_;
  };
  Finder finder(*this);
  finder.TraverseStmt(const_cast<Stmt *>(&stmt));
  return finder.found;
}

std::string Recovery::indexText(const Expr &index, bool keepsSign, AddressFunction &out) {
  if (const std::optional<int> axis = threadIndexAxis(&index))
    return threadText(*axis, keepsSign, out);
  const ThreadValue kind = sampler_.indexOf(&index);
  const bool isOneWarp = sampler_.isOneWarp();
  out.usesLane |= kind != ThreadValue::Warp;
  out.usesWarp |= kind != ThreadValue::Lane && !isOneWarp;
  const std::string text = kind == ThreadValue::Warp   ? (isOneWarp ? "0" : warpText(out))
                           : kind == ThreadValue::Lane ? out.laneName
                           : isOneWarp                 ? out.laneName
                                       : "(" + warpText(out) + " * 32 + " + out.laneName + ")";
  const char *type = index.getType()->isUnsignedIntegerType() ? "unsigned" : "int";
  return keepsSign ? type + (text[0] == '(' ? text : "(" + text + ")") : text;
}

std::optional<SourceEdit> Recovery::indexEdit(const Expr &index, bool keepsSign,
                                              AddressFunction &out) {
  if (isFormula(index)) {
    const auto range = texts_.range(index.getSourceRange());
    return range ? std::optional(SourceEdit{*range, formulaAs(index, keepsSign, out)})
                 : std::nullopt;
  }
  if (threadIndexAxis(&index) || sampler_.indexOf(&index) != ThreadValue::Other) {
    const auto range = texts_.range(index.getSourceRange());
    const std::string text = indexText(index, keepsSign, out);
    return range ? std::optional(SourceEdit{*range, text}) : std::nullopt;
  }
  const auto &call = cast<CallExpr>(index);
  const auto end = texts_.range(SourceRange(call.getRParenLoc()));
  if (!end)
    return std::nullopt;
  const FunctionDecl *callee = call.getDirectCallee()->getDefinition();
  const FunctionDecl *pattern = callee->getTemplateInstantiationPattern();
  const std::string arguments = indexArguments(pattern ? *pattern : *callee, [&](int axis) {
    const std::string text = threadText(axis, false, out);
    return text[0] == '(' ? text.substr(1, text.size() - 2) : text;
  });
  llvm::append_range(out.told, toldBy(call));
  return SourceEdit{{end->file, end->begin, end->begin},
                    (arguments.empty() || !call.getNumArgs() ? "" : ", ") + arguments};
}

std::string Recovery::threadText(int axis, bool keepsSign, AddressFunction &out) {
  if (sampler_.isOneWarp()) {
    if (axis)
      return "0";
    out.usesLane = true;
    return keepsSign ? "unsigned(" + out.laneName + ")" : out.laneName;
  }
  if (sampler_.isTwoDimensional() && sampler_.numbersThreads()) {
    out.usesLane = out.usesWarp = true;
    const char *const ofNumber[] = {" % blockDim.x)", " / blockDim.x)",
                                    " / (blockDim.x * blockDim.y))"};
    const bool hasLayers = axis == 1 && sampler_.isThreeDimensional();
    return "((" + warpText(out) + " * 32 + " + out.laneName + ")" +
           (hasLayers ? " / blockDim.x % blockDim.y)" : ofNumber[axis]);
  }
  if (sampler_.isTwoDimensional()) {
    sampler_.needWarpRows();
    (axis ? out.usesWarp : out.usesLane) = true;
    const std::string name = axis ? warpText(out) : out.laneName;
    if (axis && sampler_.isThreeDimensional()) // unsigned, as blockDim is
      return "(" + name + (axis == 1 ? " % " : " / ") + "blockDim.y)";
    return keepsSign ? "unsigned(" + name + ")" : name;
  }
  out.usesLane = out.usesWarp = true;
  return (keepsSign ? "unsigned(" : "(") + warpText(out) + " * 32 + " + out.laneName + ")";
}

AddressFunction Recovery::addressOf(const Expr *expr, unsigned file, std::string &problem) {
  AddressFunction out = variablesOf({expr}, file, problem);
  out.expression = textOf(expr, out, file, problem);
  out.dependsOnPair = !sameForPair(expr);
  return out;
}

// In the author's words if they do; else numbers of the thread are said in others.
AddressFunction Recovery::variablesOf(llvm::ArrayRef<const Expr *> expressions, unsigned file,
                                      std::string &problem) {
  const std::string before = problem;
  saysFormulas_ = false;
  AddressFunction out = variablesSaid(expressions, file, problem);
  const bool isSaid = problem.empty() && whyNotSaid(expressions, out, file).empty();
  if (!before.empty() || (isSaid && out.fetched.empty()))
    return out;
  saysFormulas_ = true;
  std::string others;
  AddressFunction again = variablesSaid(expressions, file, others);
  const bool isBetter = !isSaid || again.fetched.size() < out.fetched.size();
  if (others.empty() && isBetter && whyNotSaid(expressions, again, file).empty()) {
    problem.clear();
    return again;
  }
  saysFormulas_ = false;
  problem = before;
  return variablesSaid(expressions, file, problem);
}

std::string Recovery::whyNotSaid(llvm::ArrayRef<const Expr *> expressions, AddressFunction out,
                                 unsigned file) {
  std::string problem;
  for (const Expr *expr : expressions)
    textOf(expr, out, file, problem);
  return problem;
}

AddressFunction Recovery::variablesSaid(llvm::ArrayRef<const Expr *> expressions, unsigned file,
                                        std::string &problem) {
  AddressFunction out;
  nameLanes(out);
  needed_.clear();
  neededMembers_.clear();
  threads_.clear();
  forgetSiteValues();
  spoken_.clear();
  for (const Expr *expr : expressions) {
    needAll(expr, out, problem, file);
    if (!changesNothing(*expr))
      problem = kHasEffects;
    if (sampler_.asksOthers(expr))
      problem = "it is computed from what other lanes say";
  }
  typeLanes(out);
  if (problem.empty())
    problem = ambiguity();
  for (AddressFunction::Variable thread : threads_) {
    thread.value = warpText(out) + " * 32 + " + out.laneName;
    out.variables.insert(out.variables.begin(), thread);
  }
  return out;
}

} // namespace layout_port::native
