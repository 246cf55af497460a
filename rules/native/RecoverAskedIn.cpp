// Code between two products in a function that results are handed to:
//
//   void mask(float (&s)[N][4], int first, int end)  { ... if (first + j >= end) s[i][j] =
//   -INFINITY; } mask(s, base + lane % 4 * 2, n);
//
// What it asks of a lane is asked for there as in the kernel (RecoverBetween.cpp). Parameters that
// are the lane or the warp in all calls stand for those, and what all threads of a wave have alike
// stays. Any other is handed as the values of both threads that CUDA has the lane's elements in:
//
//   void mask(float (&s)[N][4], lp::halves<int> first, int end)  { ... first_(warp) ... }
//   mask(s, lp::halves<int>([&](int lane, int) { return base + lane % 4 * 2; }), n);
//
// The function has one text: nobody but this kernel may call it, and between the products alone.
#include "native/Operands.h"
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// As the author wrote it: of a template's instance, the template's.
const FunctionDecl &patternOf(const FunctionDecl &function) {
  const FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  return pattern ? *pattern : function;
}

// The only function of its name, declared once: another type of a parameter makes it no other's.
bool isAlone(const FunctionDecl &text) {
  const FunctionTemplateDecl *pattern = text.getDescribedFunctionTemplate();
  const auto isOne = [](const auto &decl) {
    return std::next(decl.redecls_begin()) == decl.redecls_end();
  };
  const auto named = text.getDeclContext()->getRedeclContext()->lookup(text.getDeclName());
  return isOne(text) && (!pattern || isOne(*pattern)) &&
         std::distance(named.begin(), named.end()) == 1 &&
         (!pattern || std::next(pattern->spec_begin()) == pattern->spec_end() ||
          llvm::none_of(pattern->specializations(), [](const FunctionDecl *instance) {
            return instance->getTemplateSpecializationKind() == TSK_ExplicitSpecialization;
          }));
}

} // namespace

std::vector<const CallExpr *> Recovery::callsFromKernel(const FunctionDecl &function) const {
  AsmFinder all;
  all.TraverseStmt(kernel_.getBody());
  std::vector<const CallExpr *> calls;
  for (const CallExpr *call : all.calls)
    if (const FunctionDecl *callee = call->getDirectCallee();
        callee && callee->getDefinition() == &function)
      calls.push_back(call);
  return calls;
}

// Somebody calls the function, or another instance of it, who is not an instance of this kernel.
bool Recovery::isCalledByOthers(const FunctionDecl &function) const {
  AsmFinder all;
  all.TraverseDecl(context_.getTranslationUnitDecl());
  return llvm::any_of(all.calls, [&](const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const auto *open = dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts());
    const bool isIt = callee ? callee->getLocation() == function.getLocation()
                             : open && open->getName() == function.getDeclName();
    const FunctionDecl *caller = isIt ? enclosingFunction(*call) : nullptr;
    return isIt && (!caller || caller->getLocation() != kernel_.getLocation());
  });
}

// The name of the lambda that is called stands in these calls alone: it is handed to nobody, and
// goes by no other.
static bool areAllItsNames(const std::vector<const CallExpr *> &calls, const Stmt &body) {
  const auto *first = calls.empty() ? nullptr : dyn_cast<CXXOperatorCallExpr>(calls.front());
  const VarDecl *variable = first ? variableNamed(first->getArg(0)) : nullptr;
  size_t names = 0;
  Mentions mentions([&](const DeclRefExpr &name) { names += name.getDecl() == variable; });
  mentions.TraverseStmt(const_cast<Stmt *>(&body));
  const Expr *value = variable ? variable->getInit() : nullptr;
  return value && !variable->getType()->isReferenceType() &&
         isa_and_nonnull<LambdaExpr>(throughCopies(value)) && names == calls.size();
}

bool Recovery::isOnlyCalled(const CXXMethodDecl &lambda) const {
  return areAllItsNames(callsFromKernel(lambda), *kernel_.getBody());
}

// Lambdas that see the kernel's variables as they are, and are only called.
static bool isOfKernelsText(const LambdaExpr *lambda, const std::vector<const CallExpr *> &calls,
                            const Stmt &body) {
  if (!lambda || !areAllItsNames(calls, body))
    return false;
  const auto &call = *cast<CXXOperatorCallExpr>(calls.front());
  return lambdaByReference(*variableNamed(call.getArg(0))) == lambda;
}

