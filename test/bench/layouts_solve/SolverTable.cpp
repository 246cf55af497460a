// What the solvers buy: prints docs/solvers.md. Run it by `ninja solver-table`.
//
// Conversions: the chosen plan beside the round trip through LDS. Memory layouts: ours
// beside row-major, padding, and the best Swizzle<B,M,S> of all. Gathers inside a wave
// beside LDS. Everything is modelled: instructions of one wave, clocks from isa/.
#include "layout_port/layouts/Banks.h"
#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/Gather.h"
#include "layout_port/layouts/Retile.h"
#include "layout_port/layouts/Swizzle.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

using namespace layout_port;
using LL = LinearLayout;

namespace {

constexpr isa::Arch kArchs[] = {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950};

LL id(uint64_t size, const char *in, const char *out) { return LL::identity1D(size, in, out); }

// An operand onto dims (d0, d1).
LL operand(const char *name, char which) {
  LL layout = *isa::operandLayout(**isa::findMatrixInstruction(name), which);
  if (layout.hasOut("block"))
    layout = *layout.squeezeOut("block");
  layout = *layout.renameOut(layout.outs()[0].name, "d0");
  return *layout.renameOut(layout.outs()[1].name, "d1");
}

LL transposed(const LL &layout) {
  return *layout.renameOut("d0", "t")->renameOut("d1", "d0")->renameOut("t", "d1");
}

//===-- Conversions --------------------------------------------------------===//

struct ConversionCase {
  const char *name;
  LL src, dst;
  int bits;
};

std::vector<ConversionCase> conversionCases() {
  const LL c16 = operand("v_mfma_f32_16x16x16_f16", 'C');
  const LL a16 = operand("v_mfma_f32_16x16x16_f16", 'A');
  const LL b16 = operand("v_mfma_f32_16x16x16_f16", 'B');
  const LL c32 = operand("v_mfma_f32_32x32x8_f16", 'C');
  const LL mmaA = operand("mma.m16n8k16.f16", 'A'), mmaC = operand("mma.m16n8k16.f16", 'C');
  const LL twoWarps = mmaA * id(2, "lane", "half"), twoMfmas = a16 * id(2, "register", "half");
  const LL rotated = *LL::fromBases(
      {{"register", {{1}, {8}}}, {"lane", {{2}, {4}, {16}, {32}, {64}, {128}}}}, {{"k", 256}});
  const LL packed = *LL::fromBases(
      {{"register", {{1}, {2}}}, {"lane", {{4}, {8}, {16}, {32}, {64}, {128}}}}, {{"k", 256}});
  const LL swappedTop = *LL::fromBases(
      {{"register", {{64}}}, {"lane", {{2}, {4}, {8}, {16}, {32}, {1}}}}, {{"d0", 128}});
  const LL rows = id(8, "register", "d0") * id(8, "lane", "d0") * id(8, "lane", "d1");
  return {
      {"mfma 16x16x16 result as next operand (swapped), f16", c16, b16, 16},
      {"mfma 16x16x16 result as A, f16", c16, a16, 16},
      {"mfma 16x16 result transposed, f32", c16, transposed(c16), 32},
      {"mfma 32x32 result transposed, f32", c32, transposed(c32), 32},
      {"mma m16n8k16 A of two warps to mfma A, f16", twoWarps, twoMfmas, 16},
      {"mma m16n8k8: result as the next A, f16", operand("mma.m16n8k8.f16", 'C'),
       operand("mma.m16n8k8.f16", 'A'), 16},
      {"row maxima, one a lane to 4 a lane in 16 lanes, f32", id(64, "lane", "d0"),
       id(4, "register", "d0") * id(16, "lane", "d0"), 32},
      {"fp16 to fp8 operands: three-bit rotation, 8 bits", rotated, packed, 8},
      {"the same at 16 bits", rotated, packed, 16},
      {"vector of 8 in a row to interleaved, f16", rows,
       id(8, "lane", "d0") * id(8, "register", "d0") * id(8, "lane", "d1"), 16},
      {"lane bit 5 with a register bit, f32", id(2, "register", "d0") * id(64, "lane", "d0"),
       swappedTop, 32},
  };
}

void printConversions() {
  std::puts("## Conversions\n\nInstructions of one wave; moves cross lanes, selects are v_perm "
            "and v_cndmask.\n");
  std::puts("| conversion | arch | plan | moves | selects | LDS ops | clocks | through LDS: ops | "
            "clocks |\n|---|---|---|---|---|---|---|---|---|");
  for (const ConversionCase &c : conversionCases())
    for (const isa::Arch arch : kArchs) {
      const auto plan = planConversion(c.src, c.dst, c.bits, arch);
      const auto lds = planThroughLds(c.src, c.dst, c.bits, arch);
      if (!plan || !lds || !checkConversion(*plan, c.src, c.dst))
        continue;
      std::printf("| %s | %s | %s | %d | %d | %d | %.0f | %d | %.0f |\n", c.name,
                  isa::archName(arch), planKindName(plan->kind), plan->cost.moves,
                  plan->cost.selects, plan->cost.ldsOps, plan->cost.cycles, lds->cost.ldsOps,
                  lds->cost.cycles);
    }
}

//===-- Memory layouts -----------------------------------------------------===//

struct TileCase {
  const char *name;
  LL write, read; // onto (col, row)
  int bits;
};

LL tile(uint64_t vector, uint64_t lanesInRow, uint64_t rows, uint64_t cols) {
  LL layout = id(vector, "register", "col") * id(lanesInRow, "lane", "col") *
              id(64 / lanesInRow, "lane", "row");
  layout *= id(cols / vector / lanesInRow, "register", "col");
  return layout * id(rows / (64 / lanesInRow), "register", "row");
}

std::vector<TileCase> tileCases() {
  const LL byColumn =
      *(id(64, "lane", "row") * id(32, "register", "col")).transposeOuts({"col", "row"});
  const LL columnPieces = *(id(8, "register", "row") * id(8, "lane", "row") * id(8, "lane", "col") *
                            id(8, "register", "col"))
                               .transposeOuts({"col", "row"});
  const LL fragments = *(id(8, "register", "col") * id(16, "lane", "row") * id(4, "lane", "col") *
                         id(2, "register", "col") * id(4, "register", "row"))
                            .transposeOuts({"col", "row"});
  return {
      {"64x32 f32, rows in, columns out", tile(4, 8, 64, 32), byColumn, 32},
      {"64x64 f16, rows in, columns out", tile(8, 8, 64, 64), columnPieces, 16},
      {"64x64 f16, rows in, mfma fragments out", tile(8, 8, 64, 64), fragments, 16},
      {"32x32 f32, rows held twice in, columns out",
       *(id(4, "register", "col") * id(8, "lane", "col") * id(4, "lane", "row") *
         LL::zeros1D(2, "lane", "row") * id(8, "register", "row"))
            .transposeOuts({"col", "row"}),
       *(id(32, "lane", "row") * id(16, "register", "col") * id(2, "lane", "col"))
            .transposeOuts({"col", "row"}),
       32},
      {"64x64 f16, rows in, rows out", tile(8, 8, 64, 64), tile(8, 8, 64, 64), 16},
      {"64x64 i8, rows in, columns out", tile(16, 4, 64, 64),
       *(id(16, "register", "row") * id(4, "lane", "row") * id(16, "lane", "col") *
         id(4, "register", "col"))
            .transposeOuts({"col", "row"}),
       8},
  };
}

// Passes of a whole wave's tile: instructions times passes, written and read.
int totalPasses(const SwizzleSolution &s) {
  return s.write.instructions * s.write.passes + s.read.instructions * s.read.passes;
}

std::string summary(const SwizzleSolution &s) {
  char text[96];
  std::snprintf(text, sizeof text, "b%d/b%d, %d", s.write.vectorBits, s.read.vectorBits,
                totalPasses(s));
  return text;
}

// Row-major with the offset's bits [M+S, M+S+B) XORed onto [M, M+B).
LL swizzled(const LL &rowMajor, int b, int m, int s) {
  f2::Columns columns = rowMajor.columns();
  for (int i = 0; i < b; ++i)
    if (m + s + i < static_cast<int>(columns.size()))
      columns[m + s + i] ^= rowMajor.column(m + i);
  return *LL::fromColumns(rowMajor.ins(), rowMajor.outs(), columns);
}

std::string bestSwizzle(const LL &rowMajor, const TileCase &c, isa::Arch arch) {
  const int bits = rowMajor.totalInBits();
  std::string best = "none";
  int least = 1 << 30;
  for (int b = 1; b <= 5; ++b)
    for (int m = 0; m + b < bits; ++m)
      for (int s = b; m + s + b <= bits; ++s) {
        const auto priced =
            priceMemoryLayout(swizzled(rowMajor, b, m, s), c.write, c.read, c.bits, arch);
        if (!priced || totalPasses(*priced) >= least)
          continue;
        least = totalPasses(*priced);
        best = summary(*priced) + " with <" + std::to_string(b) + "," + std::to_string(m) + "," +
               std::to_string(s) + ">";
      }
  return best;
}

// One side of row-major with 16 bytes of padding a row, counted over all its addresses.
int paddedPasses(const LL &layout, const SwizzleAccess &access, int bits, isa::Arch arch,
                 bool &aligned) {
  const uint64_t cols = layout.outSize("col"), pad = 128 / bits;
  const uint64_t vector = access.vectorBits / bits;
  int passes = 0;
  for (uint64_t reg = 0; reg < layout.inSize("register"); ++reg) {
    LaneAddresses addresses;
    bool first = true;
    for (uint64_t lane = 0; lane < layout.inSize("lane"); ++lane) {
      const auto at = layout.apply({{"register", reg}, {"lane", lane}});
      const uint64_t col = (*at)[0].second, row = (*at)[1].second;
      first &= col % vector == 0;
      addresses.push_back((row * (cols + pad) + col) * bits / 8);
    }
    if (!first)
      continue;
    const auto report = countBankConflicts(arch, access.instruction, addresses);
    aligned &= report.ok();
    passes += report ? report->passes : 0;
  }
  return passes;
}

void printTiles() {
  std::puts("\n## Memory layouts\n\nVector widths written and read, and bank passes of all "
            "instructions of one wave. Padding is 16 bytes a row.\n");
  std::puts("| tile | arch | ours | lower bound | row-major | padded | best Swizzle<B,M,S> "
            "|\n|---|---|---|---|---|---|---|");
  for (const TileCase &c : tileCases())
    for (const isa::Arch arch : kArchs) {
      const auto ours = solveSwizzle(c.write, c.read, c.bits, arch);
      if (!ours || !checkSwizzle(*ours, c.write, c.read, c.bits, arch))
        continue;
      const LL flat = id(uint64_t(1) << c.write.totalOutBits(), "offset", "flat");
      const LL rowMajor = *flat.reshapeOuts(c.write.outSizes());
      const auto plain = priceMemoryLayout(rowMajor, c.write, c.read, c.bits, arch);
      if (!plain)
        continue;
      bool aligned = true;
      const int padded = paddedPasses(c.write, plain->write, c.bits, arch, aligned) +
                         paddedPasses(c.read, plain->read, c.bits, arch, aligned);
      const int bound = ours->write.instructions * ours->write.lowerBound +
                        ours->read.instructions * ours->read.lowerBound;
      std::printf("| %s | %s | %s | %d | %s | b%d/b%d, %d | %s |\n", c.name, isa::archName(arch),
                  summary(*ours).c_str(), bound, summary(*plain).c_str(), plain->write.vectorBits,
                  plain->read.vectorBits, padded, bestSwizzle(rowMajor, c, arch).c_str());
    }
}

//===-- Gathers ------------------------------------------------------------===//

void printGathers() {
  const struct {
    const char *name;
    LL src, index;
  } cases[] = {
      {"64 along the lanes, 4 rows in registers", id(64, "lane", "x") * id(4, "register", "y"),
       id(64, "lane", "x") * id(4, "register", "y")},
      {"8 along registers", id(8, "register", "x") * id(64, "lane", "y"),
       id(8, "register", "x") * id(64, "lane", "y")},
      {"32: 2 in registers, 16 along lanes",
       id(2, "register", "x") * id(16, "lane", "x") * id(4, "lane", "y"),
       id(2, "register", "x") * id(16, "lane", "x") * id(4, "lane", "y")},
  };
  std::puts("\n## Gathers inside a wave\n\n32-bit elements; the reads of the LDS way are counted "
            "without conflicts, which depend on the index.\n");
  std::puts("| axis | arch | moves | selects | clocks | through LDS: ops | clocks "
            "|\n|---|---|---|---|---|---|---|");
  for (const auto &c : cases)
    for (const isa::Arch arch : kArchs)
      if (const auto plan = planGather(c.src, c.index, "x", arch))
        std::printf("| %s | %s | %d | %d | %.0f | %d | %.0f |\n", c.name, isa::archName(arch),
                    plan->cost.moves, plan->cost.selects, plan->cost.cycles, plan->ldsCost.ldsOps,
                    plan->ldsCost.cycles);
}

//===-- Times --------------------------------------------------------------===//

// The median of many runs, in microseconds.
double medianMicroseconds(const std::function<void()> &work) {
  std::vector<double> times;
  for (int i = 0; i < 51; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const auto end = std::chrono::steady_clock::now();
    times.push_back(std::chrono::duration<double, std::micro>(end - start).count());
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

void printTimes() {
  std::puts("\n## How long the solvers take\n\nMedian of 51 runs on the machine that printed this; "
            "`layouts_solve_bench` measures more.\n");
  std::puts("| question | microseconds |\n|---|---|");
  const auto row = [](const char *name, const std::function<void()> &work) {
    std::printf("| %s | %.0f |\n", name, medianMicroseconds(work));
  };
  const LL c32 = operand("v_mfma_f32_32x32x8_f16", 'C');
  const LL turned = transposed(c32);
  const TileCase tile = tileCases().front();
  const RetileRequest hgemm{
      "mma.m16n8k16.f16", isa::Arch::Gfx942, {"j0", "j1"}, {"i0"}, {"kk0"}, PairBit::N, 256};
  row("convert: 32x32 result transposed, 32 bits",
      [&] { (void)planConversion(c32, turned, 32, isa::Arch::Gfx942); });
  row("convert: the same at 8 bits, gfx950",
      [&] { (void)planConversion(c32, turned, 8, isa::Arch::Gfx950); });
  row("swizzle: 64x32 f32, rows in, columns out",
      [&] { (void)solveSwizzle(tile.write, tile.read, tile.bits, isa::Arch::Gfx942); });
  row("retile: m16n8k16 f16 with five spare bits, all solutions", [&] { (void)retile(hgemm); });
}

} // namespace

int main() {
  std::puts("# What the solvers buy\n\nModelled, not measured: clocks and phases are the rows of "
            "`layouts/isa`. Every plan and layout\nbelow was executed and checked by the program "
            "that printed it (`ninja solver-table`).\n");
  printConversions();
  printTiles();
  printGathers();
  printTimes();
  return 0;
}
