// A refuted verdict names the first differing element, who wrote it, and the way back
// to the first store whose value the other side never computes.
#include "Bench.h"

namespace layout_port::verify {
namespace {

const std::string kFile = "mistakes.cu";

LaunchFile launch(const std::string &factor, int other) {
  return launchOf("buffers:\n  I: {type: f32, count: 128}\n"
                  "  O: {type: f32, count: 128, init: zero, out: true}\n"
                  "launches:\n  - {kernel: twoSteps, grid: [2], block: [64], args: [I, O, {f32: " +
                  factor + "}, {i32: " + std::to_string(other) + "}]}\n");
}

TracedRuns traced(const LaunchFile &file) {
  TracedRuns runs;
  for (uint64_t seed : {1, 2, 3}) {
    RunOptions options;
    options.seed = seed;
    options.trace = true;
    runs.push_back(sideOf(kFile).run(file, options));
    EXPECT_EQ(runs.back().error, "");
  }
  return runs;
}

// The path from element 70, the seventh thread of the second block.
Path pathOf(const LaunchFile &source, const LaunchFile &port) {
  const TracedRuns left = traced(source), right = traced(port);
  return findPath(left, right, left[0].writers.at("O")[70 * 4], right[0].writers.at("O")[70 * 4]);
}

TEST(Path, LeadsBackToTheFirstWrongValue) {
  const Path path = pathOf(launch("2.0", 1), launch("2.5", 1));
  ASSERT_EQ(path.port.size(), 2u) << path.note;
  EXPECT_EQ(path.port[0],
            lineWith(kFile, "// first step") + ": thread 0 of block (1,0,0) stores to shared 0x0");
  EXPECT_EQ(path.port[1].find(lineWith(kFile, "// second step")), 0u) << path.port[1];
  EXPECT_NE(path.port[1].find("stores to O+0x100"), std::string::npos) << path.port[1];
  ASSERT_EQ(path.source.size(), 2u);
  EXPECT_EQ(path.source[0].find(lineWith(kFile, "// first step")), 0u) << path.source[0];
}

// The values in shared memory are right, the wrong one is read: only the last store
// has no counterpart.
TEST(Path, EndsWhereTheValuesWereStillRight) {
  const Path path = pathOf(launch("2.0", 1), launch("2.0", 2));
  ASSERT_EQ(path.port.size(), 1u) << path.note;
  EXPECT_EQ(path.port[0].find(lineWith(kFile, "// second step")), 0u) << path.port[0];
}

TEST(Path, EqualSidesDifferNowhere) {
  const Path path = pathOf(launch("2.0", 1), launch("2.0", 1));
  ASSERT_EQ(path.port.size(), 1u); // the element's own store, asked for by name
  EXPECT_NE(path.port[0].find("stores the differing element"), std::string::npos);
}

TEST(Path, IntegersHaveNone) {
  RunResult empty;
  EXPECT_NE(findPath({empty}, {empty}, {}, {}).note.find("no path"), std::string::npos);
}

TEST(Path, IsPrintedWithTheVerdict) {
  Report report;
  report.verdict = Verdict::Refuted;
  report.difference.found = true;
  report.difference.path.port = {"a.hip:3: stores"};
  std::string printed;
  llvm::raw_string_ostream out(printed);
  print(out, report);
  EXPECT_NE(printed.find("the port's path: a.hip:3: stores"), std::string::npos) << printed;
}

} // namespace
} // namespace layout_port::verify
