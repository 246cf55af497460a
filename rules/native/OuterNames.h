// Names in text that is moved from one function to another.
//
//   namespace mm { constexpr int pitch = 24;
//   template <int Step> __device__ void load(uint32_t (&r)[4], const half *p, int row) {
//     asm("ldmatrix ..." : ... : "r"(smem(p + row * pitch + Step))); } }
//
//   mm::load<N * 8>(a, tile, lane % 16);
//     ->  lp::load_a(a, [&](...) { return mm::smem(tile + lane % 16 * mm::pitch + (N * 8)); });
//
// What a wrapper's address mentions need not be seen where the wrapper is called, and what is seen
// there by the name may be something else: such names are written in full, and a template's
// parameters as the arguments of the call. Names of variables of functions are not looked at.
#pragma once

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <string>
#include <vector>

namespace layout_port::native {

// Template functions whose text is moved, and the calls that say their arguments; null where
// calls say them in different words.
using TemplateCalls = std::map<const clang::Decl *, const clang::CallExpr *>;

// The function that text is moved to, and all names that are declared in it, with how often.
struct TextSite {
  explicit TextSite(const clang::FunctionDecl &function);
  const clang::FunctionDecl &function;
  llvm::DenseMap<clang::DeclarationName, unsigned> declared;
};

class OuterNames : public clang::DynamicRecursiveASTVisitor {
public:
  OuterNames(const clang::ASTContext &context, const TextSite &site, const TemplateCalls &calls)
      : context_(context), site_(site), calls_(calls) {}

  bool TraverseStmt(clang::Stmt *stmt) override;
  bool TraverseDeclRefExpr(clang::DeclRefExpr *name) override;
  bool TraverseTypeLoc(clang::TypeLoc type, bool traverseQualifier) override;
  bool TraverseSubstNonTypeTemplateParmExpr(clang::SubstNonTypeTemplateParmExpr *value) override;

  struct Found {
    clang::SourceRange range;
    std::string text;
    const clang::Expr *expr = nullptr; // that is the name, if one is
  };
  std::vector<Found> found; // which are to be written so
  std::string problem;      // why one cannot be

private:
  bool hidesNone(const clang::NamedDecl &decl) const;
  bool isSeen(const clang::NamedDecl &decl) const;
  bool isSeen(clang::NestedNameSpecifier qualifier, const clang::NamedDecl &decl);
  bool hasLaterOverload(const clang::DeclRefExpr &mention) const;
  void checkMacro(clang::SourceLocation at);
  bool isOfSite(const clang::Decl *owner) const;
  std::string fullName(const clang::NamedDecl &decl) const;
  std::string argumentOf(const clang::Decl *owner, unsigned index) const;
  void add(const clang::NamedDecl &decl, clang::NestedNameSpecifierLoc qualifier,
           clang::SourceLocation name, const clang::Expr *expr);
  void nameType(const clang::NamedDecl &decl, clang::NestedNameSpecifierLoc qualifier,
                clang::SourceLocation name);

  const clang::ASTContext &context_;
  const TextSite &site_;
  const TemplateCalls &calls_;
  bool ofSiteOnly_ = false; // variables of other functions are not known
};

} // namespace layout_port::native
