// Products in functions, methods and lambdas. A wrapper around one instruction is looked
// through, with its arguments for its parameters; a function that does more is ported
// where it stands, for the one set of fragments that it is called with.
#include "native/EpilogueMemory.h"
#include "native/Recovery.h"

#include "native/FragmentName.h"
#include "native/WholeText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace clang;

namespace layout_port::native {

bool Recovery::matrixWithin(const FunctionDecl *function) {
  const auto [known, isNew] = matrixFunctions_.try_emplace(function, fillers_.count(function) != 0);
  if (!isNew || known->second)
    return known->second;
  AsmFinder finder;
  finder.TraverseStmt(function->getBody());
  bool within = finder.matrix;
  for (const CallExpr *call : finder.calls)
    if (const FunctionDecl *callee = call->getDirectCallee())
      if (const FunctionDecl *definition = callee->getDefinition();
          definition && definition->hasBody() && !within)
        within = matrixWithin(definition);
  return matrixFunctions_[function] = within;
}

bool Recovery::isWrapperLambda(const CXXMethodDecl &method) {
  const bool takesRegisters = llvm::any_of(method.parameters(), [](const ParmVarDecl *p) {
    const QualType type = p->getType();
    return (type->isReferenceType() || type->isPointerType()) &&
           !type->getPointeeType().isConstQualified();
  });
  return takesRegisters && method.hasBody() && !method.isDependentContext() &&
         matrixWithin(&method) && isWrapper(method);
}

bool Recovery::visitLambdaCall(const CXXOperatorCallExpr &call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  if (!method || !method->getParent()->isLambda() || !method->hasBody())
    return false;
  if (!matrixWithin(method))
    return noteLifted(call) || noteFillingCall(*method, call);
  if (isWrapperLambda(*method)) {
    if (const std::string kept = keptBy(*method); !kept.empty())
      return refuse("a lambda that handles fragments keeps a copy of " + kept,
                    call.getSourceRange()),
             true;
    return liftCall(call, *method, call, nullptr);
  }
  if (!divergent_.empty() || earlyReturn_)
    refuse("fragments are loaded where the two warps of a wave may part", call.getSourceRange());
  for (unsigned i = 1; i < call.getNumArgs(); ++i)
    if (sampler_.dependsOnThread(call.getArg(i)))
      refuse("a lambda that loads fragments is called with a value of the thread",
             call.getSourceRange());
  const auto instance = frameOfInstance_.find(method);
  noteCall({method, instance == frameOfInstance_.end() ? frame_ : instance->second}, call);
  return false;
}

// What a lambda keeps by copy of a variable that is another one where the lambda is called, or of a
// name that nobody else has. Its text is written anew there.
//
//   auto load = [=](uint32_t (&r)[4], int k) { ldsm4(r, tile + row * LD + k); };
//   row += 16;
//   load(a, 0);                                            with the row that it was made with
std::string Recovery::keptBy(const CXXMethodDecl &method) {
  const auto known = llvm::find_if(lambdas_, [&](const auto &lambda) {
    return lambda.first->getParent() == method.getParent();
  });
  if (known == lambdas_.end())
    return "what is not in view";
  const auto made = texts_.statement(known->second->getSourceRange());
  for (const LambdaCapture &capture : known->second->captures()) {
    if (!capture.capturesVariable())
      continue;
    const auto *variable = cast<VarDecl>(capture.getCapturedVar());
    const auto isBehind = [&](SourceLocation at) {
      const auto change = texts_.statement(SourceRange(at, at));
      return !made || !change || change->begin >= made->begin;
    };
    const std::string name = "'" + variable->getNameAsString() + "'";
    if (variable->isInitCapture())
      return "what it calls " + name;
    if (capture.getCaptureKind() == LCK_ByCopy &&
        (sampler_.changesUnseen(variable) || llvm::any_of(sampler_.changesOf(variable), isBehind)))
      return name + ", which changes";
  }
  return "";
}

// It may fill operands: where all its calls are followed. In another lambda they are where that one
// handles matrices, and is asked with what it is called itself.
bool Recovery::noteFillingCall(const CXXMethodDecl &lambda, const CXXOperatorCallExpr &call) {
  if (llvm::none_of(pending_, [&](const PendingFilling &p) { return p.lambda == &lambda; }))
    return false;
  const bool isOfThread = llvm::any_of(llvm::drop_begin(call.arguments()), [&](const Expr *given) {
    return sampler_.dependsOnThread(given);
  });
  const auto *outer = cast_or_null<CXXMethodDecl>(lambdaOfKernel());
  const bool isSeen =
      !function_ && texts_.statement(call.getSourceRange()) && (!outer || matrixWithin(outer));
  if (isSeen && !isOfThread && divergent_.empty() && !earlyReturn_)
    noteCall({&lambda, frame_}, call);
  else
    calledApart_.insert(&lambda);
  return false;
}

// multiply(acc, a, b) of an object of a class of the author's, or tile * other by a free operator.
bool Recovery::visitOperator(const CXXOperatorCallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(definition);
  if (!definition || !definition->hasBody() || !matrixWithin(definition) ||
      (method && method->getParent()->isLambda()))
    return false;
  recordFunctions(*definition);
  if (method && isWrapper(*method))
    return liftCall(call, *method, call, nullptr);
  if (!method)
    return visitCall(call);
  enterFunction(call, *definition);
  return true;
}

bool Recovery::copiesArrays(const LambdaExpr &lambda) {
  return llvm::any_of(lambda.captures(), [](const LambdaCapture &capture) {
    if (!capture.capturesVariable() || capture.getCaptureKind() != LCK_ByCopy)
      return false;
    const QualType type = capture.getCapturedVar()->getType();
    return type->isArrayType() || type->isRecordType();
  });
}

void Recovery::noteCall(const Owner &callee, const Expr &call) {
  const auto range = texts_.statement(call.getSourceRange());
  const auto *method = dyn_cast<CXXMethodDecl>(callee.first);
  const bool isLambda = method && method->getParent()->isLambda();
  const bool isLambdaOfFunction = function_ && isLambda;
  const auto *outer = cast_or_null<CXXMethodDecl>(lambdaOfKernel());
  if (outer && range)
    called_[callee].push_back({outer, frame_, {*range, loops_, branches_}});
  else if (owner_ != function_ || isLambdaOfFunction || !range)
    refuse("'" + cast<FunctionDecl>(callee.first)->getNameAsString() +
               "' handles fragments and is not called by the kernel",
           call.getSourceRange());
  else
    called_[callee].push_back({function_, frame_, {*range, loops_, branches_}});
}

// Of a call in a function, the places where that is called, with the loops of both.
std::vector<CallPlace> Recovery::placesOfCalls(const Owner &callee, int depth) const {
  constexpr int kDeepest = 8; // recursion
  std::vector<CallPlace> places;
  const auto known = called_.find(callee);
  if (known == called_.end() || depth > kDeepest)
    return places;
  for (const Called &called : known->second) {
    if (!called.caller)
      places.push_back(called.place);
    for (CallPlace place : called.caller ? placesOfCalls({called.caller, called.frame}, depth + 1)
                                         : std::vector<CallPlace>()) {
      llvm::append_range(place.loops, called.place.loops);
      llvm::append_range(place.branches, called.place.branches);
      places.push_back(std::move(place));
    }
  }
  return places;
}

void Recovery::placeCalls() {
  for (const auto &[callee, called] : called_)
    calls_[callee] = placesOfCalls(callee);
  for (size_t i = 0; i < out_.mmas.size(); ++i) {
    if (!owners_[i].first)
      continue;
    out_.mmas[i].calls = calls_[owners_[i]];
    if (out_.mmas[i].calls.empty())
      refuse("fragments are multiplied in a lambda that the kernel does not call by its name",
             kernel_.getSourceRange());
  }
  for (const auto &[load, owner] : loadOwners_)
    out_.loads[load].calls = calls_[owner];
  checkSumsOfCallers();
}

// Sums of a function that are multiplied in another have their end in the first one's text, where
// no product is.
void Recovery::checkSumsOfCallers() {
  for (size_t i = 0; i < out_.mmas.size(); ++i) {
    const auto known = owners_[i].first ? called_.find(owners_[i]) : called_.end();
    if (known == called_.end())
      continue;
    for (const Called &called : known->second)
      for (const Root &root : rootsOf(out_.mmas[i].d[0].declaration))
        if (called.caller && root.variable->getDeclContext() != &kernel_ &&
            root.variable->getDeclContext() != cast<FunctionDecl>(owners_[i].first))
          refuse("'" + root.variable->getNameAsString() +
                     "', sums of a function, are handed on to "
                     "another that multiplies",
                 root.variable->getSourceRange());
  }
}

template <class Views> static bool haveSameNames(const Views &a, const Views &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto &x, const auto &y) { return x.first == y.first; });
}

