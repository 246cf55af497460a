// Every MFMA of gfx908, gfx90a, gfx942 and gfx950 by closed forms. They reproduce all
// records of AMD's matrix instruction calculator,
// https://github.com/ROCm/amd_matrix_instruction_calculator:
//
//   A: kpl = K M blocks / 64; element k % kpl, lane (k / kpl) M blocks + b M + i; B alike
//   A of 8-bit f8f6f4: element (k % 16) + 16 (k / (16 * 64 / M)),
//                      lane M ((k / 16) % (64 / M)) + i
//   D, 32-bit: q = i / 4 + (M / 4) b, G = 64 / N; element i % 4 + 4 (q / G),
//              lane (q % G) N + j
//   D, 64-bit: G = 64 / (N blocks); element i / G, lane (i % G) N blocks + b N + j
//
// The forms give element and lane for a place in the matrix; the tests need the
// reverse, and find it by trying all places.
#include "Golden.h"

#include "layout_port/layouts/Isa.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace layout_port::verify::golden {
namespace {

struct Slot {
  int element, lane;
  bool operator<(const Slot &other) const {
    return std::pair(element, lane) < std::pair(other.element, other.lane);
  }
};

std::function<Place(int, int)> inverse(int rows, int cols, int blocks,
                                       const std::function<Slot(const Place &)> &slotOf) {
  std::map<Slot, Place> places;
  for (int block = 0; block < blocks; ++block)
    for (int row = 0; row < rows; ++row)
      for (int col = 0; col < cols; ++col) {
        const Place place{row, col, block};
        EXPECT_TRUE(places.emplace(slotOf(place), place).second) << "two elements in one place";
      }
  return [places](int lane, int element) { return places.at({element, lane}); };
}

// The type of an operand of an intrinsic, by the operand's element and count.
struct Format {
  FloatFormat format = FloatFormat::None;
  unsigned bits = 8;
};
Format formatOf(isa::ElementType type, bool fnuz) {
  switch (type) {
  case isa::ElementType::F16:
    return {FloatFormat::F16, 16};
  case isa::ElementType::BF16:
    return {FloatFormat::BF16, 16};
  case isa::ElementType::F32:
  case isa::ElementType::XF32:
    return {FloatFormat::F32, 32};
  case isa::ElementType::F64:
    return {FloatFormat::F64, 64};
  case isa::ElementType::FP8:
    return {fnuz ? FloatFormat::E4M3Fnuz : FloatFormat::E4M3, 8};
  case isa::ElementType::BF8:
    return {fnuz ? FloatFormat::E5M2Fnuz : FloatFormat::E5M2, 8};
  case isa::ElementType::I32:
    return {FloatFormat::None, 32};
  case isa::ElementType::I8:
    return {FloatFormat::None, 8};
  default:
    ADD_FAILURE() << "an element type without a test: " << isa::elementTypeName(type);
    return {};
  }
}

// How clang writes A and B: bf16 as integers but on gfx950, bytes as whole words.
std::string inputType(const Operand &o, const std::string &builtin) {
  switch (o.bits) {
  case 8:
    return o.words() == 1 ? "i32" : o.words() == 2 ? "i64" : "<4 x i32>";
  case 16:
    if (o.format == FloatFormat::F16)
      return vectorOf(o.elements, "half");
    return vectorOf(o.elements, builtin.find("_bf16") != std::string::npos ? "bfloat" : "i16");
  case 64:
    return vectorOf(o.elements, "double");
  default:
    return vectorOf(o.elements, "float");
  }
}
std::string resultType(const Operand &o) {
  return vectorOf(o.elements, o.format == FloatFormat::None  ? "i32"
                              : o.format == FloatFormat::F64 ? "double"
                                                             : "float");
}

struct Modifiers {
  int cbsz = 0, abid = 0, blgp = 0;
};

void fillInputs(Product &p, const Format &a, const Format &b) {
  const int M = p.m, N = p.n, K = p.k, B = p.blocks;
  const int perLane = K * M * B / 64;
  p.a = {a.format, a.bits, true, unsigned(perLane), inverse(M, K, B, [=](const Place &at) {
           const int i = at.row, k = at.col, kpl = K * M * B / 64;
           return Slot{k % kpl, k / kpl * M * B + at.block * M + i};
         })};
  p.b = {b.format, b.bits, true, unsigned(K * N * B / 64), inverse(K, N, B, [=](const Place &at) {
           const int j = at.col, k = at.row, kpl = K * N * B / 64;
           return Slot{k % kpl, k / kpl * N * B + at.block * N + j};
         })};
}

void fillResults(Product &p, const Format &format) {
  const int M = p.m, N = p.n, B = p.blocks;
  const bool wide = format.bits == 64;
  p.c = p.d = {format.format, format.bits, true, unsigned(M * N * B / 64),
               inverse(M, N, B, [=](const Place &at) {
                 const int i = at.row, j = at.col, b = at.block;
                 if (wide) {
                   const int G = 64 / (N * B);
                   return Slot{i / G, i % G * N * B + b * N + j};
                 }
                 const int q = i / 4 + M / 4 * b, G = 64 / N;
                 return Slot{i % 4 + 4 * (q / G), q % G * N + j};
               })};
}

std::string intrinsicOf(const isa::MatrixInstruction &row) {
  std::string name = std::string("llvm.amdgcn.") + row.builtin;
  std::replace(name.begin(), name.end(), '_', '.');
  return name;
}

Product product(const isa::MatrixInstruction &row, const std::string &cpu, Modifiers mod = {}) {
  Product p;
  p.name = std::string(row.name) + " cbsz " + std::to_string(mod.cbsz) + " abid " +
           std::to_string(mod.abid) + " blgp " + std::to_string(mod.blgp);
  p.chip = amd(cpu);
  p.m = row.m, p.n = row.n, p.k = row.k, p.blocks = row.blocks;
  const bool fnuz = cpu == "gfx942";
  fillInputs(p, formatOf(row.a, fnuz), formatOf(row.b, fnuz));
  fillResults(p, formatOf(row.acc, fnuz));
  const std::string a = inputType(p.a, row.builtin), b = inputType(p.b, row.builtin);
  const std::string d = resultType(p.d), name = intrinsicOf(row);
  p.snippet.declarations =
      "declare " + d + " @" + name + "(" + a + ", " + b + ", " + d + ", i32, i32, i32)";
  p.snippet.body = packWords("a", 0, p.a.words(), a) + packWords("b", p.a.words(), p.b.words(), b) +
                   packWords("c", p.a.words() + p.b.words(), p.c.words(), d) + "  %m = call " + d +
                   " @" + name + "(" + a + " %a, " + b + " %b, " + d + " %c, i32 " +
                   std::to_string(mod.cbsz) + ", i32 " + std::to_string(mod.abid) + ", i32 " +
                   std::to_string(mod.blgp) + ")\n" + unpackWords("m", p.d.words(), d);
  return p;
}

bool isScaled(const isa::MatrixInstruction &row) {
  return std::string(row.name).find("f8f6f4") != std::string::npos;
}

// How many dense MFMA each chip has: what clang 22 can select, less f8f6f4.
TEST(Mfma, EveryDenseRowOfEveryChip) {
  const std::pair<const char *, unsigned> chips[] = {
      {"gfx908", 20}, {"gfx90a", 27}, {"gfx942", 32}, {"gfx950", 36}};
  for (const auto &[cpu, rows] : chips) {
    const isa::Arch arch = *isa::parseArch(cpu);
    unsigned checked = 0;
    for (const isa::MatrixInstruction &row : isa::matrixInstructions()) {
      if (row.family != isa::MatrixFamily::Mfma || !row.availableOn(arch) || isScaled(row))
        continue;
      check(product(row, cpu));
      ++checked;
    }
    EXPECT_EQ(checked, rows) << cpu;
  }
}

//===-- Modifiers ----------------------------------------------------------===//

const isa::MatrixInstruction &rowNamed(const char *name, const char *cpu) {
  return **isa::findMatrixInstruction(name, *isa::parseArch(cpu));
}

// "cbsz=2 and abid=1: block 1 is broadcast to blocks 0-3, block 5 to blocks 4-7":
// https://gpuopen.com/learn/amd-lab-notes/amd-lab-notes-matrix-cores-readme/
TEST(Mfma, CbszAndAbidBroadcastBlocksOfA) {
  struct Case {
    const char *name;
    int blocks;
  };
  for (const Case &c : {Case{"v_mfma_f32_4x4x4_16b_f16", 16}, Case{"v_mfma_f32_16x16x1_4b_f32", 4},
                        Case{"v_mfma_i32_32x32x4_2b_i8", 2}})
    for (int cbsz = 1; 1 << cbsz <= c.blocks; ++cbsz)
      for (int abid = 0; abid < 1 << cbsz; ++abid) {
        Product p = product(rowNamed(c.name, "gfx942"), "gfx942", {cbsz, abid, 0});
        p.blockOfA = [=](int block) { return block - block % (1 << cbsz) + abid; };
        check(p);
      }
}

// The lane whose B is used in the place of `lane`, in the words of the same page:
// "lanes 0-31 broadcast to 32-63", "lanes 32-63 to 0-31", "rotated down by 16 (lane
// 16's data is put into lane 0)", then each group of 16 lanes broadcast to the others.
int laneOfB(int blgp, int lane) {
  switch (blgp) {
  case 1:
    return lane < 32 ? lane : lane - 32;
  case 2:
    return lane < 32 ? lane + 32 : lane;
  case 3:
    return lane < 48 ? lane + 16 : lane - 48;
  case 4:
  case 5:
  case 6:
  case 7:
    return 16 * (blgp - 4) + lane % 16;
  default:
    return lane;
  }
}

// Reading other lanes is the same as moving the lanes' registers first.
TEST(Mfma, BlgpReadsOtherLanesOfB) {
  for (const char *name : {"v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x4_f32",
                           "v_mfma_f32_4x4x4_16b_bf16", "v_mfma_i32_16x16x4_4b_i8"})
    for (int blgp = 0; blgp < 8; ++blgp) {
      const isa::MatrixInstruction &row = rowNamed(name, "gfx90a");
      const Product with = product(row, "gfx90a", {0, 0, blgp}), without = product(row, "gfx90a");
      Registers in(with.a.words() + with.b.words() + with.c.words(), 64), moved = in;
      for (unsigned reg = 0; reg < in.count(); ++reg)
        for (unsigned lane = 0; lane < 64; ++lane) // two halves, or bytes: all are finite
          in.word(reg, lane) = (lane * 2654435761u + reg * 40503u) & 0x3f7f3f7fu;
      for (unsigned reg = 0; reg < in.count(); ++reg)
        for (unsigned lane = 0; lane < 64; ++lane) {
          const bool ofB = reg >= with.a.words() && reg < with.a.words() + with.b.words();
          moved.word(reg, lane) = in.word(reg, ofB ? unsigned(laneOfB(blgp, int(lane))) : lane);
        }
      const Registers x = execute(with.chip, in, with.d.words(), with.snippet);
      const Registers y = execute(with.chip, moved, with.d.words(), without.snippet);
      for (unsigned reg = 0; reg < x.count(); ++reg)
        for (unsigned lane = 0; lane < 64; ++lane)
          ASSERT_EQ(x.word(reg, lane), y.word(reg, lane)) << name << " blgp " << blgp;
    }
}

// On gfx942 the bits of blgp negate A, B and C of f64 instructions.
TEST(Mfma, BlgpNegatesDoubles) {
  const isa::MatrixInstruction &row = rowNamed("v_mfma_f64_16x16x4_f64", "gfx942");
  Registers in(12, 64);
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned i = 0; i < 6; ++i)
      in.put(lane, 64 * i, 64, encodeFloat(FloatFormat::F64, int(lane * 7 + i * 3) % 11 - 5),
             false);
  const Registers plain = execute(amd("gfx942"), in, 8, product(row, "gfx942").snippet);
  for (int bits = 1; bits < 8; ++bits) {
    Registers negated = in;
    const bool flip[6] = {bool(bits & 1), bool(bits & 2), bool(bits & 4),
                          bool(bits & 4), bool(bits & 4), bool(bits & 4)};
    for (unsigned i = 0; i < 6; ++i)
      for (unsigned lane = 0; flip[i] && lane < 64; ++lane)
        negated.word(2 * i + 1, lane) ^= 0x80000000u;
    const Registers with =
        execute(amd("gfx942"), negated, 8, product(row, "gfx942", {0, 0, bits}).snippet);
    for (unsigned reg = 0; reg < 8; ++reg)
      for (unsigned lane = 0; lane < 64; ++lane)
        ASSERT_EQ(with.word(reg, lane), plain.word(reg, lane)) << bits;
  }
  const Outcome old = tryExecute(amd("gfx90a"), in, 8, product(row, "gfx90a", {0, 0, 1}).snippet);
  EXPECT_NE(old.error.find("has no source on gfx90a"), std::string::npos) << old.error;
}

