// WMMA of gfx11 and gfx12, every row, in both wave sizes.
//
// gfx11 (https://gpuopen.com/learn/wmma_on_rdna3/): lane l holds row l % 16 of A and
// column l % 16 of B whole, each 16 lanes the same; result element e of lane l is
// D[G e + l / 16][l % 16] with G = 2 groups of lanes (wave32) or 4 (wave64). A 16-bit
// result lies in one half of a 32-bit register, which op_sel chooses.
//
// gfx12 (RDNA4 ISA manual, WMMA): result element e of lane l is D[e + 8 (l / 16)][l % 16]
// in wave32; in wave64, lanes 32-63 hold rows 4-7 and 12-15. The order of k in A and B
// is a gauge: as long as both agree, no product tells; the forms below put each lane's
// elements side by side, which need not be what the row has.
#include "Golden.h"

#include "layout_port/layouts/Isa.h"

#include <gtest/gtest.h>

#include <set>

namespace layout_port::verify::golden {
namespace {

struct Format {
  FloatFormat format;
  unsigned bits;
};
Format formatOf(isa::ElementType type) {
  switch (type) {
  case isa::ElementType::F16:
    return {FloatFormat::F16, 16};
  case isa::ElementType::BF16:
    return {FloatFormat::BF16, 16};
  case isa::ElementType::F32:
    return {FloatFormat::F32, 32};
  case isa::ElementType::FP8:
    return {FloatFormat::E4M3, 8};
  case isa::ElementType::BF8:
    return {FloatFormat::E5M2, 8};
  case isa::ElementType::IU8:
    return {FloatFormat::None, 8};
  case isa::ElementType::IU4:
    return {FloatFormat::None, 4};
  default:
    return {FloatFormat::None, 32};
  }
}

std::string scalarType(const Operand &o, bool gfx11) {
  switch (o.format) {
  case FloatFormat::F16:
    return "half";
  case FloatFormat::BF16:
    return gfx11 ? "i16" : "bfloat";
  case FloatFormat::F32:
    return "float";
  default:
    return "i32";
  }
}
// The vector of an operand: 8- and 4-bit elements go in words.
std::string typeOf(const Operand &o, bool gfx11) {
  if (o.bits < 16 || o.format == FloatFormat::None)
    return vectorOf(o.words(), "i32");
  return vectorOf(o.elements * (o.stride() / o.bits), scalarType(o, gfx11));
}

struct Options {
  bool signedA = true, signedB = true, clamp = false, upperHalf = false;
};

// k of element e, on the lanes that are read.
Operand inputOperand(const isa::MatrixInstruction &row, isa::ElementType type, bool isA,
                     bool isSigned, bool gfx11) {
  const Format f = formatOf(type);
  const unsigned lanes = unsigned(row.waveSize), k = unsigned(row.k);
  // gfx12 in wave64 leaves lanes 32-63 alone where they would hold half a register.
  const unsigned even = 16 * k / lanes, used = !gfx11 && even * f.bits < 32 ? 32 : lanes;
  const unsigned elements = gfx11 ? k : 16 * k / used;
  return {f.format, f.bits, isSigned, elements, [=](int lane, int e) {
            if (unsigned(lane) >= used)
              return Place{-1};
            const int at = gfx11 ? e : e + int(elements) * (lane / 16);
            return isA ? Place{lane % 16, at} : Place{at, lane % 16};
          }};
}

Operand resultOperand(const isa::MatrixInstruction &row, bool gfx11) {
  const Format f = formatOf(row.acc);
  const int lanes = row.waveSize;
  Operand o{f.format, f.bits, true, unsigned(256 / lanes), [=](int lane, int e) {
              if (gfx11)
                return Place{lanes / 16 * e + lane / 16, lane % 16};
              const int half = lane / 16 % 2, upper = lane / 32;
              return Place{e + 4 * upper + 8 * half, lane % 16};
            }};
  if (gfx11 && f.bits == 16)
    o.slot = 32;
  return o;
}

// "wmma_f32_16x16x16_f16_w32" and the overload suffix of its types.
std::string intrinsicOf(const isa::MatrixInstruction &row, const Operand &a, const Operand &d,
                        bool gfx11) {
  std::string name = std::string("llvm.amdgcn.") + row.builtin;
  for (const char *suffix : {"_gfx12", "_w32", "_w64"})
    if (const size_t at = name.rfind(suffix); at != std::string::npos)
      name.erase(at);
  std::replace(name.begin(), name.end(), '_', '.');
  auto mangled = [&](const Operand &o) {
    std::string type = typeOf(o, gfx11);
    for (const auto &[from, to] : {std::pair("half", "f16"), {"bfloat", "bf16"}, {"float", "f32"}})
      if (const size_t at = type.find(from); at != std::string::npos)
        type.replace(at, std::string(from).size(), to);
    if (type[0] != '<')
      return "." + type;
    const size_t x = type.find(" x ");
    return ".v" + type.substr(1, x - 1) + type.substr(x + 3, type.size() - x - 4);
  };
  return name + mangled(d) + mangled(a);
}

Product product(const isa::MatrixInstruction &row, Options options) {
  const bool gfx11 = row.availableOn(isa::Arch::Gfx11);
  const bool integers = row.a == isa::ElementType::IU8 || row.a == isa::ElementType::IU4;
  Product p;
  p.name = row.name;
  p.chip = amd(gfx11 ? "gfx1100" : "gfx1200", unsigned(row.waveSize));
  p.m = p.n = 16, p.k = row.k;
  p.a = inputOperand(row, row.a, true, options.signedA, gfx11);
  p.b = inputOperand(row, row.b, false, options.signedB, gfx11);
  p.c = p.d = resultOperand(row, gfx11);
  p.saturate = options.clamp;
  if (p.c.slot)
    p.c.offset = p.d.offset = options.upperHalf ? 16 : 0;
  const std::string a = typeOf(p.a, gfx11), b = typeOf(p.b, gfx11), d = typeOf(p.d, gfx11);
  const std::string name = intrinsicOf(row, p.a, p.d, gfx11);
  auto flag = [](bool set) { return set ? std::string("i1 true") : std::string("i1 false"); };
  std::string types = a + ", " + b + ", " + d, values = a + " %a, " + b + " %b, " + d + " %c";
  if (integers) {
    types = "i1, " + a + ", i1, " + b + ", " + d + ", i1";
    values = flag(options.signedA) + ", " + a + " %a, " + flag(options.signedB) + ", " + b +
             " %b, " + d + " %c, " + flag(options.clamp);
  } else if (p.d.bits == 16) {
    types += ", i1";
    values += ", " + flag(options.upperHalf);
  }
  p.snippet.declarations = "declare " + d + " @" + name + "(" + types + ")";
  p.snippet.body = packWords("a", 0, p.a.words(), a) + packWords("b", p.a.words(), p.b.words(), b) +
                   packWords("c", p.a.words() + p.b.words(), p.c.words(), d) + "  %m = call " + d +
                   " @" + name + "(" + values + ")\n";
  // The halves that are not written are undefined: give them a value before storing.
  if (p.d.slot)
    for (unsigned e = 0; e < p.d.elements; ++e) {
      const std::string n = std::to_string(e), i = std::to_string(2 * e + !options.upperHalf);
      p.snippet.body += "  %u" + n + " = insertelement " + d + " %" +
                        (e ? "u" + std::to_string(e - 1) : "m") + ", " + scalarType(p.d, gfx11) +
                        " " + (p.d.format == FloatFormat::F16 ? "0.0" : "0") + ", i32 " + i + "\n";
    }
  const std::string last = p.d.slot ? "u" + std::to_string(p.d.elements - 1) : "m";
  p.snippet.body += unpackWords(last, p.d.words(), d);
  return p;
}

TEST(Rdna, EveryWmmaRow) {
  unsigned checked = 0;
  for (const isa::MatrixInstruction &row : isa::matrixInstructions()) {
    if (row.family != isa::MatrixFamily::Wmma)
      continue;
    ++checked;
    if (row.a != isa::ElementType::IU8 && row.a != isa::ElementType::IU4) {
      check(product(row, {}));
      if (row.accSlotStride == 2)
        check(product(row, {true, true, false, true}));
      continue;
    }
    for (int signs = 0; signs < 8; ++signs)
      check(product(row, {bool(signs & 1), bool(signs & 2), bool(signs & 4), false}));
  }
  EXPECT_EQ(checked, 34u); // 2 x 6 on gfx11, 2 x 11 on gfx12
}

} // namespace
} // namespace layout_port::verify::golden
