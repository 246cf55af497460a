// Random linear accesses: the rank formula against counting, and counting against a
// bank simulator written the other way round (words first, lanes second).
#include "layout_port/layouts/Banks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace layout_port;

namespace {

constexpr unsigned seed = 20240917;
constexpr int runs = 40000;

const isa::Arch chips[] = {isa::Arch::Gfx908, isa::Arch::Gfx90a, isa::Arch::Gfx942,
                           isa::Arch::Gfx950};

isa::LdsInstruction randomInstruction(std::mt19937 &rng) {
  const isa::Arch arch = chips[rng() % std::size(chips)];
  const std::vector<std::string> names = isa::ldsInstructionNames(arch);
  return *isa::ldsInstruction(names[rng() % names.size()], arch);
}

// Lane bits to byte offsets below 64 KiB, aligned to the vector. Few distinct
// columns, so that conflicts and broadcasts are common.
LinearLayout randomAccess(std::mt19937 &rng, int bytes) {
  LinearLayout::NamedBases bases = {{"lane", {}}};
  const unsigned addressBits = 8 + rng() % 9;
  for (int bit = 0; bit < 6; ++bit) {
    const uint64_t sparse = uint64_t(1) << rng() % addressBits;
    const uint64_t dense = rng() & ((1u << addressBits) - 1);
    const uint64_t offset = rng() % 3 == 0 ? dense : rng() % 5 == 0 ? 0 : sparse;
    bases[0].second.push_back({offset & ~uint64_t(bytes - 1)});
  }
  return *LinearLayout::fromBases(bases,
                                  LinearLayout::NamedSizes{{"offset", uint64_t(1) << addressBits}});
}

// For every bank, mark each word that some lane of the phase needs; the fullest bank
// says how long the phase takes.
int simulatePhase(const isa::LdsInstruction &in, const std::vector<int> &lanes,
                  const std::vector<uint64_t> &addresses) {
  std::vector<bool> wanted(1 << 15); // by word
  for (const int lane : lanes)
    for (int byte = 0; byte < in.bytes; ++byte)
      wanted[(addresses[lane] + byte) >> 2] = true;
  int worst = 0;
  for (int bank = 0; bank < in.banks; ++bank) {
    int words = 0;
    for (size_t word = bank; word < wanted.size(); word += in.banks)
      words += wanted[word];
    worst = std::max(worst, words);
  }
  return worst;
}

} // namespace

TEST(BanksTester, RankFormulaEqualsCountingOnRandomLinearAccesses) {
  std::mt19937 rng(seed);
  int linear = 0, conflicts = 0;
  for (int run = 0; run < runs; ++run) {
    const isa::LdsInstruction in = randomInstruction(rng);
    const LinearLayout access = randomAccess(rng, in.bytes == 12 ? 4 : in.bytes);
    const Result<int> byRank = bankDegreeByRank(in, access);
    if (in.bytes == 12) {
      EXPECT_FALSE(byRank);
      continue;
    }
    ASSERT_TRUE(byRank) << byRank.error().message;
    const BankReport counted = *countBankConflicts(in.arch, in.name, access);
    // All phases are cosets of one span, so all have the degree of the first.
    for (const BankPhase &phase : counted.phases)
      ASSERT_EQ(phase.degree, *byRank)
          << "seed " << seed << " run " << run << " " << in.name << "\n"
          << access.toString();
    ++linear;
    conflicts += *byRank > 1;
  }
  EXPECT_GT(linear, 10000);
  EXPECT_GT(conflicts, linear / 10); // both outcomes were seen
  EXPECT_LT(conflicts, linear * 9 / 10);
}

TEST(BanksTester, CountingEqualsASimulatorOnArbitraryAddresses) {
  std::mt19937 rng(seed + 1);
  for (int run = 0; run < 400; ++run) {
    const isa::LdsInstruction in = randomInstruction(rng);
    std::vector<uint64_t> addresses(64);
    LaneAddresses lanes;
    for (uint64_t &address : addresses) {
      address = rng() % (1 << (6 + rng() % 10));
      lanes.emplace_back(address);
    }
    const BankReport report = countBankConflicts(in, lanes);
    int passes = 0, degree = 0;
    for (const std::vector<int> &phase : in.phases()) {
      const int words = simulatePhase(in, phase, addresses);
      passes += words;
      degree = std::max(degree, words);
    }
    ASSERT_EQ(report.passes, passes) << "seed " << seed + 1 << " run " << run;
    ASSERT_EQ(report.degree, degree) << "seed " << seed + 1 << " run " << run;
  }
}