std::string Recovery::whyNotAskedIn(const FunctionDecl *function, const TextRange &region) const {
  const std::string elsewhere = "it is not in the kernel's own text";
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
  if (method && method->getParent()->isLambda()) {
    const std::vector<const CallExpr *> calls = callsFromKernel(*method);
    const auto isIn = [&](const CallExpr *call) {
      const auto range = texts_.statement(call->getSourceRange());
      return range && region.contains(*range);
    };
    return isOfKernelsText(lambdas_.lookup(method), calls, *kernel_.getBody()) &&
                   llvm::all_of(calls, isIn)
               ? ""
               : elsewhere;
  }
  if (!function || !function->getIdentifier() || (method && method->isInstance()) ||
      function->isVariadic() || function->hasAttr<CUDAHostAttr>() ||
      function->hasAttr<CUDAGlobalAttr>())
    return elsewhere;
  const std::string name = "'" + function->getNameAsString() + "'";
  if (!isAlone(patternOf(*function)))
    return elsewhere + ", and " + name + " is not the only function of its name";
  if (isCalledByOthers(*function))
    return elsewhere + ", and " + name + " is called by others, too";
  const std::vector<const CallExpr *> calls = callsFromKernel(*function);
  if (calls.empty()) // another function's
    return elsewhere;
  for (const CallExpr *call : calls) {
    const auto range = texts_.statement(call->getSourceRange());
    if (!range || !region.contains(*range) || call->getNumArgs() != function->getNumParams())
      return elsewhere + ", and " + name + " is called behind the products, too";
  }
  return "";
}

// Its parameters are what the kernel's call hands them.
void Recovery::enterCall(const FunctionDecl &function, const CallExpr &call) {
  sampler_.consider(function.getBody());
  askedIn_.before.clear();
  for (unsigned i = 0; i < function.getNumParams() && i < call.getNumArgs(); ++i) {
    askedIn_.before.push_back(sampler_.aliasOf(function.getParamDecl(i)));
    sampler_.alias(function.getParamDecl(i), call.getArg(i));
  }
}

void Recovery::leaveCall(const FunctionDecl &function) {
  for (unsigned i = 0; i < askedIn_.before.size(); ++i)
    sampler_.alias(function.getParamDecl(i), askedIn_.before[i]);
  askedIn_.before.clear();
}

void Recovery::enterAsked(const FunctionDecl &function) {
  askedIn_ = {&function, callsFromKernel(function), {}, {}};
  function_ = &function;
  enterCall(function, *askedIn_.calls.front()); // there are some: its text has been run
}

void Recovery::leaveAsked() {
  leaveCall(*askedIn_.function);
  askedIn_.function = function_ = nullptr;
}

bool Recovery::isAlikeForPair(const Expr &value) {
  const FunctionDecl *function = enclosingFunction(value);
  const auto calls = function && function != &kernel_ ? callsFromKernel(*function)
                                                      : std::vector<const CallExpr *>();
  if (calls.empty())
    return isMadeAlikeForPair(value);
  return llvm::all_of(calls, [&](const CallExpr *call) {
    enterCall(*function, *call);
    const bool isAlike = isMadeAlikeForPair(value);
    leaveCall(*function);
    return isAlike;
  });
}

// The same in all calls, or something else.
ThreadValue Recovery::classifyAsked(const Expr *expr) {
  std::optional<ThreadValue> kind;
  const auto take = [&](const CallExpr &call) {
    for (unsigned i = 0; i < call.getNumArgs(); ++i)
      sampler_.alias(askedIn_.function->getParamDecl(i), call.getArg(i));
  };
  for (const CallExpr *call : askedIn_.calls) {
    take(*call);
    const ThreadValue its = sampler_.classify(expr);
    kind = kind && *kind != its ? ThreadValue::Other : its;
  }
  take(*askedIn_.calls.front());
  return kind.value_or(ThreadValue::Other);
}

