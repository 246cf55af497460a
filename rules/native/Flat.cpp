#include "native/Flat.h"

#include "clang/AST/ExprCXX.h"

#include <algorithm>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int kWordBytes = 4;

// Sum of scale * variable, and a constant; in bytes for addresses.
struct Sum {
  std::vector<std::pair<const VarDecl *, int64_t>> terms;
  int64_t constant = 0;
  const VarDecl *root = nullptr;

  void add(const VarDecl *variable, int64_t scale) {
    for (auto &[known, sum] : terms)
      if (known == variable) {
        sum += scale;
        return;
      }
    terms.push_back({variable, scale});
  }
};

class Reader {
public:
  Reader(const ASTContext &context, const MeaningOf &meaningOf)
      : context_(context), meaningOf_(meaningOf) {}

  // The address of an element: X[e], *p.
  bool element(const Expr *expr, const void *scope, Sum &out) {
    expr = bare(expr);
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr))
      return pointer(access->getBase(), scope, out) &&
             number(access->getIdx(), scope, sizeOf(access->getType()), out);
    if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref)
      return pointer(op->getSubExpr(), scope, out);
    // A wrapper's parameter: an element that it is handed.
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
    const Meaning meaning = parameter ? meaningOf_(parameter, scope) : Meaning();
    return ++steps_ < 64 && meaning.value && element(meaning.value, meaning.scope, out);
  }

private:
  static const Expr *bare(const Expr *expr) {
    for (;;) {
      expr = expr->IgnoreParenImpCasts();
      const auto *full = dyn_cast<FullExpr>(expr);
      const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr);
      const auto *constant = dyn_cast<SubstNonTypeTemplateParmExpr>(expr);
      if (!full && !temporary && !constant)
        return expr;
      expr = full        ? full->getSubExpr()
             : temporary ? temporary->getSubExpr()
                         : constant->getReplacement();
    }
  }

  int64_t sizeOf(QualType type) const {
    return type->isIncompleteType() ? 0 : context_.getTypeSizeInChars(type).getQuantity();
  }

  bool pointer(const Expr *expr, const void *scope, Sum &out) {
    if (++steps_ > 64)
      return false;
    expr = bare(expr);
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
      return cast->getType()->isPointerType() && pointer(cast->getSubExpr(), scope, out);
    if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_AddrOf)
      return element(op->getSubExpr(), scope, out);
    if (const auto *op = dyn_cast<BinaryOperator>(expr); op && op->getOpcode() == BO_Add) {
      const bool isLeft = op->getLHS()->getType()->isPointerType();
      const Expr *base = isLeft ? op->getLHS() : op->getRHS();
      const Expr *offset = isLeft ? op->getRHS() : op->getLHS();
      return base->getType()->isPointerType() && pointer(base, scope, out) &&
             number(offset, scope, sizeOf(base->getType()->getPointeeType()), out);
    }
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable)
      return false;
    if (const Meaning meaning = meaningOf_(variable, scope); meaning.value)
      return pointer(meaning.value, meaning.scope, out);
    const auto *array = context_.getAsConstantArrayType(variable->getType());
    if (!array || !variable->isLocalVarDecl() || !variable->hasLocalStorage() ||
        (!array->getElementType()->isScalarType() && !array->getElementType()->isRecordType()))
      return false;
    out.root = variable;
    return true;
  }

  bool number(const Expr *expr, const void *scope, int64_t scale, Sum &out) {
    if (++steps_ > 64 || scale == 0)
      return false;
    expr = bare(expr);
    Expr::EvalResult value;
    if (expr->isValueDependent())
      return false;
    if (expr->EvaluateAsInt(value, context_)) {
      out.constant += scale * value.Val.getInt().getExtValue();
      return true;
    }
    if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (!variable)
        return false;
      if (const Meaning meaning = meaningOf_(variable, scope); meaning.value)
        return number(meaning.value, meaning.scope, scale, out);
      out.add(variable, scale);
      return !isa<ParmVarDecl>(variable) || !scope;
    }
    const auto *op = dyn_cast<BinaryOperator>(expr);
    if (!op)
      return false;
    if (op->getOpcode() == BO_Add)
      return number(op->getLHS(), scope, scale, out) && number(op->getRHS(), scope, scale, out);
    const Expr *left = op->getLHS(), *right = op->getRHS();
    if (op->getOpcode() == BO_Mul && left->EvaluateAsInt(value, context_))
      std::swap(left, right);
    else if ((op->getOpcode() != BO_Mul && op->getOpcode() != BO_Shl) ||
             !right->EvaluateAsInt(value, context_))
      return false;
    const int64_t factor = value.Val.getInt().getExtValue();
    if (factor < 0 || factor > 4096)
      return false;
    return number(left, scope, scale * (op->getOpcode() == BO_Shl ? int64_t(1) << factor : factor),
                  out);
  }

  const ASTContext &context_;
  const MeaningOf &meaningOf_;
  int steps_ = 0;
};