void Recovery::enterFunction(const CallExpr &call, const FunctionDecl &function) {
  multiplies_ = true;
  const std::string name = function.getNameAsString();
  if (!rangeOf(function))
    return refuse("'" + name + "' handles fragments and a macro writes it", call.getSourceRange());
  const Expr *self = objectOf(call);
  const Expr *objectName = nullptr;
  partingIndex_ = nullptr;
  const auto object = self ? viewIn(*self, objectName) : std::nullopt;
  const bool isCalledByItself = function_ && walked_.count(&function);
  if ((owner_ != function_ && !lambdaOfKernel()) || (self && !object) || isCalledByItself)
    return refuse("fragments are handled in '" + name + "', which does more than one instruction",
                  call.getSourceRange());
  if (!divergent_.empty() || earlyReturn_)
    return refuse("fragments are handled in '" + name + "' where the two warps of a wave may part",
                  call.getSourceRange());
  std::map<const ParmVarDecl *, View> views;
  if (object) {
    views[nullptr] = *object;
    handedNames_.insert(objectName);
  }
  for (unsigned i = 0; i < function.getNumParams(); ++i)
    if (const Expr *argument = argumentOf(call, i))
      if (const auto view = handedView(*function.getParamDecl(i), *argument))
        views[function.getParamDecl(i)] = *view;
  checkIndices(call.getSourceRange());
  for (auto &[parameter, view] : views) {
    std::set<std::string> turns;
    for (const std::string &variable : view.turns)
      turns.insert(ofCaller(variable));
    view.turns = std::move(turns);
  }
  std::vector<Frame> &frames = frames_[&function];
  if (frames.empty())
    toWalk_.push_back(&function);
  else if (!haveSameNames(frames.front().views, views))
    return refuse("'" + name + "' is handed fragments at some calls and values at others",
                  call.getSourceRange());
  auto frame = llvm::find_if(frames, [&](const Frame &known) { return known.views == views; });
  if (frame == frames.end())
    frame = frames.insert(frame, {++frameCount_, views});
  for (auto &[parameter, view] : frame->views) {
    const std::set<std::string> &turns = views[parameter].turns;
    view.turns.insert(turns.begin(), turns.end());
  }
  noteCall({&function, frame->number}, call);
  noteHanding(call, function);
  sites_.push_back(&call);
}

