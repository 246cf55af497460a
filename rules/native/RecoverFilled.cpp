// Addresses that are kept in arrays, which a loop fills before they are used:
//
//   for (int i = 0; i < 4; ++i) {
//     const int row = warp * 64 + i * 16 + lane % 16;
//     at[i] = tile + row * 64 + ((lane / 16 ^ row % 4) << 4);
//   }
//   for (int k = 0; k < 2; ++k)
//     ldsm4(a[k], at[k] ^ 32);
//
// Element i is a function of i and the thread, so another lane's is computed by it again; the
// site's text says `at[k]` as it did:
//
//   const auto at = lp::elements([&](int i) { const int row = ...; return tile + row * 64 + ...;
//   });
//
// So it is with elements that are set one by one, or listed where the array is declared:
//
//   const int rows[2] = {m0 + lane / 4, m0 + lane / 4 + 8};
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// The assignments to elements of the array.
class Stores : public DynamicRecursiveASTVisitor {
public:
  struct Store {
    const Expr *whole = nullptr, *element = nullptr, *value = nullptr;
  };
  explicit Stores(const VarDecl &array) : array_(array) {}
  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->getOpcode() == BO_Assign)
      note(*op, op->getLHS(), op->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *op) override { // of halves
    const FunctionDecl *callee = op->getDirectCallee();
    if (op->getOperator() == OO_Equal && callee && callee->isTrivial())
      note(*op, op->getArg(0), throughCopies(op->getArg(1)));
    return true;
  }
  std::vector<Store> found;

private:
  void note(const Expr &whole, const Expr *element, const Expr *value) {
    if (arrayOf(*element) == &array_)
      found.push_back({&whole, element, value});
  }
  static const VarDecl *arrayOf(const Expr &element) {
    const Expr *base = stripped(&element);
    if (!isa<ArraySubscriptExpr>(base))
      return nullptr;
    while (const auto *access = dyn_cast<ArraySubscriptExpr>(base))
      base = stripped(access->getBase());
    const auto *name = dyn_cast<DeclRefExpr>(base);
    return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  }
  const VarDecl &array_;
};

// i and j of array[i][j]; empty: others than plain names.
std::vector<const VarDecl *> indicesOf(const Expr &element) {
  std::vector<const VarDecl *> indices;
  for (const Expr *at = stripped(&element); const auto *access = dyn_cast<ArraySubscriptExpr>(at);
       at = stripped(access->getBase())) {
    const VarDecl *index = variableNamed(access->getIdx());
    if (!index)
      return {};
    indices.insert(indices.begin(), index);
  }
  return indices;
}

// Of each dimension.
// With a value, not like half2 x[2];
bool begins(const VarDecl &array) {
  const auto *made = dyn_cast_or_null<CXXConstructExpr>(array.getInit());
  return array.getInit() &&
         !(made && made->getConstructor()->isDefaultConstructor() &&
           made->getConstructor()->isTrivial() && !made->requiresZeroInitialization());
}

std::vector<int64_t> extentsOf(QualType type, const ASTContext &context) {
  std::vector<int64_t> extents;
  for (; const auto *array = context.getAsConstantArrayType(type); type = array->getElementType())
    extents.push_back(static_cast<int64_t>(array->getSize().getZExtValue()));
  return extents;
}

class Jumps : public DynamicRecursiveASTVisitor {
public:
  bool VisitStmt(Stmt *stmt) override {
    any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt>(stmt);
    return !any;
  }
  bool any = false;
};

} // namespace

// The loops that a store stands in, innermost first, where their bodies do nothing but to declare
// variables in front of it.
std::vector<Recovery::FillingLoop> Recovery::loopsAround(const Stmt &store, size_t count,
                                                         Filled &filled) {
  std::vector<FillingLoop> loops;
  const auto above = [&](const Stmt &stmt) { return parentOf(DynTypedNode::create(stmt)); };
  const Stmt *inner = &store;
  while (const auto *full = dyn_cast_or_null<FullExpr>(above(*inner)))
    inner = full;
  while (loops.size() < count) {
    const Stmt *body = above(*inner);
    if (body && isa<AttributedStmt>(body))
      body = above(*body);
    const auto *block = dyn_cast_or_null<CompoundStmt>(body);
    const auto *loop = dyn_cast_or_null<ForStmt>(block ? above(*block) : body);
    const auto *init = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
    const auto *counter =
        init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
    const auto range = counter ? texts_.statement(loop->getSourceRange()) : std::nullopt;
    Jumps jumps;
    if (loop)
      jumps.TraverseStmt(const_cast<Stmt *>(loop->getBody()));
    const Loop turns = range ? loopOf(loop, *range) : Loop();
    if (!range || jumps.any || turns.first != 0 || turns.step != 1 || !turns.last)
      return {};
    std::vector<const VarDecl *> locals;
    for (const Stmt *stmt :
         block ? llvm::ArrayRef(block->body_begin(), block->size()) : llvm::ArrayRef<Stmt *>()) {
      if (withoutAttributes(stmt) == inner)
        break;
      if (const auto *declaration = dyn_cast<DeclStmt>(stmt))
        for (const Decl *decl : declaration->decls())
          if (const auto *local = dyn_cast<VarDecl>(decl))
            locals.push_back(local);
    }
    filled.locals.insert(filled.locals.begin(), locals.begin(), locals.end());
    loops.push_back({loop, counter, *turns.last});
    inner = loop;
  }
  return loops;
}

