// Golden meanings of instructions: each is executed by the machine, over all lanes,
// and compared with plain loops over the row and column formulas of the vendors'
// manuals. The formulas are written out here, not taken from layouts/isa.
//
// A test kernel loads each operand register from in[register][lane], runs one
// instruction and stores each result register to out[register][lane].
#include "decode/Decoder.h"
#include "domain/Ieee.h"
#include "layout_port/layouts/Isa.h"
#include "machine/Machine.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace layout_port::verify {
namespace {

using Words = std::vector<uint32_t>; // [register * lanes + lane]

struct TestTarget {
  const char *triple, *layout, *convention, *cpu;
  unsigned lanes;
};
const TestTarget kNvidia{"nvptx64-nvidia-cuda",
                         "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
                         "ptx_kernel", "sm_80", 32};
const TestTarget kGfx942{
    "amdgcn-amd-amdhsa",
    "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-"
    "p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-"
    "v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-"
    "S32-A5-G1-ni:7:8:9",
    "amdgpu_kernel", "gfx942", 64};

// The kernel's text: %r0.. are the loaded registers; `body` must define %d0.. .
std::string kernelText(const TestTarget &target, unsigned inputs, unsigned outputs,
                       const std::string &body, const std::string &declarations) {
  const bool nvidia = target.lanes == 32;
  std::string text = std::string("target datalayout = \"") + target.layout +
                     "\"\ntarget triple = \"" + target.triple + "\"\n" + declarations + "\n";
  const std::string id = nvidia ? "@llvm.nvvm.read.ptx.sreg.tid.x" : "@llvm.amdgcn.workitem.id.x";
  text += "declare i32 " + id + "()\n";
  text += std::string("define ") + target.convention + " void @k(ptr %in, ptr %out) #0 {\n";
  text += "  %lane = call i32 " + id + "()\n";
  for (unsigned i = 0; i < inputs; ++i) {
    const std::string n = std::to_string(i);
    text += "  %i" + n + " = add i32 %lane, " + std::to_string(i * target.lanes) + "\n";
    text += "  %p" + n + " = getelementptr i32, ptr %in, i32 %i" + n + "\n";
    text += "  %r" + n + " = load i32, ptr %p" + n + ", align 4\n";
  }
  text += body;
  for (unsigned i = 0; i < outputs; ++i) {
    const std::string n = std::to_string(i);
    text += "  %o" + n + " = add i32 %lane, " + std::to_string(i * target.lanes) + "\n";
    text += "  %q" + n + " = getelementptr i32, ptr %out, i32 %o" + n + "\n";
    text += "  store i32 %d" + n + ", ptr %q" + n + ", align 4\n";
  }
  return text + "  ret void\n}\nattributes #0 = { \"target-cpu\"=\"" + target.cpu + "\" }\n";
}

// Runs it in IEEE arithmetic.
Words execute(const TestTarget &target, const Words &inputs, unsigned outputs,
              const std::string &body, const std::string &declarations = "") {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  const unsigned registers = unsigned(inputs.size() / target.lanes);
  auto module = llvm::parseAssemblyString(
      kernelText(target, registers, outputs, body, declarations), diagnostic, context);
  Words result(outputs * target.lanes, 0xdeadbeef);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << ": " << diagnostic.getLineContents().str();
    return result;
  }
  auto program = Decoder(*module, nullptr).decode(*module->getFunction("k"));
  if (!program) {
    ADD_FAILURE() << llvm::toString(program.takeError());
    return result;
  }
  GlobalMemory memory;
  placeGlobals(**program, memory);
  const uint64_t in = memory.allocate("in", inputs.size() * 4, 256, shadow::ready);
  const uint64_t out = memory.allocate("out", result.size() * 4);
  std::memcpy(memory.bytesAt(in), inputs.data(), inputs.size() * 4);
  Launch launch;
  launch.block = {target.lanes, 1, 1};
  for (uint64_t address : {in, out}) {
    std::vector<uint8_t> bytes(8);
    std::memcpy(bytes.data(), &address, 8);
    launch.arguments.push_back(bytes);
    launch.argumentShadow.push_back(std::vector<uint8_t>(8, shadow::ready));
  }
  Machine machine(**program, memory, nullptr);
  EXPECT_EQ(machine.run(launch), "");
  std::memcpy(result.data(), memory.bytesAt(out), result.size() * 4);
  return result;
}