// Of an argument that is not there, the parameter's own.
static const Expr *withDefault(const Expr *argument) {
  const auto *byDefault = dyn_cast<CXXDefaultArgExpr>(argument);
  return byDefault ? byDefault->getExpr() : argument;
}

const Expr *Recovery::valueHanded(const Handing &handing, const FunctionDecl &function,
                                  unsigned parameter) const {
  const Expr *argument = argumentOf(*handing.call, parameter);
  if (!argument || frames_.at(&function).front().views.count(function.getParamDecl(parameter)))
    return nullptr;
  return withDefault(argument);
}

void Recovery::noteHanding(const CallExpr &call, const FunctionDecl &function) {
  Handing handing{&call, {}, decided(), {}, false, function_, {}};
  const auto range = texts_.statement(call.getSourceRange());
  if (!range)
    return; // refused
  siteRange_ = *range;
  for (unsigned i = 0; i < function.getNumParams(); ++i)
    if (const Expr *value = valueHanded(handing, function, i)) {
      if (hangsOnObject(*value, function))
        handing.ofObject.insert(value);
      if (!noteLatest(*value, handing))
        handing.stale.insert(value);
    }
  handings_[&function].push_back(std::move(handing));
}

// What it is made from is what that was made, or what it was last set to. False: it is another by
// now, or nobody knows.
bool Recovery::noteLatest(const Expr &given, Handing &handing) {
  bool isKept = true;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&given));
  for (size_t i = 0; i < inputs.found.size(); ++i) {
    const VarDecl *variable = inputs.found[i];
    if (llvm::is_contained(llvm::ArrayRef(inputs.found).take_front(i), variable))
      continue;
    if (variable->isLocalVarDecl() && variable->hasLocalStorage() && variable->getInit() &&
        !sampler_.changes(variable)) {
      isKept = isKept && staleInput(*variable).empty();
      inputs.TraverseStmt(const_cast<Expr *>(variable->getInit()));
    }
    const Expr *value = sampler_.changes(variable) ? latestValue(*variable) : nullptr;
    if (!value)
      continue;
    isKept = isKept && !isDecided(*value, 0);
    handing.latest.push_back({variable, value});
    inputs.TraverseStmt(const_cast<Expr *>(value));
  }
  return isKept;
}

bool Recovery::isHanding(const CallExpr &call) const {
  return llvm::any_of(handings_, [&](const auto &known) {
    return llvm::any_of(known.second, [&](const Handing &h) { return h.call == &call; });
  });
}

// Who calls others goes first: what they are handed is known then.
const FunctionDecl *Recovery::nextToWalk() {
  const auto calls = [](const FunctionDecl &caller, const FunctionDecl *callee) {
    AsmFinder finder;
    finder.TraverseStmt(caller.getBody());
    return llvm::any_of(finder.calls, [&](const CallExpr *call) {
      const FunctionDecl *its = call->getDirectCallee();
      return its && its->getDefinition() == callee;
    });
  };
  const FunctionDecl *first = nullptr;
  for (const FunctionDecl *function : toWalk_) {
    if (walked_.count(function))
      continue;
    first = first ? first : function;
    if (llvm::none_of(toWalk_, [&](const FunctionDecl *other) {
          return other != function && !walked_.count(other) && calls(*other, function);
        }))
      return function;
  }
  return first;
}

// Functions of a template, or called by one, have one text for all instances: what it asks of
// other lanes must not hang on the numbers of one.
void Recovery::walkFunctions() {
  while (const FunctionDecl *function = nextToWalk()) {
    walked_.insert(function);
    const bool hasInstances =
        function->isTemplateInstantiation() || kernel_.isTemplateInstantiation();
    function_ = function;
    for (unsigned i = 0; i < function->getNumParams(); ++i) {
      const bool isOfWave = holdsForCalls([&](const Handing &handing) {
        const Expr *value = valueHanded(handing, *function, i);
        return !value || (!sampler_.dependsOnThread(value) && !handing.ofObject.count(value)) ||
               (!hasInstances && isPlainly(handing, *value) && sampler_.sameForWave(value));
      });
      if (!isOfWave || isHandedOwn(*function, function->getParamDecl(i)))
        sampler_.handValueOfThread(function->getParamDecl(i));
    }
    speakOf(function, frames_[function].front().number);
    sampler_.consider(function->getBody());
    const auto text = rangeOf(*function);
    const auto body = texts_.range(function->getBody()->getSourceRange());
    for (const Frame &frame : frames_[function]) {
      frame_ = frame.number;
      if (text && body)
        out_.frames.push_back({frame.number,
                               *text,
                               {body->file, body->begin + 1, body->begin + 1},
                               argumentsOf(*function),
                               {}});
      walkFunction(*function);
    }
  }
}

// It is now what it was made, by no condition: numbers for what is uniform seldom part the threads
// of `lane < n`.
bool Recovery::isPlainly(const Handing &handing, const Expr &value) {
  return !handing.isCallersStale && !handing.stale.count(&value) &&
         !handing.ofObject.count(&value) && !isDecided(value, 0);
}