// for (i = 0; i < extent; ++i) array[i] = value;
// in a block around the site and before it; the body may declare variables. So many loops as the
// array has dimensions.
std::optional<Recovery::Filled> Recovery::filledArray(const VarDecl &array) {
  const std::vector<int64_t> extents = extentsOf(array.getType(), context_);
  const QualType element = context_.getBaseElementType(array.getType());
  if (function_ || extents.empty() || begins(array) ||
      !(element->isScalarType() || isRegister(element)) || !array.hasLocalStorage() ||
      sampler_.changesUnseen(&array) || sampler_.changesOf(&array).size() != 1)
    return std::nullopt;
  Stores stores(array);
  stores.TraverseStmt(kernel_.getBody());
  if (stores.found.size() != 1)
    return std::nullopt;
  Filled filled;
  const Stores::Store &store = stores.found[0];
  filled.value = store.value;
  filled.counters = indicesOf(*store.element);
  const std::vector<FillingLoop> loops = loopsAround(*store.whole, extents.size(), filled);
  if (loops.size() != extents.size() || filled.counters.size() != extents.size())
    return std::nullopt;
  for (size_t i = 0; i < extents.size(); ++i)
    if (llvm::count_if(loops, [&](const FillingLoop &loop) {
          return loop.counter == filled.counters[i] && loop.turns == extents[i];
        }) != 1)
      return std::nullopt;
  const ForStmt &outermost = *loops.back().stmt;
  const auto range = texts_.statement(outermost.getSourceRange());
  const Stmt *block = parentOf(DynTypedNode::create(outermost));
  if (block && isa<AttributedStmt>(block))
    block = parentOf(DynTypedNode::create(*block));
  const auto around =
      block && isa<CompoundStmt>(block) ? texts_.statement(block->getSourceRange()) : std::nullopt;
  if (!around || !around->contains(siteRange_) || range->end > siteRange_.begin)
    return std::nullopt;
  return mayFillAgain(filled, *range) ? std::optional(filled) : std::nullopt;
}

// All that the elements are made from is at the site what it was before the loop.
bool Recovery::mayFillAgain(const Filled &filled, const TextRange &loop) {
  const TextRange before{loop.file, loop.begin, loop.begin};
  const auto isInner = [&](const VarDecl *variable) {
    return llvm::is_contained(filled.counters, variable) ||
           llvm::is_contained(filled.locals, variable);
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
    if ((inputs.readsMemory && !mayReadAgain(loop)) || !canBeMadeAgain(*value) ||
        llvm::any_of(inputs.found, [&](const VarDecl *input) {
          return !isInner(input) && changesAfter(*input, before);
        }))
      return false;
  }
  return true;
}

void Recovery::addFilled(const VarDecl &array, const Filled &filled, AddressFunction &out,
                         std::string &problem, unsigned file) {
  inner_.insert(filled.counters.begin(), filled.counters.end());
  inner_.insert(filled.locals.begin(), filled.locals.end());
  for (const VarDecl *local : filled.locals)
    needAll(local->getInit(), out, problem, file);
  needAll(filled.value, out, problem, file);
  // Where the assignment converts the value, so does the function.
  const QualType type = context_.getBaseElementType(array.getType()).getCanonicalType();
  const bool isSame = context_.hasSameUnqualifiedType(type, stripped(filled.value)->getType());
  if (!isSame && !type->isBuiltinType())
    problem = "'" + array.getNameAsString() + "' holds values of another type";
  std::string text, seen = "&";
  for (const VarDecl *counter : filled.counters) { // a row is an array of its own
    text += (text.empty() ? "" : "return ") + std::string("lp::elements([") + seen + "](int " +
            counter->getNameAsString() + ") ";
    const bool isLast = counter == filled.counters.back();
    text +=
        isLast && !isSame
            ? "-> " + type.getUnqualifiedType().getAsString(context_.getPrintingPolicy()) + " { "
            : "{ ";
    seen += ", " + counter->getNameAsString();
  }
  for (const VarDecl *local : filled.locals) {
    const std::string type = typeText(*local, *local->getInit());
    if (type.empty())
      problem = "'" + local->getNameAsString() + "' is declared in a way that cannot be repeated";
    text += type + " " + local->getNameAsString() + " = " +
            textOf(local->getInit(), out, file, problem) + "; ";
  }
  text += "return " + textOf(filled.value, out, file, problem) + "; })";
  for (size_t i = 1; i < filled.counters.size(); ++i)
    text += "; })";
  out.variables.push_back({"const auto", array.getNameAsString(), text});
  sampler_.fill(&array, {filled.counters, filled.locals, filled.value});
  siteFilled_.push_back(&array);
}

