#include "native/Converted.h"

#include "native/AstRead.h"
#include "ptx/decode/Convert.h"

using namespace clang;

namespace layout_port::native {

static const char *nameOf(ptx::Rounding rounding) {
  switch (rounding) {
  case ptx::Rounding::NearestAway:
    return "cvt_tf32_rna";
  case ptx::Rounding::NearestEven:
    return "cvt_tf32_rn";
  case ptx::Rounding::Zero:
    return "cvt_tf32_rz";
  default:
    return nullptr;
  }
}

std::optional<Converted> convertedBy(const GCCAsmStmt &code) {
  const auto block = ptx::parse(code.getAsmString());
  if (!block || block->instructions.size() != 1 || block->instructions[0].guard ||
      block->instructions[0].opcode != "cvt" || code.getNumOutputs() != 1)
    return std::nullopt;
  const auto convert = ptx::decodeConvert(block->instructions[0]);
  const char *function = convert ? nameOf(convert->rounding) : nullptr;
  if (!function || convert->to != ptx::Type::TF32 || convert->from != ptx::Type::F32 ||
      convert->relu || convert->satfinite || convert->sources.size() != 1 ||
      operandOf(code, *convert->destination) != code.getOutputExpr(0))
    return std::nullopt;
  const Expr *target = code.getOutputExpr(0), *value = operandReadBy(code, *convert->sources[0]);
  const bool areTyped = value && value->getType()->isSpecificBuiltinType(BuiltinType::Float) &&
                        (target->getType()->isSpecificBuiltinType(BuiltinType::UInt) ||
                         target->getType()->isSpecificBuiltinType(BuiltinType::Int));
  return areTyped ? std::optional(Converted{target, value, function}) : std::nullopt;
}

} // namespace layout_port::native