// While the call is looked at, the parameter is what it gives.
void Recovery::handIn(const Handing &handing, const FunctionDecl &function, unsigned parameter) {
  const ParmVarDecl *its = function.getParamDecl(parameter);
  if (its->getType()->isRecordType() && (sampler_.isAssigned(its) || sampler_.changesUnseen(its)))
    return; // it is something else by then
  const Expr *value = valueHanded(handing, function, parameter);
  if (value ? isPlainly(handing, *value) : isPosition(*its))
    sampler_.hand(its, value ? value : argumentOf(*handing.call, parameter));
}

template <class Query> bool Recovery::holdsForCalls(Query query) {
  return holdsForCallsOf(*function_, 0, query);
}

// With the values that they hand on: of a call in a function, for all calls of that.
bool Recovery::holdsForCallsOf(const FunctionDecl &function, int depth,
                               llvm::function_ref<bool(const Handing &)> query) {
  constexpr int kDeepest = 8; // recursion
  if (depth > kDeepest)
    return false;
  for (const Handing &handing : handings_[&function]) {
    for (const auto &[variable, value] : handing.latest)
      sampler_.alias(variable, value);
    for (unsigned i = 0; i < function.getNumParams(); ++i)
      handIn(handing, function, i);
    const auto withCaller = [&](const Handing &outer) {
      Handing both = handing;
      both.isCallersStale |= outer.isStale();
      return query(both);
    };
    const bool holds =
        handing.caller ? holdsForCallsOf(*handing.caller, depth + 1, withCaller) : query(handing);
    for (unsigned i = 0; i < function.getNumParams(); ++i)
      sampler_.hand(function.getParamDecl(i), nullptr);
    for (const auto &[variable, value] : handing.latest)
      sampler_.alias(variable, nullptr);
    if (!holds)
      return false;
  }
  return true;
}

bool Recovery::sameForWave(const Expr *expr) {
  return function_ ? holdsForCalls([&](const Handing &handing) {
    return !sampler_.dependsOnThread(expr) || (!handing.isStale() && sampler_.sameForWave(expr));
  })
                   : sampler_.sameForWave(expr);
}

bool Recovery::sameForPair(const Expr *expr) {
  return function_ ? holdsForCalls([&](const Handing &handing) {
    return !sampler_.dependsOnThread(expr) || (!handing.isStale() && sampler_.sameForPair(expr));
  })
                   : sampler_.sameForPair(expr);
}

ThreadValue Recovery::classify(const Expr *expr) {
  std::optional<ThreadValue> found;
  if (askedIn_.function)
    return classifyAsked(expr);
  if (!function_)
    return sampler_.classify(expr);
  holdsForCalls([&](const Handing &handing) {
    const ThreadValue its = handing.isStale() ? ThreadValue::Other : sampler_.classify(expr);
    found = found && *found != its ? ThreadValue::Other : its;
    return true;
  });
  return found.value_or(ThreadValue::Other);
}

// Its text is this kernel's alone: no other kernel, and no other instance, is given other numbers.
bool Recovery::isOfKernelAlone(const FunctionDecl &function, int depth) {
  constexpr int kDeepest = 8;
  const auto hasOne = [](const FunctionDecl &of) {
    const FunctionTemplateDecl *pattern = of.getPrimaryTemplate();
    return !of.isTemplateInstantiation() ||
           (pattern && llvm::count_if(pattern->specializations(), [](const FunctionDecl *instance) {
                         return instance->isDefined();
                       }) == 1);
  };
  if (depth > kDeepest || !hasOne(function) || !hasOne(kernel_))
    return false;
  return llvm::all_of(allCalls(), [&](const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || callee->getCanonicalDecl() != function.getCanonicalDecl())
      return true;
    const FunctionDecl *caller = enclosingFunction(*call);
    return caller && (caller->getCanonicalDecl() == kernel_.getCanonicalDecl() ||
                      (!isKernelText(*caller) && isOfKernelAlone(*caller, depth + 1)));
  });
}

void Recovery::needHanded(const ParmVarDecl &parameter, AddressFunction &out,
                          std::string &problem) {
  const std::string name = parameter.getNameAsString(), type = typeText(parameter);
  const unsigned number = parameter.getFunctionScopeIndex();
  std::optional<ThreadValue> kind;
  std::optional<Sampler::Formula> formula; // the same for all calls
  bool isOfWarp = true, isFormula = true;
  if (isPosition(parameter) && needPosition(parameter, out))
    return;
  if (parameter.getType()->isReferenceType()) { // another parameter may change it
    problem = "'" + name + "' is a reference to a value of the thread";
    return;
  }
  holdsForCalls([&](const Handing &handing) {
    const Expr *value = valueHanded(handing, *function_, number);
    const bool isKnown = value && isPlainly(handing, *value);
    const ThreadValue its = isKnown ? sampler_.classify(value) : ThreadValue::Other;
    kind = kind && *kind != its ? ThreadValue::Other : its;
    isOfWarp = isOfWarp && isKnown && sampler_.sameForWarp(value);
    const auto said = isKnown ? sampler_.formulaOf(value) : std::nullopt;
    isFormula = isFormula && said && (!formula || *formula == *said);
    formula = said;
    return true;
  });
  if (kind == ThreadValue::Lane)
    return takeLane(name, type, out);
  if (kind == ThreadValue::Warp)
    return takeWarp(name, type, out);
  if (kind == ThreadValue::Thread) {
    out.usesLane = out.usesWarp = true;
    threads_.push_back({type, name, ""});
  } else if (const auto text = isFormula && formula && isOfKernelAlone(*function_, 0)
                                   ? formulaText(*formula, out)
                                   : std::nullopt) {
    noteLanes(*text, out); // void compute(Stage &s, int wm): compute(s, warp / 2 * 32)
    out.variables.push_back({type, name, *text});
  } else if (!fetch(parameter, false, out, isOfWarp)) {
    problem = "'" + name + "' is a value of the thread that no other lane can be asked for";
  }
}

