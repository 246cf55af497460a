#include "native/Asked.h"

#include "native/EpilogueMemory.h"
#include "native/Gather.h"
#include "native/WholeText.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace layout_port::native {

namespace {

const LambdaExpr *lambdaOf(const VarDecl &variable) {
  const CXXRecordDecl *record = variable.getType()->getAsCXXRecordDecl();
  const bool isLambda = record && record->isLambda() && variable.getInit();
  return isLambda ? dyn_cast<LambdaExpr>(variable.getInit()->IgnoreUnlessSpelledInSource())
                  : nullptr;
}

// Variables that are named below a statement, in order.
class Names : public DynamicRecursiveASTVisitor {
public:
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      found.push_back(variable);
    return true;
  }
  std::vector<const VarDecl *> found;
};

std::vector<const VarDecl *> lambdasNamed(const Expr &value) {
  Names names;
  names.TraverseStmt(const_cast<Expr *>(&value));
  llvm::erase_if(names.found, [](const VarDecl *variable) { return !lambdaOf(*variable); });
  return names.found;
}

// What a lambda's body names of the thread's variables around it.
std::vector<const VarDecl *> namesWithin(const LambdaExpr &lambda) {
  Names names;
  names.TraverseStmt(const_cast<CompoundStmt *>(lambda.getCompoundStmtBody()));
  llvm::erase_if(names.found, [&](const VarDecl *variable) {
    return !variable->hasLocalStorage() ||
           (!variable->isInitCapture() && variable->getDeclContext() == lambda.getCallOperator());
  });
  return names.found;
}

// Everything that the values are made from, down to what is not recomputed.
class Closure : public DynamicRecursiveASTVisitor {
public:
  explicit Closure(const AskedInput &input) : in_(input), readable_(input.recomputed) {
    readable_.insert(input.even.begin(), input.even.end());
  }

  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable)
      return add(*variable);
    return isa<FunctionDecl, EnumConstantDecl>(name->getDecl()) ||
           stop("uses '" + name->getDecl()->getNameAsString() + "', a part of another value");
  }

  void addValue(const Expr &value) {
    for (const VarDecl *lambda : lambdasNamed(value))
      readable_.insert(lambda);
    if (const std::string why = obstacleTo(&value, in_.context, &readable_); !why.empty())
      stop(why);
    else
      TraverseStmt(const_cast<Expr *>(&value));
  }

  // What it names is its own: one that sees nothing around it.
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    return lambda->capture_size() == 0 || DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
  }

  AskedVerdict out;

private:
  bool stop(const std::string &why) {
    if (out.problem.empty())
      out.problem = why;
    return false;
  }

  bool add(const VarDecl &variable) {
    if (own_.count(&variable)) // within a function of its own
      return true;
    const std::string name = variable.getNameAsString();
    const auto [known, isNew] = names_.try_emplace(name, &variable);
    if (!isNew)
      return known->second == &variable || stop("uses two variables of the name '" + name + "'");
    out.variables.push_back(&variable);
    if (!variable.hasLocalStorage() || &variable == in_.counter)
      return true;
    if (const LambdaExpr *lambda = lambdaOf(variable))
      return addLambda(variable, *lambda);
    return in_.recomputed.count(&variable) ? addRecomputed(variable) : addLeaf(variable);
  }

  bool addRecomputed(const VarDecl &variable) {
    if (in_.sampler.isReadLane(&variable) || in_.halves.count(&variable))
      return true;
    if (const Sampler::Elements *elements = in_.sampler.elementsOf(&variable))
      return addElements(*elements);
    if (const auto values = in_.sampler.listOf(&variable); !values.empty()) {
      for (const Expr *value : values)
        addValue(*value);
      return out.problem.empty();
    }
    const Expr *alias = in_.sampler.aliasOf(&variable);
    const Expr *value = alias ? alias : variable.getInit();
    if (!value)
      return stop("uses '" + variable.getNameAsString() + "', which has no value of its own");
    const ThreadValue kind = in_.sampler.classify(value);
    if (kind == ThreadValue::Lane || kind == ThreadValue::Warp || kind == ThreadValue::Thread)
      return true;
    if (in_.parameters.count(variable.getNameAsString()))
      return stop("uses '" + variable.getNameAsString() +
                  "', which is not the lane or warp itself");
    addValue(*value);
    return out.problem.empty();
  }

  // An array that is filled again has counters and locals of its own.
  bool addElements(const Sampler::Elements &elements) {
    own_.insert(elements.counters.begin(), elements.counters.end());
    own_.insert(elements.locals.begin(), elements.locals.end());
    for (const VarDecl *local : elements.locals)
      addValue(*local->getInit());
    addValue(*elements.value);
    return out.problem.empty();
  }

  // A lambda of the kernel stays as it is: what it sees of the kernel must be the same for all
  // threads, and what it has copied still be so.
  bool addLambda(const VarDecl &variable, const LambdaExpr &lambda) {
    const std::string who = "calls '" + variable.getNameAsString() + "', which ";
    if (in_.sampler.changes(&variable) || !lambda.getCallOperator()->isConst())
      return stop(who + "changes");
    for (const VarDecl *seen : namesWithin(lambda)) {
      const bool isCopied = llvm::any_of(lambda.captures(), [&](const LambdaCapture &capture) {
        return capture.capturesVariable() && capture.getCapturedVar() == seen &&
               capture.getCaptureKind() == LCK_ByCopy;
      });
      const bool isFixed = !isCopied || (!seen->isInitCapture() && !in_.sampler.changes(seen));
      if (seen->getType()->isReferenceType() || !in_.even.count(seen) || !isFixed)
        return stop(who + "reads '" + seen->getNameAsString() + "'");
      out.variables.push_back(seen);
    }
    const Stmt *body = lambda.getCompoundStmtBody();
    if (in_.recomputed.count(&variable) || in_.sampler.dependsOnThread(body) ||
        in_.sampler.asksOthers(body))
      return stop(who + "asks its thread");
    return in_.isVisible(&variable) || stop("uses '" + variable.getNameAsString() +
                                            "', which is not there for both halves of the rows");
  }

  bool addLeaf(const VarDecl &variable) {
    const std::string name = variable.getNameAsString();
    if (in_.parameters.count(name))
      return stop("uses '" + name + "', which is not the lane or warp itself");
    const bool isOneForAll = variable.getType()->isReferenceType()
                                 ? (isConstantOfKernel(variable) || sharedNamedBy(variable)) &&
                                       !in_.sampler.dependsOnThread(&variable)
                                 : in_.even.count(&variable) != 0;
    if (!isOneForAll)
      return stop("uses '" + name + "', which may differ between the threads of a wave");
    return in_.isVisible(&variable) ||
           stop("uses '" + name + "', which is not there for both halves of the rows");
  }

  const AskedInput &in_;
  std::set<const VarDecl *> readable_; // structs and arrays that may be read
  std::set<const VarDecl *> own_;      // of what is made anew
  std::map<std::string, const VarDecl *> names_;
};

} // namespace

