#include "native/OuterNames.h"

#include "native/AstRead.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Regex.h"

namespace layout_port::native {

using namespace clang;

namespace {

// The template that a function or class was made from, or the declaration itself.
const Decl *templateOf(const Decl *decl) {
  if (const auto *function = dyn_cast<FunctionDecl>(decl)) {
    if (const FunctionTemplateDecl *primary = function->getPrimaryTemplate())
      return primary->getCanonicalDecl();
    if (const FunctionTemplateDecl *described = function->getDescribedFunctionTemplate())
      return described->getCanonicalDecl();
  }
  if (const auto *record = dyn_cast<ClassTemplateSpecializationDecl>(decl))
    return record->getSpecializedTemplate()->getCanonicalDecl();
  return decl->getCanonicalDecl();
}

// Scopes whose names are those of the scope around them.
const DeclContext *seenFrom(const DeclContext *context) {
  context = context->getRedeclContext();
  const auto *space = dyn_cast<NamespaceDecl>(context);
  while (space && (space->isAnonymousNamespace() || space->isInline())) {
    context = context->getParent()->getRedeclContext();
    space = dyn_cast<NamespaceDecl>(context);
  }
  return context;
}

bool isInTemplate(const FunctionDecl &function) {
  if (function.isTemplateInstantiation() || function.getTemplateSpecializationArgs())
    return true;
  for (const DeclContext *c = function.getParent(); c; c = c->getParent())
    if (isa<ClassTemplateSpecializationDecl>(c))
      return true;
  return false;
}

// The leftmost name of a::b::, null when there is none to be looked up.
const NamedDecl *leftmost(NestedNameSpecifier qualifier) {
  while (qualifier) {
    if (qualifier.getKind() == NestedNameSpecifier::Kind::Namespace) {
      const auto [space, prefix] = qualifier.getAsNamespaceAndPrefix();
      if (!prefix)
        return space;
      qualifier = prefix;
      continue;
    }
    if (qualifier.getKind() != NestedNameSpecifier::Kind::Type)
      return nullptr;
    const Type *type = qualifier.getAsType();
    if (const NestedNameSpecifier prefix = type->getPrefix()) {
      qualifier = prefix;
      continue;
    }
    if (const auto *alias = dyn_cast<TypedefType>(type))
      return alias->getDecl();
    if (const auto *special = dyn_cast<TemplateSpecializationType>(type))
      return special->getTemplateName().getAsTemplateDecl();
    return type->getAsTagDecl();
  }
  return nullptr;
}

// The template parameter that the leftmost name is, as which type it was put in.
const SubstTemplateTypeParmType *leftmostParameter(NestedNameSpecifier qualifier) {
  while (qualifier && qualifier.getKind() == NestedNameSpecifier::Kind::Type) {
    const Type *type = qualifier.getAsType();
    if (const auto *parameter = dyn_cast<SubstTemplateTypeParmType>(type))
      return parameter;
    qualifier = type->getPrefix();
  }
  return nullptr;
}

// #undef NAME stands in the file.
bool isUndefined(const SourceManager &sm, FileID file, StringRef name) {
  const llvm::Regex directive(("#[ \t]*undef[ \t]+" + name + "([^A-Za-z0-9_]|$)").str(),
                              llvm::Regex::Newline);
  return directive.match(sm.getBufferData(file));
}

// Those of the template that it is an instance of; null: of none.
const TemplateParameterList *parametersOf(const Decl *decl) {
  if (const auto *function = dyn_cast<FunctionDecl>(decl)) {
    const FunctionTemplateDecl *primary = function->getPrimaryTemplate();
    return primary ? primary->getTemplateParameters() : nullptr;
  }
  const auto *record = dyn_cast<ClassTemplateSpecializationDecl>(decl);
  if (!record)
    return nullptr;
  const auto from = record->getSpecializedTemplateOrPartial();
  const auto *part = from.dyn_cast<ClassTemplatePartialSpecializationDecl *>();
  return part ? part->getTemplateParameters()
              : record->getSpecializedTemplate()->getTemplateParameters();
}

// The class has it, or has it from another.
bool hasName(const CXXRecordDecl &record, DeclarationName name) {
  if (!record.lookup(name).empty())
    return true;
  const CXXRecordDecl *definition = record.getDefinition();
  return definition && llvm::any_of(definition->bases(), [&](const CXXBaseSpecifier &base) {
           const CXXRecordDecl *its = base.getType()->getAsCXXRecordDecl();
           return its && hasName(*its, name);
         });
}

bool hasName(const DeclContext &context, DeclarationName name) {
  const auto *record = dyn_cast<CXXRecordDecl>(&context);
  return record ? hasName(*record, name)
                : !context.isTransparentContext() && !context.lookup(name).empty();
}

} // namespace

TextSite::TextSite(const FunctionDecl &function) : function(function) {
  class Finder : public DynamicRecursiveASTVisitor {
  public:
    explicit Finder(TextSite &out) : out_(out) {}
    bool VisitNamedDecl(NamedDecl *decl) override {
      ++out_.declared[decl->getDeclName()];
      if (const auto *directive = dyn_cast<UsingDirectiveDecl>(decl))
        out_.spaces.push_back(directive->getNominatedNamespace());
      return true;
    }

  private:
    TextSite &out_;
  };
  Finder finder(*this);
  for (const ParmVarDecl *parameter : function.parameters())
    ++declared[parameter->getDeclName()];
  finder.TraverseStmt(function.getBody());
  for (const DeclContext *c = &function; c; c = c->getParent())
    if (const TemplateParameterList *parameters = parametersOf(Decl::castFromDeclContext(c)))
      for (const NamedDecl *parameter : *parameters)
        ++declared[parameter->getDeclName()];
}

bool isBroughtIn(const FunctionDecl &function, const DeclContext &site,
                 std::vector<const DeclContext *> spaces) {
  const DeclContext *own = function.getDeclContext()->getRedeclContext();
  llvm::SmallPtrSet<const DeclContext *, 8> seen;
  const auto note = [&](const DeclContext &context) {
    for (const UsingDirectiveDecl *directive : context.using_directives())
      spaces.push_back(directive->getNominatedNamespace());
  };
  for (const DeclContext *c = &site; c; c = c->getLookupParent())
    note(*c);
  while (!spaces.empty()) {
    const DeclContext *space = const_cast<DeclContext *>(spaces.back())->getPrimaryContext();
    spaces.pop_back();
    if (!seen.insert(space).second)
      continue;
    if (!space->Equals(own) && !space->lookup(function.getDeclName()).empty())
      return true;
    note(*space);
  }
  return false;
}

// The site's own parameters, or those of a template around it.
bool OuterNames::isOfSite(const Decl *owner) const {
  const Decl *wanted = templateOf(owner);
  if (templateOf(&site_.function) == wanted)
    return true;
  for (const DeclContext *c = site_.function.getParent(); c; c = c->getParent())
    if (templateOf(Decl::castFromDeclContext(c)) == wanted)
      return true;
  return false;
}

// What depends on no parameter of a template, an instance names as the template does.
bool OuterNames::isOfSiteItself(const DeclContext &context) const {
  const FunctionDecl *pattern = site_.function.getTemplateInstantiationPattern();
  return context.Equals(&site_.function) || (pattern && context.Equals(pattern));
}

// A type of the site's own, by whose name nothing else can be meant anywhere in it.
bool OuterNames::hidesNone(const NamedDecl &decl) const {
  if (!isOfSiteItself(*decl.getLexicalDeclContext()) ||
      site_.declared.lookup(decl.getDeclName()) != 1)
    return false;
  for (const DeclContext *c = site_.function.getDeclContext(); c; c = c->getLookupParent())
    if (hasName(*c, decl.getDeclName()))
      return false;
  return true;
}

bool OuterNames::isSeen(const NamedDecl &decl) const {
  const DeclarationName name = decl.getDeclName();
  if (isa<TypeDecl>(decl) && hidesNone(decl))
    return true;
  const DeclContext *wanted = seenFrom(decl.getDeclContext());
  if (site_.declared.contains(name))
    return false;
  for (const DeclContext *c = site_.function.getDeclContext(); c; c = c->getLookupParent()) {
    if (seenFrom(c)->Equals(wanted))
      return true;
    if (hasName(*c, name))
      return false;
  }
  return false;
}

bool OuterNames::isSeen(NestedNameSpecifier qualifier, const NamedDecl &decl) {
  const NamedDecl *first = qualifier ? leftmost(qualifier) : &decl;
  return !first || isSeen(*first); // ::name is what it is
}

// tile_A::rows in the site's own text, whatever brings `tile_A` in.
bool OuterNames::isSaidThere(const DeclRefExpr &mention) const {
  const NamedDecl *first = mention.hasQualifier() ? leftmost(mention.getQualifier()) : nullptr;
  return first && !mention.getLocation().isMacroID() && isWithinSite(mention.getLocation()) &&
         !site_.declared.contains(first->getDeclName());
}

bool OuterNames::isWithinSite(SourceLocation at) const {
  const SourceManager &sm = context_.getSourceManager();
  const SourceRange body = site_.function.getSourceRange();
  return sm.isPointWithin(sm.getExpansionLoc(at), body.getBegin(), body.getEnd());
}

// Behind the text's mention of the name, and in front of the site.
bool OuterNames::isLater(const NamedDecl &other, SourceLocation mention) const {
  const SourceManager &sm = context_.getSourceManager();
  const SourceLocation at = other.getLocation(), site = site_.function.getLocation();
  return sm.isBeforeInTranslationUnit(mention, at) && sm.isBeforeInTranslationUnit(at, site);
}

// f(x) in a wrapper is not the f that is declared behind the wrapper and takes x better.
bool OuterNames::hasLaterOverload(const DeclRefExpr &mention) const {
  const auto *function = dyn_cast<FunctionDecl>(mention.getDecl());
  if (!function || function->isCXXClassMember())
    return false;
  const auto isOther = [&](const NamedDecl *other) {
    return isLater(*other, mention.getLocation());
  };
  const DeclContext *around = function->getDeclContext()->getRedeclContext();
  const DeclContext *outermost = seenFrom(around);
  while (!around->Equals(outermost) &&
         llvm::none_of(around->lookup(function->getDeclName()), isOther))
    around = around->getParent()->getRedeclContext();
  return llvm::any_of(around->lookup(function->getDeclName()), isOther);
}

// ... nor one that the site has from elsewhere.
bool OuterNames::hasOtherOverload(const DeclRefExpr &mention) const {
  const auto *function = dyn_cast<FunctionDecl>(mention.getDecl());
  return function && !function->isCXXClassMember() && !mention.hasQualifier() &&
         !isWithinSite(mention.getLocation()) &&
         isBroughtIn(*function, *site_.function.getDeclContext(), site_.spaces);
}

// ... nor, of a name without a scope in front, the one of an argument's namespace.
bool OuterNames::VisitCallExpr(CallExpr *call) {
  const auto *mention = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
  if (!mention || mention->hasQualifier())
    return true;
  const DeclarationName name = mention->getDecl()->getDeclName();
  const auto isOther = [&](const NamedDecl *other) {
    return isLater(*other, mention->getLocation());
  };
  bool hasOther = !mention->getDecl()->getIdentifier() && hasLaterOverload(*mention);
  for (const Expr *argument : call->arguments()) {
    QualType type = argument->getType();
    while (type->isPointerType())
      type = type->getPointeeType();
    if (const TagDecl *tag = type->getAsTagDecl())
      hasOther |= llvm::any_of(tag->getDeclContext()->getEnclosingNamespaceContext()->lookup(name),
                               isOther);
  }
  if (hasOther)
    problem = "another '" + name.getAsString() + "' is declared before it is used";
  return true;
}

std::string OuterNames::fullName(const NamedDecl &decl) const {
  PrintingPolicy policy(context_.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  std::string name;
  llvm::raw_string_ostream out(name);
  decl.printQualifiedName(out, policy);
  const DeclContext *outermost = &cast<DeclContext>(*context_.getTranslationUnitDecl());
  const NamedDecl *first = &decl;
  for (const DeclContext *c = decl.getDeclContext(); !c->Equals(outermost); c = c->getParent())
    if (const auto *named = dyn_cast<NamedDecl>(Decl::castFromDeclContext(c));
        named && named->getDeclName() && seenFrom(c)->Equals(c))
      first = named;
  return isSeen(*first) && first != &decl ? name : "::" + name;
}

// What the call of a template function, or the type of a method's object, gives for a parameter, in
// the site's words.
std::string OuterNames::argumentOf(const Decl *owner, unsigned index, QualType parameter) const {
  const Decl *wanted = templateOf(owner);
  if (own_.written && templateOf(own_.record) == wanted) {
    const auto special = own_.written.getAs<TemplateSpecializationTypeLoc>();
    return special && index < special.getNumArgs()
               ? textOf(special.getArgLoc(index), true, parameter)
               : "";
  }
  const auto call = calls_.find(owner->getCanonicalDecl());
  const auto *callee =
      call == calls_.end() || !call->second
          ? nullptr
          : dyn_cast<DeclRefExpr>(call->second->getCallee()->IgnoreParenImpCasts());
  if (!callee || !callee->hasExplicitTemplateArgs() || index >= callee->getNumTemplateArgs())
    return "";
  return textOf(callee->getTemplateArgs()[index], false, parameter);
}

static std::string literal(const std::string &number, QualType type, const LangOptions &options) {
  return "((" + type.getCanonicalType().getUnqualifiedType().getAsString(options) + ")" + number +
         ")";
}

// A parameter's value has the parameter's type, whatever the argument's. Empty: it cannot be said.
static std::string asParameter(const std::string &text, const Expr *argument, QualType parameter,
                               const ASTContext &context) {
  if (!argument || parameter.isNull() ||
      context.hasSameUnqualifiedType(stripped(argument)->getType(), parameter))
    return text;
  return parameter->isIntegerType() && !parameter->isEnumeralType()
             ? literal(text, parameter, context.getLangOpts())
             : "";
}

// Empty where it is of another function's words than the site's, or may mean something else there.
std::string OuterNames::textOf(const TemplateArgumentLoc &argument, bool isOfDeclaration,
                               QualType parameter) const {
  const CharSourceRange range =
      Lexer::makeFileCharRange(CharSourceRange::getTokenRange(argument.getSourceRange()),
                               context_.getSourceManager(), context_.getLangOpts());
  const auto kind = argument.getArgument().getKind();
  const TemplateCalls none; // a wrapper's own parameters are not known here
  OuterNames within(context_, site_, none);
  within.ofSiteOnly_ = true;
  within.isOfDeclaration_ = isOfDeclaration;
  if (kind == TemplateArgument::Type)
    within.TraverseTypeLoc(argument.getTypeSourceInfo()->getTypeLoc(), true);
  else if (kind == TemplateArgument::Expression || argument.getSourceExpression())
    within.TraverseStmt(argument.getSourceExpression());
  if (range.isInvalid() || !within.found.empty() || !within.problem.empty())
    return "";
  const std::string text =
      Lexer::getSourceText(range, context_.getSourceManager(), context_.getLangOpts()).str();
  const bool isName = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (kind == TemplateArgument::Type)
    return text;
  return asParameter(isName ? text : "(" + text + ")", argument.getSourceExpression(), parameter,
                     context_);
}

// What `pitch` of the text's own class is at the site; empty where nothing says it.
std::string OuterNames::ownName(const NamedDecl &decl, const Expr *expr) const {
  const DeclContext *context = decl.getDeclContext()->getRedeclContext(); // of an enum: around it
  const std::string &prefix = expr ? own_.values : own_.types;
  const auto *name = dyn_cast_or_null<DeclRefExpr>(expr);
  const bool isTemplate = isa<TemplateDecl>(decl) || (name && name->hasExplicitTemplateArgs());
  const bool isOwn = own_.record && context->Equals(own_.record) && !prefix.empty();
  return isOwn && !isTemplate ? prefix + decl.getNameAsString() : "";
}

std::string OuterNames::whyNotOwn(const NamedDecl &decl, const Expr *expr) const {
  if (!own_.whyNot.empty())
    return ": " + own_.whyNot;
  if (!own_.record)
    return "";
  if (!decl.getDeclContext()->getRedeclContext()->Equals(own_.record))
    return ": it is of another class than what names it";
  const std::string &prefix = expr ? own_.values : own_.types;
  return prefix.empty() ? ": the object is no variable" : ": it is a template itself";
}

void OuterNames::add(const NamedDecl &decl, NestedNameSpecifierLoc qualifier, SourceLocation name,
                     const Expr *expr) {
  if (decl.getAccess() == AS_private || decl.getAccess() == AS_protected)
    problem = "'" + decl.getNameAsString() + "' is private to its class";
  if (isInTemplate(site_.function)) {
    const std::string own = qualifier ? "" : ownName(decl, expr);
    if (!own.empty())
      return found.push_back({name, own, expr});
    for (const DeclContext *c = decl.getDeclContext(); c; c = c->getParent())
      if (isa<ClassTemplateSpecializationDecl>(c))
        problem = "'" + decl.getNameAsString() +
                  "' is of a class template, and moves into another template" +
                  whyNotOwn(decl, expr);
  }
  found.push_back({{qualifier ? qualifier.getBeginLoc() : name, name}, fullName(decl), expr});
}

// A macro that the text mentions, and that is defined anew somewhere: another one at the site.
bool OuterNames::TraverseStmt(Stmt *stmt) {
  if (stmt && problem.empty() && stmt->getBeginLoc().isMacroID())
    checkMacro(stmt->getBeginLoc());
  return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
}

void OuterNames::checkMacro(SourceLocation at) {
  const SourceManager &sm = context_.getSourceManager();
  const LangOptions &options = context_.getLangOpts();
  for (; at.isMacroID(); at = sm.getImmediateMacroCallerLoc(at)) {
    const StringRef name = Lexer::getImmediateMacroName(at, sm, options);
    const SourceLocation use = sm.getExpansionLoc(at), body = site_.function.getBeginLoc();
    if (!name.empty() && !isWithinSite(use) &&
        (isUndefined(sm, sm.getFileID(use), name) ||
         isUndefined(sm, sm.getFileID(sm.getExpansionLoc(body)), name)))
      problem = ("the macro '" + name + "' is another one where it is used").str();
  }
}

bool OuterNames::TraverseDeclRefExpr(DeclRefExpr *name) {
  const ValueDecl *decl = name->getDecl();
  const NestedNameSpecifierLoc qualifier = name->getQualifierLoc();
  const auto traverse = [&] { return DynamicRecursiveASTVisitor::TraverseDeclRefExpr(name); };
  const DeclContext *within = decl->getLexicalDeclContext(); // of `extern __shared__` too
  while (isa<EnumDecl>(within))
    within = within->getLexicalParent();
  if (isa<EnumConstantDecl>(decl) && within->isFunctionOrMethod() &&
      !within->Equals(&site_.function))
    problem = "'" + decl->getNameAsString() + "' is another function's";
  if (ofSiteOnly_ && within->isFunctionOrMethod() && !within->Equals(&site_.function))
    problem = "'" + decl->getNameAsString() + "' is another function's";
  if (isOfDeclaration_ && site_.declared.lookup(decl->getDeclName()) > 1)
    problem = "'" + decl->getNameAsString() + "' may be another variable at the site";
  if (!decl->getIdentifier() || within->isFunctionOrMethod() || isa<NonTypeTemplateParmDecl>(decl))
    return traverse();
  if (hasLaterOverload(*name))
    problem = "another '" + decl->getNameAsString() + "' is declared before it is used";
  const auto *parameter = leftmostParameter(name->getQualifier());
  if (parameter && isOfSite(parameter->getAssociatedDecl()))
    return true;
  if (!parameter && (isSeen(name->getQualifier(), *decl) || isSaidThere(*name)) &&
      !hasOtherOverload(*name))
    return traverse();
  if (!parameter || !isInTemplate(site_.function)) {
    add(*decl, qualifier, name->getLocation(), name);
  } else {
    const std::string type = argumentOf(parameter->getAssociatedDecl(), parameter->getIndex());
    if (type.empty())
      problem = "'" + decl->getNameAsString() +
                "' is of a template's parameter, which its call does not say";
    found.push_back({{qualifier.getBeginLoc(), name->getLocation()},
                     type + "::" + decl->getNameAsString(),
                     name});
  }
  for (const TemplateArgumentLoc &argument : name->template_arguments())
    TraverseTemplateArgumentLoc(argument);
  return true;
}

void OuterNames::nameType(const NamedDecl &decl, NestedNameSpecifierLoc qualifier,
                          SourceLocation name) {
  const DeclContext *within = decl.getLexicalDeclContext();
  if (within->isFunctionOrMethod()) {
    if (!isOfSiteItself(*within))
      problem = "'" + decl.getNameAsString() + "' is a type of a function's own";
  } else if (!isSeen(qualifier.getNestedNameSpecifier(), decl)) {
    add(decl, qualifier, name, nullptr);
  }
}

bool OuterNames::TraverseTypeLoc(TypeLoc type, bool traverseQualifier) {
  type = type.getUnqualifiedLoc();
  if (const auto alias = type.getAs<TypedefTypeLoc>()) {
    nameType(*alias.getDecl(), alias.getQualifierLoc(), alias.getNameLoc());
    return true;
  }
  if (const auto tag = type.getAs<TagTypeLoc>()) {
    nameType(*tag.getDecl(), tag.getQualifierLoc(), tag.getNameLoc());
    return true;
  }
  if (const auto special = type.getAs<TemplateSpecializationTypeLoc>()) {
    if (const TemplateDecl *decl = special.getTypePtr()->getTemplateName().getAsTemplateDecl())
      nameType(*decl, special.getQualifierLoc(), special.getTemplateNameLoc());
    for (unsigned i = 0; i < special.getNumArgs(); ++i)
      TraverseTemplateArgumentLoc(special.getArgLoc(i));
    return true;
  }
  if (const auto parameter = type.getAs<SubstTemplateTypeParmTypeLoc>()) {
    const SubstTemplateTypeParmType *from = parameter.getTypePtr();
    if (isOfSite(from->getAssociatedDecl()))
      return true;
    PrintingPolicy policy(context_.getLangOpts());
    policy.FullyQualifiedName = policy.SuppressUnwrittenScope = true;
    const std::string text =
        isInTemplate(site_.function)
            ? (from->getPackIndex() ? "" : argumentOf(from->getAssociatedDecl(), from->getIndex()))
            : from->getReplacementType().getCanonicalType().getAsString(policy);
    if (text.empty())
      problem = "'" + from->getReplacedParameter()->getNameAsString() +
                "' is a parameter of a template whose call does not say it";
    found.push_back({type.getSourceRange(), text, nullptr});
    return true;
  }
  return DynamicRecursiveASTVisitor::TraverseTypeLoc(type, traverseQualifier);
}

static std::string literal(const llvm::APSInt &value, QualType type, const LangOptions &options) {
  const std::string number = llvm::toString(value, 10);
  if (type->isSpecificBuiltinType(BuiltinType::Int))
    return value.isNegative() ? "(" + number + ")" : number;
  return literal(number, type, options);
}

bool OuterNames::TraverseSubstNonTypeTemplateParmExpr(SubstNonTypeTemplateParmExpr *value) {
  const Decl *owner = value->getAssociatedDecl();
  if (isOfSite(owner))
    return true;
  std::string text =
      value->getPackIndex() ? "" : argumentOf(owner, value->getIndex(), value->getType());
  Expr::EvalResult number;
  if (text.empty() && !isInTemplate(site_.function) && value->getType()->isIntegerType() &&
      value->EvaluateAsInt(number, context_))
    text = literal(number.Val.getInt(), value->getType(), context_.getLangOpts());
  if (text.empty())
    problem = "'" + value->getParameter()->getNameAsString() +
              "' is a parameter of a template whose call does not say it";
  found.push_back({value->getSourceRange(), text, value});
  return true;
}

} // namespace layout_port::native