const Expr *Recovery::objectOf(const CallExpr &call) {
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  if (isa<CXXOperatorCallExpr>(call) && method && method->isInstance() &&
      !method->getParent()->isLambda())
    return call.getArg(0);
  return member && method && method->isInstance() ? member->getImplicitObjectArgument() : nullptr;
}

const VarDecl *Recovery::wholeVariable(const Expr &expr) {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(&expr));
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const bool isFragment =
      variable && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
      (variable->getType()->isArrayType() || variable->getType()->isRecordType());
  return isFragment ? variable : nullptr;
}

std::optional<Recovery::View> Recovery::viewIn(const Expr &expr, const Expr *&name) {
  const Expr *inner = stripped(&expr);
  if (const VarDecl *variable = wholeVariable(*inner)) {
    name = inner;
    return View{variable, 0, nullptr, 0, {}};
  }
  if (isa<CXXThisExpr>(inner)) { // a method of the same object
    const auto view = handedTo(nullptr);
    name = view ? inner : name;
    return view;
  }
  const auto *handed = dyn_cast<DeclRefExpr>(inner);
  const auto *parameter = handed ? dyn_cast<ParmVarDecl>(handed->getDecl()) : nullptr;
  if (const auto view =
          parameter && !sampler_.changes(parameter) ? handedTo(parameter) : std::nullopt) {
    name = inner;
    return view;
  }
  if (const auto *member = dyn_cast<MemberExpr>(inner))
    return viewOfPart(*member, name);
  const auto *access = dyn_cast<ArraySubscriptExpr>(inner);
  if (!access || (!access->getType()->isArrayType() && !access->getType()->isRecordType()) ||
      !stripped(access->getBase())->getType()->isArrayType())
    return std::nullopt;
  auto view = viewIn(*access->getBase(), name);
  if (!view || !(view->part || view->variable->getType()->isArrayType()))
    return std::nullopt;
  if (sampler_.dependsOnThread(access->getIdx()) && !sameForWave(access->getIdx()))
    partingIndex_ = access->getIdx();
  ++(view->part ? view->depthInPart : view->depth);
  const std::set<std::string> turns = turnsOf({access->getIdx()});
  view->turns.insert(turns.begin(), turns.end());
  return view;
}

// An array of registers, or of structs of one array, that is a member of what holds several: set.b,
// set[k % 2].b.
std::optional<Recovery::View> Recovery::viewOfPart(const MemberExpr &member, const Expr *&name) {
  const auto *part = dyn_cast<FieldDecl>(member.getMemberDecl());
  const QualType element = part ? context_.getBaseElementType(part->getType()) : QualType();
  if (!part || !part->getType()->isConstantArrayType() ||
      !(element->isScalarType() || isRegister(element) ||
        (element->isRecordType() && !hasParts(part->getType(), context_))))
    return std::nullopt;
  auto view = viewIn(*member.getBase(), name);
  const QualType whole = view ? view->variable->getType() : QualType();
  if (!view || view->part || !hasParts(whole, context_) ||
      context_.getBaseElementType(whole)->getAsRecordDecl() != part->getParent())
    return std::nullopt;
  view->part = part;
  return view;
}

std::optional<Recovery::View> Recovery::handedView(const ParmVarDecl &parameter,
                                                   const Expr &argument) {
  const QualType type = parameter.getType();
  const Expr *name = nullptr;
  if (!type->isReferenceType() && !type->isPointerType())
    return std::nullopt;
  const auto view = viewIn(*asWords(argument), name);
  if (view)
    handedNames_.insert(name);
  return view;
}

// (uint32_t *)p  of half2 p[4]: the same registers by another type.
const Expr *Recovery::asWords(const Expr &argument) const {
  const auto *cast = dyn_cast<ExplicitCastExpr>(stripped(&argument));
  const Expr *inner = cast ? stripped(cast->getSubExpr()) : nullptr;
  const auto isWord = [&](QualType type) {
    return (type->isScalarType() || isRegister(type)) && !type->isPointerType() &&
           context_.getTypeSize(type) == 32;
  };
  const auto *words = inner ? context_.getAsArrayType(inner->getType()) : nullptr;
  const bool isSame = words && cast->getType()->isPointerType() &&
                      isWord(words->getElementType()) && isWord(cast->getType()->getPointeeType());
  return isSame ? inner : &argument;
}

std::optional<Recovery::View> Recovery::viewOf(const VarDecl &variable) {
  const QualType type = variable.getType();
  if (type->isPointerType() && sampler_.changes(&variable))
    return std::nullopt;
  if (isa<ParmVarDecl>(variable))
    return handedTo(&variable);
  if ((!type->isPointerType() && !type->isReferenceType()) || !variable.isLocalVarDecl() ||
      !variable.hasLocalStorage() || !variable.getInit() || !isOfKernel(&variable))
    return std::nullopt;
  const Expr *name = nullptr;
  const auto view = viewIn(*variable.getInit(), name);
  if (view && view->part) // where that is (placeNamed)
    return std::nullopt;
  const auto isNamesake = [&](const auto &known) {
    return known.first != &variable && known.first->getDeclName() == variable.getDeclName();
  };
  if (llvm::any_of(views_, isNamesake)) // their tiles could not be told apart
    return std::nullopt;
  if (view) {
    views_[&variable] = *view;
    handedNames_.insert(name);
  }
  return view;
}

