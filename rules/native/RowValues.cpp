#include "native/RowValues.h"

#include "native/MergeRows.h"
#include "native/Numbers.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int64_t kWord = 4;

constexpr size_t kMostCells = 256;

bool isWord(QualType type, const ASTContext &context) {
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

RowValues::RowValues(const ASTContext &context, const std::vector<Exchange::Rows> &rows)
    : context_(&context) {
  for (const Exchange::Rows &row : rows) {
    held_.insert({row.lower, row.upper});
    if (row.bytes != kWord)
      continue;
    if (row.lower != row.upper && isWord(row.lower->getType(), context) &&
        isWord(row.upper->getType(), context)) {
      scalars_.push_back({row.lower, row.upper});
      continue;
    }
    const RowCell lower{row.lower, row.lowerOffset}, upper{row.upper, row.upperOffset};
    cells_[lower] = {0, upper};
    cells_[upper] = {1, lower};
  }
}

bool RowValues::isScalar(const VarDecl *variable) const {
  return llvm::any_of(scalars_, [&](const auto &pair) {
    return pair.first == variable || pair.second == variable;
  });
}

// ---- places in variables

static int64_t sizeOf(QualType type, const ASTContext &context) {
  return context.getTypeSizeInChars(type).getQuantity();
}

static int64_t offsetOf(const FieldDecl &member, const ASTContext &context) {
  return static_cast<int64_t>(context.getFieldOffset(&member) / 8);
}

static const FieldDecl *memberAt(QualType type, int64_t offset, const ASTContext &context) {
  const auto *record = type->getAsCXXRecordDecl();
  const FieldDecl *found = nullptr;
  if (record && record->hasDefinition() && !record->isUnion())
    for (const FieldDecl *member : record->fields())
      if (offsetOf(*member, context) <= offset)
        found = member;
  return found && found->getIdentifier() ? found : nullptr;
}

// at[i][r].l, from `at` inwards.
bool RowValues::findSteps(Access &access) const {
  for (const Expr *at = bare(access.expr);;) {
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(at)) {
      if (!bare(element->getBase())->getType()->isConstantArrayType())
        return false;
      access.steps.push_back({nullptr, element->getIdx()});
      at = bare(element->getBase());
    } else if (const auto *member = dyn_cast<MemberExpr>(at)) {
      const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
      const Expr *object = bare(member->getBase());
      if (!field || field->isBitField() || member->isArrow() ||
          field->getType()->isReferenceType() || // or of a base, which lies somewhere in it
          object->getType()->getAsRecordDecl() != field->getParent()->getDefinition())
        return false;
      access.steps.push_back({field, nullptr});
      at = object;
    } else {
      const auto *name = dyn_cast<DeclRefExpr>(at);
      access.variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      std::reverse(access.steps.begin(), access.steps.end());
      return access.variable && !access.steps.empty() && holds(access.variable);
    }
  }
}

// An index that is not known may be any.
std::vector<RowCell> RowValues::cellsOf(const Access &access, const CounterValues &numbers) const {
  std::vector<int64_t> offsets = {0};
  QualType type = access.variable->getType();
  for (const Access::Step &step : access.steps) {
    if (step.member) {
      for (int64_t &offset : offsets)
        offset += offsetOf(*step.member, *context_);
      type = step.member->getType();
      continue;
    }
    const auto *array = context_->getAsConstantArrayType(type);
    if (!array)
      return {};
    type = array->getElementType();
    const auto number = valueOf(step.index, numbers, *context_);
    const auto extent = static_cast<int64_t>(array->getSize().getZExtValue());
    std::vector<int64_t> all;
    for (const int64_t offset : offsets)
      for (int64_t i = 0; i < extent && all.size() <= kMostCells; ++i)
        if (!number || *number == i)
          all.push_back(offset + i * sizeOf(type, *context_));
    offsets = std::move(all);
  }
  std::vector<RowCell> cells;
  if (offsets.size() <= kMostCells)
    for (const int64_t offset : offsets)
      cells.push_back({access.variable, offset});
  return cells;
}

