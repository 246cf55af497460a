#include "native/Flat.h"

#include "native/AstRead.h"
#include "native/Digits.h"
#include "native/FragmentName.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace clang;

namespace layout_port::native {

namespace {

// Sum of scale * variable, and a constant; in bytes for addresses.
struct Sum {
  std::vector<std::pair<const VarDecl *, int64_t>> terms;
  int64_t constant = 0;
  FlatRow row;
  std::vector<std::pair<const Expr *, int64_t>> pieces; // added where `scope` is null
  bool isInPieces = true;                               // all variables
  int64_t ofWrappers = 0;                               // constants that are added elsewhere
  // scale * (variable / by), or % by; j / 2 * 2 + j % 2 is j.
  struct Part {
    const VarDecl *variable = nullptr;
    int64_t by = 0, scale = 0;
    bool isRest = false, isOfBits = false; // j >> 1 and j & 1, which differ below zero
  };
  std::vector<Part> parts;
  std::vector<Part> digits; // that nothing matches
  bool isSwapped = false;
  std::vector<const VarDecl *> belowTwo;
  std::vector<const VarDecl *> notNegative;

  // The same place but for the constant.
  bool isBeside(const Sum &other) const {
    const auto isSame = [](const Part &a, const Part &b) {
      return a.variable == b.variable && a.by == b.by && a.scale == b.scale &&
             a.isRest == b.isRest && a.isOfBits == b.isOfBits;
    };
    return row.root == other.row.root && row.text == other.row.text &&
           row.depth == other.row.depth && terms == other.terms && isSwapped == other.isSwapped &&
           ofWrappers == other.ofWrappers &&
           std::equal(parts.begin(), parts.end(), other.parts.begin(), other.parts.end(), isSame);
  }

  void add(const VarDecl *variable, int64_t scale) {
    for (auto &[known, sum] : terms)
      if (known == variable) {
        sum += scale;
        return;
      }
    terms.push_back({variable, scale});
  }

  // False: some part has none to match it, and is not taken for a term of its own.
  bool joinParts(bool takesDigits) {
    while (!parts.empty()) {
      const Part part = parts.back();
      parts.pop_back();
      const auto other = llvm::find_if(parts, [&](const Part &p) {
        return p.variable == part.variable && p.by == part.by && p.isRest != part.isRest &&
               (part.isRest ? p.scale == part.by * part.scale : part.scale == part.by * p.scale);
      });
      if (other == parts.end()) {
        if (!takesDigits)
          return false;
        digits.push_back(part);
        continue;
      }
      if (other->isOfBits != part.isOfBits)
        notNegative.push_back(part.variable);
      add(part.variable, std::min(part.scale, other->scale));
      parts.erase(other);
    }
    return true;
  }
};

// What is one array of words.
enum class Rows {
  Single,     // a row
  All,        // an array of rows
  BelowFirst, // X[i], for each i
};

class Reader {
public:
  // `isSwapped`: of four registers of a row 0, 2, 1, 3 are the first, second, ...
  Reader(const ASTContext &context, const MeaningOf &meaningOf, const RowOf &rowOf, Rows rows,
         bool isSwapped)
      : context_(context), meaningOf_(meaningOf), rowOf_(rowOf), rows_(rows),
        isSwapped_(isSwapped) {}