void Recovery::walkFunction(const FunctionDecl &function) {
  earlyReturn_ = nullptr; // where it is called there was none
  speakOf(&function, frame_);
  walk(function.getBody());
  speakOf(nullptr, 0);
}

void Recovery::speakOfLambda(const Decl *lambda) {
  inLambda_ = lambda != nullptr;
  owner_ = lambda ? lambda : function_;
}

void Recovery::speakOf(const FunctionDecl *function, unsigned frame) {
  owner_ = function_ = function;
  frame_ = frame;
  sampler_.setThisOfThread(function && isHandedOwn(*function, nullptr));
  settleMembers();
}

// A variable of the thread's own, by reference, that does not hold the same for all: fragments, and
// what is beside them. Null: as its object.
bool Recovery::isHandedOwn(const FunctionDecl &function, const ParmVarDecl *parameter) {
  return llvm::any_of(frames_[&function], [&](const Frame &frame) {
    const auto view = frame.views.find(parameter);
    return view != frame.views.end() && sampler_.dependsOnThread(view->second.variable);
  });
}

unsigned Recovery::productsIn(const FunctionDecl &function) {
  constexpr unsigned kMostProducts = 4; // else it is read better as a function
  unsigned products = 0;
  for (const Stmt *stmt : flattened(function.getBody())) {
    const auto *text = dyn_cast<GCCAsmStmt>(stmt);
    if (isa<DeclStmt>(stmt) || (text && onlyCasts(*text)))
      continue;
    const auto *call = dyn_cast<CallExpr>(stmt);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    const bool isCall = definition && definition->hasBody() && matrixWithin(definition);
    const unsigned its = text && isProduct(*text) ? partsOf(*text)
                         : isCall                 ? productsIn(*definition)
                                                  : 0;
    if (!its || (products += its) > kMostProducts)
      return 0;
  }
  return products;
}

// Words of registers, not rows of tiles, nor an object's own: those have a loop, or names that the
// text is best left with.
static bool takesWords(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  const bool isOfObject = method && method->isInstance() && !method->getParent()->isLambda();
  return !isOfObject && llvm::all_of(function.parameters(), [](const ParmVarDecl *parameter) {
    const QualType type = parameter->getType();
    if (!type->isReferenceType() && !type->isPointerType())
      return true;
    const auto *row = type->getPointeeType()->getAsArrayTypeUnsafe();
    return !row || (type->isReferenceType() && !row->getElementType()->isArrayType());
  });
}

bool Recovery::isWrapper(const FunctionDecl &function) {
  if (productsIn(function) > 1 && takesWords(function))
    return true;
  int instructions = 0;
  for (const Stmt *stmt : flattened(function.getBody())) {
    const auto *text = dyn_cast<GCCAsmStmt>(stmt);
    const bool isZeroing = !instructions && !zeroedBy(*stmt).empty();
    instructions += !isZeroing && !isa<DeclStmt>(stmt) && !(text && onlyCasts(*text));
    if (instructions > 1)
      return false;
    if (isZeroing || isa<DeclStmt, GCCAsmStmt>(stmt))
      continue;
    const auto *call = dyn_cast<CallExpr>(stmt);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!definition || !definition->hasBody() || !matrixWithin(definition) ||
        !isWrapper(*definition))
      return false;
  }
  return true;
}

std::vector<const Expr *> Recovery::zeroedBy(const Stmt &stmt) {
  std::vector<const Expr *> places;
  const auto *value = dyn_cast<Expr>(&stmt);
  while (const auto *op = value ? dyn_cast<BinaryOperator>(stripped(value)) : nullptr) {
    if (op->getOpcode() != BO_Assign || !op->getType()->isScalarType() ||
        !isRegister(op->getType()))
      return {};
    places.push_back(stripped(op->getLHS()));
    value = op->getRHS();
  }
  return value && isZero(value, nullptr) ? places : std::vector<const Expr *>();
}

// All that the wrapper sets to zero, and nothing else, the product begins with, and writes:
//
//   if (isFirst) d[0] = d[1] = 0;   asm("mma ... {%0, %1}, ..." : "=r"(d[0]), "=r"(d[1]) : ...
//                                                                  "r"(d[0]), "r"(d[1]));
bool Recovery::isSumsBegin(const GCCAsmStmt &stmt, const ptx::Mma &mma, const Binding &binding) {
  using Key = llvm::FoldingSetNodeID;
  const auto keyOf = [&](const Expr *place) {
    Key key;
    stripped(place)->Profile(key, context_, /*Canonical=*/true);
    return key;
  };
  std::vector<Key> zeroed, begins, ends;
  for (const Expr *place : binding.zeroed)
    zeroed.push_back(keyOf(place));
  for (const ptx::Operand *operand : mma.c)
    if (const Expr *place = operandReadBy(stmt, *operand))
      begins.push_back(keyOf(place));
  for (const ptx::Operand *operand : mma.d)
    if (const Expr *place = operandOf(stmt, *operand))
      ends.push_back(keyOf(place));
  const auto areIn = [](const std::vector<Key> &some, const std::vector<Key> &all) {
    return llvm::all_of(some, [&](const Key &key) { return llvm::is_contained(all, key); });
  };
  return begins.size() == mma.c.size() && areIn(begins, zeroed) && areIn(zeroed, begins) &&
         areIn(zeroed, ends); // what else is zero there stays so
}