// Index 0 is of row r, index 1 of row r + 8, and all else is alike.
bool RowValues::isRowIndex(const Access &access, const Expr *index) const {
  const std::vector<RowCell> cells = cellsOf(access, {});
  QualType type = access.variable->getType();
  for (const Access::Step &step : access.steps) {
    const auto *array = context_->getAsConstantArrayType(type);
    type = step.member ? step.member->getType() : array->getElementType();
    if (step.index != index)
      continue;
    if (array->getSize() != 2)
      return false;
    const int64_t stride = sizeOf(type, *context_);
    return llvm::all_of(cells, [&](const RowCell &cell) {
      const Cell &known = cells_.at(cell);
      return known.partner ==
             RowCell{cell.first, cell.second + (known.row == 0 ? stride : -stride)};
    });
  }
  return false;
}

// All that it may be are values of rows, and which row is clear.
bool RowValues::findRow(Access &access) const {
  const std::vector<RowCell> cells = cellsOf(access, {});
  if (cells.empty() ||
      !llvm::all_of(cells, [&](const RowCell &cell) { return cells_.count(cell) != 0; }))
    return false;
  for (auto step = access.steps.rbegin(); step != access.steps.rend(); ++step)
    if (step->index && isRowIndex(access, step->index)) {
      access.index = step->index;
      return true;
    }
  access.row = cells_.at(cells.front()).row;
  const auto spell = [](const Expr *) { return std::string("i"); };
  const auto other = textOfOther(access, cells.front(), spell);
  return other && llvm::all_of(cells, [&](const RowCell &cell) {
           return cells_.at(cell).row == access.row && textOfOther(access, cell, spell) == other;
         });
}

std::optional<RowValues::Access> RowValues::accessAt(const Stmt *stmt) const {
  const auto *expr = dyn_cast_or_null<Expr>(stmt);
  if (isEmpty() || !expr || !isa<ArraySubscriptExpr, MemberExpr>(expr) ||
      !isWord(expr->getType(), *context_))
    return std::nullopt;
  Access access;
  access.expr = expr;
  if (!findSteps(access) || !findRow(access))
    return std::nullopt;
  return access;
}

std::optional<std::string> RowValues::textOfOther(const Access &access, Spell spell) const {
  return textOfOther(access, cellsOf(access, {}).front(), spell);
}

std::optional<std::string> RowValues::textOfOther(const Access &access, const RowCell &cell,
                                                  Spell spell) const {
  const RowCell partner = cells_.at(cell).partner;
  int64_t offset = partner.second, own = cell.second; // what is left of them
  std::string text = partner.first->getNameAsString();
  QualType type = partner.first->getType(), ownType = access.variable->getType();
  for (const Access::Step &step : access.steps) {
    if (step.member) {
      const FieldDecl *member = memberAt(type, offset, *context_);
      if (!member)
        return std::nullopt;
      text += "." + member->getNameAsString();
      offset -= offsetOf(*member, *context_);
      own -= offsetOf(*step.member, *context_);
      type = member->getType();
      ownType = step.member->getType();
      continue;
    }
    const auto *array = context_->getAsConstantArrayType(type);
    if (!array)
      return std::nullopt;
    type = array->getElementType();
    ownType = context_->getAsConstantArrayType(ownType)->getElementType();
    const int64_t size = sizeOf(type, *context_), ownSize = sizeOf(ownType, *context_);
    const bool isNumber = valueOf(step.index, {}, *context_).has_value();
    if (!isNumber && offset / size != own / ownSize)
      return std::nullopt;
    text += "[" + (isNumber ? std::to_string(offset / size) : spell(step.index)) + "]";
    offset %= size;
    own %= ownSize;
  }
  const bool isAlike = context_->hasSameUnqualifiedType(type, access.expr->getType());
  return offset == 0 && isAlike ? std::optional(text) : std::nullopt;
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
    for (const RowValues::Access::Step &step : access->steps)
      TraverseStmt(const_cast<Expr *>(step.index));
    return true;
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