  // The address of an element: X[e], *p.
  bool element(const Expr *expr, const void *scope, Sum &out) {
    expr = bare(expr);
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr))
      return pointer(access->getBase(), scope, out) &&
             (isSwapped_ ? half(*access, scope, out)
                         : piece(access->getIdx(), scope, sizeOf(access->getType()), out));
    if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref)
      return pointer(op->getSubExpr(), scope, out);
    if (const auto *choice = dyn_cast<ConditionalOperator>(expr))
      return either(*choice, std::nullopt, scope, out);
    if (const auto *member = dyn_cast<MemberExpr>(expr))
      return memberOf(*member, scope, out);
    // A wrapper's parameter, or its copy of one: an element that it is handed.
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const bool isHanded = variable && (scope || isa<ParmVarDecl>(variable));
    const Meaning meaning = isHanded ? meaningOf_(variable, scope) : Meaning();
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
             piece(offset, scope, sizeOf(base->getType()->getPointeeType()), out);
    }
    if (const auto *member = dyn_cast<MemberExpr>(expr))
      return rows_ == Rows::All && !member->isArrow() &&
             isArrayAlone(member->getBase()->getType(), context_) &&
             structure(member->getBase(), scope, out);
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (variable)
      if (const Meaning meaning = meaningOf_(variable, scope); meaning.value)
        return pointer(meaning.value, meaning.scope, out);
    const auto *array = variable ? context_.getAsConstantArrayType(variable->getType()) : nullptr;
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr);
        rows_ != Rows::Single && access && access->getType()->isConstantArrayType() &&
        !(rows_ == Rows::BelowFirst && isa<DeclRefExpr>(bare(access->getBase()))))
      return pointer(access->getBase(), scope, out) &&
             piece(access->getIdx(), scope, sizeOf(access->getType()), out);
    const QualType element = !array ? QualType()
                             : rows_ != Rows::Single
                                 ? context_.getBaseElementType(variable->getType())
                                 : array->getElementType();
    if (array && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
        (element->isScalarType() || element->isRecordType())) {
      out.row = {variable, variable->getNameAsString(), sizeOf(variable->getType()), 0, true, {}};
      return true;
    }
    if (const auto row = scope && !variable ? std::nullopt : rowOf_(expr))
      out.row = *row;
    return out.row.root;
  }

  // b[j] of  struct { unsigned r[4]; } b[2], or what a wrapper is handed as such.
  bool structure(const Expr *expr, const void *scope, Sum &out) {
    expr = bare(expr);
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr))
      return pointer(access->getBase(), scope, out) &&
             piece(access->getIdx(), scope, sizeOf(access->getType()), out);
    const auto *name = dyn_cast<DeclRefExpr>(expr);
    const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
    const Meaning meaning = parameter ? meaningOf_(parameter, scope) : Meaning();
    return ++steps_ < 64 && meaning.value && structure(meaning.value, meaning.scope, out);
  }

  // j & 1 ? b[j / 2].z : b[j / 2].x is two words behind the latter where j is odd. `member`: of
  // either value that one.
  bool either(const ConditionalOperator &choice, std::optional<unsigned> member, const void *scope,
              Sum &out) {
    Sum odd = out, even = out;
    std::optional<Parity> parity = parityIn(choice.getCond(), scope);
    const Expr *ifOdd = choice.getTrueExpr(), *ifEven = choice.getFalseExpr();
    if (parity && parity->isEven)
      std::swap(ifOdd, ifEven);
    const auto read = [&](const Expr *value, Sum &sum) {
      ++choices_;
      const bool isRead =
          member ? memberOf(*value, *member, scope, sum) : element(value, scope, sum);
      --choices_;
      return isRead;
    };
    if (!parity || !read(ifOdd, odd) || !read(ifEven, even) || !odd.isBeside(even))
      return false;
    out = std::move(even);
    out.isInPieces = false;
    out.notNegative.push_back(parity->variable);
    if (const int64_t scale = odd.constant - out.constant)
      out.parts.push_back({parity->variable, 2, scale, true, true});
    return true;
  }

  // Whether a number is odd, or even: j & 1, j % 2 == 0, !(j % 2).
  struct Parity {
    const VarDecl *variable = nullptr;
    bool isEven = false;
  };
  std::optional<Parity> parityIn(const Expr *condition, const void *scope) {
    condition = bare(condition);
    Expr::EvalResult value;
    Sum sum;
    if (const auto *op = dyn_cast<UnaryOperator>(condition); op && op->getOpcode() == UO_LNot) {
      auto parity = parityIn(op->getSubExpr(), scope);
      if (parity)
        parity->isEven = !parity->isEven;
      return parity;
    }
    const auto *op = dyn_cast<BinaryOperator>(condition);
    if (op && op->isEqualityOp() && !op->getRHS()->isValueDependent() &&
        op->getRHS()->EvaluateAsInt(value, context_)) {
      const int64_t number = value.Val.getInt().getExtValue();
      auto parity = number == 0 || number == 1 ? parityIn(op->getLHS(), scope) : std::nullopt;
      if (parity && (number == 0) == (op->getOpcode() == BO_EQ))
        parity->isEven = !parity->isEven;
      return parity;
    }
    const bool isRest = op && (op->getOpcode() == BO_And || op->getOpcode() == BO_Rem);
    const bool isParity = isRest && part(*op, scope, 1, sum) && sum.parts[0].by == 2;
    return isParity ? std::optional(Parity{sum.parts[0].variable, false}) : std::nullopt;
  }

  // b[j].z of a vector, or of one that a wrapper is handed.
  bool memberOf(const MemberExpr &member, const void *scope, Sum &out) {
    const auto *field = dyn_cast<FieldDecl>(member.getMemberDecl());
    const Expr *base = bare(member.getBase());
    return field && !member.isArrow() && vectorOf(base->getType(), context_) &&
           memberOf(*base, numberOf(*field), scope, out);
  }
  bool memberOf(const Expr &value, unsigned number, const void *scope, Sum &out) {
    const Expr *vector = bare(throughCopies(&value));
    if (++steps_ > 64)
      return false;
    if (const auto *choice = dyn_cast<ConditionalOperator>(vector))
      return either(*choice, number, scope, out);
    if (const auto *call = dyn_cast<CallExpr>(vector))
      return cudaName(call->getDirectCallee()).starts_with("make_") &&
             number < call->getNumArgs() && element(call->getArg(number), scope, out);
    if (const auto *list = dyn_cast<InitListExpr>(vector))
      return number < list->getNumInits() && element(list->getInit(number), scope, out);
    const auto *name = dyn_cast<DeclRefExpr>(vector);
    const auto *variable = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
    if (const Meaning meaning = variable ? meaningOf_(variable, scope) : Meaning(); meaning.value)
      return memberOf(*meaning.value, number, meaning.scope, out);
    const auto *access = dyn_cast<ArraySubscriptExpr>(vector);
    const auto type = vectorOf(vector->getType(), context_);
    if (!choices_ || !access || isSwapped_ || !type || !element(access, scope, out))
      return false;
    out.constant += sizeOf(type->element) * number;
    out.isInPieces = false;
    return true;
  }

  // b[..][j % 2 + 2], b[..][h] with h = 0, 1, b[..][3]: of a row of four registers.
  bool half(const ArraySubscriptExpr &access, const void *scope, Sum &out) {
    constexpr int64_t kBytes = 4;
    const auto *row = context_.getAsConstantArrayType(bare(access.getBase())->getType());
    Sum own;
    if (!row || row->getSize() != 4 || sizeOf(access.getType()) != kBytes ||
        !number(access.getIdx(), scope, 1, own) || own.terms.size() + own.parts.size() > 1 ||
        own.constant < 0 || own.constant > 3)
      return false;
    for (const auto &[variable, scale] : own.terms) {
      out.add(variable, 2 * kBytes);
      out.belowTwo.push_back(variable);
    }
    for (Sum::Part part : own.parts) {
      part.scale = 2 * kBytes;
      out.parts.push_back(part);
    }
    const bool isPlain =
        llvm::all_of(own.terms, [](const auto &term) { return term.second == 1; }) &&
        llvm::all_of(own.parts,
                     [](const Sum::Part &p) { return p.isRest && p.by == 2 && p.scale == 1; });
    const bool mayBeOdd = own.terms.empty() && own.parts.empty();
    out.constant += kBytes * (2 * (own.constant & 1) + (own.constant >> 1));
    out.isSwapped = true;
    out.isInPieces = false;
    return isPlain && (mayBeOdd || own.constant % 2 == 0);
  }

  bool piece(const Expr *expr, const void *scope, int64_t scale, Sum &out) {
    const auto terms = out.terms;
    const size_t parts = out.parts.size();
    const int64_t constant = out.constant;
    const bool isSum = number(expr, scope, scale, out);
    if (!scope)
      out.pieces.push_back({expr, scale});
    else
      out.ofWrappers += out.constant - constant;
    out.isInPieces =
        out.isInPieces && (!scope || (terms == out.terms && parts == out.parts.size()));
    return isSum;
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
    if (op->getOpcode() == BO_Div && quotient(*op, scope, scale, out))
      return true;
    if (op->getOpcode() == BO_Div || op->getOpcode() == BO_Rem || op->getOpcode() == BO_Shr ||
        op->getOpcode() == BO_And)
      return part(*op, scope, scale, out);
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

  // i * 32 / 16: where nothing is left over, whatever i is.
  bool quotient(const BinaryOperator &op, const void *scope, int64_t scale, Sum &out) {
    Expr::EvalResult value;
    Sum sum;
    if (!op.getType()->isSignedIntegerType() || !op.getRHS()->EvaluateAsInt(value, context_) ||
        !number(op.getLHS(), scope, 1, sum))
      return false;
    const int64_t by = value.Val.getInt().getExtValue();
    if (by <= 0 || sum.constant % by)
      return false;
    for (const auto &[variable, count] : sum.terms) {
      if (count % by)
        return false;
      out.add(variable, scale * (count / by));
    }
    out.constant += scale * (sum.constant / by);
    return true;
  }

  // j / 2, j % 2, j >> 1, j & 1.
  bool part(const BinaryOperator &op, const void *scope, int64_t scale, Sum &out) {
    Expr::EvalResult value;
    Sum sum;
    if (!op.getRHS()->EvaluateAsInt(value, context_) || !number(op.getLHS(), scope, 1, sum) ||
        sum.terms.size() != 1 || sum.terms[0].second != 1 || sum.constant || !sum.parts.empty())
      return false;
    const int64_t number = value.Val.getInt().getExtValue();
    const bool isShift = op.getOpcode() == BO_Shr, isMask = op.getOpcode() == BO_And;
    if (number < 0 || number > (isShift ? 12 : 4096))
      return false;
    const int64_t by = isShift ? int64_t(1) << number : isMask ? number + 1 : number;
    if (by <= 0 || (isMask && (by & (by - 1))))
      return false;
    out.parts.push_back(
        {sum.terms[0].first, by, scale, isMask || op.getOpcode() == BO_Rem, isShift || isMask});
    return true;
  }

  const ASTContext &context_;
  const MeaningOf &meaningOf_;
  const RowOf &rowOf_;
  const Rows rows_;
  const bool isSwapped_;
  int steps_ = 0;
  int choices_ = 0; // around: a vector's member that nothing chooses is a path (RecoverSlots.cpp)
};

