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
    if (const std::string why = obstacleTo(&value, in_.context); !why.empty())
      stop(why);
    else
      TraverseStmt(const_cast<Expr *>(&value));
  }

  Asked out;

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

Asked judgeAsked(const std::vector<const Expr *> &values, const AskedInput &input) {
  Closure closure(input);
  for (const Expr *value : values)
    closure.addValue(*value);
  return std::move(closure.out);
}

} // namespace layout_port::native
