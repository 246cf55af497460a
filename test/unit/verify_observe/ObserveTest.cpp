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

TEST(Races, BetweenAnAtomicAndAPlainAccessOfAnotherWarp) {
  const std::string kernel = "countsInSharedMemory";
  const Found unordered = run(kernel, 64, "I, O, {i32: 0}, {i32: 1}");
  EXPECT_EQ(unordered.kinds, Kinds{ProblemKind::SharedRace});
  expectPlace(unordered, "// adds", "shared 0x0");
  const Found early = run(kernel, 64, "I, O, {i32: 1}, {i32: 0}");
  EXPECT_EQ(early.kinds, Kinds{ProblemKind::SharedRace});
  expectPlace(early, "// reads the count", "shared 0x0");
  EXPECT_EQ(run(kernel, 64, "I, O, {i32: 1}, {i32: 1}").kinds, Kinds());
}

// In global memory: between waves a barrier orders, between blocks a fence and an atomic.
Found runBlocks(const std::string &kernel, unsigned grid, unsigned block, const std::string &args) {
  const RunResult result = observed(
      kFile, "buffers:\n  I: {type: f32, count: 256}\n  M: {type: f32, count: 256, init: zero}\n"
             "  F: {type: u32, count: 1, init: zero}\n"
             "  O: {type: f32, count: 256, init: zero, out: true}\nlaunches:\n  - {kernel: " +
                 kernel + ", grid: [" + std::to_string(grid) + "], block: [" +
                 std::to_string(block) + "], args: [" + args + "]}\n");
  EXPECT_EQ(result.error, "");
  Found found;
  for (const Finding &finding : result.findings) {
    found.kinds.insert(finding.kind);
    if (found.text.empty())
      found.text = finding.text;
  }
  return found;
}

TEST(GlobalRaces, BetweenBlocksUnlessFencedAndTold) {
  const std::string kernel = "passesBetweenBlocks";
  const Found bare = runBlocks(kernel, 2, 64, "I, O, M, F, {i32: 0}");
  EXPECT_EQ(bare.kinds, Kinds{ProblemKind::GlobalRace});
  EXPECT_EQ(bare.text,
            lineWith(kFile, "// reads another block's") +
                ": passesBetweenBlocks(float const*, float*, float*, unsigned int*, int): "
                "global-memory race (between blocks): block (1,0,0), wave 0, lane 0, M+0x0");
  EXPECT_EQ(runBlocks(kernel, 2, 64, "I, O, M, F, {i32: 1}").kinds, Kinds{ProblemKind::GlobalRace})
      << "an atomic without a fence";
  EXPECT_EQ(runBlocks(kernel, 2, 64, "I, O, M, F, {i32: 2}").kinds, Kinds());
}

TEST(GlobalRaces, WritesThatDisagree) {
  EXPECT_EQ(runBlocks("writesTheSamePlace", 3, 64, "O, {i32: 0}").kinds, Kinds());
  const Found own = runBlocks("writesTheSamePlace", 3, 64, "O, {i32: 1}");
  EXPECT_EQ(own.kinds, Kinds{ProblemKind::GlobalRace});
  EXPECT_EQ(own.text.find(lineWith(kFile, "// overwrites another block's")), 0u) << own.text;
}

TEST(GlobalRaces, BetweenWarpsUnlessSyncthreads) {
  EXPECT_EQ(runBlocks("passesBetweenWarps", 1, 64, "I, O, M, {i32: 0}").kinds,
            Kinds{ProblemKind::GlobalRace});
  EXPECT_EQ(runBlocks("passesBetweenWarps", 1, 64, "I, O, M, {i32: 1}").kinds, Kinds());
}

TEST(GlobalRaces, TheLastBlockMayReadWhatAllFenced) {
  EXPECT_EQ(runBlocks("addsUpLast", 3, 64, "I, O, M, F, {i32: 1}").kinds, Kinds());
  const Found unfenced = runBlocks("addsUpLast", 3, 64, "I, O, M, F, {i32: 0}");
  EXPECT_EQ(unfenced.kinds, Kinds{ProblemKind::GlobalRace});
  EXPECT_EQ(unfenced.text.find(lineWith(kFile, "// reads all blocks'")), 0u) << unfenced.text;
}

// An index that runs over its array's end does not land in the next one.
TEST(Bounds, OfSharedArrays) {
  const auto run = [](unsigned dynamic, unsigned row) {
    const RunResult result =
        observed(kFile, "buffers:\n  I: {type: f32, count: 256}\n"
                        "  O: {type: f32, count: 256, init: zero, out: true}\nlaunches:\n"
                        "  - {kernel: readsTheNextArray, grid: [1], block: [32], shared: " +
                            std::to_string(dynamic) +
                            ", args: [I, O, {i32: " + std::to_string(row) + "}]}\n");
    return result.findings.empty() ? "" : result.findings.front().text;
  };
  EXPECT_EQ(run(128, 3), "");
  EXPECT_EQ(run(128, 4).find(
                lineWith(kFile, "// reads a row") +
                ": readsTheNextArray(float const*, float*, int): out of bounds: block (0,0,0), "
                "wave 0, lane 0"),
            0u)
      << run(128, 4);
  EXPECT_EQ(run(64, 3).find(lineWith(kFile, "// needs 128 bytes") +
                            ": readsTheNextArray(float const*, float*, int): out of"),
            0u)
      << run(64, 3);
  EXPECT_NE(run(64, 3).find(" of 1024 bytes static and 64 dynamic from 0x600"), std::string::npos)
      << run(64, 3);
}

TEST(Branches, MeetBehindWhatIsUnreachable) {
  EXPECT_EQ(run("meetsAfterASwitch", 32, "I, O").kinds, Kinds());
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
