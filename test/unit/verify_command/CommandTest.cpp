// The command on small LLVM IR files: exit codes, and one line for each kind of
// bad input.
#include "commands/Verify.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace layout_port {
namespace {

const char *const kHead =
    "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"\n"
    "target triple = \"nvptx64-nvidia-cuda\"\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "define ptx_kernel void @k(ptr %a, ptr %b) {\n"
    "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "  %p = getelementptr float, ptr %a, i32 %t\n"
    "  %q = getelementptr float, ptr %b, i32 %t\n"
    "  %x = load float, ptr %p, align 4\n";
const char *const kLaunch =
    "buffers:\n  A: {type: f32, count: 64}\n  B: {type: f32, count: 64, init: zero, out: true}\n"
    "launches:\n  - {kernel: k, grid: [1], block: [64], args: [A, B]}\n";

class Command : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("layout-port-test", folder_));
    write("L.yaml", kLaunch);
    kernel("double.ll", "  %y = fmul float %x, 2.0\n");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder_); }

  std::string path(const std::string &name) { return (folder_ + "/" + name).str(); }
  void write(const std::string &name, const std::string &text) {
    std::error_code code;
    llvm::raw_fd_ostream(path(name), code) << text;
    ASSERT_FALSE(code);
  }
  // b[t] = y, a function of x = a[t].
  void kernel(const std::string &name, const std::string &body) {
    write(name, std::string(kHead) + body +
                    "  store float %y, ptr %q, align 4\n  ret void\n}\n"
                    "declare float @llvm.maxnum.f32(float, float)\n"
                    "declare float @llvm.fabs.f32(float)\n");
  }
  int run(std::vector<std::string> words) {
    std::vector<const char *> args{"layout-port"};
    for (const std::string &word : words)
      args.push_back(word.c_str());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = commands::verify(args);
    llvm::outs().flush();
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return code;
  }
  int compare(const std::string &port) {
    return run({path("double.ll"), path(port), "--launch", path("L.yaml"), "--steps", "1"});
  }
  // Exit 2 and a single line that says `what`.
  void expectTrouble(int code, const std::string &what) {
    EXPECT_EQ(code, 2);
    EXPECT_NE(err_.find(what), std::string::npos) << err_;
    EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
  }

  llvm::SmallString<128> folder_;
  std::string out_, err_;
};

TEST_F(Command, ProvesAnEqualProgram) {
  kernel("sum.ll", "  %y = fadd float %x, %x\n");
  EXPECT_EQ(compare("sum.ll"), 0);
  EXPECT_EQ(out_.find("proved: "), 0u) << out_;
}

TEST_F(Command, RefutesASmallDifferenceAndNamesItsPlace) {
  kernel("off.ll", "  %y = fmul float %x, 0x4000006000000000\n"); // 2 + 2^-20 or so
  EXPECT_EQ(compare("off.ll"), 1);
  EXPECT_EQ(out_.find("refuted: "), 0u) << out_;
  EXPECT_NE(out_.find("first difference: B[0]"), std::string::npos) << out_;
  EXPECT_NE(out_.find("thread 0 of block (0,0,0)"), std::string::npos) << out_;
}

TEST_F(Command, TestsWhereBitsAreReinterpreted) {
  kernel("bits.ll", "  %i = bitcast float %x to i32\n  %r = mul i32 %i, 1\n"
                    "  %f = bitcast i32 %r to float\n  %y = fadd float %f, %f\n");
  EXPECT_EQ(compare("bits.ll"), 0);
  EXPECT_EQ(out_.find("tested: "), 0u) << out_;
  EXPECT_NE(out_.find("the field domain cannot speak"), std::string::npos) << out_;
}

TEST_F(Command, SignTricksOnBitsKeepTheirMeaning) {
  kernel("neg.ll", "  %i = bitcast float %x to i32\n  %n = xor i32 %i, -2147483648\n"
                   "  %f = bitcast i32 %n to float\n  %y = fmul float %f, -2.0\n");
  EXPECT_EQ(compare("neg.ll"), 0);
  EXPECT_EQ(out_.find("proved: "), 0u) << out_;
}