// Numbers that an expression has by name, beside the variables it is a sum of.
class Names : public DynamicRecursiveASTVisitor {
public:
  explicit Names(const Sum &sum) : sum_(sum) {}
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto isTerm = [&](const auto &term) { return term.first == name->getDecl(); };
    const auto isDigit = [&](const Sum::Part &part) { return part.variable == name->getDecl(); };
    return !(found |= llvm::none_of(sum_.terms, isTerm) && llvm::none_of(sum_.digits, isDigit));
  }
  bool VisitSubstNonTypeTemplateParmExpr(SubstNonTypeTemplateParmExpr *) override {
    return !(found = true);
  }
  bool VisitUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override {
    return !(found = true);
  }
  bool found = false;

private:
  const Sum &sum_;
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

int64_t registerBytes(QualType type, const ASTContext &context) {
  if (!type->isScalarType())
    return 0;
  const int64_t bytes = context.getTypeSizeInChars(type).getQuantity();
  return bytes == 4 || type->isSpecificBuiltinType(BuiltinType::Double) ? bytes : 0;
}

// The slot of a place that was read as a sum.
static std::optional<FlatSlot> flatSlotOf(Sum sum, QualType type, const ASTContext &context) {
  const int64_t wordBytes = registerBytes(type, context);
  if (!wordBytes)
    return std::nullopt;
  FlatSlot out;
  out.root = sum.row.root;
  out.belowTwo = std::move(sum.belowTwo);
  out.notNegative = std::move(sum.notNegative);
  Slot &slot = out.slot;
  slot.variable = sum.row.text;
  slot.declaration = sum.row.root->getLocation().getRawEncoding();
  slot.flatType = type.getAsString(context.getPrintingPolicy());
  slot.flatWords = sum.row.bytes / wordBytes;
  slot.isOfRow = !sum.row.isWhole;
  slot.rowDepth = sum.row.depth;
  slot.isSwapped = sum.isSwapped;
  slot.turns = sum.row.turns;
  slot.turnsByName = !sum.row.turns.empty();
  for (const auto &[variable, scale] : sum.terms) {
    if (scale % wordBytes)
      return std::nullopt;
    slot.flatTerms.push_back({variable->getNameAsString(), scale / wordBytes});
    out.variables.push_back(variable);
  }
  for (const Sum::Part &part : sum.digits) {
    if (part.scale % wordBytes)
      return std::nullopt;
    slot.flatTerms.push_back(
        {digitName(part.variable->getName(), part.by, part.isRest), part.scale / wordBytes});
    out.variables.push_back(part.variable);
    out.digits.push_back({part.variable, part.by});
  }
  if (sum.constant % wordBytes)
    return std::nullopt;
  slot.flatOffset = sum.constant / wordBytes;
  Names names(sum);
  for (const auto &[expr, bytes] : sum.pieces)
    names.TraverseStmt(const_cast<Expr *>(expr));
  out.hasNames = names.found;
  if (sum.isInPieces)
    out.pieces = sum.pieces;
  slot.flatBegin = sum.ofWrappers / wordBytes;
  return out;
}

