// Registers that ldmatrix fills and that only hand on what they got:
//
//   uint32_t r[4];
//   ldmatrix_x4(r, p);
//   b[j][0] = r[0];  b[j][1] = r[1];  b[j + 1][0] = r[2];  b[j + 1][1] = r[3];
//
// is a load of b[j] and b[j + 1]. The copies and the names between go. Where movmatrix turns all of
// them on the way, it is a load of the other kind, with .trans or without.
#include "native/Recovery.h"

#include "native/Around.h"
#include "native/Turned.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

const Stmt *statementOf(const Stmt *stmt) {
  const auto *full = dyn_cast<ExprWithCleanups>(stmt);
  return full ? full->getSubExpr() : stmt;
}

bool isMatrixLoad(const GCCAsmStmt &code) {
  return StringRef(code.getAsmString()).contains("ldmatrix");
}

// An asm statement, or the call of a function that holds one and no other.
bool isMatrixLoad(const Stmt *stmt) {
  stmt = statementOf(stmt);
  if (const auto *code = dyn_cast<GCCAsmStmt>(stmt))
    return isMatrixLoad(*code);
  const auto *call = dyn_cast<CallExpr>(stmt);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  if (!definition || !definition->hasBody())
    return false;
  AsmFinder inside;
  inside.TraverseStmt(definition->getBody());
  std::vector<const GCCAsmStmt *> loads;
  for (const GCCAsmStmt *code : inside.found)
    if (isMatrixLoad(*code))
      loads.push_back(code);
  return loads.size() == 1;
}

std::map<const VarDecl *, int> mentionsIn(const Stmt *stmt) {
  std::map<const VarDecl *, int> found;
  Mentions mentions([&](const DeclRefExpr &name) {
    if (const auto *variable = dyn_cast<VarDecl>(name.getDecl()))
      ++found[variable];
  });
  mentions.TraverseStmt(const_cast<Stmt *>(stmt));
  return found;
}

} // namespace

std::optional<Recovery::Copy> Recovery::copyOf(const Stmt *stmt) const {
  const auto *assignment = dyn_cast<BinaryOperator>(stmt);
  const auto *code = dyn_cast<GCCAsmStmt>(stmt);
  const auto moved = code ? turnedBy(*code) : std::nullopt;
  if (!(moved || (assignment && assignment->getOpcode() == BO_Assign)) ||
      stmt->getBeginLoc().isMacroID())
    return std::nullopt;
  Copy copy{stmt, moved ? moved->target : assignment->getLHS(), nullptr, 0, moved.has_value()};
  const Expr *from = stripped(moved ? moved->value : assignment->getRHS());
  if (const auto made = moved ? std::nullopt : turnedBy(*from)) {
    from = stripped(made->value);
    copy.isTurned = true;
  }
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(from)) {
    Expr::EvalResult index;
    if (element->getIdx()->isValueDependent() || !element->getIdx()->EvaluateAsInt(index, context_))
      return std::nullopt;
    copy.element = index.Val.getInt().getExtValue();
    from = stripped(element->getBase());
  }
  const auto *name = dyn_cast<DeclRefExpr>(from);
  copy.from = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return copy.from && isPlainPlace(copy.to) ? std::optional(copy) : std::nullopt;
}

// b[j + 1][0]: an array, and indices of counters and constants.
bool Recovery::isPlainPlace(const Expr *place) const {
  const Expr *base = place;
  while (const auto *element = dyn_cast<ArraySubscriptExpr>(stripped(base))) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(element->getIdx()));
    if (inputs.readsMemory || element->getIdx()->HasSideEffects(context_))
      return false;
    base = element->getBase();
  }
  const auto *name = dyn_cast<DeclRefExpr>(stripped(base));
  return name && base != place && isa<VarDecl>(name->getDecl()) &&
         context_.getTypeSize(place->getType()) == 32 && place->getType()->isIntegerType();
}

