// Golden meanings of instructions: each is executed by the machine, over all lanes,
// and compared with plain loops over the row and column formulas of the vendors'
// manuals. The formulas are written out here, not taken from layouts/isa.
//
// A test kernel loads each operand register from in[register][lane], runs one
// instruction and stores each result register to out[register][lane].
#include "decode/Decoder.h"
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
