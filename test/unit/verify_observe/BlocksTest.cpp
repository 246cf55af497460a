// Blocks that run at the same time give what they give in order: the same bytes, findings
// and counts, with any number of cores; also when they touch each other's memory.
#include "Bench.h"

#include "observe/CountsReport.h"

namespace layout_port::verify {
namespace {

struct Outcome {
  std::vector<uint8_t> bytes;
  std::string findings, counts;
  uint64_t steps = 0;
};

Outcome run(const LaunchFile &file, const std::string &source, Domain domain, unsigned helpers) {
  Cores cores{int(helpers)};
  RunOptions options;
  options.domain = domain;
  options.observe = true;
  options.cores = helpers == ~0u ? nullptr : &cores;
  const RunResult result = sideOf(source).run(file, options);
  EXPECT_EQ(result.error, "");
  Outcome outcome;
  for (const BufferSpec &buffer : file.buffers)
    if (buffer.out) {
      const BufferImage &image = result.buffers.at(buffer.name);
      outcome.bytes.insert(outcome.bytes.end(), image.bytes.begin(), image.bytes.end());
      outcome.bytes.insert(outcome.bytes.end(), image.shadow.begin(), image.shadow.end());
    }
  for (const Finding &finding : result.findings)
    outcome.findings += finding.text + " x" + std::to_string(finding.times) + "\n";
  llvm::raw_string_ostream(outcome.counts) << llvm::json::Value(toJson(result.counts));
  outcome.steps = result.steps;
  return outcome;
}

const std::string kBuffers = "buffers:\n  I: {type: f32, count: 4096}\n"
                             "  M: {type: f32, count: 4096, init: zero, out: true}\n"
                             "  F: {type: u32, count: 1, init: zero, out: true}\n"
                             "  O: {type: f32, count: 4096, init: zero, out: true}\n"
                             "launches:\n";

std::string launchLine(const std::string &kernel, unsigned grid, const std::string &args) {
  return "  - {kernel: " + kernel + ", grid: [" + std::to_string(grid) + "], block: [64], args: [" +
         args + "]}\n";
}

class Together : public testing::TestWithParam<std::string> {};

TEST_P(Together, AsInOrder) {
  const LaunchFile file = launchOf(kBuffers + GetParam());
  for (Domain domain : {Domain::Field, Domain::Float}) {
    const Outcome inOrder = run(file, "mistakes.cu", domain, ~0u);
    for (unsigned helpers : {0u, 1u, 3u, 7u}) {
      const Outcome together = run(file, "mistakes.cu", domain, helpers);
      EXPECT_EQ(together.bytes, inOrder.bytes) << helpers;
      EXPECT_EQ(together.findings, inOrder.findings) << helpers;
      EXPECT_EQ(together.counts, inOrder.counts) << helpers;
      EXPECT_EQ(together.steps, inOrder.steps) << helpers;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Launches, Together,
    testing::Values(
        // Nothing in common; two launches, the second reads what the first wrote.
        launchLine("twoSteps", 61, "I, M, {f32: 2.5}, {i32: 1}") +
            launchLine("twoSteps", 61, "M, O, {f32: 0.5}, {i32: 7}"),
        // Every block writes the same bytes: the last one wins, as in order, and is told.
        launchLine("writesTheSamePlace", 40, "O, {i32: 1}"),
        launchLine("writesTheSamePlace", 40, "O, {i32: 0}"),
        // A block reads what another wrote, with and without atomics.
        launchLine("passesBetweenBlocks", 2, "I, O, M, F, {i32: 0}"),
        launchLine("passesBetweenBlocks", 2, "I, O, M, F, {i32: 2}"),
        launchLine("addsUpLast", 33, "I, O, M, F, {i32: 1}"),
        // Findings of many blocks, in their order.
        launchLine("passesThroughSharedMemory", 50, "I, O, {i32: 0}, {i32: 1}")));

// The verdict and all that is printed, with one core and with many.
TEST(Verdicts, DoNotDependOnTheCores) {
  for (const std::string &launch : {launchLine("twoSteps", 61, "I, O, {f32: 2.5}, {i32: 1}"),
                                    launchLine("writesTheSamePlace", 40, "O, {i32: 1}"),
                                    launchLine("addsUpLast", 33, "I, O, M, F, {i32: 0}")}) {
    std::set<std::string> reports;
    for (unsigned cores : {1u, 2u, 5u}) {
      ProofOptions options;
      options.cores = cores;
      LaunchFile file = launchOf(kBuffers + launch);
      std::string text;
      llvm::raw_string_ostream out(text);
      print(out, prove(sideOf("mistakes.cu"), sideOf("mistakes.cu"), file, options));
      reports.insert(out.str());
    }
    EXPECT_EQ(reports.size(), 1u) << launch << *reports.begin() << *reports.rbegin();
  }
}

// A difference is the same difference, with the same writers and path.
TEST(Verdicts, TheFirstDifferenceIsTheFirst) {
  llvm::Expected<CompiledModule> module =
      compileDevice(kernelPath("mistakes.cu"), CompileOptions());
  ASSERT_TRUE(bool(module));
  Side right(std::move(*module), true);
  const LaunchFile file =
      launchOf(kBuffers + "  - {kernel: twoSteps, kernel_hip: passesThroughSharedMemory, "
                          "grid: [9], block: [64], args: [I, O, {i32: 1}, {i32: 1}]}\n");
  std::set<std::string> reports;
  for (unsigned cores : {1u, 7u}) {
    ProofOptions options;
    options.cores = cores;
    std::string text;
    llvm::raw_string_ostream out(text);
    print(out, prove(sideOf("mistakes.cu"), right, file, options));
    reports.insert(out.str());
  }
  ASSERT_EQ(reports.size(), 1u) << *reports.begin() << *reports.rbegin();
  EXPECT_NE(reports.begin()->find("first difference: O["), std::string::npos) << *reports.begin();
}

} // namespace
} // namespace layout_port::verify