std::optional<TextRange> Recovery::rangeOf(const FunctionDecl &function) const {
  const FunctionTemplateDecl *pattern = function.getPrimaryTemplate();
  return texts_.statement(pattern ? pattern->getSourceRange() : function.getSourceRange());
}

void Recovery::recordFunctions(const FunctionDecl &function) {
  if (!recorded_.insert(&function).second)
    return;
  if (const auto range = rangeOf(function); range && !isWrapper(function) && !returnedBy(function))
    out_.functions.push_back(*range);
  AsmFinder finder;
  finder.TraverseStmt(function.getBody());
  for (const CallExpr *call : finder.calls) {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (definition && definition->hasBody() && matrixWithin(definition))
      recordFunctions(*definition);
  }
}

bool Recovery::visitCall(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  if (!definition || !definition->hasBody())
    return false;
  if (!matrixWithin(definition)) {
    const bool isLifted = noteLifted(call);
    if (!isLifted) {
      noteMayFill(call, *definition);
      noteHandedOn(call, *definition);
    }
    return isLifted;
  }
  if (refuseUntaken(call))
    return true;
  recordFunctions(*definition);
  if (isWrapper(*definition))
    return liftCall(call, *definition, call, nullptr);
  enterFunction(call, *definition);
  return true;
}

// return c;  of a parameter  T &c, or of *this.
static bool handsBackOwn(const ReturnStmt &leave) {
  const Expr *value = leave.getRetValue()->IgnoreParens();
  const auto *self = dyn_cast<UnaryOperator>(value);
  if (self && self->getOpcode() == UO_Deref && isa<CXXThisExpr>(stripped(self->getSubExpr())))
    return value->isGLValue();
  const auto *name = dyn_cast<DeclRefExpr>(value);
  const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
  return parameter && parameter->getType()->isReferenceType() && value->isGLValue();
}

// (void)unused; and what is left of an assert that is not compiled.
static bool isIgnored(const Stmt &stmt, const ASTContext &context) {
  const auto *expr = dyn_cast<Expr>(&stmt);
  const auto *cast = expr ? dyn_cast<CastExpr>(expr->IgnoreParens()) : nullptr;
  return cast && cast->getCastKind() == CK_ToVoid && !cast->HasSideEffects(context);
}

std::vector<const Stmt *> Recovery::flattened(const Stmt *stmt) const {
  std::vector<const Stmt *> all;
  flattenInto(stmt, all);
  return all;
}

// True where the function ends there: what stands behind is not run.
bool Recovery::flattenInto(const Stmt *stmt, std::vector<const Stmt *> &all) const {
  if (const auto *block = dyn_cast<CompoundStmt>(stmt))
    return llvm::any_of(block->body(), [&](const Stmt *inner) { return flattenInto(inner, all); });
  const auto *branch = dyn_cast<IfStmt>(stmt);
  if (branch && branch->isConstexpr()) {
    const auto taken = branch->getNondiscardedCase(context_);
    return taken && *taken && flattenInto(*taken, all);
  }
  if (const auto isTaken = branch ? constantCondition(*branch, context_) : std::nullopt) {
    const Stmt *taken = *isTaken ? branch->getThen() : branch->getElse();
    return taken && flattenInto(taken, all);
  }
  const auto *leave = dyn_cast<ReturnStmt>(stmt);
  const bool isNothing = isa<NullStmt>(stmt) || isIgnored(*stmt, context_) ||
                         (leave && (!leave->getRetValue() || handsBackOwn(*leave)));
  if (!isNothing)
    all.push_back(stmt);
  return leave;
}

bool Recovery::isPartOfExpression(const Stmt &call) const {
  const Stmt *outer = parentOf(DynTypedNode::create(call));
  while (outer && isa<ExprWithCleanups>(outer))
    outer = parentOf(DynTypedNode::create(*outer));
  return outer && isa<Expr>(outer);
}

bool Recovery::hasEffects(const CallExpr &call, const Stmt &site) {
  return llvm::any_of(call.arguments(), [&](const Expr *argument) {
    return argument->HasSideEffects(context_) && !isTakenAhead(*argument, site);
  });
}