static std::optional<FlatSlot> flatSlotOf(const Expr *expr, const ASTContext &context,
                                          const MeaningOf &meaningOf, const RowOf &rowOf,
                                          const void *scope, FlatOrder order, bool takesDigits) {
  const QualType type = expr->getType().getCanonicalType().getUnqualifiedType();
  const auto read = [&](Rows rows, bool isSwapped) {
    Sum sum;
    const bool isRead =
        Reader(context, meaningOf, rowOf, rows, isSwapped).element(expr, scope, sum) &&
        sum.row.root && sum.isSwapped == isSwapped && sum.joinParts(takesDigits);
    return isRead ? flatSlotOf(std::move(sum), type, context) : std::nullopt;
  };
  for (const bool isSwapped : {false, true}) {
    if (isSwapped ? order == FlatOrder::Rows : order == FlatOrder::Swapped)
      continue;
    if (auto found =
            isSwapped || order == FlatOrder::Rows ? std::nullopt : read(Rows::Single, false))
      return found;
    auto all = read(Rows::All, isSwapped), below = read(Rows::BelowFirst, isSwapped);
    if (all && below)
      all->slot.belowFirst = std::make_shared<const Slot>(below->slot);
    if (all || below)
      return all ? all : below;
    if (auto found = isSwapped ? read(Rows::Single, true) : std::nullopt)
      return found;
  }
  return std::nullopt;
}