Words randomWords(unsigned registers, unsigned lanes, unsigned seed) {
  std::mt19937 random(seed);
  Words words(registers * lanes);
  for (uint32_t &word : words)
    word = random();
  return words;
}

uint32_t half(int value) { return uint32_t(encodeFloat(FloatFormat::F16, value)); }

// "call {i32, i32} asm ..." and the extraction of its results into %d0..
std::string asmCall(const std::string &text, const std::string &constraints, unsigned outputs,
                    const std::string &arguments, const std::string &element = "i32") {
  std::string type = outputs == 1 ? element : "{";
  for (unsigned i = 0; outputs > 1 && i < outputs; ++i)
    type += (i ? ", " : "") + element;
  if (outputs > 1)
    type += "}";
  std::string body = "  %x = call " + type + " asm sideeffect \"" + text + "\", \"" + constraints +
                     "\"(" + arguments + ")\n";
  for (unsigned i = 0; i < outputs; ++i) {
    const std::string n = std::to_string(i);
    if (outputs > 1)
      body += "  %e" + n + " = extractvalue " + type + " %x, " + n + "\n";
    body += "  %d" + n + " = bitcast " + element + (outputs > 1 ? " %e" + n : " %x") + " to i32\n";
  }
  return body;
}

//===-- mma.sync -----------------------------------------------------------===//

// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k16 with floating point type":
//   A: row = groupID (+8 for a2,a3,a6,a7), col = threadInGroup*2 + (i&1) (+8 for i >= 4)
//   B: row = threadInGroup*2 + (i&1) (+8 for i >= 2), col = groupID
//   C: row = groupID (+8 for i >= 2), col = threadInGroup*2 + (i&1)
TEST(Mma, M16N8K16F16) {
  int a[16][16], b[16][8], c[16][8];
  std::mt19937 random(3);
  for (auto &row : a)
    for (int &x : row)
      x = int(random() % 9) - 4;
  for (auto &row : b)
    for (int &x : row)
      x = int(random() % 9) - 4;
  for (auto &row : c)
    for (int &x : row)
      x = int(random() % 9) - 4;
  Words in(10 * 32);
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, thread = lane & 3;
    for (int i = 0; i < 8; ++i) {
      const int row = (i < 2 || (i >= 4 && i < 6)) ? group : group + 8;
      const int col = thread * 2 + (i & 1) + (i >= 4 ? 8 : 0);
      in[(i / 2) * 32 + lane] |= half(a[row][col]) << (16 * (i & 1));
    }
    for (int i = 0; i < 4; ++i)
      in[(4 + i / 2) * 32 + lane] |= half(b[thread * 2 + (i & 1) + (i >= 2 ? 8 : 0)][group])
                                     << (16 * (i & 1));
    for (int i = 0; i < 4; ++i)
      in[(6 + i) * 32 + lane] =
          bitCast<uint32_t>(float(c[i < 2 ? group : group + 8][thread * 2 + (i & 1)]));
  }
  std::string body;
  for (int i = 6; i < 10; ++i)
    body += "  %c" + std::to_string(i) + " = bitcast i32 %r" + std::to_string(i) + " to float\n";
  body += asmCall("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0,$1,$2,$3}, "
                  "{$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};",
                  "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f", 4,
                  "i32 %r0, i32 %r1, i32 %r2, i32 %r3, i32 %r4, i32 %r5, float %c6, float %c7, "
                  "float %c8, float %c9",
                  "float");
  const Words out = execute(kNvidia, in, 4, body);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      const int row = i < 2 ? lane >> 2 : (lane >> 2) + 8, col = (lane & 3) * 2 + (i & 1);
      int sum = c[row][col];
      for (int k = 0; k < 16; ++k)
        sum += a[row][k] * b[k][col];
      ASSERT_EQ(bitCast<float>(out[i * 32 + lane]), float(sum)) << lane << " " << i;
    }
}

