// Kernels in a string, and what the walk says at their probes: a kernel calls
//
//   probe("name", expression);
//
// where it wants to be asked, and the test reads the expression's index by name.
#pragma once

#include "recover/FromAst.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"

#include <gmock/gmock.h>
#include <map>

namespace layout_port::recover {

inline std::unique_ptr<clang::ASTUnit> parseCuda(const std::string &code) {
  const std::string share = LAYOUT_PORT_SOURCE_SHARE_DIR;
  const std::string prelude =
      "#line 1001\n"
      "template <typename T> __device__ void probe(const char *, T);\n"
      "__device__ __forceinline__ unsigned smem(const void *p) {\n"
      "  return (unsigned)__cvta_generic_to_shared(p);\n}\n"
      "__device__ __forceinline__ void ldsm4(unsigned (&r)[4], unsigned a) {\n"
      "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\\n\"\n"
      "    : \"=r\"(r[0]), \"=r\"(r[1]), \"=r\"(r[2]), \"=r\"(r[3]) : \"r\"(a));\n}\n"
      "#line 1\n";
  return clang::tooling::buildASTFromCodeWithArgs(
      prelude + code,
      {"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "--cuda-feature=+ptx80",
       "-nocudalib", "-nocudainc", "-w", "-std=c++17", "-resource-dir", LAYOUT_PORT_RESOURCE_DIR,
       "-isystem", share + "/cuda", "-include", "cuda_runtime.h"},
      "kernel.cu");
}

class Probes : public Observer {
public:
  void onAccess(const AccessSite &site, const Control &) override { accesses.push_back(site); }
  void onAsm(const AsmSite &site, const Control &control) override {
    asms.push_back(site);
    controls.push_back(control);
  }
  void onShuffle(const ShuffleSite &site, const Control &) override { shuffles.push_back(site); }
  void onBranch(const BranchSite &site, const Control &) override { branches.push_back(site); }
  void onAssign(const AssignSite &site, const Control &) override { assigns.push_back(site); }
  void onBarrier(const clang::CallExpr *, const Control &control) override {
    barriers.push_back(control);
  }

  std::vector<AccessSite> accesses;
  std::vector<AsmSite> asms;
  std::vector<ShuffleSite> shuffles;
  std::vector<BranchSite> branches;
  std::vector<AssignSite> assigns;
  std::vector<Control> controls, barriers;
};

// The calls of probe() in a kernel, by their name.
inline void findProbes(const clang::Stmt *s, std::map<std::string, const clang::Expr *> &found) {
  if (!s)
    return;
  if (const auto *call = llvm::dyn_cast<clang::CallExpr>(s))
    if (const clang::FunctionDecl *callee = call->getDirectCallee())
      if (callee->getIdentifier() && callee->getName() == "probe")
        if (const auto *name =
                llvm::dyn_cast<clang::StringLiteral>(call->getArg(0)->IgnoreParenImpCasts()))
          found[name->getString().str()] = call->getArg(1);
  for (const clang::Stmt *child : s->children())
    findProbes(child, found);
}

class Kernel {
public:
  explicit Kernel(const std::string &code, const std::string &name = "") : unit(parseCuda(code)) {
    EXPECT_FALSE(unit->getDiagnostics().hasErrorOccurred());
    for (const clang::FunctionDecl *f : findKernels(unit->getASTContext()))
      if (name.empty() || f->getNameAsString() == name)
        kernels.push_back(f);
    if (kernels.empty()) {
      ADD_FAILURE() << "no kernel " << name;
      return;
    }
    start(kernels.front());
  }

  // Another instantiation.
  void start(const clang::FunctionDecl *kernel) {
    exprs.clear();
    seen = Probes();
    findProbes(kernel->getBody(), exprs);
    walk = std::make_unique<KernelWalk>(unit->getASTContext(), kernel);
    walk->run(seen);
  }

  IndexGraph &graph() { return walk->graph(); }
  const ThreadVariables &threads() { return walk->threads(); }

  Index at(const std::string &name) {
    const Index value = exprs.count(name) ? walk->valueOf(exprs.at(name)) : nullptr;
    EXPECT_TRUE(value) << "no value at probe " << name;
    return value ? value : graph().constant(0xDEAD);
  }
  std::string text(const std::string &name) { return graph().toString(at(name)); }
  // Separated and put together again: loop and thread terms in one order.
  std::string sum(const std::string &name) {
    const Index e = at(name);
    return graph().toString(
        graph().separation().rebuild(graph().separation().of(e).sum, {e->type.bits, true}));
  }
  Form form(const std::string &name) { return classify(graph(), at(name)); }
  std::string reason(const std::string &name) { return form(name).reason; }
  Uniformity uniform(const std::string &name) { return uniformity(graph(), at(name), threads()); }
  // The value in one thread, loop indices by name, symbols by name.
  uint64_t value(const std::string &name, unsigned thread,
                 const std::map<std::string, uint64_t> &rest = {}) {
    const Index e = at(name);
    Bindings at;
    at.variables = {{threads().lane, thread % 32},
                    {threads().pair, thread / 32 % 2},
                    {threads().wave, thread / 64}};
    for (const VariableId v : e->support)
      if (rest.count(graph().variableAt(v).name))
        at.variables[v] = rest.at(graph().variableAt(v).name);
    std::vector<Index> stack = {e};
    while (!stack.empty()) {
      const Index n = stack.back();
      stack.pop_back();
      if (n->op == Op::Symbol && rest.count(graph().toString(n)))
        at.symbols[SymbolId(n->value)] = rest.at(graph().toString(n));
      for (const Index arg : n->args)
        if (arg)
          stack.push_back(arg);
    }
    return graph().evaluate(e, at);
  }

  std::unique_ptr<clang::ASTUnit> unit;
  std::vector<const clang::FunctionDecl *> kernels;
  std::unique_ptr<KernelWalk> walk;
  Probes seen;
  std::map<std::string, const clang::Expr *> exprs;
};

} // namespace layout_port::recover