std::optional<FlatSlot> flatSlotOf(const Expr *expr, const ASTContext &context,
                                   const MeaningOf &meaningOf, const RowOf &rowOf,
                                   const void *scope, FlatOrder order) {
  if (auto found = flatSlotOf(expr, context, meaningOf, rowOf, scope, order, false))
    return found;
  return flatSlotOf(expr, context, meaningOf, rowOf, scope, order, true);
}

void dropMembers(Slot &slot, QualType whole, const ASTContext &context) {
  if (whole.isNull() || !whole->isArrayType() ||
      !isArrayAlone(context.getBaseElementType(whole), context))
    return;
  llvm::erase_if(slot.tile,
                 [](const Index &index) { return index.isMember && !index.text.empty(); });
}

// As HIP calls it, too.
static std::string nameOfWord(QualType type, const ASTContext &context) {
  const std::string name =
      type.getCanonicalType().getUnqualifiedType().getAsString(context.getPrintingPolicy());
  return llvm::StringSwitch<std::string>(name)
      .Case("__half2", "half2")
      .Case("__nv_bfloat162", "__hip_bfloat162")
      .Default(name);
}

bool flatten(Slot &slot, QualType whole, const ASTContext &context, int kept) {
  if (whole.isNull())
    return false;
  std::vector<int64_t> extents;
  QualType type = whole;
  for (;;) {
    if (const auto *array = context.getAsConstantArrayType(type)) {
      extents.push_back(static_cast<int64_t>(array->getSize().getZExtValue()));
      type = array->getElementType();
    } else if (isArrayAlone(type, context) && !extents.empty()) {
      type = type->getAsCXXRecordDecl()->field_begin()->getType();
    } else {
      break;
    }
  }
  const size_t first = static_cast<size_t>(kept), arrays = extents.size();
  const auto vector = vectorOf(type, context); // its members are words like others
  if (vector) {
    extents.push_back(vector->count);
    type = vector->element;
  }
  const bool isWord = registerBytes(type, context) ||
                      (type->isRecordType() && context.getTypeSize(type) == 32); // half2
  if (slot.flatWords || extents.size() != slot.tile.size() + 1 || first > slot.tile.size() ||
      !isWord)
    return false;
  slot.vectorType.clear();
  for (size_t i = 0; i < first; ++i) {
    const Index &index = slot.tile[i];
    if (index.isMember && !index.text.empty())
      return false;
    slot.variable += index.isMember ? "" : "[" + index.text + "]"; // the name may stand for a row
  }
  if (vector && first == arrays)
    slot.variable = "&" + slot.variable;
  int64_t weight = extents.back();
  slot.flatOffset = slot.reg;
  for (size_t i = slot.tile.size(); i-- > first; weight *= extents[i]) {
    const Index &index = slot.tile[i];
    if (index.isMember || (!index.literal && index.variable.empty()))
      return false;
    slot.flatOffset += weight * (index.literal ? *index.literal : index.offset);
    if (!index.literal)
      slot.flatTerms.push_back({index.variable, weight * index.scale});
  }
  slot.flatWords = weight;
  slot.isOfRow = kept > 0;
  slot.rowDepth = kept;
  slot.tile.clear();
  slot.extents.clear();
  slot.extentTexts.clear();
  slot.flatType = nameOfWord(type, context);
  return true;
}

