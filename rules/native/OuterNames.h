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
//
// What a class template's method calls `pitch` is of another class in each instance of a kernel
// that is a template itself: there it is said through the object or class that the method is called
// for.
//
//   Tile<Rows> tile; tile.load(a, lane % 16);   ->   ... tile.rows + lane % 16 * tile.pitch ...
//   Tile<Rows>::load(a, p, lane % 16);          ->   ... p + lane % 16 * Tile<Rows>::pitch ...
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

// The function that text is moved to, and all names that are declared in it or are parameters of
// templates that it is of, with how often.
struct TextSite {
  explicit TextSite(const clang::FunctionDecl &function);
  const clang::FunctionDecl &function;
  llvm::DenseMap<clang::DeclarationName, unsigned> declared;
  std::vector<const clang::DeclContext *> spaces; // whose names directives in it bring in
};

// `using namespace x;`, of these spaces too, may bring something else of the function's name to
// where text in `site` calls it.
bool isBroughtIn(const clang::FunctionDecl &function, const clang::DeclContext &site,
                 std::vector<const clang::DeclContext *> spaces);

// How the site says the names of the class whose method the text is from. Empty texts: not at all.
struct TextClass {
  const clang::CXXRecordDecl *record = nullptr;
  std::string values;     // `tile.`, `Tile<Rows>::`: in front of constants and functions
  std::string types;      // `typename decltype(tile)::`
  clang::TypeLoc written; // the class with its arguments, as the site writes it; may be null
  std::string whyNot;     // of empty texts
};

class OuterNames : public clang::DynamicRecursiveASTVisitor {
public:
  // The site and the calls must outlive it.
  OuterNames(const clang::ASTContext &context, const TextSite &site, const TemplateCalls &calls,
             TextClass own = {})
      : context_(context), site_(site), calls_(calls), own_(std::move(own)) {}

  bool TraverseStmt(clang::Stmt *stmt) override;
  bool TraverseDeclRefExpr(clang::DeclRefExpr *name) override;
  bool TraverseTypeLoc(clang::TypeLoc type, bool traverseQualifier) override;
  bool TraverseSubstNonTypeTemplateParmExpr(clang::SubstNonTypeTemplateParmExpr *value) override;
  bool VisitCallExpr(clang::CallExpr *call) override;

  struct Found {
    clang::SourceRange range;
    std::string text;
    const clang::Expr *expr = nullptr; // that is the name, if one is
  };
  std::vector<Found> found; // which are to be written so
  std::string problem;      // why one cannot be

private:
  bool isOfSiteItself(const clang::DeclContext &context) const;
  bool hidesNone(const clang::NamedDecl &decl) const;
  bool isSeen(const clang::NamedDecl &decl) const;
  bool isSeen(clang::NestedNameSpecifier qualifier, const clang::NamedDecl &decl);
  bool isSaidThere(const clang::DeclRefExpr &mention) const;
  bool isWithinSite(clang::SourceLocation at) const;
  bool isLater(const clang::NamedDecl &other, clang::SourceLocation mention) const;
  bool hasLaterOverload(const clang::DeclRefExpr &mention) const;
  bool hasOtherOverload(const clang::DeclRefExpr &mention) const;
  void checkMacro(clang::SourceLocation at);
  bool isOfSite(const clang::Decl *owner) const;
  std::string fullName(const clang::NamedDecl &decl) const;
  std::string ownName(const clang::NamedDecl &decl, const clang::Expr *expr) const;
  std::string whyNotOwn(const clang::NamedDecl &decl, const clang::Expr *expr) const;
  // `parameter`: its type, where it is a value.
  std::string argumentOf(const clang::Decl *owner, unsigned index,
                         clang::QualType parameter = {}) const;
  std::string textOf(const clang::TemplateArgumentLoc &argument, bool isOfDeclaration,
                     clang::QualType parameter) const;
  void add(const clang::NamedDecl &decl, clang::NestedNameSpecifierLoc qualifier,
           clang::SourceLocation name, const clang::Expr *expr);
  void nameType(const clang::NamedDecl &decl, clang::NestedNameSpecifierLoc qualifier,
                clang::SourceLocation name);

  const clang::ASTContext &context_;
  const TextSite &site_;
  const TemplateCalls &calls_;
  const TextClass own_;
  bool ofSiteOnly_ = false;      // variables of other functions are not known
  bool isOfDeclaration_ = false; // the text stands elsewhere in the site's function
};

} // namespace layout_port::native