// "mma.m16n8k32 with integer type": A: row = groupID (+8 for i in 4..7, 12..15),
// col = threadInGroup*4 + (i&3) (+16 for i >= 8); B: row = threadInGroup*4 + (i&3)
// (+16 for i >= 4), col = groupID.
void checkInt8(const char *typeA, const char *typeB, bool signedA, bool signedB) {
  const Words in = randomWords(10, 32, 11);
  auto element = [&](unsigned reg, unsigned lane, unsigned byte, bool isSigned) {
    const uint32_t bits = in[reg * 32 + lane] >> (8 * byte) & 0xff;
    return isSigned ? int(int8_t(bits)) : int(bits);
  };
  int a[16][32], b[32][8];
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane >> 2, thread = lane & 3;
    for (unsigned i = 0; i < 16; ++i)
      a[(i / 4) % 2 ? group + 8 : group][thread * 4 + (i & 3) + (i >= 8 ? 16 : 0)] =
          element(i / 4, lane, i & 3, signedA);
    for (unsigned i = 0; i < 8; ++i)
      b[thread * 4 + (i & 3) + (i >= 4 ? 16 : 0)][group] = element(4 + i / 4, lane, i & 3, signedB);
  }
  const std::string name =
      std::string("mma.sync.aligned.m16n8k32.row.col.s32.") + typeA + "." + typeB + ".s32";
  const Words out = execute(
      kNvidia, in, 4,
      asmCall(name + " {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13};",
              "=r,=r,=r,=r,r,r,r,r,r,r,r,r,r,r", 4,
              "i32 %r0, i32 %r1, i32 %r2, i32 %r3, i32 %r4, i32 %r5, i32 %r6, i32 %r7, i32 %r8, "
              "i32 %r9"));
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = (lane >> 2) + (i < 2 ? 0 : 8), col = (lane & 3) * 2 + (i & 1);
      uint32_t sum = in[(6 + i) * 32 + lane];
      for (unsigned k = 0; k < 32; ++k)
        sum += uint32_t(a[row][k] * b[k][col]);
      ASSERT_EQ(out[i * 32 + lane], sum) << name << " lane " << lane;
    }
}
TEST(Mma, M16N8K32Int8InAllSigns) {
  checkInt8("s8", "s8", true, true);
  checkInt8("u8", "s8", false, true);
  checkInt8("s8", "u8", true, false);
  checkInt8("u8", "u8", false, false);
}

//===-- MFMA ---------------------------------------------------------------===//

// CDNA 3 ISA, 16x16x16 f16: A element e of lane l is A[l % 16][4 * (l / 16) + e], B the
// same with n for m; D element e is D[4 * (l / 16) + e][l % 16].
TEST(Mfma, F32_16x16x16F16) {
  int a[16][16], b[16][16], c[16][16];
  std::mt19937 random(5);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      a[i][j] = int(random() % 7) - 3, b[i][j] = int(random() % 7) - 3, c[i][j] = int(random() % 7);
  Words in(8 * 64);
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 4; ++e) {
      const int k = 4 * (lane / 16) + e;
      in[(e / 2) * 64 + lane] |= half(a[lane % 16][k]) << (16 * (e & 1));
      in[(2 + e / 2) * 64 + lane] |= half(b[k][lane % 16]) << (16 * (e & 1));
      in[(4 + e) * 64 + lane] = bitCast<uint32_t>(float(c[4 * (lane / 16) + e][lane % 16]));
    }
  std::string body;
  auto pack = [&](const char *name, int first, int count, const char *type) {
    std::string v = "poison";
    for (int i = 0; i < count; ++i) {
      const std::string to = std::string("%") + name + std::to_string(i);
      body += "  " + to + " = insertelement <" + std::to_string(count) + " x i32> " + v +
              ", i32 %r" + std::to_string(first + i) + ", i32 " + std::to_string(i) + "\n";
      v = to;
    }
    body += std::string("  %") + name + " = bitcast <" + std::to_string(count) + " x i32> " + v +
            " to " + type + "\n";
  };
  pack("a", 0, 2, "<4 x half>");
  pack("b", 2, 2, "<4 x half>");
  pack("c", 4, 4, "<4 x float>");
  body += "  %m = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %b, "
          "<4 x float> %c, i32 0, i32 0, i32 0)\n  %w = bitcast <4 x float> %m to <4 x i32>\n";
  for (int i = 0; i < 4; ++i)
    body += "  %d" + std::to_string(i) + " = extractelement <4 x i32> %w, i32 " +
            std::to_string(i) + "\n";
  const Words out =
      execute(kGfx942, in, 4, body,
              "declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, "
              "<4 x float>, i32, i32, i32)");
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 4; ++e) {
      const int m = 4 * (lane / 16) + e, n = lane % 16;
      int sum = c[m][n];
      for (int k = 0; k < 16; ++k)
        sum += a[m][k] * b[k][n];
      ASSERT_EQ(bitCast<float>(out[e * 64 + lane]), float(sum)) << lane << " " << e;
    }
}

