// Elements of tiles that lie behind each other in one array: what an index says of the tile's
// number, and of the register in it.
//
//   acc[(i * 4 + j) * 4 + h * 2 + 1]      tile i * 4 + j, register h * 2 + 1
//
// Terms of whole tiles number the tile; whether the others stay below the registers of one is asked
// where their counters are known (MergeRows.h).
#include "native/EpilogueFinder.h"

#include "native/Flat.h"
#include "native/FragmentName.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

std::set<const VarDecl *> variablesOf(const LinearIndex &index) {
  std::set<const VarDecl *> all;
  for (const auto &[variable, factor] : index.terms)
    all.insert(variable);
  return all;
}

// False where some number in it is less than zero.
bool divide(const LinearIndex &words, int64_t registers, RegisterAccess &access) {
  LinearIndex tile, reg;
  if (words.constant < 0)
    return false;
  tile.constant = words.constant / registers;
  reg.constant = words.constant % registers;
  for (const auto &[variable, factor] : words.terms) {
    if (factor < 0)
      return false;
    const bool isOfTile = factor % registers == 0;
    if (factor > 0)
      (isOfTile ? tile : reg).terms[variable] = isOfTile ? factor / registers : factor;
  }
  access.flatTile = tile;
  access.flatRegister = reg;
  return true;
}

} // namespace

bool EpilogueFinder::addWords(const Expr &index, int64_t weight, LinearIndex &words) const {
  const auto read = linearIndex(&index, in_.context);
  if (!read || hasOtherNames(index, *read))
    return false;
  words.constant += weight * read->constant;
  for (const auto &[variable, factor] : read->terms)
    words.terms[variable] += weight * factor;
  return true;
}

// The words as they are counted here, where two tiles are interleaved in the author's array: of
// each bit of the place among theirs one thing decides, a counter of 0 and 1 or the constant.
//
//   acc[i * 16 + j * 8 + r * 4 + c * 2 + e]   is word   i * 16 + j * 8 + c * 4 + r * 2 + e
bool EpilogueFinder::orderWords(int64_t registers, const Expr &at, LinearIndex &words) const {
  const int64_t among = 2 * registers;
  int64_t decided = words.constant % among;
  LinearIndex ordered;
  ordered.constant = words.constant - decided + interleaved(decided, registers);
  for (const auto &[variable, factor] : words.terms) {
    const int64_t bit = factor % among;
    if (factor < 0 || (bit && (bit != factor || (bit & (bit - 1)) || (decided & bit) ||
                               !countsToTwo(*variable, at))))
      return false;
    decided |= bit;
    ordered.terms[variable] = bit ? interleaved(bit, registers) : factor;
  }
  words = std::move(ordered);
  return true;
}

// It is 0 in one turn of a loop around, and 1 in the other.
bool EpilogueFinder::countsToTwo(const VarDecl &variable, const Expr &at) const {
  for (const Stmt *up = parentOf(&at); up; up = parentOf(up))
    if (const auto *loop = dyn_cast<ForStmt>(up))
      if (const auto counter = plainCounter(loop, in_.context);
          counter && counter->first == &variable)
        return counter->second == 2;
  return false;
}

// The array itself; of a function that is handed it, a pointer to its first word.
bool EpilogueFinder::isFlatArray(const Expr &name) const {
  if (name.getType()->isConstantArrayType())
    return !in_.in || !isa<MemberExpr>(name);
  const auto *reference = dyn_cast<DeclRefExpr>(&name);
  const auto *parameter = reference ? dyn_cast<ParmVarDecl>(reference->getDecl()) : nullptr;
  const VarDecl *variable = parameter ? handedTo(parameter) : nullptr;
  const auto *array = variable ? in_.context.getAsConstantArrayType(variable->getType()) : nullptr;
  return array && parameter->getType()->isPointerType() &&
         in_.context.hasSameUnqualifiedType(parameter->getType()->getPointeeType(),
                                            array->getElementType());
}