TEST(Mfma, ModifiersWithoutMeaningAreRefused) {
  const isa::MatrixInstruction &row = rowNamed("v_mfma_f32_16x16x16_f16", "gfx942");
  for (Modifiers mod : {Modifiers{1, 0, 0}, Modifiers{0, 1, 0}}) {
    const Product p = product(row, "gfx942", mod);
    const Outcome outcome = tryExecute(p.chip, Registers(8, 64), 4, p.snippet);
    EXPECT_NE(outcome.error.find("no meaning"), std::string::npos) << outcome.error;
  }
}

TEST(Mfma, MissingLanesAreReported) {
  const Product p = product(rowNamed("v_mfma_f32_16x16x16_f16", "gfx942"), "gfx942");
  const Outcome outcome = tryExecute(p.chip, Registers(8, 64), 4, p.snippet, nullptr, 32);
  ASSERT_FALSE(outcome.problems.empty());
  EXPECT_EQ(outcome.problems.front().kind, ProblemKind::PartialMatrix);
  EXPECT_EQ(outcome.problems.front().lanes, 0xffffffff00000000u);
}

//===-- f8f6f4 -------------------------------------------------------------===//

constexpr Format kE4m3{FloatFormat::E4M3, 8}, kE5m2{FloatFormat::E5M2, 8},
    kE2m1{FloatFormat::E2M1, 4};

