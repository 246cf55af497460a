// The compile check with compilers that do not behave: a NO always says why.
#include "check/Compile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <chrono>

namespace layout_port {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A shell script in clang's place, for as long as the object lives.
class FakeClang {
public:
  explicit FakeClang(llvm::StringRef script) {
    int handle = -1;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("clang", "sh", handle, path_));
    llvm::raw_fd_ostream(handle, /*shouldClose=*/true) << "#!/bin/sh\n" << script << "\n";
    EXPECT_FALSE(llvm::sys::fs::setPermissions(path_, llvm::sys::fs::all_all));
  }
  ~FakeClang() { llvm::sys::fs::remove(path_); }

  std::vector<CheckResult> check(unsigned seconds = 300) const {
    Resources resources;
    resources.clang = std::string(path_);
    CheckOptions options;
    options.targets = {"gfx90a", "gfx942"};
    options.inputDir = ".";
    options.seconds = seconds;
    return compileOutput(options, resources);
  }

private:
  llvm::SmallString<128> path_;
};

void expectEach(const std::vector<CheckResult> &results, llvm::StringRef diagnostics) {
  ASSERT_EQ(results.size(), 3u) << "two chips and the host";
  for (const CheckResult &result : results) {
    EXPECT_FALSE(result.compiled) << result.target;
    EXPECT_THAT(result.diagnostics, HasSubstr(diagnostics.str())) << result.target;
  }
}

TEST(CompileCheck, ACompilerThatEndsWellHasCompiled) {
  for (const CheckResult &result : FakeClang("exit 0").check())
    EXPECT_TRUE(result.compiled && result.diagnostics.empty()) << result.diagnostics;
}

TEST(CompileCheck, ASilentFailureIsNamedByItsExitCode) {
  expectEach(FakeClang("exit 3").check(), "ended with exit code 3\n");
}

TEST(CompileCheck, WhatTheCompilerSaidIsEnough) {
  const auto results = FakeClang("echo 'a.hip:1:1: error: no such thing' >&2; exit 1").check();
  expectEach(results, "error: no such thing\n");
  EXPECT_THAT(results[0].diagnostics, Not(HasSubstr("exit code")));
}

TEST(CompileCheck, ADeathIsNamedByItsSignal) {
  expectEach(FakeClang("kill -KILL $$").check(), "was killed by a signal (Killed");
}

// All of them hang at once: each keeps its own time.
TEST(CompileCheck, AHangIsEndedAndSaysHowLongItWas) {
  const auto start = std::chrono::steady_clock::now();
  expectEach(FakeClang("exec sleep 60").check(/*seconds=*/1), "took longer than 1 s\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// One that ends does not take the limit of those that hang away.
TEST(CompileCheck, ALimitOutlivesACompileThatEnds) {
  const FakeClang clang("case \"$*\" in *host-only*) exit 0;; *) exec sleep 60;; esac");
  const auto results = clang.check(/*seconds=*/1);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_THAT(results[0].diagnostics, HasSubstr("took longer than 1 s\n"));
  EXPECT_THAT(results[1].diagnostics, HasSubstr("took longer than 1 s\n"));
  EXPECT_TRUE(results[2].compiled);
}

TEST(CompileCheck, ACompilerThatCannotBeStartedSaysSo) {
  Resources resources;
  resources.clang = "/no/such/clang++";
  expectEach(compileOutput({"", "output.hip", {}, ".", {}, {}, {"gfx90a", "gfx942"}}, resources),
             "/no/such/clang++ could not be started: ");
}

} // namespace
} // namespace layout_port
