#include "native/Digits.h"

#include "native/AstRead.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace clang;

namespace layout_port::native {

namespace {

struct Digit {
  const VarDecl *variable = nullptr;
  int64_t by = 0;
  bool isRest = false;
};

// t / 2, t % 2, t >> 1, t & 1: the same ones where t is not negative.
std::optional<Digit> digitIn(const BinaryOperator &op, const ASTContext &context) {
  constexpr int64_t kMost = 64;
  const auto *name = dyn_cast<DeclRefExpr>(stripped(op.getLHS()));
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  Expr::EvalResult value;
  if (!variable || op.getRHS()->isValueDependent() || !op.getRHS()->getType()->isIntegerType() ||
      !op.getRHS()->EvaluateAsInt(value, context))
    return std::nullopt;
  const int64_t number = value.Val.getInt().getExtValue();
  if (number < 1 || number > kMost)
    return std::nullopt;
  const bool isMask = op.getOpcode() == BO_And && ((number + 1) & number) == 0;
  if (isMask || op.getOpcode() == BO_Rem)
    return Digit{variable, number + isMask, true};
  const bool isShift = op.getOpcode() == BO_Shr && number < 6;
  if (isShift || op.getOpcode() == BO_Div)
    return Digit{variable, isShift ? int64_t(1) << number : number, false};
  return std::nullopt;
}

// What a loop's body says of its counter.
class Digits : public DynamicRecursiveASTVisitor {
public:
  Digits(const VarDecl &counter, const ASTContext &context)
      : counter_(counter), context_(context) {}
  bool TraverseBinaryOperator(BinaryOperator *op) override {
    const auto digit = digitIn(*op, context_);
    if (!digit || digit->variable != &counter_)
      return DynamicRecursiveASTVisitor::TraverseBinaryOperator(op);
    isOther |= by && by != digit->by;
    by = digit->by;
    return !isOther;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    return !(isOther |= name->getDecl() == &counter_);
  }
  bool VisitVarDecl(VarDecl *variable) override { // that may be meant by the name
    return !(isOther |= variable->getDeclName() == counter_.getDeclName());
  }
  int64_t by = 0;
  bool isOther = false;

private:
  const VarDecl &counter_;
  const ASTContext &context_;
};

Loop digitOf(const Loop &loop, bool isRest) {
  Loop digit = loop;
  digit.counter = loop.variable;
  digit.variable = digitName(loop.variable, loop.digitsBy, isRest);
  digit.last = isRest ? loop.digitsBy : *loop.last / loop.digitsBy;
  return digit;
}

std::vector<std::string> digitsOf(const Loop &loop) {
  return {digitName(loop.variable, loop.digitsBy, false),
          digitName(loop.variable, loop.digitsBy, true)};
}

bool namesDigit(const Slot &slot, const std::string &digit) {
  return llvm::any_of(slot.tile, [&](const Index &index) { return index.variable == digit; }) ||
         llvm::any_of(slot.flatTerms, [&](const auto &term) { return term.first == digit; });
}

// In turns of which digits it is another; where that cannot be told, of both.
void splitTurnsOf(std::set<std::string> &turns, const Loop &loop,
                  llvm::function_ref<bool(const std::string &)> isNamed) {
  if (!turns.erase(loop.variable))
    return;
  const std::vector<std::string> both = digitsOf(loop);
  const bool isKnown = llvm::any_of(both, isNamed);
  for (const std::string &digit : both)
    if (!isKnown || isNamed(digit))
      turns.insert(digit);
}

void splitTurnsOf(Slot &slot, const Loop &loop) {
  const bool isElsewhere = llvm::any_of(slot.tile, [&](const Index &index) {
    return index.turns.count(loop.variable) && index.variable.empty();
  });
  for (Index &index : slot.tile)
    splitTurnsOf(index.turns, loop,
                 [&](const std::string &digit) { return index.variable == digit; });
  splitTurnsOf(slot.turns, loop,
               [&](const std::string &digit) { return !isElsewhere && namesDigit(slot, digit); });
  if (slot.belowFirst) {
    Slot below = *slot.belowFirst;
    splitTurnsOf(below, loop);
    slot.belowFirst = std::make_shared<const Slot>(below);
  }
}

} // namespace

std::string digitName(StringRef variable, int64_t by, bool isRest) {
  return (variable + (isRest ? " % " : " / ") + std::to_string(by)).str();
}

int64_t digitsIn(const ForStmt &loop, const VarDecl &counter, const ASTContext &context) {
  Digits digits(counter, context);
  digits.TraverseStmt(const_cast<Stmt *>(loop.getBody()));
  return digits.isOther || digits.by < 2 ? 0 : digits.by;
}

const Loop *loopCountedBy(const std::vector<Loop> &loops, const VarDecl &variable) {
  const std::string name = variable.getNameAsString();
  for (const Loop &loop : llvm::reverse(loops))
    if (loop.isCountedBy(name))
      return &loop;
  return nullptr;
}

bool takeDigit(const Expr *expr, const std::vector<Loop> &loops, const ASTContext &context,
               Index &index) {
  const auto *op = dyn_cast<BinaryOperator>(stripped(expr));
  const auto digit = op ? digitIn(*op, context) : std::nullopt;
  const Loop *loop = digit ? loopCountedBy(loops, *digit->variable) : nullptr;
  if (!loop || loop->digitsBy != digit->by)
    return false;
  index.variable = digitName(digit->variable->getName(), digit->by, digit->isRest);
  index.scale = 1;
  index.offset = 0;
  return true;
}

const Loop *lowerDigitOf(const std::vector<Loop> &loops, const Index &index) {
  for (const Loop &loop : loops)
    if (loop.digitsBy && index.variable == digitName(loop.variable, loop.digitsBy, true))
      return &loop;
  return nullptr;
}

// By how much the value is greater in turns of the `outer` loops: a multiple of the number; 0: it
// is the same in all.
static int64_t stepIn(const Expr *expr, const std::set<std::string> &outer,
                      const ASTContext &context) {
  expr = stripped(expr);
  Expr::EvalResult value;
  if (const auto *name = dyn_cast<DeclRefExpr>(expr))
    return outer.count(name->getDecl()->getNameAsString());
  const auto *op = dyn_cast<BinaryOperator>(expr);
  if (op && (op->getOpcode() == BO_Add || op->getOpcode() == BO_Sub))
    return std::gcd(stepIn(op->getLHS(), outer, context), stepIn(op->getRHS(), outer, context));
  if (op && op->getOpcode() == BO_Mul)
    for (const auto &[factor, other] :
         {std::pair(op->getLHS(), op->getRHS()), std::pair(op->getRHS(), op->getLHS())})
      if (!factor->isValueDependent() && factor->EvaluateAsInt(value, context))
        return std::abs(value.Val.getInt().getExtValue()) * stepIn(other, outer, context);
  bool isOfOuter = false;
  Mentions mentions([&](const DeclRefExpr &name) {
    isOfOuter |= outer.count(name.getDecl()->getNameAsString()) != 0;
  });
  mentions.TraverseStmt(const_cast<Expr *>(expr));
  return isOfOuter;
}

// a of a[j][e].
static const VarDecl *arrayOf(const ArraySubscriptExpr &access) {
  const Expr *base = stripped(access.getBase());
  while (const auto *inner = dyn_cast<ArraySubscriptExpr>(base))
    base = stripped(inner->getBase());
  const auto *name = dyn_cast<DeclRefExpr>(base);
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

bool namesOnlyRest(const VarDecl &counter, const std::set<std::string> &outer, ASTContext &context,
                   llvm::function_ref<bool(const VarDecl &)> isFragment) {
  class Names : public DynamicRecursiveASTVisitor {
  public:
    Names(const VarDecl &counter, int64_t step, const ASTContext &context,
          llvm::function_ref<bool(const VarDecl &)> isFragment)
        : counter_(counter), step_(step), context_(context), isFragment_(isFragment) {}
    bool TraverseBinaryOperator(BinaryOperator *op) override {
      const auto digit = digitIn(*op, context_);
      const bool isRest = digit && digit->variable == &counter_ && digit->isRest;
      return (isRest && step_ % digit->by == 0) ||
             DynamicRecursiveASTVisitor::TraverseBinaryOperator(op);
    }
    bool TraverseArraySubscriptExpr(ArraySubscriptExpr *access) override {
      const VarDecl *array = arrayOf(*access);
      const auto *name = dyn_cast<DeclRefExpr>(stripped(access->getIdx()));
      const bool isNumber = array && isFragment_(*array) && name && name->getDecl() == &counter_;
      return isNumber ? TraverseStmt(access->getBase())
                      : DynamicRecursiveASTVisitor::TraverseArraySubscriptExpr(access);
    }
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      return !(isOther |= name->getDecl() == &counter_);
    }
    bool isOther = false;

  private:
    const VarDecl &counter_;
    const int64_t step_;
    const ASTContext &context_;
    llvm::function_ref<bool(const VarDecl &)> isFragment_;
  };
  const auto declared = context.getParents(counter);
  const auto *declaration = declared.empty() ? nullptr : declared[0].get<DeclStmt>();
  const ForStmt *loop = nullptr;
  if (declaration)
    for (const DynTypedNode &above : context.getParents(*declaration))
      loop = above.get<ForStmt>();
  const int64_t step = counter.getInit() ? stepIn(counter.getInit(), outer, context) : 0;
  if (!loop || loop->getInit() != declaration || !step)
    return false;
  Names names(counter, step, context, isFragment);
  names.TraverseStmt(const_cast<Stmt *>(loop->getBody()));
  return !names.isOther;
}

void splitTurns(MmaSite &mma) {
  std::vector<Loop> loops;
  const std::vector<Loop> around = std::exchange(mma.loops, {});
  for (const Loop &loop : around) {
    const auto names = [&](const std::vector<Slot> &slots) {
      return llvm::any_of(slots, [&](const Slot &slot) {
        return llvm::any_of(digitsOf(loop),
                            [&](const std::string &digit) { return namesDigit(slot, digit); });
      });
    };
    if (!loop.digitsBy || (!names(mma.d) && !names(mma.a) && !names(mma.b))) {
      mma.loops.push_back(loop);
      continue;
    }
    loops.push_back(loop);
    mma.loops.push_back(digitOf(loop, false));
    mma.loops.push_back(digitOf(loop, true));
    for (std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b, &mma.c})
      for (Slot &slot : *slots)
        splitTurnsOf(slot, loop);
  }
  for (Loop &each : mma.loops)
    for (const Loop &loop : loops)
      splitTurnsOf(each.turns, loop, [](const std::string &) { return false; });
}

} // namespace layout_port::native