// Where fp4 and 8-bit elements lie along k: (element, group of lanes).
Slot scaledSlot(int side, int index, int k, unsigned bits) {
  if (bits == 4)
    return {k % 32, k / 32 * side + index};
  const int groups = 64 / side;
  return {k % 16 + 16 * (k / (16 * groups)), side * (k / 16 % groups) + index};
}

struct Scales {
  bool constant = false; // both 0: the instruction without scales
  unsigned byteA = 0, byteB = 0;
};

// Scales of row (or column) i and block of 32 k, as exponents from 0 to 3.
int exponentOf(int seed, int index, int block) { return (index * 5 + block * 3 + seed) % 4; }

Product scaledProduct(int side, const Format &a, const Format &b, const Scales &scales) {
  Product p;
  p.m = p.n = side;
  p.k = side == 16 ? 128 : 64;
  const std::string shape = side == 16 ? "16x16x128" : "32x32x64";
  p.name = "mfma_scale_f32_" + shape + "_f8f6f4";
  p.chip = amd("gfx950");
  p.a = {a.format, a.bits, true, 32, inverse(side, p.k, 1, [=](const Place &at) {
           return scaledSlot(side, at.row, at.col, a.bits);
         })};
  p.b = {b.format, b.bits, true, 32, inverse(p.k, side, 1, [=](const Place &at) {
           return scaledSlot(side, at.col, at.row, b.bits);
         })};
  fillResults(p, {FloatFormat::F32, 32});
  auto code = [](const Format &f) {
    return f.format == FloatFormat::E4M3 ? "0" : f.format == FloatFormat::E5M2 ? "1" : "4";
  };
  const std::string typeA = vectorOf(p.a.words(), "i32"), typeB = vectorOf(p.b.words(), "i32");
  const std::string typeD = resultType(p.d), suffix = ".v" + std::to_string(p.a.words()) + "i32.v" +
                                                      std::to_string(p.b.words()) + "i32";
  const std::string name = "llvm.amdgcn.mfma.scale.f32." + shape + ".f8f6f4" + suffix;
  p.snippet.declarations = "declare " + typeD + " @" + name + "(" + typeA + ", " + typeB + ", " +
                           typeD + ", i32, i32, i32, i32, i32, i32)";
  p.snippet.body = packWords("a", 0, p.a.words(), typeA) +
                   packWords("b", p.a.words(), p.b.words(), typeB) +
                   packWords("c", p.a.words() + p.b.words(), p.c.words(), typeD);
  // A lane's scale, from its index: row lane % side, block of k lane / side. The other
  // bytes of the register hold something else.
  auto scale = [&](const std::string &reg, unsigned byte, int seed) {
    const std::string s = std::to_string(side);
    p.snippet.body +=
        "  %i" + reg + " = urem i32 %lane, " + s + "\n  %k" + reg + " = udiv i32 %lane, " + s +
        "\n  %x" + reg + " = mul i32 %i" + reg + ", 5\n  %y" + reg + " = mul i32 %k" + reg +
        ", 3\n  %z" + reg + " = add i32 %x" + reg + ", %y" + reg + "\n  %e" + reg +
        " = add i32 %z" + reg + ", " + std::to_string(seed) + "\n  %f" + reg + " = urem i32 %e" +
        reg + ", 4\n  %g" + reg + " = add i32 %f" + reg + ", 127\n  %h" + reg + " = shl i32 %g" +
        reg + ", " + std::to_string(8 * byte) + "\n  %s" + reg + " = xor i32 %h" + reg + ", " +
        std::to_string(0x21436507u & ~(0xffu << (8 * byte))) + "\n";
  };
  if (!scales.constant) {
    scale("A", scales.byteA, 0);
    scale("B", scales.byteB, 1);
    p.exponent = [](int row, int col, int k) {
      return exponentOf(0, row, k / 32) + exponentOf(1, col, k / 32);
    };
  }
  p.snippet.body += "  %m = call " + typeD + " @" + name + "(" + typeA + " %a, " + typeB + " %b, " +
                    typeD + " %c, i32 " + code(a) + ", i32 " + code(b) + ", i32 " +
                    std::to_string(scales.byteA) + ", i32 " + (scales.constant ? "0" : "%sA") +
                    ", i32 " + std::to_string(scales.byteB) + ", i32 " +
                    (scales.constant ? "0" : "%sB") + ")\n" + unpackWords("m", p.d.words(), typeD);
  return p;
}