// What hangs on the order of residues refutes nothing: 2 max(x, 0) is max(2 x, 0), but
// the field cannot know. Unless numbers differ too.
TEST_F(Command, OrderAloneIsUnknownNotRefuted) {
  auto both = [&](const std::string &source, const std::string &port) {
    kernel("source.ll", source);
    kernel("port.ll", port);
    return run({path("source.ll"), path("port.ll"), "--launch", path("L.yaml")});
  };
  const std::string outside = "  %m = call float @llvm.maxnum.f32(float %x, float 0.0)\n"
                              "  %y = fmul float %m, 2.0\n",
                    inside = "  %d = fmul float %x, 2.0\n"
                             "  %y = call float @llvm.maxnum.f32(float %d, float 0.0)\n",
                    wrong = "  %d = fmul float %x, 3.0\n"
                            "  %y = call float @llvm.maxnum.f32(float %d, float 0.0)\n";
  EXPECT_EQ(both(outside, inside), 1);
  EXPECT_EQ(out_.find("unknown: "), 0u) << out_;
  EXPECT_NE(out_.find("hangs on the order of values"), std::string::npos) << out_;
  EXPECT_EQ(both(outside, wrong), 1);
  EXPECT_EQ(out_.find("refuted: outputs differ, in numbers too"), 0u) << out_;
  // The same of comparisons, |x| and |x| by a mask.
  const std::string compared = "  %d = fmul float %x, 2.0\n  %c = fcmp ogt float %d, 0.0\n"
                               "  %y = select i1 %c, float %d, float 0.0\n";
  EXPECT_EQ(both(outside, compared), 1);
  EXPECT_EQ(out_.find("unknown: "), 0u) << out_;
  const std::string sizeOutside = "  %m = call float @llvm.fabs.f32(float %x)\n"
                                  "  %y = fmul float %m, 2.0\n",
                    sizeInside = "  %d = fmul float %x, 2.0\n"
                                 "  %y = call float @llvm.fabs.f32(float %d)\n",
                    sizeByMask = "  %d = fmul float %x, 2.0\n  %i = bitcast float %d to i32\n"
                                 "  %n = and i32 %i, 2147483647\n  %y = bitcast i32 %n to float\n";
  EXPECT_EQ(both(sizeOutside, sizeInside), 1);
  EXPECT_EQ(out_.find("unknown: "), 0u) << out_;
  EXPECT_EQ(both(sizeInside, sizeByMask), 0);
  EXPECT_EQ(out_.find("proved: "), 0u) << out_;
  EXPECT_NE(out_.find("assumes: k: signs, min, max"), std::string::npos) << out_;
}

// b[t] = 2 x, written on the bits: all proved, none merely tested.
TEST_F(Command, BitTricksOnFloatsKeepTheirMeaning) {
  const struct {
    const char *what, *body;
  } tricks[] = {
      {"the sign by xor", "  %i = bitcast float %x to i32\n  %n = xor i32 %i, -2147483648\n"
                          "  %f = bitcast i32 %n to float\n  %y = fmul float %f, -2.0\n"},
      {"two signs at once",
       "  %h = fptrunc float %x to half\n  %v = insertelement <2 x half> zeroinitializer, half %h, "
       "i32 1\n"
       "  %i = bitcast <2 x half> %v to i32\n  %n = xor i32 %i, -2147450880\n"
       "  %w = bitcast i32 %n to <2 x half>\n  %e = extractelement <2 x half> %w, i32 1\n"
       "  %f = fpext half %e to float\n  %y = fmul float %f, -2.0\n"},
      {"a packed constant, 0x40004000",
       "  %s = alloca i32, align 4\n  store volatile i32 1073758208, ptr %s, align 4\n"
       "  %c = load volatile i32, ptr %s, align 4\n  %w = bitcast i32 %c to <2 x half>\n"
       "  %e = extractelement <2 x half> %w, i32 1\n  %f = fpext half %e to float\n"
       "  %y = fmul float %x, %f\n"},
      {"minus infinity as bits",
       "  %s = alloca i32, align 4\n  store volatile i32 -8388608, ptr %s, align 4\n"
       "  %c = load volatile i32, ptr %s, align 4\n  %f = bitcast i32 %c to float\n"
       "  %m = call float @llvm.maxnum.f32(float %x, float %f)\n  %y = fadd float %m, %x\n"},
      {"a NaN as bits",
       "  %s = alloca i32, align 4\n  store volatile i32 2143289344, ptr %s, align 4\n"
       "  %c = load volatile i32, ptr %s, align 4\n  %f = bitcast i32 %c to float\n"
       "  %m = call float @llvm.maxnum.f32(float %x, float %f)\n  %y = fadd float %m, %x\n"},
      {"bf16 by shifting",
       "  %i = bitcast float %x to i32\n  %n = lshr i32 %i, 16\n  %u = trunc i32 %n to i16\n"
       "  %w = zext i16 %u to i32\n  %z = shl i32 %w, 16\n  %f = bitcast i32 %z to float\n"
       "  %y = fmul float %f, 2.0\n"},
      {"bf16 by a mask", "  %i = bitcast float %x to i32\n  %n = and i32 %i, -65536\n"
                         "  %f = bitcast i32 %n to float\n  %y = fmul float %f, 2.0\n"},
  };
  for (const auto &trick : tricks) {
    kernel("trick.ll", trick.body);
    EXPECT_EQ(compare("trick.ll"), 0) << trick.what << "\n" << out_ << err_;
    EXPECT_EQ(out_.find("proved: "), 0u) << trick.what << "\n" << out_;
  }
}