bool split(Slot &slot, int registers) {
  if (slot.flatWords % registers || slot.flatOffset < 0 || slot.flatOffset >= slot.flatWords)
    return false;
  slot.flatRegisters = registers;
  slot.reg = static_cast<int>(slot.flatOffset % registers);
  slot.flatBegin -= slot.reg;
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

// By the author's words; the last index may have something behind it, j & ~1: that holds for the
// number of the tile too, of which it is the lowest digit.
static std::string namedNumber(const Slot &slot, int dim, const std::string &text) {
  std::string number = slot.flatText;
  if (slot.flatBegin)
    number += " + " + std::to_string(slot.flatBegin);
  number = !slot.flatBegin && slot.flatTiles.second == slot.flatRegisters
               ? slot.flatTiles.first
               : "(" + number + ") / " + std::to_string(slot.flatRegisters);
  if (dim < 0)
    return number;
  const std::string &digit = slot.tile[dim].text;
  const size_t at = text.find(digit);
  const size_t behind =
      at == text.npos ? text.size() : text.find_first_not_of(")", at + digit.size());
  if (behind >= text.size()) // npos, too
    return number;
  const bool isSum = number.find(" + ") != number.npos || number.find(" - ") != number.npos;
  return (isSum ? "(" + number + ")" : number) + text.substr(behind);
}

std::string tileTextOf(const Slot &slot, int dim, const std::string &text) {
  const auto index = [&](size_t i) {
    return static_cast<int>(i) == dim ? text : slot.tile[i].text;
  };
  if (!slot.flatRegisters) {
    std::string out = slot.variable;
    for (size_t i = 0; i < slot.tile.size(); ++i)
      out += slot.tile[i].isNamed    ? ""
             : slot.tile[i].isMember ? slot.tile[i].text
                                     : "[" + index(i) + "]";
    return slot.vectorType.empty() ? out : "lp::regs<" + slot.vectorType + ">(" + out + ")";
  }
  if (!slot.flatText.empty())
    return "lp::tile<" + slot.flatType + ", " + std::to_string(slot.flatRegisters) + ">(" +
           slot.variable + ", " + namedNumber(slot, dim, text) + ")";
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
