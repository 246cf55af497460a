// Programs with a main: what is said of those that behave, of those that do not, and of ports that
// behave otherwise. One program, compiled once, does as its argument says.
#include "host/Session.h"
#include "host/Types.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <gtest/gtest.h>

#include <regex>

namespace layout_port::verify {
namespace {

class Programs : public testing::Test {
protected:
  static void SetUpTestSuite() {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("layout-port-test", folder_));
    const std::string source = PROGRAMS "/behaviour.cu";
    auto text = llvm::MemoryBuffer::getFile(source);
    ASSERT_TRUE(bool(text)) << source;
    const std::string port = (folder_ + "/behaviour.hip").str();
    std::error_code code;
    llvm::raw_fd_ostream(port, code)
        << std::regex_replace((*text)->getBuffer().str(), std::regex("cuda([A-Z])"), "hip$1");
    auto loaded = loadPrograms(source, CompileOptions(), port, CompileOptions());
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    programs_ = std::move(*loaded);
  }
  static void TearDownTestSuite() {
    programs_ = HostedPrograms();
    llvm::sys::fs::remove_directories(folder_);
  }

  static Report run(const std::string &mode) {
    SessionOptions options;
    options.arguments = {mode};
    if (mode == "loop" || mode == "chatter")
      options.host.seconds = 1;
    options.proof.limits.steps = 1000 * 1000;
    return verifyProgram(*programs_.first, *programs_.second, options);
  }
  static void expect(const std::string &mode, Verdict verdict, const std::string &text) {
    const Report report = run(mode);
    EXPECT_EQ(report.verdict, verdict) << mode << ": " << report.reason;
    EXPECT_NE(report.reason.find(text), std::string::npos) << mode << ": " << report.reason;
    EXPECT_EQ(report.reason.find('\n'), std::string::npos) << mode << ": " << report.reason;
  }

  static llvm::SmallString<128> folder_;
  static HostedPrograms programs_;
};
llvm::SmallString<128> Programs::folder_;
HostedPrograms Programs::programs_;

TEST_F(Programs, WhatBehavesIsProved) {
  expect("well", Verdict::Proved, "main's one launch is equal for all inputs");
  expect("thread", Verdict::Proved, "main's one launch");
  expect("caught", Verdict::Proved, "main's one launch"); // an exception of the program's own
  expect("too-many-threads", Verdict::Proved, "main's one launch");
  expect("copy-overrun", Verdict::Proved, "main's one launch"); // refused, and main sees it
  expect("seeded", Verdict::Proved, "main's one launch");       // by the time of day
}

TEST_F(Programs, ErrorsThatMainIgnoresAreNoted) {
  const Report report = run("null-copy");
  EXPECT_EQ(report.verdict, Verdict::Proved) << report.reason;
  EXPECT_TRUE(llvm::any_of(report.limits, [](const std::string &limit) {
    return llvm::StringRef(limit).contains("cudaMemcpy returned error 1, and main went on");
  }));
}

TEST_F(Programs, EqualLaunchesAreOneLine) {
  const Report report = run("repeat");
  EXPECT_EQ(report.verdict, Verdict::Proved) << report.reason;
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].times, 200u);
  EXPECT_EQ(report.launches[0].kernel, "flawed");
}

TEST_F(Programs, AMainThatCannotBeRunIsOneLine) {
  expect("no-launch", Verdict::Trouble, "main ends without a launch");
  expect("status", Verdict::Trouble, "main returns 3 and says 'nothing works'");
  expect("abort", Verdict::Trouble, "main aborts");
  expect("throw", Verdict::Trouble, "no such card");
  expect("loop", Verdict::Trouble, "an endless loop?");
  expect("chatter", Verdict::Trouble, "an endless loop?");
  expect("null", Verdict::Trouble, "main crashes: it touches memory that is not there");
  expect("bad-copy", Verdict::Trouble, "main crashes: it touches memory that is not there");
  expect("out-of-memory", Verdict::Trouble, "cudaMalloc returned error 2, out of memory");
  expect("host-memory", Verdict::Trouble, "with a memory limit of 2048 MiB");
  expect("graph", Verdict::Trouble, "main needs cudaGraphCreate, which the host runtime");
  expect("no-kernel", Verdict::Trouble, "main launches what is no kernel of the program");
  expect("device-on-host", Verdict::Trouble, "host code touches device memory (device+0xc)");
}