Index digit(const std::string &variable, int64_t scale, int64_t offset) {
  Index index;
  index.variable = variable;
  index.scale = scale;
  index.offset = offset;
  if (variable.empty())
    index.literal = offset;
  index.text = variable.empty() ? std::to_string(offset) : variable;
  if (!variable.empty() && scale != 1)
    index.text += " * " + std::to_string(scale);
  if (!variable.empty() && offset)
    index.text += " + " + std::to_string(offset);
  return index;
}

} // namespace

std::optional<FlatSlot> flatSlotOf(const Expr *expr, const ASTContext &context,
                                   const MeaningOf &meaningOf, const void *scope) {
  Sum sum;
  if (!Reader(context, meaningOf).element(expr, scope, sum) || !sum.root)
    return std::nullopt;
  const QualType type = expr->getType().getCanonicalType().getUnqualifiedType();
  if (!type->isScalarType() || context.getTypeSizeInChars(type).getQuantity() != kWordBytes)
    return std::nullopt;
  FlatSlot out;
  out.root = sum.root;
  Slot &slot = out.slot;
  slot.variable = sum.root->getNameAsString();
  slot.declaration = sum.root->getLocation().getRawEncoding();
  slot.flatType = type.getAsString(context.getPrintingPolicy());
  slot.flatWords = context.getTypeSizeInChars(sum.root->getType()).getQuantity() / kWordBytes;
  for (const auto &[variable, scale] : sum.terms) {
    if (scale % kWordBytes)
      return std::nullopt;
    slot.flatTerms.push_back({variable->getNameAsString(), scale / kWordBytes});
    out.variables.push_back(variable);
  }
  if (sum.constant % kWordBytes)
    return std::nullopt;
  slot.flatOffset = sum.constant / kWordBytes;
  return out;
}

bool split(Slot &slot, int registers) {
  if (slot.flatWords % registers || slot.flatOffset < 0)
    return false;
  slot.flatRegisters = registers;
  slot.reg = static_cast<int>(slot.flatOffset % registers);
  auto terms = slot.flatTerms;
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto &a, const auto &b) { return a.second > b.second; });
  int64_t extent = slot.flatWords / registers, offset = slot.flatOffset / registers;
  slot.tile.clear();
  slot.extents.clear();
  slot.extentTexts.clear();
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto &[name, words] = terms[i];
    if (words <= 0 || words % registers)
      return false;
    const int64_t scale = words / registers;
    const bool isLast = i + 1 == terms.size();
    if (isLast) {
      slot.tile.push_back(digit(name, scale, offset));
    } else {
      if (extent % scale)
        return false;
      slot.tile.push_back(digit(name, 1, offset / scale));
      offset %= scale;
    }
    slot.extents.push_back(isLast ? extent : extent / scale);
    slot.extentTexts.push_back(std::to_string(slot.extents.back()));
    extent = scale;
  }
  if (terms.empty()) {
    slot.tile = {digit("", 1, offset)};
    slot.extents = {extent};
    slot.extentTexts = {std::to_string(extent)};
  }
  slot.tileText = tileTextOf(slot, -1, "");
  slot.text = slot.tileText + "[" + std::to_string(slot.reg) + "]";
  return true;
}

std::string tileTextOf(const Slot &slot, int dim, const std::string &text) {
  const auto index = [&](size_t i) {
    return static_cast<int>(i) == dim ? text : slot.tile[i].text;
  };
  if (!slot.flatRegisters) {
    std::string out = slot.variable;
    for (size_t i = 0; i < slot.tile.size(); ++i)
      out += slot.tile[i].isMember ? slot.tile[i].text : "[" + index(i) + "]";
    return slot.vectorType.empty() ? out : "lp::regs<" + slot.vectorType + ">(" + out + ")";
  }
  // Digits, the last counting single tiles.
  std::string number;
  for (size_t i = 0; i < slot.tile.size(); ++i) {
    int64_t weight = 1;
    for (size_t k = i + 1; k < slot.extents.size(); ++k)
      weight *= slot.extents[k];
    const std::string digit = index(i);
    if (digit == "0" && slot.tile.size() > 1)
      continue;
    const bool isPlain = digit.find_first_of(" &|") == digit.npos;
    number += (number.empty() ? "" : " + ") +
              (weight == 1 && number.empty() ? digit
               : isPlain                     ? digit
                                             : "(" + digit + ")") +
              (weight == 1 ? "" : " * " + std::to_string(weight));
  }
  return "lp::tile<" + slot.flatType + ", " + std::to_string(slot.flatRegisters) + ">(" +
         slot.variable + ", " + (number.empty() ? "0" : number) + ")";
}

} // namespace layout_port::native