// Every dense MFMA of gfx942 but those of 8-bit floats, by the closed forms of AMD's matrix instruction
// calculator (https://github.com/ROCm/amd_matrix_instruction_calculator):
//   A: kpl = K M blocks / 64; element k % kpl, lane (k / kpl) M blocks + b M + i; B alike
//   D, 32-bit: q = i / 4 + (M / 4) b, G = 64 / N; element i % 4 + 4 (q / G), lane (q % G) N + j
//   D, 64-bit: G = 64 / (N blocks); element i / G, lane (i % G) N blocks + b N + j
struct MfmaCase {
  const isa::MatrixInstruction &row;
  unsigned inputBits, sumBits;
  FloatFormat input, sum;         // None: integers
  std::string inputType, sumType; // of the intrinsic's operands

  unsigned perLane() const { return unsigned(row.k * row.m * row.blocks) / 64; }
  unsigned sums() const { return unsigned(row.m * row.n * row.blocks) / 64; }
  unsigned inputWords() const { return std::max(1u, perLane() * inputBits / 32); }
  unsigned sumWords() const { return sums() * sumBits / 32; }
};

std::string vectorOf(unsigned count, const std::string &element) {
  return count == 1 ? element : "<" + std::to_string(count) + " x " + element + ">";
}

bool describe(MfmaCase &c) {
  const unsigned n = c.perLane();
  switch (c.row.a) {
  case isa::ElementType::F16:
    c.input = FloatFormat::F16, c.inputBits = 16, c.inputType = vectorOf(n, "half");
    break;
  case isa::ElementType::BF16: // <4 x i16> for the _1k forms, <2 x i16> before them
    c.input = FloatFormat::BF16, c.inputBits = 16, c.inputType = vectorOf(n, "i16");
    break;
  case isa::ElementType::F32:
  case isa::ElementType::XF32:
    c.input = FloatFormat::F32, c.inputBits = 32, c.inputType = vectorOf(n, "float");
    break;
  case isa::ElementType::F64:
    c.input = FloatFormat::F64, c.inputBits = 64, c.inputType = vectorOf(n, "double");
    break;
  case isa::ElementType::FP8:
  case isa::ElementType::BF8: // each side has its own format; zero and one agree
    c.input = FloatFormat::E4M3Fnuz, c.inputBits = 8, c.inputType = "i64";
    return false; // mixed formats: covered by their layouts only
  case isa::ElementType::I8:
    c.input = FloatFormat::None, c.inputBits = 8, c.inputType = n == 4 ? "i32" : "i64";
    break;
  default:
    return false;
  }
  c.sumBits = c.row.acc == isa::ElementType::F64 ? 64 : 32;
  c.sum = c.input == FloatFormat::None ? FloatFormat::None
          : c.sumBits == 64            ? FloatFormat::F64
                                       : FloatFormat::F32;
  c.sumType = vectorOf(c.sums(), c.sum == FloatFormat::None ? "i32"
                                 : c.sumBits == 64          ? "double"
                                                            : "float");
  return true;
}

uint64_t encoded(FloatFormat format, int value) {
  return format == FloatFormat::None ? uint64_t(int64_t(value)) : encodeFloat(format, value);
}

void put(Words &words, unsigned firstWord, unsigned bits, unsigned element, unsigned lane,
         uint64_t value) {
  for (unsigned done = 0; done < bits; done += 32) {
    const unsigned bit = element * bits + done;
    const uint64_t part = bits < 32 ? value & ((uint64_t(1) << bits) - 1) : value >> done;
    words[(firstWord + bit / 32) * 64 + lane] |= uint32_t(part) << (bit % 32);
  }
}

