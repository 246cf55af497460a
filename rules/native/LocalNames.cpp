#include "native/LocalNames.h"

#include "native/EpilogueMemory.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool isCalled(const NamedDecl &decl, StringRef name) {
  return decl.getIdentifier() && decl.getName() == name;
}

// What of the declaration has the name: itself, a variable bound with others, a number of an enum.
const NamedDecl *namedIn(const Decl &decl, StringRef name) {
  if (const auto *together = dyn_cast<DecompositionDecl>(&decl)) {
    for (const BindingDecl *each : together->bindings())
      if (isCalled(*each, name))
        return each;
    return nullptr;
  }
  if (const auto *numbers = dyn_cast<EnumDecl>(&decl))
    for (const EnumConstantDecl *number : numbers->enumerators())
      if (isCalled(*number, name))
        return number;
  const auto *named = dyn_cast<NamedDecl>(&decl);
  return named && isCalled(*named, name) ? named : nullptr;
}

const NamedDecl *namedBy(const Stmt *stmt, StringRef name) {
  const auto *declarations = dyn_cast_or_null<DeclStmt>(stmt);
  if (!declarations)
    return nullptr;
  for (const Decl *decl : declarations->decls())
    if (const NamedDecl *named = namedIn(*decl, name))
      return named;
  return nullptr;
}

// Statements of `scope` that may declare what is seen in `part` of it, the nearest first.
std::vector<const Stmt *> seenFrom(const Stmt &scope, const Stmt &part) {
  std::vector<const Stmt *> seen;
  if (const auto *block = dyn_cast<CompoundStmt>(&scope)) {
    for (const Stmt *stmt : block->body()) {
      seen.insert(seen.begin(), stmt);
      if (stmt == &part)
        break;
    }
    return seen;
  }
  if (const auto *loop = dyn_cast<CXXForRangeStmt>(&scope))
    return {loop->getLoopVarStmt(), loop->getInit()};
  if (isa<DeclStmt>(scope))
    return {&scope};
  if (isa<ForStmt, IfStmt, WhileStmt, SwitchStmt>(scope))
    for (const Stmt *child : scope.children())
      seen.insert(seen.begin(), child);
  return seen;
}

const NamedDecl *namedAround(const Decl &around, StringRef name) {
  const auto *function = dyn_cast<FunctionDecl>(&around);
  if (!function)
    return nullptr;
  for (const ParmVarDecl *parameter : function->parameters())
    if (isCalled(*parameter, name))
      return parameter;
  return nullptr;
}

// The names that stand in the text, but for those of members.
std::vector<std::string> namesOf(const Expr &expr, ASTContext &context) {
  const SourceManager &sm = context.getSourceManager();
  const CharSourceRange chars = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(expr.getSourceRange()), sm, context.getLangOpts());
  const StringRef text = Lexer::getSourceText(chars, sm, context.getLangOpts());
  const std::string ended = text.str(); // the lexer wants a zero behind it
  Lexer lexer(chars.getBegin(), context.getLangOpts(), ended.data(), ended.data(),
              ended.data() + ended.size());
  std::vector<std::string> names;
  bool isMember = false, isEnd = false;
  while (!isEnd) {
    Token token;
    isEnd = lexer.LexFromRawLexer(token);
    if (token.is(tok::raw_identifier) && !isMember)
      names.push_back(token.getRawIdentifier().str());
    isMember = token.isOneOf(tok::period, tok::arrow, tok::coloncolon);
  }
  return names;
}

} // namespace

const NamedDecl *localNamed(StringRef name, const Stmt &place, ASTContext &context) {
  const Stmt *inner = &place;
  for (DynTypedNode at = DynTypedNode::create(place);;) {
    const auto parents = context.getParents(at);
    if (parents.empty())
      return nullptr;
    at = parents[0];
    if (const auto *scope = at.get<Stmt>()) {
      for (const Stmt *stmt : seenFrom(*scope, *inner))
        if (const NamedDecl *named = namedBy(stmt, name))
          return named;
      inner = scope;
    } else if (const auto *around = at.get<Decl>()) {
      if (const NamedDecl *named = namedAround(*around, name))
        return named;
    }
  }
}

bool meansTheSame(const Expr &text, const Stmt &place, ASTContext &context,
                  const std::function<bool(const VarDecl &)> &isReplaced) {
  const auto isSame = [&](StringRef name) {
    const NamedDecl *own = localNamed(name, text, context);
    const auto *variable = dyn_cast_or_null<VarDecl>(own);
    return (variable && isReplaced(*variable)) || own == localNamed(name, place, context);
  };
  return llvm::all_of(namesOf(text, context), isSame) &&
         llvm::all_of(mentionsIn(&text), [&](const DeclRefExpr *name) {
           const IdentifierInfo *id = name->getDecl()->getIdentifier();
           return !id || isSame(id->getName());
         });
}

} // namespace layout_port::native