// The words of the variable: a number of its own, or an array of up to 4; 0: it is none such.
int64_t Recovery::wordsOf(const VarDecl &variable) const {
  const auto *array = context_.getAsConstantArrayType(variable.getType());
  const QualType word = array ? array->getElementType() : variable.getType();
  const bool isWord = variable.isLocalVarDecl() && variable.hasLocalStorage() &&
                      !variable.getInit() && word->isIntegerType() &&
                      context_.getTypeSize(word) == 32 && !word.isVolatileQualified();
  constexpr uint64_t kMostWords = 4;
  if (!isWord || (array && array->getSize().ugt(kMostWords)))
    return 0;
  return array ? static_cast<int64_t>(array->getSize().getZExtValue()) : 1;
}

// a[j][0] and a[j + 1][0]: an index of theirs is never the same.
bool Recovery::arePlacesApart(const Expr *a, const Expr *b) const {
  for (;;) {
    const auto *first = dyn_cast<ArraySubscriptExpr>(stripped(a));
    const auto *second = dyn_cast<ArraySubscriptExpr>(stripped(b));
    if (!first || !second)
      break;
    const Index i = plainIndex(first->getIdx()), j = plainIndex(second->getIdx());
    const bool isAlike = i.variable == j.variable && (i.variable.empty() || i.scale == j.scale);
    if (isAlike && (!i.variable.empty() || (i.literal && j.literal)) &&
        i.literal.value_or(i.offset) != j.literal.value_or(j.offset))
      return true;
    a = first->getBase();
    b = second->getBase();
  }
  const auto *first = dyn_cast<DeclRefExpr>(stripped(a));
  const auto *second = dyn_cast<DeclRefExpr>(stripped(b));
  return first && second && first->getDecl() != second->getDecl();
}

Index Recovery::plainIndex(const Expr *expr) const {
  Index index;
  Expr::EvalResult value;
  if (!expr->isValueDependent() && expr->EvaluateAsInt(value, context_))
    index.literal = value.Val.getInt().getExtValue();
  else if (!scaled(expr, index))
    index.variable.clear();
  return index;
}

// What stands between a load and the last of its copies may stand behind them as well: it declares,
// loads, or copies to other places, and touches neither what is written nor what counts it.
bool Recovery::mayMoveUp(const Copy &copy, const Stmt &load,
                         llvm::ArrayRef<const Stmt *> between) {
  const Expr *base = copy.to;
  while (const auto *element = dyn_cast<ArraySubscriptExpr>(stripped(base)))
    base = element->getBase();
  const Decl *written = cast<DeclRefExpr>(stripped(base))->getDecl();
  const SourceManager &sm = context_.getSourceManager();
  const auto isBetween = [&](SourceLocation at) {
    return !sm.isBeforeInTranslationUnit(at, load.getBeginLoc()) &&
           sm.isBeforeInTranslationUnit(at, copy.statement->getBeginLoc());
  };
  const bool isKnown = llvm::all_of(mentionsIn(copy.to), [&](const auto &mention) {
    const VarDecl *variable = mention.first;
    return sm.isBeforeInTranslationUnit(variable->getLocation(), load.getBeginLoc()) &&
           (variable == written || (!sampler_.changesUnseen(variable) &&
                                    llvm::none_of(sampler_.changesOf(variable), isBetween)));
  });
  return isKnown && llvm::all_of(between, [&](const Stmt *stmt) {
    if (const auto other = copyOf(stmt))
      return other->from != written && arePlacesApart(other->to, copy.to);
    return (isa<DeclStmt>(stmt) || isMatrixLoad(stmt)) &&
           llvm::none_of(mentionsIn(stmt),
                         [&](const auto &mention) { return mention.first == written; });
  });
}

void Recovery::forwardTemporaries(const CompoundStmt &block) {
  const std::vector<const Stmt *> body(block.body_begin(), block.body_end());
  for (size_t i = 0; i < body.size(); ++i) {
    if (!isMatrixLoad(body[i]))
      continue;
    for (const auto &[variable, count] : mentionsIn(body[i]))
      if (wordsOf(*variable))
        forward(*variable, count, body, i);
  }
}

