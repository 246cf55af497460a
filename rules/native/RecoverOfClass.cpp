// A class template's own names in the text of its methods, where that moves to a kernel that is a
// template, too: they are said through what the kernel calls the method for.
//
//   template <int Rows> struct Tile {
//     static constexpr int pitch = Rows + 8;
//     void load(uint32_t (&a)[4], int row) const { ldmatrix(a, cells + row * pitch); } };
//
//   Tile<Rows> tile;
//   tile.load(a, lane % 16);   ->   ... tile.cells + lane % 16 * tile.pitch ...
//
// A number would be that of one instance.
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// Of an object's declared type, the class as it is written there: through arrays, references and
// the names of other types. An alias that is a template has arguments of its own, which are not the
// class's.
static TypeLoc classWritten(TypeLoc type) {
  for (int depth = 0; depth < 16 && type; ++depth) {
    type = type.getUnqualifiedLoc();
    if (const auto array = type.getAs<ArrayTypeLoc>())
      type = array.getElementLoc();
    else if (const auto pointer = type.getAs<PointerTypeLoc>())
      type = pointer.getPointeeLoc();
    else if (const auto reference = type.getAs<ReferenceTypeLoc>())
      type = reference.getPointeeLoc();
    else if (const auto alias = type.getAs<TypedefTypeLoc>())
      type = alias.getDecl()->getTypeSourceInfo()->getTypeLoc();
    else
      break;
  }
  const auto special =
      type ? type.getAs<TemplateSpecializationTypeLoc>() : TemplateSpecializationTypeLoc();
  return special && special.getTypePtr()->isTypeAlias() ? TemplateSpecializationTypeLoc() : special;
}

// Each parameter is one argument, by its number.
static bool isOfPrimary(const ClassTemplateSpecializationDecl &record) {
  return !record.isExplicitSpecialization() &&
         isa_and_nonnull<ClassTemplateDecl *>(record.getSpecializedTemplateOrPartial()) &&
         llvm::none_of(*record.getSpecializedTemplate()->getTemplateParameters(),
                       [](const NamedDecl *parameter) { return parameter->isParameterPack(); });
}

static TextClass whyNotClass(const std::string &why) {
  TextClass text;
  text.whyNot = why;
  return text;
}

// `tile.` of an object that the kernel's text names.
TextClass Recovery::classThrough(const Expr &self, const CXXRecordDecl &record) {
  const Expr *object = stripped(&self);
  for (int depth = 0; depth < 16; ++depth) { // parameters of other wrappers
    const auto *name = dyn_cast<DeclRefExpr>(object);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const Expr *given = variable ? sampler_.aliasOf(variable) : nullptr;
    if (!given)
      break;
    object = stripped(given);
  }
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(object));
  const QualType type = object->getType();
  const QualType its = type->isPointerType() ? type->getPointeeType() : type;
  const auto isSeen = [&](const VarDecl *variable) { return isOfKernel(variable); };
  const CXXRecordDecl *own = its->getAsCXXRecordDecl();
  if (own != &record)
    return whyNotClass("the object is of '" + (own ? own->getNameAsString() : "another class") +
                       "', which has it from '" + record.getNameAsString() + "'");
  if (!isa<DeclRefExpr, MemberExpr, ArraySubscriptExpr>(object) || object->HasSideEffects(context_))
    return whyNotClass("the object is no variable, member or element");
  if (!llvm::all_of(inputs.found, isSeen))
    return whyNotClass("the object is not the kernel's own");
  const auto *name = dyn_cast<DeclRefExpr>(object);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  TextClass text;
  text.record = &record;
  text.values = texts_.spelled(object) + (type->isPointerType() ? "->" : ".");
  if (!variable)
    return text;
  if (variable->getType()->isRecordType())
    text.types = "typename decltype(" + variable->getNameAsString() + ")::";
  if (const TypeSourceInfo *info = variable->getTypeSourceInfo())
    text.written = classWritten(info->getTypeLoc());
  return text;
}

// `Tile<Rows>::` of a call of the class's own function.
TextClass Recovery::classCalled(const CallExpr &call, const CXXRecordDecl &record) {
  const auto *name = dyn_cast<DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  const FunctionDecl *site = function_ ? function_ : &kernel_;
  const TypeLoc type =
      name && name->getQualifierLoc() ? name->getQualifierLoc().getAsTypeLoc() : TypeLoc();
  const auto range = type ? texts_.range(type.getSourceRange()) : std::nullopt;
  if (!range || enclosingFunction(call) != site || type.getType()->getAsCXXRecordDecl() != &record)
    return whyNotClass("the kernel does not call it by the name of '" + record.getNameAsString() +
                       "'");
  const TemplateCalls none;
  OuterNames within(context_, textSite(), none);
  within.TraverseTypeLoc(type, true);
  if (!within.found.empty() || !within.problem.empty())
    return whyNotClass("the name of '" + record.getNameAsString() +
                       "' in the call is made from what has another meaning where it is used");
  const CharSourceRange chars =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(type.getSourceRange()),
                               context_.getSourceManager(), context_.getLangOpts());
  const std::string text =
      Lexer::getSourceText(chars, context_.getSourceManager(), context_.getLangOpts()).str();
  return {&record, text + "::", "typename " + text + "::", classWritten(type), ""};
}

// Of a method's text, by the one object or call that the site has for it.
TextClass Recovery::classOfText(const FunctionDecl *from) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(from);
  const auto *record =
      method ? dyn_cast<ClassTemplateSpecializationDecl>(method->getParent()) : nullptr;
  if (!record)
    return {};
  if (!isOfPrimary(*record))
    return whyNotClass("'" + record->getNameAsString() +
                       "' is a special case of its template, or takes any number of arguments");
  if (method->isInstance())
    return siteSelf() ? classThrough(*siteSelf(), *record)
                      : whyNotClass("it is called through a method of another object");
  const auto known = templateCalls_.find(method->getCanonicalDecl());
  const CallExpr *call = known == templateCalls_.end() ? nullptr : known->second;
  return call ? classCalled(*call, *record)
              : whyNotClass("calls name '" + record->getNameAsString() + "' in different words");
}

} // namespace layout_port::native