// row[0] = a; row[1] = b;  in one block around the site and before it: of all elements, in order.
std::vector<const Expr *> Recovery::elementsOf(const VarDecl &array) {
  const std::vector<int64_t> extents = extentsOf(array.getType(), context_);
  Stores stores(array);
  stores.TraverseStmt(kernel_.getBody());
  if (extents.size() != 1 || stores.found.size() != static_cast<size_t>(extents[0]) ||
      sampler_.changesOf(&array).size() != stores.found.size())
    return {};
  std::vector<const Expr *> values(stores.found.size());
  const Stmt *block = parentOf(DynTypedNode::create(*stores.found[0].whole));
  const auto around = block && isa<CompoundStmt>(block) && block == blockOf(array)
                          ? texts_.statement(block->getSourceRange())
                          : std::nullopt;
  if (!around || !around->contains(siteRange_))
    return {};
  for (const Stores::Store &store : stores.found) {
    const auto at = texts_.statement(store.whole->getSourceRange());
    const auto index = constant(cast<ArraySubscriptExpr>(stripped(store.element))->getIdx());
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(store.value));
    if (!at || at->end > siteRange_.begin || !index || *index < 0 || *index >= extents[0] ||
        values[*index] || parentOf(DynTypedNode::create(*store.whole)) != block ||
        llvm::is_contained(inputs.found, &array) || !staleInput(*store.value, *at).empty())
      return {};
    values[*index] = store.value;
  }
  return values;
}

// The elements of a list, in order; empty where they are not what they were.
std::vector<const Expr *> Recovery::listedArray(const VarDecl &array) {
  const auto *type = context_.getAsConstantArrayType(array.getType());
  if (function_ || !type || !type->getElementType()->isScalarType() || !array.hasLocalStorage() ||
      !array.isLocalVarDecl() || sampler_.changesUnseen(&array))
    return {};
  std::vector<const Expr *> values;
  if (!array.getInit()) {
    values = elementsOf(array);
  } else if (const auto *list = dyn_cast<InitListExpr>(array.getInit());
             list && type->getSize() == list->getNumInits() && sampler_.changesOf(&array).empty() &&
             staleInput(array).empty()) {
    values.assign(list->inits().begin(), list->inits().end());
  }
  if (!llvm::all_of(values, [this](const Expr *value) { return canBeMadeAgain(*value); }))
    return {};
  return values;
}

void Recovery::addListed(const VarDecl &array, const std::vector<const Expr *> &values,
                         AddressFunction &out, std::string &problem, unsigned file) {
  const QualType element = context_.getBaseElementType(array.getType());
  const QualType type = element.getCanonicalType().getUnqualifiedType();
  const std::string name = type.getAsString(context_.getPrintingPolicy());
  if (!type->isBuiltinType())
    problem = "'" + array.getNameAsString() + "' holds values of another type";
  std::string text;
  for (const Expr *value : values) {
    needAll(value, out, problem, file);
    const std::string its = textOf(value, out, file, problem);
    // The other lane's numbers are int, whatever the thread's own are.
    const bool isSame = context_.hasSameUnqualifiedType(type, stripped(value)->getType()) &&
                        !type->isUnsignedIntegerType();
    const bool isWord = !StringRef(name).contains(' ');
    text += (text.empty() ? "{" : ", ") + (isSame   ? its
                                           : isWord ? name + "(" + its + ")"
                                                    : "static_cast<" + name + ">(" + its + ")");
  }
  out.variables.push_back({"const " + name,
                           array.getNameAsString() + "[" + std::to_string(values.size()) + "]",
                           text + "}"});
  sampler_.list(&array, values);
  siteFilled_.push_back(&array);
}

} // namespace layout_port::native
