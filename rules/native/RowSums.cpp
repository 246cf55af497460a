#include "native/RowSums.h"

#include "native/AstRead.h"
#include "ptx/decode/Mma.h"

#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr size_t kSumRegisters = 4, kFirstRegisters = 4, kWeights = 2;

// A register that the asm declares for itself, and nobody reads.
bool isDropped(const ptx::Operand &operand) {
  return operand.is(ptx::Operand::Kind::Register) || operand.is(ptx::Operand::Kind::Sink);
}

std::optional<uint32_t> weightOf(const GCCAsmStmt &stmt, const ptx::Operand &operand) {
  if (operand.is(ptx::Operand::Kind::Immediate))
    return static_cast<uint32_t>(operand.immediate.bits);
  const Expr *given = operandReadBy(stmt, operand);
  if (!given)
    return std::nullopt;
  given = stripped(given);
  if (const auto *literal = dyn_cast<IntegerLiteral>(given))
    return static_cast<uint32_t>(literal->getValue().getZExtValue());
  const VarDecl *variable = variableNamed(given);
  const APValue *value = variable && variable->isConstexpr() ? variable->evaluateValue() : nullptr;
  return value && value->isInt()
             ? std::optional(static_cast<uint32_t>(value->getInt().getExtValue()))
             : std::nullopt;
}

// The operand that is written is the one that is read, d[0] as "=f" and "f".
bool isSamePlace(const Expr &written, const Expr &read, const ASTContext &context) {
  llvm::FoldingSetNodeID a, b;
  stripped(&written)->Profile(a, context, true);
  stripped(&read)->Profile(b, context, true);
  return a == b;
}

} // namespace

std::optional<RowSums> rowSumsOf(const GCCAsmStmt &stmt, const ASTContext &context) {
  const auto text = readAsm(stmt);
  const ptx::Instruction *instruction = text ? text->matrix : nullptr;
  if (!instruction || instruction->opcode != "mma" || instruction->guard ||
      text->block.instructions.size() != 1)
    return std::nullopt;
  const auto mma = ptx::decodeMma(*instruction);
  const bool isType = mma && (mma->typeA == ptx::Type::F16 || mma->typeA == ptx::Type::BF16) &&
                      mma->typeB == mma->typeA && mma->typeD == ptx::Type::F32 &&
                      mma->typeC == ptx::Type::F32;
  if (!isType || mma->m != 16 || mma->n != 8 || mma->k != 16 || mma->d.size() != kSumRegisters ||
      mma->a.size() != kFirstRegisters || mma->b.size() != kWeights ||
      mma->c.size() != kSumRegisters || !isDropped(*mma->d[1]) || !isDropped(*mma->d[3]))
    return std::nullopt;
  RowSums out;
  out.type = mma->typeA;
  for (size_t row = 0; row < out.sums.size(); ++row) {
    const ptx::Operand &written = *mma->d[2 * row], &read = *mma->c[2 * row];
    const Expr *before = operandReadBy(stmt, read);
    out.sums[row] = operandOf(stmt, written);
    if (!out.sums[row] || !before || out.sums[row]->HasSideEffects(context) ||
        !isSamePlace(*out.sums[row], *before, context))
      return std::nullopt;
  }
  for (size_t i = 0; i < kFirstRegisters; ++i)
    if (out.first[i] = operandReadBy(stmt, *mma->a[i]);
        !out.first[i] || out.first[i]->HasSideEffects(context))
      return std::nullopt;
  for (size_t i = 0; i < kWeights; ++i) {
    const auto weight = weightOf(stmt, *mma->b[i]);
    if (!weight)
      return std::nullopt;
    out.weights[i] = *weight;
    out.saidWeights[i] = operandReadBy(stmt, *mma->b[i]);
  }
  return out;
}

} // namespace layout_port::native