// A difference that bits hide from the field is found by whole numbers.
TEST_F(Command, OtherArithmeticOnBitsIsNeverProved) {
  kernel("exponent.ll", "  %i = bitcast float %x to i32\n  %n = add i32 %i, 8388608\n"
                        "  %y = bitcast i32 %n to float\n"); // 2 x, but for 0
  EXPECT_EQ(compare("exponent.ll"), 1);
  EXPECT_EQ(out_.find("refuted: outputs differ in exact arithmetic"), 0u) << out_;
}

TEST_F(Command, WhatDependsOnDataLimitsTheClaim) {
  kernel("branch.ll", "  %i = bitcast float %x to i32\n  %n = xor i32 %i, 0\n"
                      "  %c = fcmp oeq float %x, 5.0\n  br i1 %c, label %five, label %else\n"
                      "five:\n  br label %end\nelse:\n  %d = fadd float %x, %x\n  br label %end\n"
                      "end:\n  %y = phi float [10.0, %five], [%d, %else]\n");
  EXPECT_EQ(compare("branch.ll"), 0);
  EXPECT_NE(out_.find("limit: k: a branch depends on data"), std::string::npos) << out_;
  // b[i[t]] through an index that was loaded.
  const std::string scatter = std::string(kHead) +
                              "  %j = load i32, ptr %p, align 4\n"
                              "  %e = getelementptr float, ptr %b, i32 %j\n"
                              "  store float 1.0, ptr %e, align 4\n  ret void\n}\n";
  write("scatter.ll", scatter);
  write("I.yaml", "buffers:\n  A: {type: i32, count: 64, init: index, below: 64}\n"
                  "  B: {type: f32, count: 64, init: zero, out: true}\n"
                  "launches:\n  - {kernel: k, grid: [1], block: [64], args: [A, B]}\n");
  EXPECT_EQ(run({path("scatter.ll"), path("scatter.ll"), "--launch", path("I.yaml")}), 0);
  EXPECT_NE(out_.find("limit: k: an address depends on data"), std::string::npos) << out_;
}

TEST_F(Command, TheBoundIsComputedAndDecidesTheSeeds) {
  kernel("sum.ll", "  %y = fadd float %x, %x\n");
  EXPECT_EQ(compare("sum.ll"), 0);
  EXPECT_NE(out_.find("3 seeds modulo 65267, degree at most 1: the chance of missing a "
                      "difference is at most 3.596"),
            std::string::npos)
      << out_;
  EXPECT_EQ(run({path("double.ll"), path("sum.ll"), "--launch", path("L.yaml"), "--seeds", "1"}),
            0);
  EXPECT_NE(out_.find("1 seeds modulo 65267"), std::string::npos) << out_;
}

TEST_F(Command, ADegreeTooHighForABoundIsNoProof) {
  std::string body = "  %v0 = fmul float %x, %x\n";
  for (int i = 1; i < 16; ++i)
    body += "  %v" + std::to_string(i) + " = fmul float %v" + std::to_string(i - 1) + ", %v" +
            std::to_string(i - 1) + "\n";
  kernel("power.ll", body + "  %y = fadd float %v15, 0.0\n"); // x^65536
  EXPECT_EQ(run({path("power.ll"), path("power.ll"), "--launch", path("L.yaml")}), 0);
  EXPECT_EQ(out_.find("tested: all outputs are equal on 64 random inputs; they may be of degree "
                      "65535 or more"),
            0u)
      << out_;
}

TEST_F(Command, RefutesAReadOutOfBounds) {
  kernel("far.ll", "  %e = getelementptr float, ptr %a, i32 100\n"
                   "  %z = load float, ptr %e, align 4\n  %w = fmul float %z, 0.0\n"
                   "  %s = fadd float %x, %x\n  %y = fadd float %s, %w\n");
  EXPECT_EQ(compare("far.ll"), 1);
  EXPECT_NE(out_.find("out of bounds"), std::string::npos) << out_;
}