TEST_F(Programs, MistakesOfBothSidesAreUnknown) {
  expect("host-pointer", Verdict::Unknown, "both sides have findings");
  expect("freed", Verdict::Unknown, "out of bounds");
  expect("spin", Verdict::Unknown, "step limit");
  expect("chance", Verdict::Unknown, "main is not repeatable");
}

TEST_F(Programs, APortWhoseMainDoesOtherwiseIsRefuted) {
  expect("port-crash", Verdict::Refuted, "the source's launches twice, the port's aborts");
  expect("port-data", Verdict::Refuted, "put different data into buffer device");
  expect("port-allocates", Verdict::Refuted, "main allocates");
  expect("port-ends", Verdict::Refuted, "the source's launches twice, the port's returns 0");
  expect("port-returns", Verdict::Refuted, "the source's returns 0, the port's returns 5");
  expect("port-grid", Verdict::Refuted,
         "launch 1 differs: the source launches twice, grid 2x1x1, block 64x1x1; the port "
         "launches twice, grid 1x1x1");
  expect("port-shared", Verdict::Refuted, "64 bytes of shared memory");
}

TEST_F(Programs, AKernelThatDoesOtherwiseIsRefuted) {
  const Report report = run("flaw1");
  EXPECT_EQ(report.verdict, Verdict::Refuted);
  EXPECT_EQ(report.reason.find("launch 2 (flawed) leaves different values"), 0u) << report.reason;
  EXPECT_EQ(report.difference.element, 77u);
  EXPECT_EQ(report.difference.left, "2");
  EXPECT_EQ(report.difference.right, "-1");
  EXPECT_EQ(report.difference.leftWriter.find("thread 13 of block (1,0,0) at behaviour.cu:"), 0u)
      << report.difference.leftWriter;
  expect("flaw0", Verdict::Proved, "each of main's 3 launches");
  // Main's data is all ones, and its comparison allows for rounding: only other data can tell.
  expect("flaw2", Verdict::Refuted, "agrees on main's data, but not on other data");
  expect("flaw3", Verdict::Refuted, "agrees on main's data, but not on other data");
  expect("flaw4", Verdict::Refuted, "leaves different values");
  expect("flaw5", Verdict::Refuted, "leaves different values");
}

TEST(PointeeTypes, ComeFromTheNameOrFromWhatIsLoaded) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      "define void @_Z1kIfEvPKT_PK6__halfP6float4Pjif(ptr %a, ptr %b, ptr %c, ptr %d, i32 %e, "
      "float %f) {\n  ret void\n}\n"
      "define void @plain(ptr %a, ptr %b, ptr %c) {\n"
      "  %p = getelementptr double, ptr %a, i64 3\n  %x = load double, ptr %p\n"
      "  %y = load i32, ptr %b\n"
      "  %z = load float, ptr %c\n  %h = load half, ptr %c\n  ret void\n}\n",
      diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  auto names = [&](const char *function) {
    std::vector<std::string> names;
    for (const auto &type : pointeeTypes(*module->getFunction(function)))
      names.push_back(type ? type->name : "none");
    return names;
  };
  EXPECT_EQ(names("_Z1kIfEvPKT_PK6__halfP6float4Pjif"),
            (std::vector<std::string>{"f32", "f16", "f32", "u32", "none", "none"}));
  EXPECT_EQ(names("plain"), (std::vector<std::string>{"f64", "none", "none"}));
}

} // namespace
} // namespace layout_port::verify
