// mma.sync: every shape and type that the PTX parser takes, by the fragment figures
// of the PTX ISA (9.0), "Warp Level Matrix Instructions Using mma",
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-for-mma
// With the manual's words: groupID = lane >> 2, threadID_in_group = lane % 4, and i
// the element's index in the fragment.
#include "Golden.h"

#include <gtest/gtest.h>

namespace layout_port::verify::golden {
namespace {

using At = std::function<Place(int, int)>;

int group(int lane) { return lane >> 2; }
int thread(int lane) { return lane % 4; }

struct Type {
  const char *name;
  FloatFormat format;
  unsigned bits;
  bool isSigned;
  char constraint;
};
constexpr Type kF16{"f16", FloatFormat::F16, 16, true, 'r'},
    kBf16{"bf16", FloatFormat::BF16, 16, true, 'r'}, kTf32{"tf32", FloatFormat::F32, 32, true, 'r'},
    kF32{"f32", FloatFormat::F32, 32, true, 'f'}, kF64{"f64", FloatFormat::F64, 64, true, 'd'},
    kE4m3{"e4m3", FloatFormat::E4M3, 8, true, 'r'}, kE5m2{"e5m2", FloatFormat::E5M2, 8, true, 'r'},
    kS8{"s8", FloatFormat::None, 8, true, 'r'}, kU8{"u8", FloatFormat::None, 8, false, 'r'},
    kS4{"s4", FloatFormat::None, 4, true, 'r'}, kU4{"u4", FloatFormat::None, 4, false, 'r'},
    kS32{"s32", FloatFormat::None, 32, true, 'r'};

Operand operand(const Type &type, unsigned elements, At at) {
  return {type.format, type.bits, type.isSigned, elements, std::move(at)};
}
PtxOperands registersOf(const Operand &o, const Type &type) {
  return {type.constraint == 'd' ? o.words() / 2 : o.words(), type.constraint};
}

// One shape: the fragments by the manual's figures.
struct Shape {
  int m, n, k;
  unsigned countA, countB;
  At a, b;
};

// C and D of all shapes but m8n8k4.f16: row = groupID for c0, c1 and groupID + 8 for
// c2, c3; col = threadID_in_group * 2 + (i & 1).
At resultPlace() {
  return [](int l, int i) { return Place{group(l) + (i < 2 ? 0 : 8), thread(l) * 2 + (i & 1)}; };
}

Product product(const Shape &s, const Type &a, const Type &b, const Type &acc,
                const std::string &suffix = "") {
  Product p;
  p.m = s.m, p.n = s.n, p.k = s.k;
  const std::string shape =
      "m" + std::to_string(s.m) + "n" + std::to_string(s.n) + "k" + std::to_string(s.k);
  p.name = "mma.sync.aligned." + shape + ".row.col" + suffix + "." + acc.name + "." + a.name + "." +
           b.name + "." + acc.name;
  p.chip = nvidia();
  p.a = operand(a, s.countA, s.a);
  p.b = operand(b, s.countB, s.b);
  p.c = p.d = operand(acc, s.m == 16 ? 4 : 2, resultPlace());
  p.saturate = suffix == ".satfinite";
  p.snippet.body = ptxStatement(p.name + " {}, {}, {}, {};", registersOf(p.d, acc),
                                {registersOf(p.a, a), registersOf(p.b, b), registersOf(p.c, acc)});
  return p;
}

//===-- 16-bit floats ------------------------------------------------------===//

// "Matrix Fragments for mma.m16n8k8", .f16 and .bf16
const Shape kM16N8K8Half{
    16,
    8,
    8,
    4,
    2,
    [](int l, int i) { return Place{i < 2 ? group(l) : group(l) + 8, thread(l) * 2 + (i & 1)}; },
    [](int l, int i) { return Place{thread(l) * 2 + i, group(l)}; }};

// "Matrix Fragments for mma.m16n8k16 with floating point type"
const Shape kM16N8K16Half{
    16,
    8,
    16,
    8,
    4,
    [](int l, int i) {
      const bool first = i < 2 || (4 <= i && i < 6);
      return Place{first ? group(l) : group(l) + 8, thread(l) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    },
    [](int l, int i) { return Place{thread(l) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(l)}; }};

TEST(MmaSync, HalfAndBfloat) {
  for (const Shape *shape : {&kM16N8K8Half, &kM16N8K16Half}) {
    check(product(*shape, kF16, kF16, kF32));
    check(product(*shape, kF16, kF16, kF16));
    check(product(*shape, kBf16, kBf16, kF32));
  }
}

//===-- tf32 ---------------------------------------------------------------===//

// "Matrix Fragments for mma.m16n8k4", .tf32
const Shape kM16N8K4Tf32{
    16,
    8,
    4,
    2,
    1,
    [](int l, int i) { return Place{i == 0 ? group(l) : group(l) + 8, thread(l)}; },
    [](int l, int) { return Place{thread(l), group(l)}; }};

// "Matrix Fragments for mma.m16n8k8", .tf32: the rows alternate, then the columns.
const Shape kM16N8K8Tf32{
    16,
    8,
    8,
    4,
    2,
    [](int l, int i) {
      return Place{i == 0 || i == 2 ? group(l) : group(l) + 8, i < 2 ? thread(l) : thread(l) + 4};
    },
    [](int l, int i) { return Place{i == 0 ? thread(l) : thread(l) + 4, group(l)}; }};

TEST(MmaSync, Tf32) {
  check(product(kM16N8K4Tf32, kTf32, kTf32, kF32));
  check(product(kM16N8K8Tf32, kTf32, kTf32, kF32));
}

// The low 13 bits of a tf32 operand are not read.
TEST(MmaSync, Tf32IgnoresTheLowBits) {
  const Product p = product(kM16N8K4Tf32, kTf32, kTf32, kF32);
  Registers plain(7, 32), dirty(7, 32);
  for (unsigned reg = 0; reg < 3; ++reg)
    for (unsigned lane = 0; lane < 32; ++lane) {
      plain.word(reg, lane) = uint32_t(encodeFloat(FloatFormat::F32, int(lane + reg) % 5 - 2));
      dirty.word(reg, lane) = plain.word(reg, lane) | (lane * 257 & 0x1fff);
    }
  const Registers a = execute(p.chip, plain, 4, p.snippet),
                  b = execute(p.chip, dirty, 4, p.snippet);
  for (unsigned reg = 0; reg < 4; ++reg)
    for (unsigned lane = 0; lane < 32; ++lane)
      ASSERT_EQ(a.word(reg, lane), b.word(reg, lane));
}

//===-- f64 ----------------------------------------------------------------===//

// "Matrix Fragments for mma.m8n8k4 with .f64", "mma.m16n8k4", "mma.m16n8k8" and
// "mma.m16n8k16 with floating point type", each .f64
const Shape kM8N8K4F64{8,
                       8,
                       4,
                       1,
                       1,
                       [](int l, int) { return Place{group(l), thread(l)}; },
                       [](int l, int) { return Place{thread(l), group(l)}; }};
const Shape kM16N8K8F64{
    16,
    8,
    8,
    4,
    2,
    [](int l, int i) {
      return Place{i == 0 || i == 2 ? group(l) : group(l) + 8, i < 2 ? thread(l) : thread(l) + 4};
    },
    [](int l, int i) { return Place{i == 0 ? thread(l) : thread(l) + 4, group(l)}; }};
const Shape kM16N8K16F64{16,
                         8,
                         16,
                         8,
                         4,
                         [](int l, int i) {
                           return i % 2 == 0 ? Place{group(l), i * 2 + thread(l)}
                                             : Place{group(l) + 8, i * 2 - 2 + thread(l)};
                         },
                         [](int l, int i) { return Place{thread(l) + i * 4, group(l)}; }};

TEST(MmaSync, Double) {
  check(product(kM8N8K4F64, kF64, kF64, kF64));
  for (const char *rounding : {"", ".rn"}) {
    Shape k4 = kM16N8K4Tf32; // the same figure
    check(product(k4, kF64, kF64, kF64, rounding));
    check(product(kM16N8K8F64, kF64, kF64, kF64, rounding));
    check(product(kM16N8K16F64, kF64, kF64, kF64, rounding));
  }
}

//===-- 8-bit integers and floats ------------------------------------------===//

// "Matrix Fragments for mma.m8n8k16", "mma.m16n8k16 with integer type", "mma.m16n8k32"
const Shape kM8N8K16{8,
                     8,
                     16,
                     4,
                     4,
                     [](int l, int i) { return Place{group(l), thread(l) * 4 + i}; },
                     [](int l, int i) { return Place{thread(l) * 4 + i, group(l)}; }};
const Shape kM16N8K16Byte{
    16,
    8,
    16,
    8,
    4,
    [](int l, int i) { return Place{i < 4 ? group(l) : group(l) + 8, thread(l) * 4 + (i & 3)}; },
    [](int l, int i) { return Place{thread(l) * 4 + i, group(l)}; }};
const Shape kM16N8K32Byte{
    16,
    8,
    32,
    16,
    8,
    [](int l, int i) {
      const bool first = i < 4 || (8 <= i && i < 12);
      return Place{first ? group(l) : group(l) + 8, thread(l) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    },
    [](int l, int i) { return Place{thread(l) * 4 + (i & 3) + (i < 4 ? 0 : 16), group(l)}; }};

TEST(MmaSync, Int8InAllSignsAndSaturated) {
  for (const Shape *shape : {&kM8N8K16, &kM16N8K16Byte, &kM16N8K32Byte})
    for (const Type *a : {&kS8, &kU8})
      for (const Type *b : {&kS8, &kU8})
        for (const char *suffix : {"", ".satfinite"}) {
          Product p = product(*shape, *a, *b, kS32, suffix);
          check(p);
        }
}

TEST(MmaSync, EightBitFloats) {
  for (const Shape *shape : {&kM16N8K16Byte, &kM16N8K32Byte})
    for (const Type *a : {&kE4m3, &kE5m2})
      for (const Type *b : {&kE4m3, &kE5m2})
        for (const Type *acc : {&kF32, &kF16})
          check(product(*shape, *a, *b, *acc));
}

//===-- 4-bit integers -----------------------------------------------------===//

// "Matrix Fragments for mma.m8n8k32", "mma.m16n8k32 with .s4", "mma.m16n8k64"
const Shape kM8N8K32{8,
                     8,
                     32,
                     8,
                     8,
                     [](int l, int i) { return Place{group(l), thread(l) * 8 + i}; },
                     [](int l, int i) { return Place{thread(l) * 8 + i, group(l)}; }};
const Shape kM16N8K32Nibble{
    16,
    8,
    32,
    16,
    8,
    [](int l, int i) { return Place{i < 8 ? group(l) : group(l) + 8, thread(l) * 8 + (i & 7)}; },
    [](int l, int i) { return Place{thread(l) * 8 + i, group(l)}; }};
const Shape kM16N8K64{
    16,
    8,
    64,
    32,
    16,
    [](int l, int i) {
      const bool first = i < 8 || (16 <= i && i < 24);
      return Place{first ? group(l) : group(l) + 8, thread(l) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
    },
    [](int l, int i) { return Place{thread(l) * 8 + (i & 7) + (i < 8 ? 0 : 32), group(l)}; }};

TEST(MmaSync, Int4InAllSigns) {
  for (const Shape *shape : {&kM8N8K32, &kM16N8K32Nibble, &kM16N8K64})
    for (const Type *a : {&kS4, &kU4})
      for (const Type *b : {&kS4, &kU4})
        check(product(*shape, *a, *b, kS32));
}

//===-- m8n8k4 with f16: four products -------------------------------------===//

// "Matrix Fragments for mma.m8n8k4 with .f16": product b is computed by the lanes
// 4 b .. 4 b + 3 and 16 more; below 16, "i" and "%laneid % 4" give row and column.
Place quadPair(int lane, int row, int col) { return {row, col, lane % 16 / 4}; }
At quadPairA(bool byRows) {
  return [byRows](int l, int i) {
    return byRows ? quadPair(l, l < 16 ? l % 4 : l % 4 + 4, i)
                  : quadPair(l, l < 16 ? i % 4 : i % 4 + 4, l % 4);
  };
}
At quadPairB(bool byRows) {
  return [byRows](int l, int i) {
    return byRows ? quadPair(l, l % 4, l < 16 ? i : i + 4)
                  : quadPair(l, i, l < 16 ? l % 4 : l % 4 + 4);
  };
}
Place quadPairC16(int l, int i) { return quadPair(l, l < 16 ? l % 4 : l % 4 + 4, i); }
Place quadPairC32(int l, int i) {
  const int x = (l & 1) + (i & 2);
  return quadPair(l, l < 16 ? x : x + 4, (i & 4) + (l & 2) + (i & 1));
}

TEST(MmaSync, FourProductsOfM8N8K4) {
  for (bool rowsA : {true, false})
    for (bool rowsB : {true, false})
      for (const Type *d : {&kF32, &kF16})
        for (const Type *c : {&kF32, &kF16}) {
          if (c == &kF32 && d == &kF16)
            continue; // there is no such form
          Product p;
          p.m = 8, p.n = 8, p.k = 4, p.blocks = 4;
          p.name = std::string("mma.sync.aligned.m8n8k4.") + (rowsA ? "row" : "col") + "." +
                   (rowsB ? "row" : "col") + "." + d->name + ".f16.f16." + c->name;
          p.chip = nvidia();
          p.a = operand(kF16, 4, quadPairA(rowsA));
          p.b = operand(kF16, 4, quadPairB(rowsB));
          p.c = operand(*c, 8, c == &kF32 ? quadPairC32 : quadPairC16);
          p.d = operand(*d, 8, d == &kF32 ? quadPairC32 : quadPairC16);
          p.snippet.body =
              ptxStatement(p.name + " {}, {}, {}, {};", registersOf(p.d, *d),
                           {registersOf(p.a, kF16), registersOf(p.b, kF16), registersOf(p.c, *c)});
          check(p);
        }
}

//===-- What is refused, by name -------------------------------------------===//

TEST(MmaSync, FormsWithoutAnAmdMeaningAreRefusedByName) {
  auto error = [](const std::string &text) {
    Snippet snippet{ptxStatement(text, {4, 'r'}, {{4, 'r'}, {2, 'r'}, {4, 'r'}}), {}};
    return tryExecute(nvidia(), Registers(10, 32), 4, snippet).error;
  };
  EXPECT_NE(error("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {}, {}, {}, {};")
                .find("multiplies single bits"),
            std::string::npos);
  EXPECT_NE(
      error("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {}, {}, {}, {};")
          .find("f8f6f4"),
      std::string::npos);
}

// One lane short: the machine says so.
TEST(MmaSync, AMissingLaneIsReported) {
  const Product p = product(kM16N8K16Half, kF16, kF16, kF32);
  const Outcome outcome = tryExecute(p.chip, Registers(10, 32), 4, p.snippet, nullptr, 31);
  ASSERT_FALSE(outcome.problems.empty());
  EXPECT_EQ(outcome.problems.front().kind, ProblemKind::PartialMatrix);
}

} // namespace
} // namespace layout_port::verify::golden