TEST_F(Command, UnknownIsNoSuccess) {
  kernel("loop.ll",
         "  br label %spin\nspin:\n  br label %spin\nafter:\n  %y = fadd float %x, %x\n");
  EXPECT_EQ(compare("loop.ll"), 1);
  EXPECT_NE(out_.find("step limit"), std::string::npos) << out_;
}

TEST_F(Command, WritesJson) {
  EXPECT_EQ(run({path("double.ll"), path("double.ll"), "--launch", path("L.yaml"), "--json", "-"}),
            0);
  EXPECT_NE(out_.find("\"verdict\": \"proved\""), std::string::npos) << out_;
  EXPECT_NE(out_.find("\"lane_operations\""), std::string::npos) << out_;
}

TEST_F(Command, WritesALaunchTemplate) {
  EXPECT_EQ(run({path("double.ll"), "--launch-template"}), 0);
  EXPECT_NE(out_.find("kernel: \"k\""), std::string::npos) << out_;
  EXPECT_NE(out_.find("launches:"), std::string::npos) << out_;
}

TEST_F(Command, BadInputIsOneLine) {
  expectTrouble(run({}), "expected a source and its port");
  expectTrouble(run({"--frobnicate"}), "unknown option '--frobnicate'");
  expectTrouble(run({"a.cu", "b.hip"}), "cannot read a.cu: no such file");
  expectTrouble(run({path("double.ll"), path("double.ll")}), "no launch file");
  expectTrouble(run({"absent.ll", path("double.ll"), "--launch", path("L.yaml")}),
                "cannot read absent.ll");
  expectTrouble(run({path("double.ll"), path("double.ll"), "--launch", "absent.yaml"}),
                "cannot read absent.yaml");
  write("broken.ll", "define void @k( {");
  expectTrouble(compare("broken.ll"), "broken.ll: ");
  write("unknown.ll", std::string(kHead) + "  %y = call float @strange(float %x)\n  ret void\n}\n"
                                           "declare float @strange(float)\n");
  expectTrouble(compare("unknown.ll"), "function strange is not known to the machine");
  write("intrinsic.ll", std::string(kHead) +
                            "  %w = call i32 @llvm.nvvm.txq.width(i64 0)\n  ret void\n}\n"
                            "declare i32 @llvm.nvvm.txq.width(i64)\n");
  expectTrouble(compare("intrinsic.ll"),
                "intrinsic llvm.nvvm.txq.width is not known to the machine");
  write("junk.bc", "BC\xc0\xde junk");
  expectTrouble(compare("junk.bc"), "junk.bc: ");
}

TEST_F(Command, EqualZerosAreNoted) {
  write("zero.ll", std::string(kHead) + "  ret void\n}\n");
  EXPECT_EQ(run({path("zero.ll"), path("zero.ll"), "--launch", path("L.yaml")}), 0);
  EXPECT_NE(out_.find("output B is all zero"), std::string::npos) << out_;
}

TEST_F(Command, LaunchesThatDoNotFitAreOneLine) {
  auto launch = [&](const std::string &buffers, const std::string &line) {
    write("L.yaml", "buffers:\n  A: {type: f32, count: 64}\n" + buffers + "launches:\n  - " + line);
    return compare("double.ll");
  };
  expectTrouble(launch("", "{kernel: k, grid: [1], block: [64], args: [A, A]}\n"),
                "nothing to compare");
  const std::string out = "  B: {type: f32, count: 64, out: true}\n";
  expectTrouble(launch(out, "{kernel: absent, grid: [1], block: [64], args: [A, A]}\n"),
                "no kernel 'absent'");
  expectTrouble(launch(out, "{kernel: k, grid: [1], block: [64], args: [A]}\n"),
                "takes 2 arguments, the launch gives 1");
  EXPECT_EQ(launch(out, "{kernel: k, grid: [1], block: [64], args: [A, {struct: [A, B]}]}\n"), 1);
  EXPECT_NE(out_.find("argument 2 of k is a pointer, the launch gives a struct"), std::string::npos)
      << out_;
  EXPECT_EQ(launch(out + "  H: {type: f64, count: 1000000000000}\n",
                   "{kernel: k, grid: [1], block: [64], args: [A, H]}\n"),
            1);
  EXPECT_NE(out_.find("exceed the memory limit"), std::string::npos) << out_;
}

} // namespace
} // namespace layout_port