void Recovery::forward(const VarDecl &variable, int inLoad, llvm::ArrayRef<const Stmt *> body,
                       size_t load) {
  const auto declared = llvm::find_if(body, [&](const Stmt *stmt) {
    const auto *declaration = dyn_cast<DeclStmt>(stmt);
    return declaration && llvm::is_contained(declaration->decls(), &variable);
  });
  if (declared == body.end())
    return;
  Forwarded out;
  out.targets.resize(static_cast<size_t>(wordsOf(variable)));
  std::vector<const Stmt *> copies;
  for (size_t i = load + 1; i < body.size(); ++i) {
    const auto copy = copyOf(body[i]);
    if (!copy || copy->from != &variable)
      continue;
    const auto word = static_cast<size_t>(copy->element);
    if (copies.empty())
      out.isTurned = copy->isTurned;
    if (word >= out.targets.size() || out.targets[word] || out.isTurned != copy->isTurned ||
        !mayMoveUp(*copy, *body[load], body.slice(load + 1, i - load - 1)))
      return;
    out.targets[word] = copy->to;
    copies.push_back(body[i]);
  }
  const Stmt *function = (function_ ? function_ : &kernel_)->getBody();
  const int mentions = mentionsIn(function)[&variable];
  if (llvm::is_contained(out.targets, nullptr) ||
      mentions != inLoad + static_cast<int>(copies.size()))
    return;
  out.copies = copies;
  out.declaration = cast<DeclStmt>(*declared);
  for (const Stmt *copy : copies) {
    note(*copy);
    forwardedCopies_.insert(copy);
  }
  forwarded_[&variable] = std::move(out);
}

// b[j][0] for r[0].
const Expr *Recovery::forwardedTo(const Expr *destination, const Binding *binding, int position,
                                  std::set<const Stmt *> &removed, bool &isTurned) {
  const auto path = pathOf(destination, binding, false);
  const auto known = path ? forwarded_.find(path->root) : forwarded_.end();
  if (known == forwarded_.end())
    return nullptr;
  Forwarded &forwarded = known->second;
  size_t word = forwarded.targets.size() == 1 ? 0 : static_cast<size_t>(position);
  if (path->indices.size() == 1 && path->indices[0].literal)
    word = static_cast<size_t>(*path->indices[0].literal);
  if (word >= forwarded.targets.size())
    return nullptr;
  forwarded.isMet = true;
  isTurned = forwarded.isTurned;
  removed.insert(forwarded.copies.begin(), forwarded.copies.end());
  if (llvm::all_of(forwarded.declaration->decls(), [&](const Decl *decl) {
        return forwarded_.count(dyn_cast<VarDecl>(decl));
      }))
    removed.insert(forwarded.declaration);
  return forwarded.targets[word];
}

// The copies go only with a load that has been met.
void Recovery::checkForwarded() {
  for (const auto &[variable, forwarded] : forwarded_)
    if (!forwarded.isMet)
      refuse("'" + variable->getNameAsString() + "' is loaded in a way that is not followed",
             variable->getSourceRange());
}

// Statements, with what would be left of their lines: pieces with blanks between are one.
std::vector<TextRange> Recovery::linesOf(const std::set<const Stmt *> &statements) const {
  std::vector<Around> pieces, lines;
  for (const Stmt *stmt : statements)
    if (const auto range = texts_.statement(stmt->getSourceRange())) {
      pieces.emplace_back(context_, stmt->getSourceRange(), *range);
      if (!pieces.back().hasSemicolon())
        pieces.back().growTo(pieces.back().behind().ltrim(" \t").ltrim(";"));
    }
  llvm::sort(pieces,
             [](const Around &a, const Around &b) { return a.range().begin < b.range().begin; });
  for (const Around &piece : pieces)
    if (lines.empty() || !lines.back().growOver(piece))
      lines.push_back(piece);
  std::vector<TextRange> out;
  for (const Around &line : lines) {
    const StringRef first = line.before().rtrim(" \t");
    const bool isAlone = first.ends_with("\n") && line.behind().ltrim(" \t\r").starts_with("\n");
    out.push_back(line.range());
    out.back().begin -= static_cast<unsigned>(line.before().size() - first.size()) + isAlone;
  }
  return out;
}

} // namespace layout_port::native