bool Recovery::liftCall(const CallExpr &call, const FunctionDecl &wrapper, const Stmt &site,
                        const Binding *outer, const Binding *result) {
  multiplies_ = true;
  noteTemplateCall(wrapper, call);
  const auto *body = dyn_cast<CompoundStmt>(wrapper.getBody());
  Binding binding;
  binding.outer = outer;
  if (result) {
    binding.returned = result->returned;
    binding.destination = result->destination;
  }
  binding.self = objectOf(call);
  // What a method calls for its own object speaks of the same.
  const bool isOther =
      binding.self && (selves_.empty() || !isa<CXXThisExpr>(stripped(binding.self)));
  if (isOther)
    selves_.push_back(binding.self);
  sampler_.setSelf(siteSelf());
  const auto leave = llvm::make_scope_exit([&] {
    if (!outer)
      part_ = Part();
    if (isOther)
      selves_.pop_back();
    sampler_.setSelf(siteSelf());
  });
  const bool isOfObject = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(wrapper);
  const unsigned first = isOfObject ? 1 : 0; // behind the lambda itself
  for (unsigned i = 0; i < wrapper.getNumParams() && i + first < call.getNumArgs(); ++i)
    binding.values[wrapper.getParamDecl(i)] = withDefault(call.getArg(i + first));
  if (!outer)
    for (auto &[parameter, value] : binding.values)
      if (const Expr *taken =
              value ? takenAhead(value, *cast<ParmVarDecl>(parameter), site) : nullptr)
        value = taken;
  if (!body) {
    refuse("fragments are handled in '" + wrapper.getNameAsString() + "'", call.getSourceRange());
    return true;
  }
  if (!outer && refuseUntakenIn(call, site))
    return true;
  if (!outer && wrapper.getReturnType()->isReferenceType() && isPartOfExpression(site))
    refuse("what '" + wrapper.getNameAsString() + "' hands back is used in an expression",
           call.getSourceRange());
  if (const auto place = !outer ? rangeOfSite(site) : std::nullopt)
    part_ = partInMacro(site, *place);
  if (partsIn(wrapper) > 1 && (isPartOfExpression(site) || hasEffects(call, site)))
    refuse("'" + wrapper.getNameAsString() + "' " +
               (productsIn(wrapper) ? "multiplies" : "reads fragments") +
               " more than once, inside an expression or by what its call changes",
           call.getSourceRange());
  sampler_.consider(body);
  for (const auto &[parameter, argument] : binding.values)
    if (argument)
      sampler_.alias(parameter, argument);
  for (const Stmt *stmt : flattened(body)) {
    if (const auto *declarations = dyn_cast<DeclStmt>(stmt)) {
      for (const Decl *decl : declarations->decls())
        if (const auto *local = dyn_cast<VarDecl>(decl); local && local->getInit()) {
          binding.values[local] = nullptr; // looked up where it is used, if it is
          if (!changesNothing(*local->getInit()) || sampler_.asksOthers(local->getInit()))
            refuse("'" + local->getNameAsString() + "' in '" + wrapper.getNameAsString() +
                       "' is made in a way that changes something",
                   call.getSourceRange());
        }
      continue;
    }
    if (const auto *asmStmt = dyn_cast<GCCAsmStmt>(stmt)) {
      if (onlyCasts(*asmStmt)) {
        noteCast(*asmStmt, binding);
        continue;
      }
      visitAsm(*asmStmt, site, &binding);
      continue;
    }
    if (const CallExpr *inner = binding.returned ? handedOnBy(wrapper) : nullptr) {
      Binding given;
      given.returned = binding.returned;
      given.destination = nameOf(*binding.returned);
      binding.values[binding.returned] = binding.destination;
      liftCall(*inner, *inner->getDirectCallee()->getDefinition(), site, &binding, &given);
      continue;
    }
    if (binding.returned && isa<ReturnStmt>(stmt))
      continue;
    if (const std::vector<const Expr *> zeroed = zeroedBy(*stmt); !zeroed.empty()) {
      llvm::append_range(binding.zeroed, zeroed);
      continue;
    }
    if (const auto *inner = dyn_cast<CallExpr>(stmt))
      if (const FunctionDecl *callee = inner->getDirectCallee())
        if (const FunctionDecl *definition = callee->getDefinition();
            definition && definition->hasBody() && matrixWithin(definition)) {
          liftCall(*inner, *definition, site, &binding);
          continue;
        }
    refuse("fragments are handled in '" + wrapper.getNameAsString() +
               "', which does more than one instruction",
           call.getSourceRange());
    return true;
  }
  if (const auto range = definitionOf(wrapper)) {
    out_.wrappers.push_back(*range);
    noteOperator(wrapper, *range);
  }
  return true;
}

// Calls that may be meant count, too: in templates that nobody has instantiated.
void Recovery::noteOperator(const FunctionDecl &wrapper, const TextRange &definition) {
  constexpr TextRange kInMacro = {0, 0, 1};
  if (!wrapper.isOverloadedOperator() ||
      llvm::any_of(out_.operators, [&](const Kernel::OperatorCalls &known) {
        return known.definition == definition;
      }))
    return;
  Kernel::OperatorCalls found{definition, {}};
  for (const CallExpr *call : allCalls()) {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *its = callee && callee->getDefinition() ? callee->getDefinition() : callee;
    if (its ? its->getLocation() == wrapper.getLocation()
            : op && op->getOperator() == wrapper.getOverloadedOperator())
      found.calls.push_back(texts_.statement(call->getSourceRange()).value_or(kInMacro));
  }
  out_.operators.push_back(std::move(found));
}

std::optional<TextRange> Recovery::definitionOf(const FunctionDecl &wrapper) const {
  const auto *method = dyn_cast<CXXMethodDecl>(&wrapper);
  if (!method || !method->getParent()->isLambda())
    return rangeOf(wrapper);
  const Expr *value = lambdas_.lookup(method);
  while (value) {
    const auto parents = const_cast<ASTContext &>(context_).getParents(*value);
    if (parents.empty())
      break;
    if (const auto *variable = parents[0].get<VarDecl>()) {
      const auto holders = const_cast<ASTContext &>(context_).getParents(*variable);
      const auto *stmt = holders.empty() ? nullptr : holders[0].get<DeclStmt>();
      return stmt && stmt->isSingleDecl() ? texts_.statement(stmt->getSourceRange()) : std::nullopt;
    }
    value = parents[0].get<Expr>();
  }
  return std::nullopt;
}

} // namespace layout_port::native
