// Counts against figures worked out by hand.
#include "Bench.h"

#include "observe/CountsReport.h"

namespace layout_port::verify {
namespace {

Counts countsOf(const std::string &buffers, const std::string &kernel, const std::string &args) {
  RunOptions options;
  options.observe = true;
  options.domain = Domain::Float;
  const RunResult result =
      sideOf("counted.hip")
          .run(launchOf("buffers:\n" + buffers + "launches:\n  - {kernel: " + kernel +
                        ", grid: [2], block: [64], args: [" + args + "]}\n"),
               options);
  EXPECT_EQ(result.error, "");
  return result.counts;
}

Counts copies(unsigned stride) {
  return countsOf("  I: {type: f32, count: 768}\n  O: {type: f32, count: 6144, init: zero, "
                  "out: true}\n",
                  "copies", "I, O, {i32: 3}, {i32: " + std::to_string(stride) + "}");
}

TEST(Counts, WidthsPassesAndSegmentsOfALoop) {
  const Counts counts = copies(1);
  ASSERT_EQ(counts.kernels.size(), 1u);
  const KernelCounts &kernel = counts.kernels[0];
  EXPECT_EQ(kernel.kernel, "copies");
  EXPECT_EQ(kernel.waves, 2u);
  ASSERT_EQ(kernel.loops.size(), 1u);
  const LoopCounts &loop = kernel.loops[0];
  EXPECT_EQ(loop.line, lineWith("counted.hip", "// the loop"));
  EXPECT_EQ(loop.trips, 6u); // two waves, three trips
  const Widths six{{16, 6}};
  EXPECT_EQ(loop.tally.sharedWrites, six);
  EXPECT_EQ(loop.tally.sharedReads, six);
  EXPECT_EQ(loop.tally.globalReads, six);
  EXPECT_EQ(loop.tally.globalWrites, six);
  EXPECT_EQ(loop.tally.barriers, 12u);
  // 64 lanes of 16 bytes in phases of 8 lanes: 8 passes a store. Exchanging neighbours
  // leaves each phase its 32 words in 32 banks.
  EXPECT_EQ(loop.tally.sharedBound, 6u * (8 + 8));
  EXPECT_EQ(loop.tally.sharedPasses, 6u * (8 + 8));
  EXPECT_EQ(loop.tally.sharedConfidence, isa::Confidence::MediumHigh); // ds_write_b128's row
  // 1024 bytes each way.
  EXPECT_EQ(loop.tally.segments64, 6u * (16 + 16));
  EXPECT_EQ(loop.tally.segments128, 6u * (8 + 8));
  EXPECT_EQ(loop.tally.segmentBound, 6u * (16 + 16));
}

// Every second 16 bytes: the store touches twice the segments that its bytes need.
TEST(Counts, StridedStoresTouchMoreSegments) {
  const Tally tally = copies(2).total;
  EXPECT_EQ(tally.segments64, 6u * (16 + 32));
  EXPECT_EQ(tally.segments128, 6u * (8 + 16));
  EXPECT_EQ(tally.segmentBound, 6u * (16 + 16));
}

TEST(Counts, AColumnIsReadLaneByLane) {
  const Tally tally = countsOf("  I: {type: f32, count: 2048}\n  O: {type: f32, count: 64, "
                               "init: zero, out: true}\n",
                               "readsAColumn", "I, O")
                          .total;
  // The stores are free of conflicts: two passes each. The column's 32 lanes of each
  // half wave want different words of one bank.
  EXPECT_EQ(tally.sharedWrites, (Widths{{4, 2 * 32}}));
  EXPECT_EQ(tally.sharedReads, (Widths{{4, 2}}));
  EXPECT_EQ(tally.sharedPasses, 2u * (32 * 2 + 64));
  EXPECT_EQ(tally.sharedBound, 2u * (32 * 2 + 2));
}

TEST(Counts, MatrixAndLaneMovesByClass) {
  const Counts counts =
      countsOf("  I: {type: i32, count: 64}\n  O: {type: i32, count: 64, init: zero, out: true}\n"
               "  A: {type: f16, count: 256}\n  C: {type: f32, count: 256, out: true}\n",
               "movesLanes", "I, O, A, C, {i32: 4}");
  ASSERT_EQ(counts.kernels.size(), 1u);
  ASSERT_EQ(counts.kernels[0].loops.size(), 1u);
  const LoopCounts &loop = counts.kernels[0].loops[0];
  EXPECT_EQ(loop.trips, 8u);
  const auto of = [&](InstructionClass kind) { return loop.tally.instructions[unsigned(kind)]; };
  for (InstructionClass kind :
       {InstructionClass::Matrix, InstructionClass::Dpp, InstructionClass::LdsPermute,
        InstructionClass::ReadLane, InstructionClass::BytePermute})
    EXPECT_EQ(of(kind), 8u) << toString(kind);
  EXPECT_EQ(of(InstructionClass::CrossLane), 0u);
}

TEST(Counts, TextAndJsonSayTheSame) {
  const Counts counts = copies(1);
  std::string text;
  llvm::raw_string_ostream out(text);
  printCounts(out, "port", counts);
  EXPECT_NE(text.find("counts of the port (gfx942)"), std::string::npos) << text;
  EXPECT_NE(text.find("kernel copies: 1 launch, 2 waves"), std::string::npos) << text;
  EXPECT_NE(text.find("loop at " + lineWith("counted.hip", "// the loop") + ": 6 trips"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("shared_reads 6 x 16 B"), std::string::npos) << text;
  EXPECT_NE(text.find("LDS passes 96 (at least 96; confidence medium-high)"), std::string::npos)
      << text;
  const llvm::json::Object json = toJson(counts);
  EXPECT_EQ(json.getInteger("shared_passes"), 96);
  EXPECT_EQ(json.getInteger("shared_passes_bound"), 96);
  EXPECT_EQ(json.getString("shared_confidence"), "medium-high");
  EXPECT_EQ(json.getObject("global_writes")->getInteger("16"), 6);
  const llvm::json::Object &kernel = *(*json.getArray("kernels"))[0].getAsObject();
  EXPECT_EQ(kernel.getInteger("waves"), 2);
  EXPECT_EQ((*kernel.getArray("loops"))[0].getAsObject()->getInteger("trips"), 6);
}

} // namespace
} // namespace layout_port::verify
