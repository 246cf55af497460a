#include "native/Asked.h"

#include "native/Gather.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace layout_port::native {

namespace {

// Everything that the values are made from, down to what is not recomputed.
class Closure : public DynamicRecursiveASTVisitor {
public:
  explicit Closure(const AskedInput &input) : in_(input) {}

  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable)
      return add(*variable);
    return isa<FunctionDecl, EnumConstantDecl>(name->getDecl()) ||
           stop("uses '" + name->getDecl()->getNameAsString() + "', a part of another value");
  }

  void addValue(const Expr &value) {
    if (const std::string why = obstacleTo(&value, in_.context, &in_.recomputed); !why.empty())
      stop(why);
    else
      TraverseStmt(const_cast<Expr *>(&value));
  }

  AskedVerdict out;

private:
  bool stop(const std::string &why) {
    if (out.problem.empty())
      out.problem = why;
    return false;
  }

  bool add(const VarDecl &variable) {
    const std::string name = variable.getNameAsString();
    const auto [known, isNew] = names_.try_emplace(name, &variable);
    if (!isNew)
      return known->second == &variable || stop("uses two variables of the name '" + name + "'");
    out.variables.push_back(&variable);
    if (!variable.hasLocalStorage() || &variable == in_.counter)
      return true;
    return in_.recomputed.count(&variable) ? addRecomputed(variable) : addLeaf(variable);
  }

  bool addRecomputed(const VarDecl &variable) {
    if (in_.sampler.isReadLane(&variable))
      return true;
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

  bool addLeaf(const VarDecl &variable) {
    const std::string name = variable.getNameAsString();
    if (in_.parameters.count(name))
      return stop("uses '" + name + "', which is not the lane or warp itself");
    if (variable.getType()->isReferenceType() || !in_.even.count(&variable))
      return stop("uses '" + name + "', which may differ between the threads of a wave");
    return in_.isVisible(&variable) ||
           stop("uses '" + name + "', which is not there for both halves of the rows");
  }

  const AskedInput &in_;
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
  std::string text = "lp::of_element" + bit + "(" + value.element + ", [&](" +
                     parameter(names.usesLane, names.laneType, names.laneName) + ", " +
                     parameter(names.usesWarp, names.warpType, names.warpName) + ", " +
                     parameter(!r.empty(), value.parameterType, r) + ") {";
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

void addBetween(Kernel &kernel, SourceEdit edit) {
  auto known = llvm::find_if(kernel.epilogues,
                             [](const Epilogue &e) { return e.accumulator == kNoAccumulator; });
  if (known == kernel.epilogues.end()) {
    Epilogue between;
    between.bodies.emplace_back();
    known = kernel.epilogues.insert(kernel.epilogues.end(), std::move(between));
  }
  known->bodies[0].edits.push_back(std::move(edit));
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
