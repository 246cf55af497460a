#include "tensor/mma/Numbers.h"

namespace layout_port {

using isa::Arch;
using isa::ElementType;
using ptx::Type;

namespace {

constexpr unsigned on(Arch arch) { return 1u << static_cast<int>(arch); }
constexpr unsigned everywhere = on(Arch::Gfx90a) | on(Arch::Gfx942) | on(Arch::Gfx950);

// tf32     the tensor core ignores the 13 low bits; so does nothing on AMD but xf32
// u8       x ^ 0x80 is x - 128 as a signed byte
// s4       a nibble in the upper half of a byte is a signed byte 16 times as large
// e4m3     gfx942 reads the same bits as FNUZ: half the value, but for -0 and NaN
// e5m2     has infinities, which FNUZ lacks: bf16 holds every fp8 exactly
constexpr OperandNumbers rows[] = {
    {Type::F16, ElementType::F16, everywhere, {"$", nullptr}, "", 0, false, 0},
    {Type::BF16, ElementType::BF16, everywhere, {"$", nullptr}, "", 0, false, 0},
    {Type::TF32,
     ElementType::XF32,
     on(Arch::Gfx942),
     {"$ & 0xffffe000u", nullptr},
     "",
     0,
     false,
     1},
    {Type::TF32, ElementType::F32, everywhere, {"$ & 0xffffe000u", nullptr}, "", 0, false, 1},
    {Type::F64, ElementType::F64, everywhere, {"$", nullptr}, "", 0, false, 0},
    {Type::S8, ElementType::I8, everywhere, {"$", nullptr}, "", 0, false, 0},
    {Type::U8, ElementType::I8, everywhere, {"$ ^ 0x80808080u", nullptr}, "", 0, true, 1},
    {Type::S4,
     ElementType::I8,
     everywhere,
     {"$ << 4 & 0xf0f0f0f0u", "$ & 0xf0f0f0f0u"},
     "",
     4,
     false,
     3},
    {Type::U4,
     ElementType::I8,
     everywhere,
     {"$ & 0x0f0f0f0fu", "$ >> 4 & 0x0f0f0f0fu"},
     "",
     0,
     false,
     3},
    {Type::E4M3, ElementType::FP8, on(Arch::Gfx950), {"$", nullptr}, "", 0, false, 0},
    {Type::E5M2, ElementType::BF8, on(Arch::Gfx950), {"$", nullptr}, "", 0, false, 0},
    {Type::E4M3,
     ElementType::FP8,
     on(Arch::Gfx942),
     {"e4m3_to_fnuz($)", nullptr},
     "e4m3_to_fnuz",
     -1,
     false,
     12},
    {Type::E4M3,
     ElementType::BF16,
     everywhere,
     {"e4m3_to_bf16($)", "e4m3_to_bf16($ >> 8)"},
     "e4m3_to_bf16",
     0,
     false,
     28},
    {Type::E5M2,
     ElementType::BF16,
     everywhere,
     {"e5m2_to_bf16($)", "e5m2_to_bf16($ >> 8)"},
     "e5m2_to_bf16",
     0,
     false,
     16},
};

bool isInt(Type type) { return ptx::isInteger(type); }
const char *trueOrFalse(bool b) { return b ? "true" : "false"; }

} // namespace

std::vector<const OperandNumbers *> numbersOf(Type type, Arch arch) {
  std::vector<const OperandNumbers *> found;
  for (const OperandNumbers &row : rows)
    if (row.source == type && row.servesOn(arch))
      found.push_back(&row);
  return found;
}

int packedBits(Type type) {
  int bits = 0;
  for (unsigned width = ptx::bitsOf(type); width < 32; width *= 2)
    ++bits;
  return bits;
}

SumType sumType(Type accumulator) {
  if (accumulator == Type::S32)
    return {"int", "unsigned", "int4x", "int16x"};
  if (accumulator == Type::F64)
    return {"double", "double", "double4x", nullptr};
  return {"float", "unsigned", "float4x", "float16x"};
}

DotFunction dotOf(Type a, Type b) {
  if (isInt(a)) {
    const std::string name = ptx::bitsOf(a) == 4 ? "dot8" : "dot4";
    return {name + "<" + trueOrFalse(ptx::isSigned(a)) + ", " + trueOrFalse(ptx::isSigned(b)) + ">",
            name};
  }
  if (ptx::bitsOf(a) == 8)
    return {"dot4_fp8<" + std::string(ptx::spell(a)) + "_to_f32, " + std::string(ptx::spell(b)) +
                "_to_f32>",
            "dot4_fp8"};
  if (a == Type::F64)
    return {"mul_add_f64", "mul_add_f64"};
  if (a == Type::TF32)
    return {"mul_add_tf32", "mul_add_tf32"};
  return a == Type::BF16 ? DotFunction{"dot2_bf16", "dot2_bf16"}
                         : DotFunction{"dot2_f16", "dot2_f16"};
}

std::string inputTypedef(const isa::MatrixInstruction &mfma, ElementType type, int words) {
  const auto vector = [&](const char *element, int count) {
    return "typedef " + std::string(element) + " input __attribute__((ext_vector_type(" +
           std::to_string(count) + ")));";
  };
  switch (type) {
  case ElementType::F16:
    return vector("_Float16", 2 * words);
  case ElementType::BF16: // the _1k builtins are older than the type __bf16
    return std::string(mfma.builtin).find("_1k") != std::string::npos ? vector("short", 2 * words)
                                                                      : vector("__bf16", 2 * words);
  case ElementType::F64:
    return "typedef double input;";
  case ElementType::F32:
  case ElementType::XF32:
    return words == 1 ? "typedef float input;" : vector("float", words);
  default:
    return words == 1   ? "typedef int input;"
           : words == 2 ? "typedef long input;"
                        : vector("int", words);
  }
}

} // namespace layout_port
