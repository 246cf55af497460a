// Each kind of mistake is found where it is, and not where it is not: the finding names
// kernel, line, block, lane and address.
#include "Bench.h"

namespace layout_port::verify {
namespace {

const std::string kFile = "mistakes.cu";

std::string launchText(const std::string &kernel, unsigned block, const std::string &args) {
  return "buffers:\n  I: {type: f32, count: 256}\n"
         "  O: {type: f32, count: 256, init: zero, out: true}\nlaunches:\n  - {kernel: " +
         kernel + ", grid: [1], block: [" + std::to_string(block) + "], args: [" + args + "]}\n";
}

// The findings' kinds, and the text of the first.
struct Found {
  std::set<ProblemKind> kinds;
  std::string text;
};
Found run(const std::string &kernel, unsigned block, const std::string &args) {
  const RunResult result = observed(kFile, launchText(kernel, block, args));
  EXPECT_EQ(result.error, "");
  Found found;
  for (const Finding &finding : result.findings) {
    found.kinds.insert(finding.kind);
    if (found.text.empty())
      found.text = finding.text;
  }
  return found;
}
using Kinds = std::set<ProblemKind>;

void expectPlace(const Found &found, const std::string &comment, const std::string &place) {
  EXPECT_EQ(found.text.find(lineWith(kFile, comment) + ": "), 0u) << found.text;
  EXPECT_NE(found.text.find("block (0,0,0), wave "), std::string::npos) << found.text;
  EXPECT_NE(found.text.find(place), std::string::npos) << found.text;
}

TEST(Races, BetweenLanesOfAWarpUnlessSyncwarp) {
  const std::string kernel = "passesThroughSharedMemory";
  const Found bare = run(kernel, 32, "I, O, {i32: 0}, {i32: 1}");
  EXPECT_EQ(bare.kinds, Kinds{ProblemKind::WarpRace});
  expectPlace(bare, "// reads", "lane 0, shared 0x4");
  EXPECT_EQ(run(kernel, 32, "I, O, {i32: 1}, {i32: 1}").kinds, Kinds());
  EXPECT_EQ(run(kernel, 32, "I, O, {i32: 2}, {i32: 1}").kinds, Kinds());
  EXPECT_EQ(run(kernel, 32, "I, O, {i32: 0}, {i32: 0}").kinds, Kinds()) << "its own value";
}

TEST(Races, BetweenWarpsUnlessSyncthreads) {
  const std::string kernel = "passesThroughSharedMemory";
  const Found bare = run(kernel, 64, "I, O, {i32: 1}, {i32: 32}");
  EXPECT_EQ(bare.kinds, Kinds{ProblemKind::SharedRace});
  expectPlace(bare, "// reads", "shared 0x");
  EXPECT_EQ(run(kernel, 64, "I, O, {i32: 2}, {i32: 32}").kinds, Kinds());
}

TEST(Races, OverwritingWhatAnotherLaneReads) {
  const Found bare = run("overwritesWhatIsRead", 32, "I, O, {i32: 0}");
  EXPECT_EQ(bare.kinds, Kinds{ProblemKind::WarpRace});
  expectPlace(bare, "// overwrites", "shared 0x");
  EXPECT_EQ(run("overwritesWhatIsRead", 32, "I, O, {i32: 1}").kinds, Kinds());
}

TEST(Races, LanesOfOneStoreThatDisagree) {
  const Found same = run("storesToOnePlace", 32, "O, {i32: 0}");
  EXPECT_EQ(same.kinds, Kinds{ProblemKind::StoreConflict});
  expectPlace(same, "// conflicts", "O");
  EXPECT_EQ(run("storesToOnePlace", 32, "O, {i32: 1}").kinds, Kinds());
}

// No wait: the copy has not arrived. A wait without __syncwarp is too weak: it orders a
// lane's own copies only.
TEST(Async, MissingAndWeakWaits) {
  const Found none = run("copiesAsynchronously", 32, "I, O, {i32: 0}");
  EXPECT_TRUE(none.kinds.count(ProblemKind::AsyncNotWaited));
  const Found weak = run("copiesAsynchronously", 32, "I, O, {i32: 1}");
  EXPECT_EQ(weak.kinds, Kinds{ProblemKind::WarpRace});
  expectPlace(weak, "// reads too early", "shared 0x");
  EXPECT_EQ(run("copiesAsynchronously", 32, "I, O, {i32: 2}").kinds, Kinds());
}

} // namespace
} // namespace layout_port::verify