std::string packWords(const std::string &name, unsigned first, unsigned count,
                      const std::string &type) {
  if (count == 1)
    return "  %" + name + " = bitcast i32 %r" + std::to_string(first) + " to " + type + "\n";
  std::string body, vector = "poison";
  const std::string words = vectorOf(count, "i32");
  for (unsigned i = 0; i < count; ++i) {
    const std::string next = "%" + name + "_" + std::to_string(i);
    body += "  " + next + " = insertelement " + words + " " + vector + ", i32 %r" +
            std::to_string(first + i) + ", i32 " + std::to_string(i) + "\n";
    vector = next;
  }
  return body + "  %" + name + " = bitcast " + words + " " + vector + " to " + type + "\n";
}

void checkMfma(const MfmaCase &c) {
  const isa::MatrixInstruction &row = c.row;
  const int M = row.m, N = row.n, K = row.k, B = row.blocks, kpl = int(c.perLane());
  std::mt19937 random(41);
  std::vector<int> a(size_t(M * K * B)), b(size_t(K * N * B)), sum(size_t(M * N * B));
  for (std::vector<int> *matrix : {&a, &b, &sum})
    for (int &x : *matrix)
      x = int(random() % 7) - 3;
  Words in((2 * c.inputWords() + c.sumWords()) * 64);
  for (int block = 0; block < B; ++block)
    for (int k = 0; k < K; ++k) {
      for (int i = 0; i < M; ++i)
        put(in, 0, c.inputBits, unsigned(k % kpl), unsigned(k / kpl * M * B + block * M + i),
            encoded(c.input, a[size_t((block * M + i) * K + k)]));
      for (int j = 0; j < N; ++j)
        put(in, c.inputWords(), c.inputBits, unsigned(k % kpl),
            unsigned(k / kpl * N * B + block * N + j),
            encoded(c.input, b[size_t((block * K + k) * N + j)]));
    }
  auto place = [&](int block, int i, int j, unsigned &element, unsigned &lane) {
    if (c.sumBits == 64) {
      const int G = 64 / (N * B);
      element = unsigned(i / G);
      lane = unsigned(i % G * N * B + block * N + j);
      return;
    }
    const int q = i / 4 + M / 4 * block, G = 64 / N;
    element = unsigned(i % 4 + 4 * (q / G));
    lane = unsigned(q % G * N + j);
  };
  unsigned element = 0, lane = 0;
  for (int block = 0; block < B; ++block)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        place(block, i, j, element, lane);
        put(in, 2 * c.inputWords(), c.sumBits, element, lane,
            encoded(c.sum, sum[size_t((block * M + i) * N + j)]));
      }
  std::string intrinsic = std::string("llvm.amdgcn.") + row.builtin;
  std::replace(intrinsic.begin(), intrinsic.end(), '_', '.');
  const std::string declaration = "declare " + c.sumType + " @" + intrinsic + "(" + c.inputType +
                                  ", " + c.inputType + ", " + c.sumType + ", i32, i32, i32)";
  std::string body = packWords("a", 0, c.inputWords(), c.inputType) +
                     packWords("b", c.inputWords(), c.inputWords(), c.inputType) +
                     packWords("c", 2 * c.inputWords(), c.sumWords(), c.sumType);
  body += "  %m = call " + c.sumType + " @" + intrinsic + "(" + c.inputType + " %a, " +
          c.inputType + " %b, " + c.sumType + " %c, i32 0, i32 0, i32 0)\n";
  const std::string words = vectorOf(c.sumWords(), "i32");
  body += "  %w = bitcast " + c.sumType + " %m to " + words + "\n";
  for (unsigned i = 0; i < c.sumWords(); ++i) {
    const std::string n = std::to_string(i);
    body += c.sumWords() == 1 ? "  %d0 = bitcast i32 %w to i32\n"
                              : "  %d" + n + " = extractelement " + words + " %w, i32 " + n + "\n";
  }
  const Words out = execute(kGfx942, in, c.sumWords(), body, declaration);
  for (int block = 0; block < B; ++block)
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        int want = sum[size_t((block * M + i) * N + j)];
        for (int k = 0; k < K; ++k)
          want += a[size_t((block * M + i) * K + k)] * b[size_t((block * K + k) * N + j)];
        place(block, i, j, element, lane);
        uint64_t got = 0;
        for (unsigned done = 0; done < c.sumBits; done += 32)
          got |= uint64_t(out[(element * c.sumBits + done) / 32 * 64 + lane]) << done;
        const uint64_t mask = c.sumBits == 64 ? ~uint64_t(0) : 0xffffffffu;
        ASSERT_EQ(got, encoded(c.sum, want) & mask)
            << row.name << " block " << block << " (" << i << ", " << j << ")";
      }
}

