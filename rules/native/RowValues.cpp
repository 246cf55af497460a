#include "native/RowValues.h"

#include "native/MergeRows.h"
#include "native/Numbers.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int64_t kWord = 4;

// T x[...][2] of words: how many words; 0 for another type.
int64_t wordsOfPairs(QualType type, const ASTContext &context) {
  int64_t words = 1, last = 0;
  while (const auto *array = context.getAsConstantArrayType(type)) {
    last = static_cast<int64_t>(array->getSize().getZExtValue());
    words *= last;
    type = array->getElementType();
  }
  const bool isWord = type->isScalarType() && !type->isPointerType() &&
                      context.getTypeSizeInChars(type).getQuantity() == kWord;
  return isWord && last == 2 ? words : 0;
}

bool isWord(const VarDecl *variable, const ASTContext &context) {
  const QualType type = variable->getType();
  return type->isScalarType() && !type->isPointerType() &&
         context.getTypeSizeInChars(type).getQuantity() == kWord;
}

} // namespace

std::optional<int64_t> valueOf(const Expr *expr, const CounterValues &values,
                               const ASTContext &context) {
  expr = bare(expr);
  Expr::EvalResult constant;
  if (!expr->isValueDependent() && expr->getType()->isIntegralOrEnumerationType() &&
      expr->EvaluateAsInt(constant, context))
    return constant.Val.getInt().getExtValue();
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto known = values.find(dyn_cast<VarDecl>(name->getDecl()));
    return known == values.end() ? std::nullopt : std::optional(known->second);
  }
  const auto *op = dyn_cast<BinaryOperator>(expr);
  if (!op || op->isAssignmentOp() || op->isLogicalOp())
    return std::nullopt;
  const auto left = valueOf(op->getLHS(), values, context),
             right = valueOf(op->getRHS(), values, context);
  if (!left || !right)
    return std::nullopt;
  const auto result =
      applyBinary(op->getOpcode(), op->getLHS()->getType()->isSignedIntegerOrEnumerationType(),
                  static_cast<uint64_t>(*left), static_cast<uint64_t>(*right));
  if (!result)
    return std::nullopt;
  return static_cast<int64_t>(fitted(*result, op->getType(), context));
}

RowValues::RowValues(const ASTContext &context, const std::vector<Exchange::Rows> &rows) {
  std::map<const VarDecl *, std::set<int64_t>> pairs; // offsets of those that lie side by side
  std::set<const VarDecl *> otherwise;
  for (const Exchange::Rows &row : rows) {
    held_.insert({row.lower, row.upper});
    const bool isWhole = row.bytes == kWord;
    if (isWhole && row.lower != row.upper && isWord(row.lower, context) &&
        isWord(row.upper, context))
      scalars_.push_back({row.lower, row.upper});
    else if (isWhole && row.lower == row.upper && row.upperOffset == row.lowerOffset + kWord)
      pairs[row.lower].insert(row.lowerOffset);
    else
      otherwise.insert({row.lower, row.upper});
  }
  for (const auto &[variable, offsets] : pairs) {
    const int64_t words = wordsOfPairs(variable->getType(), context);
    const bool areAligned =
        llvm::all_of(offsets, [](int64_t offset) { return offset % (2 * kWord) == 0; });
    if (!otherwise.count(variable) && areAligned &&
        words == 2 * static_cast<int64_t>(offsets.size()))
      arrays_.insert(variable);
  }
}

bool RowValues::isScalar(const VarDecl *variable) const {
  return llvm::any_of(scalars_, [&](const auto &pair) {
    return pair.first == variable || pair.second == variable;
  });
}

std::optional<RowValues::Access> RowValues::accessAt(const Stmt *stmt) const {
  const auto *expr = dyn_cast_or_null<ArraySubscriptExpr>(stmt);
  if (!expr || !expr->getType()->isScalarType())
    return std::nullopt;
  Access access;
  access.index = expr->getIdx();
  const Expr *base = bare(expr->getBase());
  while (const auto *outer = dyn_cast<ArraySubscriptExpr>(base)) {
    access.outer.push_back(outer->getIdx());
    base = bare(outer->getBase());
  }
  const auto *name = dyn_cast<DeclRefExpr>(base);
  access.array = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!access.array || !arrays_.count(access.array))
    return std::nullopt;
  return access;
}

namespace {

class Finds : public DynamicRecursiveASTVisitor {
public:
  explicit Finds(const RowValues &rows) : rows_(rows) {}
  bool TraverseStmt(Stmt *stmt) override {
    const auto access = rows_.accessAt(stmt);
    if (!access)
      return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    accesses.push_back(*access);
    for (const Expr *outer : access->outer)
      TraverseStmt(const_cast<Expr *>(outer));
    return TraverseStmt(const_cast<Expr *>(access->index));
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (!other && variable && rows_.holds(variable) && !rows_.isScalar(variable))
      other = name;
    return true;
  }
  std::vector<RowValues::Access> accesses;
  const DeclRefExpr *other = nullptr;

private:
  const RowValues &rows_;
};

} // namespace

std::vector<RowValues::Access> RowValues::accessesIn(const Stmt *stmt) const {
  Finds finds(*this);
  finds.TraverseStmt(const_cast<Stmt *>(stmt));
  return finds.accesses;
}

const DeclRefExpr *RowValues::otherMention(const Stmt *stmt) const {
  Finds finds(*this);
  finds.TraverseStmt(const_cast<Stmt *>(stmt));
  return finds.other;
}

} // namespace layout_port::native