TEST(Mfma, F8f6f4OfEightAndFourBits) {
  for (int side : {16, 32})
    for (const Format *a : {&kE4m3, &kE5m2, &kE2m1})
      for (const Format *b : {&kE4m3, &kE5m2, &kE2m1})
        check(scaledProduct(side, *a, *b, {true, 0, 0}));
}

TEST(Mfma, F8f6f4ScalesBlocksOf32) {
  for (int side : {16, 32})
    for (const Format *a : {&kE4m3, &kE2m1})
      for (unsigned byte = 0; byte < 4; ++byte)
        check(scaledProduct(side, *a, kE4m3, {false, byte, 3 - byte}));
}

TEST(Mfma, SixBitFloatsAreRefusedByName) {
  Product p = scaledProduct(16, kE4m3, kE4m3, {true, 0, 0});
  const size_t at = p.snippet.body.find("%c, i32 0, i32 0,");
  ASSERT_NE(at, std::string::npos);
  p.snippet.body.replace(at, 17, "%c, i32 2, i32 0,");
  const Outcome outcome = tryExecute(p.chip, Registers(20, 64), 4, p.snippet);
  EXPECT_NE(outcome.error.find("6-bit floats"), std::string::npos) << outcome.error;
}

} // namespace
} // namespace layout_port::verify::golden
