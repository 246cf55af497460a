// Structs that all threads of a wave have alike while they change: the place in a persistent
// kernel's list of tiles, and the tile that it says.
//
//   for (Tiles tiles(M / 64, N / 64); tiles.areLeft(); tiles.next()) {
//     const Tile tile = tiles.now();
//     ...
//     C[(tile.row * 64 + lane / 4) * N + ...] = acc[j][0];
//
// Whichever lane runs the body has the same numbers: nothing that they are made from is the
// thread's, nothing else leads to them, and no asm, which may hand out registers by lane, has a
// part in them.
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// In the statement, or in functions that it calls; or a function that is not in view is called.
bool mayRunAsm(const Stmt *stmt, std::set<const FunctionDecl *> &seen) {
  AsmFinder inside;
  inside.TraverseStmt(const_cast<Stmt *>(stmt));
  return !inside.found.empty() || llvm::any_of(inside.calls, [&](const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (callee && isOfCuda(*callee))
      return false;
    return !definition || !definition->hasBody() ||
           (seen.insert(definition).second && mayRunAsm(definition->getBody(), seen));
  });
}

bool mayRunAsm(const Stmt *stmt) {
  std::set<const FunctionDecl *> seen;
  return stmt && mayRunAsm(stmt, seen);
}

// Numbers, and pointers to what does not change by them: nothing that leads back to the object.
bool isValue(QualType type) {
  return (!type->isReferenceType() && !type->isPointerType()) ||
         type->getPointeeType().isConstQualified();
}

// A method that is const changes nothing of it.
bool hasMutable(const CXXRecordDecl &record) {
  return record.hasMutableFields() || record.getNumBases() != 0;
}

} // namespace

bool EpilogueFinder::givesValue(const CXXMethodDecl &method) {
  return !method.getReturnType()->isReferenceType() && isValue(method.getReturnType()) &&
         llvm::all_of(method.parameters(),
                      [](const ParmVarDecl *parameter) { return isValue(parameter->getType()); });
}

bool EpilogueFinder::isAlikeRecord(const VarDecl &variable) {
  if (!variable.getType()->isRecordType() || !variable.isLocalVarDecl() ||
      !variable.hasLocalStorage() || heldBy(variable) || in_.sampler.changesUnseen(&variable) ||
      in_.sampler.dependsOnThread(&variable) || mayRunAsm(variable.getInit()) ||
      hasMutable(*variable.getType()->getAsCXXRecordDecl()))
    return false;
  const auto *made = variable.getInit()
                         ? dyn_cast<CXXConstructExpr>(variable.getInit()->IgnoreImplicit())
                         : nullptr;
  if (made && !isPlainlyMade(*made))
    return false;
  return llvm::all_of(bodies(), [&](const Stmt *body) {
    return llvm::all_of(mentionsIn(body), [&](const DeclRefExpr *name) {
      return name->getDecl() != &variable || isMemberRead(*name) || callsPlainMethod(*name);
    });
  });
}

// The kernel's own parameter, which a reference member of the object is bound to by the
// constructor, and which stays what it is: args of Tiles tiles(args).
static bool isBoundToLaunch(const CXXCtorInitializer &init, const CXXConstructExpr &made,
                            const FunctionDecl &kernel, Sampler &sampler) {
  const QualType type = init.getMember()->getType();
  const auto *name = dyn_cast<DeclRefExpr>(stripped(init.getInit()));
  const auto *given = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
  const unsigned number = given ? given->getFunctionScopeIndex() : made.getNumArgs();
  if (!type->isReferenceType() || !type->getPointeeType().isConstQualified() ||
      number >= made.getNumArgs() || !given->getType()->isReferenceType())
    return false;
  const auto *argument = dyn_cast<DeclRefExpr>(stripped(made.getArg(number)));
  const auto *parameter = argument ? dyn_cast<ParmVarDecl>(argument->getDecl()) : nullptr;
  return parameter && parameter->getDeclContext() == &kernel &&
         sampler.changesOf(parameter).empty() && !sampler.changesUnseen(parameter);
}

// Its constructor does no more than to say what it begins with.
bool EpilogueFinder::isPlainlyMade(const CXXConstructExpr &made) const {
  const auto *definition =
      dyn_cast_or_null<CXXConstructorDecl>(made.getConstructor()->getDefinition());
  const auto *body = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
  if (made.getConstructor()->isTrivial() || made.getConstructor()->isCopyOrMoveConstructor())
    return true;
  return body && body->body_empty() &&
         llvm::all_of(definition->inits(), [&](const CXXCtorInitializer *init) {
           if (!init->isMemberInitializer() || mayRunAsm(init->getInit()))
             return false;
           return !init->getInit()->isGLValue() ||
                  isBoundToLaunch(*init, made, in_.kernel, in_.sampler);
         });
}

// tiles.next(), which gives nothing out that leads back to it.
bool EpilogueFinder::callsPlainMethod(const DeclRefExpr &name) const {
  const auto *member = dyn_cast_or_null<MemberExpr>(userOf(&name));
  if (!member) // tiles.now() const
    if (const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(userOf(&name)))
      member = dyn_cast_or_null<MemberExpr>(userOf(cast));
  const auto *method = member ? dyn_cast<CXXMethodDecl>(member->getMemberDecl()) : nullptr;
  const auto *call = method ? dyn_cast_or_null<CXXMemberCallExpr>(userOf(member)) : nullptr;
  return call && !method->isVirtual() && givesValue(*method) && !mayRunAsm(call);
}

} // namespace layout_port::native
