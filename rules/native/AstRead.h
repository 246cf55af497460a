// Small questions to the AST that every part of the recovery asks: what an asm statement
// is, what an expression is made from, where the thread's index is mentioned.
#pragma once

#include "ptx/Parser.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace layout_port::native {

struct AsmText {
  ptx::Block block;
  const ptx::Instruction *matrix = nullptr; // its mma or ldmatrix; within `block`
  bool isCvta = false;
};

// Nothing where the PTX is not understood.
std::optional<AsmText> readAsm(const clang::GCCAsmStmt &stmt);
// Its mma and ldmatrix, in order; and whether all else in it is arithmetic of addresses.
std::vector<const ptx::Instruction *> matricesOf(const ptx::Block &block);
bool onlyMakesAddresses(const ptx::Block &block);
bool isProduct(const clang::GCCAsmStmt &stmt);
bool isMatrix(const clang::GCCAsmStmt &stmt); // an mma or ldmatrix; others move what they are given
// An address becomes one of another space, and nothing else.
bool onlyCasts(const clang::GCCAsmStmt &stmt);
// What an operand of its text stands for; null: it is no %n. Of an output's number it is read what
// the asm was given there, "+f"(c.x) or "0"(c.x); null: nothing.
const clang::Expr *operandOf(const clang::GCCAsmStmt &stmt, const ptx::Operand &operand);
const clang::Expr *operandReadBy(const clang::GCCAsmStmt &stmt, const ptx::Operand &operand);

// Walks what is executed: default arguments and members' default values too, where they are used.
class ExecutedVisitor : public clang::DynamicRecursiveASTVisitor {
public:
  bool TraverseCXXDefaultArgExpr(clang::CXXDefaultArgExpr *given) override;
  bool TraverseCXXDefaultInitExpr(clang::CXXDefaultInitExpr *given) override;
  bool TraverseInitListExpr(clang::InitListExpr *list) override;
  // A function's body, and what stands in front of a constructor's.
  bool traverseDefinition(const clang::FunctionDecl &definition);
};

// The asm statements and calls below a statement or declaration, instantiations of
// templates too.
class AsmFinder : public ExecutedVisitor {
public:
  AsmFinder() { ShouldVisitTemplateInstantiations = true; }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *stmt) override;
  bool VisitCallExpr(clang::CallExpr *call) override;
  std::vector<clang::GCCAsmStmt *> found;
  std::vector<clang::CallExpr *> calls;
  bool matrix = false;
};

// Without parentheses, implicit casts, temporaries and names of template parameters.
const clang::Expr *stripped(const clang::Expr *expr);
// #pragma unroll for (...)  is the loop.
const clang::Stmt *withoutAttributes(const clang::Stmt *stmt);
// `x` of x; null: it is more than a name.
const clang::VarDecl *variableNamed(const clang::Expr *expr);
// A value that is copied or moved where it stands.
const clang::Expr *throughCopies(const clang::Expr *value);
// if (Trans) of a template: one of its branches is all there is.
std::optional<bool> constantCondition(const clang::IfStmt &branch,
                                      const clang::ASTContext &context);
// `c` of  kAdds ? c : 0.f,  where what decides is a constant.
const clang::Expr *throughConstantChoice(const clang::Expr *expr,
                                         const clang::ASTContext &context);
// auto f = [&](..) {..}; of a plain parameter list. Null: it is no such lambda, or keeps something
// of its own.
const clang::LambdaExpr *lambdaByReference(const clang::VarDecl &variable);

// The variables an expression is made from, and whether it reads memory that may change, itself or
// in a function that it calls: a[i], p->x, s[i].x, what a reference is bound to, shared variables.
class Inputs : public ExecutedVisitor {
public:
  Inputs() = default;
  // And whether it reads any place in memory but those.
  using PlaceTest = std::function<bool(const clang::Expr &place)>;
  explicit Inputs(PlaceTest isNoMatter) : isNoMatter_(std::move(isNoMatter)) {}
  bool TraverseMemberExpr(clang::MemberExpr *member) override;
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override;
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast) override;
  bool VisitCallExpr(clang::CallExpr *call) override;
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *made) override;
  bool VisitGCCAsmStmt(clang::GCCAsmStmt *stmt) override;
  bool readsIn(const clang::FunctionDecl &callee);
  std::vector<const clang::VarDecl *> found;
  bool readsMemory = false;

private:
  bool matters(const clang::Expr *place) const;

  PlaceTest isNoMatter_;
  std::set<const clang::FunctionDecl *> seen_;
};

// A call of it reads memory that may change.
bool readsMemory(const clang::FunctionDecl &callee);

// threadIdx.x, .y and .z below a statement, in the order of the text; and whether there is more of
// it: all of it as one value.
class ThreadMentions : public clang::DynamicRecursiveASTVisitor {
public:
  bool TraverseStmt(clang::Stmt *stmt) override;
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override;
  std::vector<std::pair<const clang::Expr *, int>> found;
  bool hasOther = false;
};

// Calls `found` with every name below a statement.
class Mentions : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Mentions(std::function<void(const clang::DeclRefExpr &)> found)
      : found_(std::move(found)) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr *name) override;

private:
  std::function<void(const clang::DeclRefExpr &)> found_;
};

// constexpr int rows[4] = {..}: of numbers that the compiler knows.
bool isOfConstants(const clang::VarDecl &variable);

// x.I and x.f(), whichever x is meant: the class's own.
bool isOfClass(const clang::MemberExpr &member);
// `x` of x.I, where I is the class's own and not the object's; null: it is none such.
const clang::VarDecl *objectOfStatic(const clang::MemberExpr &member);

// How many bytes a cast moves an object's address by, to a base or back. None: a base is virtual.
std::optional<int64_t> baseOffset(const clang::CastExpr &cast, const clang::ASTContext &context);

// Declared by a header that is no part of the program: its text stays as it is.
bool isOfHeaders(const clang::FunctionDecl &function);
// Declared by CUDA's own headers, or clang's for CUDA; a library beside them is read like the
// author's text.
bool isOfCudaHeaders(const clang::FunctionDecl &function);
// ... or by the compiler: its name says what it does.
bool isOfCuda(const clang::FunctionDecl &function);
// The name of such a function, or nothing: an author may call a function of his own anything.
llvm::StringRef cudaName(const clang::FunctionDecl *function);
// Of a name of CUDA's: __shfl_xor_sync and its kin.
bool isShuffle(llvm::StringRef cudaName);
// ... and those that all threads of the block or the warp meet at.
bool isBarrier(llvm::StringRef cudaName);

} // namespace layout_port::native