std::string declared(const AddressFunction::Variable &variable) {
  return variable.type.empty()
             ? variable.value
             : variable.type + (llvm::StringRef(variable.type).ends_with("&") ? "" : " ") +
                   variable.name + " = " + variable.value + ";";
}

std::string textOf(const AskedValue &value, const std::string &indent) {
  const AddressFunction &names = value.names;
  const std::string &r = value.parameter;
  const std::string bit = value.bit ? "<" + std::to_string(value.bit) + ">" : "";
  const auto parameter = [](bool isUsed, const std::string &type, const std::string &name) {
    return isUsed ? type + " " + name : std::string("int");
  };
  const bool isHanded = !value.halvesOf.empty();
  std::string text = isHanded ? "lp::halves<" + value.halvesOf + ">([&"
                              : (value.isPlace ? "*lp::of_element" : "lp::of_element") + bit + "(" +
                                    value.element + ", [&";
  for (const std::string &name : value.halves)
    text += ", " + name + "_ = " + name;
  text += "](" + parameter(names.usesLane, names.laneType, names.laneName) + ", " +
          parameter(names.usesWarp, names.warpType, names.warpName) +
          (isHanded ? "" : ", " + parameter(!r.empty(), value.parameterType, r)) + ") {";
  const bool isLong = !names.variables.empty();
  const std::string line = isLong ? "\n" + indent + "  " : " ";
  for (const AddressFunction::Variable &variable : names.variables)
    text += line + declared(variable);
  text += line + "return ";
  if (value.values.size() == 2)
    text += r + " ? " + value.values[1] + " : ";
  return text + value.values[0] + ";" + (isLong ? "\n" + indent + "})" : " })");
}

constexpr uint64_t kNoAccumulator = 0;

bool addBetween(Kernel &kernel, SourceEdit edit) {
  auto known = llvm::find_if(kernel.epilogues,
                             [](const Epilogue &e) { return e.accumulator == kNoAccumulator; });
  if (known == kernel.epilogues.end()) {
    Epilogue between;
    between.bodies.emplace_back();
    known = kernel.epilogues.insert(kernel.epilogues.end(), std::move(between));
  }
  std::vector<SourceEdit> &edits = known->bodies[0].edits;
  const auto before = llvm::find_if(edits, [&](const SourceEdit &e) {
    return e.range.contains(edit.range) && edit.range.contains(e.range);
  });
  if (before != edits.end())
    return before->text == edit.text;
  edits.push_back(std::move(edit));
  return true;
}

std::vector<SourceEdit> editsBetween(const Kernel &kernel) {
  for (const Epilogue &epilogue : kernel.epilogues)
    if (epilogue.accumulator == kNoAccumulator)
      return epilogue.bodies[0].edits;
  return {};
}

AskedVerdict judgeAsked(const std::vector<const Expr *> &values, const AskedInput &input) {
  Closure closure(input);
  for (const Expr *value : values)
    closure.addValue(*value);
  return std::move(closure.out);
}

} // namespace layout_port::native
