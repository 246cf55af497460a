// cvt: conversions between the types kernels use around tensor cores.
//
//   cvt.rn.f16x2.f32 %0, %1, %2;   ──▶  d = lp::cvt_f16x2(a, b)    a is the upper half
//   cvt.u32.u64 %0, a;             ──▶  d = (unsigned)(a)
//   cvt.f32.f16 %0, %1;            ──▶  d = lp::cvt_f32_f16(h)
//
// Only rounding to nearest even is lowered: it is what clang's conversions do.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#include "asm/Lowering.h"

#include "ptx/decode/Common.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;
using ptx::Type;

namespace {

// What a conversion becomes: a runtime function, or (empty) a plain C++ cast to `cast`.
struct CvtRow {
  Type to, from;
  bool needsRounding; // .rn must be spelled
  const char *function;
  const char *cast;
};

constexpr CvtRow rows[] = {
    {Type::F16x2, Type::F32, true, "cvt_f16x2", ""},
    {Type::BF16x2, Type::F32, true, "cvt_bf16x2", ""},
    {Type::F16, Type::F32, true, "cvt_f16_f32", ""},
    {Type::BF16, Type::F32, true, "cvt_bf16_f32", ""},
    {Type::F32, Type::F16, false, "cvt_f32_f16", ""},
    {Type::F32, Type::BF16, false, "cvt_f32_bf16", ""},
    {Type::U32, Type::U64, false, "", "(unsigned)"},
    {Type::U64, Type::U32, false, "", "(unsigned long long)(unsigned)"},
    {Type::S64, Type::S32, false, "", "(long long)(int)"},
    {Type::S32, Type::S64, false, "", "(int)"},
    {Type::F32, Type::S32, true, "", "(float)(int)"},
    {Type::F32, Type::U32, true, "", "(float)(unsigned)"},
    {Type::F32, Type::F64, true, "", "(float)"},
    {Type::F64, Type::F32, false, "", "(double)"},
};

const CvtRow *findRow(const std::vector<Type> &types) {
  for (const CvtRow &row : rows)
    if (types.size() == 2 && row.to == types[0] && row.from == types[1])
      return &row;
  return nullptr;
}

bool takes(const Instruction &i) { return i.opcode == "cvt"; }

Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &,
                       const Binding &binding) {
  const CvtRow *row = findRow(ptx::typesOf(instruction));
  const size_t at = instruction.opcodeOffset;
  if (!row)
    return Problem{at, "no lowering for " + instruction.spelling() + " yet", ""};
  const bool nearest = instruction.has("rn");
  if (instruction.modifiers.size() != (nearest ? 3u : 2u) || (row->needsRounding && !nearest))
    return Problem{at, "no lowering for the rounding or clamping of " + instruction.spelling(),
                   ""};
  const bool pair = ptx::lanesOf(row->to) == 2;
  if (instruction.operands.size() != (pair ? 3u : 2u))
    return Problem{at, "cvt with an unexpected number of operands", ""};
  std::string texts[3];
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const auto text = binding.text(instruction.operands[i]);
    if (!text)
      return text.error();
    texts[i] = *text;
  }
  Lowered lowered;
  lowered.reason = "clang's conversion, rounding to nearest even";
  if (*row->function) {
    lowered.statement = texts[0] + " = lp::" + row->function + "(" + texts[1] +
                        (pair ? ", " + texts[2] : "") + ")";
    lowered.runtime = {row->function};
  } else {
    lowered.statement = texts[0] + " = " + row->cast + "(" + texts[1] + ")";
  }
  return lowered;
}

} // namespace

const PtxLowering cvtLowering = {"convert-cvt", takes, lower};

} // namespace layout_port