bool EpilogueFinder::numberFlat(const Expr &name, const Slot &flat, RegisterAccess &access) const {
  const int64_t bytes = registerBytes(access.expr->getType(), in_.context);
  const int registers = in_.isPacked ? 2 : 4;
  if (access.call || access.number || !bytes || !flat.flatText.empty() || flat.isOfRow ||
      flat.flatRegisters != registers || !isFlatArray(name))
    return false;
  LinearIndex words;
  const Expr *at = bare(access.expr);
  for (;; at = bare(at)) {
    const auto *pointer = dyn_cast<DeclRefExpr>(at);
    const View *view = pointer ? viewNamed(*pointer) : nullptr;
    const auto *op = dyn_cast<UnaryOperator>(at);
    for (const Expr *offset : view ? view->offsets : std::vector<const Expr *>())
      if (!addWords(*offset, 1, words))
        return false;
    if (view || op) { // *c, where c leads into the array
      at = view ? view->place : op->getSubExpr();
      continue;
    }
    const auto *element = dyn_cast<ArraySubscriptExpr>(at);
    if (!element)
      break;
    if (!addWords(*element->getIdx(), static_cast<int64_t>(bytesOf(element)) / bytes, words))
      return false;
    at = element->getBase();
  }
  access.tile.clear();
  return at == &name && (!flat.isSwapped || orderWords(registers, *access.expr, words)) &&
         divide(words, registers, access) &&
         llvm::all_of(tileVariables(access), [&](const VarDecl *variable) {
           return countsTiles(*variable, *access.expr);
         });
}

// A number that may be another one in another instance of the kernel's template.
bool EpilogueFinder::hasOtherNames(const Expr &index, const LinearIndex &read) const {
  class Names : public DynamicRecursiveASTVisitor {
  public:
    explicit Names(const LinearIndex &read) : read_(read) {}
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      return !(found |= !variable || !read_.terms.count(variable));
    }
    bool VisitSubstNonTypeTemplateParmExpr(SubstNonTypeTemplateParmExpr *) override {
      return !(found = true);
    }
    bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override {
      return !(found = true);
    }
    bool found = false;

  private:
    const LinearIndex &read_;
  };
  Names names(read);
  names.TraverseStmt(const_cast<Expr *>(&index));
  return names.found && (in_.kernel.isTemplateInstantiation() || home().isTemplateInstantiation());
}

// It is the counter of a loop around: the same for all lanes.
bool EpilogueFinder::countsTiles(const VarDecl &variable, const Expr &at) const {
  for (const Stmt *up = parentOf(&at); up; up = parentOf(up))
    if (const auto *loop = dyn_cast<ForStmt>(up); loop && counterOf(*loop) == &variable)
      return true;
  return false;
}

// The array that an element is named of, itself or by a pointer into it; null: it is a member.
const VarDecl *EpilogueFinder::arrayBelow(const Expr &element) const {
  for (const Expr *at = bare(&element);;) {
    const auto *name = dyn_cast<DeclRefExpr>(at);
    const auto *access = dyn_cast<ArraySubscriptExpr>(at);
    const auto *op = dyn_cast<UnaryOperator>(at);
    if (const View *view = name ? viewNamed(*name) : nullptr)
      at = bare(view->place);
    else if (access || op)
      at = bare(access ? access->getBase() : op->getSubExpr());
    else
      return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  }
}

bool EpilogueFinder::placeFlat(const RegisterAccess &access, EpilogueBody &body) {
  const auto *accumulator = accumulatorWith(
      [&](const Accumulator &known) { return known.declaration == access.accumulator; });
  Slot slot = *accumulator->flat;
  if (const VarDecl *array = arrayBelow(*access.expr)) // the product's function has another name
    slot.variable = array->getNameAsString();
  if (in_.in)
    for (const auto &[parameter, variable] : in_.in->handed)
      if (parameter && isFragmentOf(*variable, access.accumulator))
        slot.variable = parameter->getNameAsString();
  slot.flatTerms.clear();
  slot.flatOffset = access.flatTile->constant * slot.flatRegisters;
  for (const auto &[variable, factor] : access.flatTile->terms)
    slot.flatTerms.push_back({variable->getNameAsString(), factor * slot.flatRegisters});
  llvm::sort(slot.flatTerms);           // not by where they lie in memory
  if (!split(slot, slot.flatRegisters)) // into what digits, the plan asks
    return refuse("its tiles lie in one flat array", access.expr->getSourceRange());
  body.tiles.push_back(std::move(slot));
  return true;
}

std::set<const VarDecl *> EpilogueFinder::tileVariables(const RegisterAccess &access) {
  if (access.flatTile)
    return variablesOf(*access.flatTile);
  std::set<const VarDecl *> all;
  for (const Expr *index : access.tile)
    for (const VarDecl *variable : namesIn(index))
      all.insert(variable);
  return all;
}

std::set<const VarDecl *> EpilogueFinder::registerVariables(const RegisterAccess &access) {
  if (access.flatRegister)
    return variablesOf(*access.flatRegister);
  return access.index ? namesIn(access.index) : std::set<const VarDecl *>();
}

} // namespace layout_port::native
