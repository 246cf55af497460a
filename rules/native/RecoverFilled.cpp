// Addresses that are kept in arrays, which a loop fills before they are used:
//
//   for (int i = 0; i < 4; ++i) {
//     const int row = warp * 64 + i * 16 + lane % 16;
//     at[i] = tile + row * 64 + ((lane / 16 ^ row % 4) << 4);
//   }
//   for (int k = 0; k < 2; ++k)
//     ldsm4(a[k], at[k] ^ 32);
//
// Element i is a function of i and the thread, so another lane's is computed by it again; the site's
// text says `at[k]` as it did:
//
//   const auto at = lp::elements([&](int i) { const int row = ...; return tile + row * 64 + ...; });
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// The one assignment to an element of the array.
class Stores : public DynamicRecursiveASTVisitor {
public:
  explicit Stores(const VarDecl &array) : array_(array) {}
  bool VisitBinaryOperator(BinaryOperator *op) override {
    const auto *access = op->getOpcode() == BO_Assign
                             ? dyn_cast<ArraySubscriptExpr>(stripped(op->getLHS()))
                             : nullptr;
    const auto *name = access ? dyn_cast<DeclRefExpr>(stripped(access->getBase())) : nullptr;
    if (name && name->getDecl() == &array_)
      found.push_back(op);
    return true;
  }
  std::vector<const BinaryOperator *> found;

private:
  const VarDecl &array_;
};

class Jumps : public DynamicRecursiveASTVisitor {
public:
  bool VisitStmt(Stmt *stmt) override {
    any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt>(stmt);
    return !any;
  }
  bool any = false;
};

} // namespace

// for (i = 0; i < extent; ++i) array[i] = value;
// in a block around the site and before it; the body may declare variables.
std::optional<Recovery::Filled> Recovery::filledArray(const VarDecl &array) {
  const auto *type = context_.getAsConstantArrayType(array.getType());
  if (function_ || inLambda_ || !type || !type->getElementType()->isScalarType() ||
      !array.hasLocalStorage() || sampler_.changesUnseen(&array) ||
      sampler_.changesOf(&array).size() != 1)
    return std::nullopt;
  Stores stores(array);
  stores.TraverseStmt(kernel_.getBody());
  if (stores.found.size() != 1)
    return std::nullopt;
  Filled filled;
  const BinaryOperator &store = *stores.found[0];
  filled.value = store.getRHS();
  const Stmt *body = parentOf(DynTypedNode::create(store));
  const Stmt *above = body && isa<CompoundStmt>(body) ? parentOf(DynTypedNode::create(*body)) : body;
  const auto *loop = dyn_cast_or_null<ForStmt>(above);
  const auto *init = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
  filled.counter =
      init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  const auto *index = dyn_cast<DeclRefExpr>(
      stripped(cast<ArraySubscriptExpr>(stripped(store.getLHS()))->getIdx()));
  const auto range = loop ? texts_.statement(loop->getSourceRange()) : std::nullopt;
  if (!range || !filled.counter || !index || index->getDecl() != filled.counter)
    return std::nullopt;
  const Stmt *block = parentOf(DynTypedNode::create(*loop));
  if (block && isa<AttributedStmt>(block))
    block = parentOf(DynTypedNode::create(*block));
  const auto around =
      block && isa<CompoundStmt>(block) ? texts_.statement(block->getSourceRange()) : std::nullopt;
  const Loop turns = loopOf(loop, *range);
  Jumps jumps;
  jumps.TraverseStmt(const_cast<Stmt *>(loop->getBody()));
  if (!around || !around->contains(siteRange_) || range->end > siteRange_.begin || jumps.any ||
      turns.first != 0 || turns.step != 1 ||
      turns.last != static_cast<int64_t>(type->getSize().getZExtValue()))
    return std::nullopt;
  if (const auto *all = dyn_cast<CompoundStmt>(body))
    for (const Stmt *stmt : all->body()) {
      if (stmt == &store)
        break;
      if (const auto *declaration = dyn_cast<DeclStmt>(stmt))
        for (const Decl *decl : declaration->decls())
          if (const auto *local = dyn_cast<VarDecl>(decl))
            filled.locals.push_back(local);
    }
  return mayFillAgain(filled, *range) ? std::optional(filled) : std::nullopt;
}

// All that the elements are made from is at the site what it was before the loop.
bool Recovery::mayFillAgain(const Filled &filled, const TextRange &loop) {
  const TextRange before{loop.file, loop.begin, loop.begin};
  const auto isInner = [&](const VarDecl *variable) {
    return variable == filled.counter || llvm::is_contained(filled.locals, variable);
  };
  std::vector<const Expr *> values = {filled.value};
  for (const VarDecl *local : filled.locals) {
    if (!local->hasLocalStorage() || !local->getInit() || !local->getType()->isScalarType() ||
        sampler_.changes(local) || sampler_.changesUnseen(local))
      return false;
    values.push_back(local->getInit());
  }
  for (const Expr *value : values) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(value));
    if (inputs.readsMemory || !canBeMadeAgain(*value) ||
        llvm::any_of(inputs.found, [&](const VarDecl *input) {
          return !isInner(input) && changesAfter(*input, before);
        }))
      return false;
  }
  return true;
}

void Recovery::addFilled(const VarDecl &array, const Filled &filled, AddressFunction &out,
                         std::string &problem, unsigned file) {
  inner_.insert(filled.counter);
  inner_.insert(filled.locals.begin(), filled.locals.end());
  for (const VarDecl *local : filled.locals)
    needAll(local->getInit(), out, problem, file);
  needAll(filled.value, out, problem, file);
  // Where the assignment converts the value, so does the function.
  const QualType type = context_.getBaseElementType(array.getType()).getCanonicalType();
  const bool isSame = context_.hasSameUnqualifiedType(type, stripped(filled.value)->getType());
  if (!isSame && !type->isBuiltinType())
    problem = "'" + array.getNameAsString() + "' holds values of another type";
  std::string text = "lp::elements([&](int " + filled.counter->getNameAsString() + ") " +
                     (isSame ? std::string()
                             : "-> " + type.getUnqualifiedType().getAsString(
                                           context_.getPrintingPolicy()) + " ") +
                     "{ ";
  for (const VarDecl *local : filled.locals) {
    const std::string type = typeText(*local, *local->getInit());
    if (type.empty())
      problem = "'" + local->getNameAsString() + "' is declared in a way that cannot be repeated";
    text += type + " " + local->getNameAsString() + " = " +
            textOf(local->getInit(), out, file, problem) + "; ";
  }
  text += "return " + textOf(filled.value, out, file, problem) + "; })";
  out.variables.push_back({"const auto", array.getNameAsString(), text});
  sampler_.fill(&array, {filled.counter, filled.locals, filled.value});
  siteFilled_.push_back(&array);
}

} // namespace layout_port::native