// A parameter of the function: what it is in all calls.
void Recovery::needOfAsked(const ParmVarDecl &parameter, AddressFunction &out,
                           std::string &problem) {
  const std::string name = parameter.getNameAsString(), type = typeText(parameter);
  const unsigned number = parameter.getFunctionScopeIndex();
  spoken_.push_back(&parameter);
  bool depends = false;
  std::optional<ThreadValue> kind;
  for (const CallExpr *call : askedIn_.calls) {
    const Expr *value = call->getArg(number);
    depends |= sampler_.dependsOnThread(value);
    const ThreadValue its = sampler_.classify(value);
    kind = kind && *kind != its ? ThreadValue::Other : its;
  }
  if (!depends)
    return;
  const QualType given = parameter.getType();
  if (!given->isScalarType() || given->isPointerType() || !given->isBuiltinType() ||
      sampler_.changes(&parameter)) {
    problem = "'" + name + "' is handed in a way that it cannot be asked for";
    return;
  }
  if (!needed_.insert(&parameter).second)
    return;
  if (kind == ThreadValue::Lane)
    return takeLane(name, type, out);
  if (kind == ThreadValue::Warp)
    return takeWarp(name, type, out);
  if (kind == ThreadValue::Thread) {
    out.usesLane = out.usesWarp = true;
    threads_.push_back({type, name, ""});
    return;
  }
  if (freeName(name + "_") != name + "_")
    problem = "'" + name + "_' is another variable where it is used";
  out.usesWarp = true;
  askedIn_.halves.push_back(&parameter);
  out.variables.push_back({"const auto", name, name + "_(" + out.warpName + ")"});
}

// The type that a parameter is declared with, where it is a name of its own.
std::optional<TextRange> Recovery::typeOfParameter(const ParmVarDecl &parameter) const {
  const FunctionDecl &text = patternOf(*cast<FunctionDecl>(parameter.getDeclContext()));
  const ParmVarDecl &author = *text.getParamDecl(parameter.getFunctionScopeIndex());
  const TypeSourceInfo *info = author.getTypeSourceInfo();
  if (!info || author.getType()->isDependentType() || author.hasDefaultArg())
    return std::nullopt;
  return texts_.range(info->getTypeLoc().getUnqualifiedLoc().getSourceRange());
}

// The parameter becomes halves, and so do its arguments.
std::string Recovery::handHalves(const ParmVarDecl &parameter, const Exchange::Met &met) {
  const std::string name = "'" + parameter.getNameAsString() + "'",
                    type = parameter.getType().getCanonicalType().getUnqualifiedType().getAsString(
                        context_.getPrintingPolicy());
  const auto declared = typeOfParameter(parameter);
  if (matrixWithin(askedIn_.calls.front()->getDirectCallee()->getDefinition()))
    return name +
           " is a value of the thread, handed to a function that multiplies"; // and asks for it
  if (!declared || declared->file != out_.range.file)
    return name + " is declared in a way that cannot be written anew";
  if (!addBetween(out_, {*declared, "lp::halves<" + type + ">"}))
    return name + " is of several types";
  for (const CallExpr *call : askedIn_.calls) {
    const std::string why =
        handHalf(*call->getArg(parameter.getFunctionScopeIndex()), type, met.even);
    if (!why.empty())
      return name + " is '" + texts_.spelled(call->getArg(parameter.getFunctionScopeIndex())) +
             "', and " + why;
  }
  return "";
}

std::string Recovery::handHalf(const Expr &argument, const std::string &type,
                               const std::set<const VarDecl *> &even) {
  const SourceManager &sm = context_.getSourceManager();
  const auto range = texts_.range(argument.getSourceRange());
  if (!range || range->file != out_.range.file || sm.isMacroArgExpansion(argument.getBeginLoc()))
    return "it stands in a macro or another file";
  placeAt(argument, *range);
  keepsSign_ = asks_ = true;
  AskedValue out;
  out.range = *range;
  out.halvesOf = type;
  std::string problem;
  out.names = variablesOf({&argument}, range->file, problem);
  out.values.push_back(textOf(&argument, out.names, range->file, problem));
  keepsSign_ = asks_ = false;
  loops_.clear();
  if (problem.empty())
    problem = whyNotMade(out);
  std::set<std::string> parameters;
  if (out.names.usesLane)
    parameters.insert(out.names.laneName);
  if (out.names.usesWarp)
    parameters.insert(out.names.warpName);
  if (problem.empty())
    problem = judgeAsked({&argument}, {context_,
                                       sampler_,
                                       needed_,
                                       even,
                                       parameters,
                                       nullptr,
                                       {},
                                       [](const VarDecl *) { return true; }})
                  .problem;
  if (!problem.empty())
    return llvm::StringRef(problem).starts_with("it ") ? problem : "it " + problem;
  llvm::append_range(out_.toldBetween, out.names.told);
  llvm::append_range(out_.keptBetween, out.names.kept);
  return addBetween(out_, {*range, native::textOf(out, indentOf(argument.getBeginLoc()))})
             ? ""
             : "it is asked for in several ways";
}

} // namespace layout_port::native