TEST(Mfma, EveryDenseRowOfGfx942) {
  unsigned checked = 0;
  for (const isa::MatrixInstruction &row : isa::matrixInstructions()) {
    MfmaCase c{row, 0, 0, FloatFormat::None, FloatFormat::None, {}, {}};
    if (row.family != isa::MatrixFamily::Mfma || !row.availableOn(isa::Arch::Gfx942) ||
        !describe(c))
      continue;
    checkMfma(c);
    ++checked;
  }
  EXPECT_EQ(checked, 24u); // 32 dense instructions, less eight of 8-bit floats
  printf("%u instructions\n", checked);
}

//===-- Moves between lanes ------------------------------------------------===//

using Source = std::function<int(int)>; // the lane that a lane reads; -1: zero

void checkMove(const TestTarget &target, const std::string &body, const std::string &declarations,
               const Source &source, const std::string &what) {
  const Words in = randomWords(2, target.lanes, 17);
  const Words out = execute(target, in, 1, body, declarations);
  for (unsigned lane = 0; lane < target.lanes; ++lane) {
    const int from = source(int(lane));
    ASSERT_EQ(out[lane], from < 0 ? 0u : in[unsigned(from)]) << what << " lane " << lane;
  }
}

TEST(Lanes, ShuffleXorUpDownIndexInSegments) {
  for (int width : {32, 16, 8, 4, 2})
    for (int offset : {0, 1, 2, 5, 8, 16, 31}) {
      const int control = (32 - width) << 8;
      auto call = [&](const char *mode, int clamp) {
        return std::string("  %d0 = call i32 @llvm.nvvm.shfl.sync.") + mode +
               ".i32(i32 -1, i32 %r0, i32 " + std::to_string(offset) + ", i32 " +
               std::to_string(control | clamp) + ")\n";
      };
      auto declare = [](const char *mode) {
        return std::string("declare i32 @llvm.nvvm.shfl.sync.") + mode + ".i32(i32, i32, i32, i32)";
      };
      // CUDA C++ Programming Guide, warp shuffle functions: out of range keeps the
      // lane's own value.
      const int b = offset & 31;
      checkMove(
          kNvidia, call("bfly", 31), declare("bfly"),
          [&](int l) { return (l ^ b) <= (l | (width - 1)) ? l ^ b : l; }, "xor");
      checkMove(
          kNvidia, call("up", 0), declare("up"), [&](int l) { return l % width >= b ? l - b : l; },
          "up");
      checkMove(
          kNvidia, call("down", 31), declare("down"),
          [&](int l) { return l % width + b < width ? l + b : l; }, "down");
      checkMove(
          kNvidia, call("idx", 31), declare("idx"),
          [&](int l) { return l / width * width + b % width; }, "idx");
    }
}

TEST(Lanes, DsBpermuteGathers) {
  checkMove(
      kGfx942,
      "  %s = xor i32 %lane, 37\n  %t = shl i32 %s, 2\n"
      "  %d0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %t, i32 %r0)\n",
      "declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)", [](int l) { return l ^ 37; },
      "ds_bpermute");
}

TEST(Lanes, DsSwizzleXorsGroupsOf32) {
  for (int mask : {1, 2, 4, 8, 16, 31})
    checkMove(
        kGfx942,
        "  %d0 = call i32 @llvm.amdgcn.ds.swizzle(i32 %r0, i32 " + std::to_string(mask << 10 | 31) +
            ")\n",
        "declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)", [&](int l) { return l ^ mask; },
        "ds_swizzle");
}

TEST(Lanes, DppReadsWhereTheIsaSays) {
  struct Row {
    int control;
    Source source;
    const char *name;
  };
  const Row rows[] = {{0xb1, [](int l) { return l ^ 1; }, "quad_perm:[1,0,3,2]"},
                      {0x4e, [](int l) { return l ^ 2; }, "quad_perm:[2,3,0,1]"},
                      {0x1b, [](int l) { return l ^ 3; }, "quad_perm:[3,2,1,0]"},
                      {0x141, [](int l) { return l ^ 7; }, "row_half_mirror"},
                      {0x140, [](int l) { return l ^ 15; }, "row_mirror"},
                      {0x128, [](int l) { return l ^ 8; }, "row_ror:8"},
                      {0x101, [](int l) { return l % 16 < 15 ? l + 1 : -1; }, "row_shl:1"},
                      {0x111, [](int l) { return l % 16 > 0 ? l - 1 : -1; }, "row_shr:1"},
                      {0x142, [](int l) { return l >= 16 ? l / 16 * 16 - 1 : -1; }, "row_bcast:15"},
                      {0x143, [](int l) { return l >= 32 ? 31 : -1; }, "row_bcast:31"}};
  for (const Row &row : rows)
    checkMove(kGfx942,
              "  %d0 = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %r0, i32 " +
                  std::to_string(row.control) + ", i32 15, i32 15, i1 true)\n",
              "declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)", row.source,
              row.name);
}

TEST(Lanes, Permlane32SwapTradesHalves) {
  const Words in = randomWords(2, 64, 23);
  const Words out = execute(
      kGfx942, in, 2,
      "  %x = call {i32, i32} @llvm.amdgcn.permlane32.swap(i32 %r0, i32 %r1, i1 false, i1 false)\n"
      "  %d0 = extractvalue {i32, i32} %x, 0\n  %d1 = extractvalue {i32, i32} %x, 1\n",
      "declare {i32, i32} @llvm.amdgcn.permlane32.swap(i32, i32, i1, i1)");
  for (unsigned lane = 0; lane < 64; ++lane) {
    // The upper half of the first register and the lower half of the second change places.
    ASSERT_EQ(out[lane], lane < 32 ? in[lane] : in[64 + lane - 32]) << lane;
    ASSERT_EQ(out[64 + lane], lane < 32 ? in[lane + 32] : in[64 + lane]) << lane;
  }
}

// "element (row, col) of the tile is in lane 4 * row + col / 2": out = in transposed.
TEST(Lanes, MovmatrixTransposes) {
  const Words in = randomWords(1, 32, 29);
  const Words out =
      execute(kNvidia, in, 1,
              asmCall("movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r", 1, "i32 %r0"));
  auto at = [](const Words &w, unsigned row, unsigned col) {
    return w[row * 4 + col / 2] >> (16 * (col & 1)) & 0xffff;
  };
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned col = 0; col < 8; ++col)
      ASSERT_EQ(at(out, row, col), at(in, col, row));
}

//===-- ldmatrix and stmatrix ----------------------------------------------===//

// Shared memory holds tile t, row r, element c as 64 t + 8 r + c in 16 bits.
TEST(Tiles, LdmatrixAndItsTranspose) {
  for (bool transposed : {false, true}) {
    const std::string name =
        std::string("ldmatrix.sync.aligned.m8n8.x4") + (transposed ? ".trans" : "") + ".shared.b16";
    std::string body = "  %a = shl i32 %lane, 4\n"
                       "  %base = ptrtoint ptr addrspace(3) @tile to i64\n"
                       "  %b = trunc i64 %base to i32\n  %addr = add i32 %a, %b\n";
    for (int i = 0; i < 8; ++i) { // lane l writes elements 8 l .. 8 l + 7
      const std::string n = std::to_string(i);
      body += "  %v" + n + " = mul i32 %lane, 8\n  %w" + n + " = add i32 %v" + n + ", " + n +
              "\n  %h" + n + " = trunc i32 %w" + n + " to i16\n  %s" + n +
              " = getelementptr i16, ptr addrspace(3) @tile, i32 %w" + n + "\n  store i16 %h" + n +
              ", ptr addrspace(3) %s" + n + ", align 2\n";
    }
    body += asmCall(name + " {$0,$1,$2,$3}, [$4];", "=r,=r,=r,=r,r", 4, "i32 %addr");
    const Words out = execute(kNvidia, Words(32), 4, body,
                              "@tile = internal addrspace(3) global [256 x i16] undef, align 16");
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned t = 0; t < 4; ++t)
        for (unsigned e = 0; e < 2; ++e) {
          unsigned row = lane / 4, col = 2 * (lane % 4) + e;
          if (transposed)
            std::swap(row, col);
          ASSERT_EQ(out[t * 32 + lane] >> (16 * e) & 0xffff, 64 * t + 8 * row + col)
              << name << " lane " << lane;
        }
  }
}

} // namespace
} // namespace layout_port::verify
