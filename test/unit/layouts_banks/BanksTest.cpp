// Bank conflicts that people have measured or worked out, and the rules for lanes
// that share a word, are inactive or straddle words.
#include "layout_port/layouts/Banks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using isa::Arch;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

template <typename F> LaneAddresses addressesOf(F address) {
  LaneAddresses out;
  for (int lane = 0; lane < 64; ++lane)
    out.emplace_back(static_cast<uint64_t>(address(lane)));
  return out;
}

BankReport serve(Arch arch, std::string_view instruction, const LaneAddresses &addresses) {
  const Result<BankReport> report = countBankConflicts(arch, instruction, addresses);
  EXPECT_TRUE(report) << report.error().message;
  return *report;
}

} // namespace

TEST(Banks, ConsecutiveLanesAreServedAtFullRate) {
  for (const Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (const auto &[name, bytes] : {std::pair("ds_read_b32", 4),
                                      {"ds_read_b64", 8},
                                      {"ds_read_b128", 16},
                                      {"ds_write_b32", 4},
                                      {"ds_write_b64", 8},
                                      {"ds_write_b128", 16}}) {
      const BankReport report =
          serve(arch, name, addressesOf([b = bytes](int lane) { return b * lane; }));
      EXPECT_EQ(report.degree, 1) << name;
      EXPECT_EQ(report.passes, report.phasesUsed) << name;
      EXPECT_EQ(report.passes, static_cast<int>(report.phases.size())) << name;
    }
}

// The MFMA A read of a 16-row tile, row-major without swizzle: lane l reads 16 bytes
// of row l % 16 at column group l / 16. Published: 64-byte rows are 2-way on gfx942,
// 128-byte rows 4-way on gfx950.
TEST(Banks, PublishedObservationsReproduce) {
  const auto tile = [](int rowBytes) {
    return addressesOf([=](int lane) { return lane % 16 * rowBytes + lane / 16 * 16; });
  };
  EXPECT_EQ(serve(Arch::Gfx942, "ds_read_b128", tile(64)).degree, 2);
  EXPECT_EQ(serve(Arch::Gfx950, "ds_read_b128", tile(128)).degree, 4);
}

TEST(Banks, AColumnOf128ByteRowsHitsOneBank) {
  const BankReport report =
      serve(Arch::Gfx942, "ds_read_b32", addressesOf([](int lane) { return 128 * lane; }));
  EXPECT_EQ(report.degree, 32);
  EXPECT_EQ(report.passes, 64);
  EXPECT_EQ(report.phases[0].bank, 0);
  EXPECT_EQ(report.phases[0].colliding.size(), 32u);
}

TEST(Banks, LanesThatWantTheSameWordShareIt) {
  EXPECT_EQ(serve(Arch::Gfx942, "ds_read_b32", addressesOf([](int) { return 256; })).degree, 1);
  // Two 16-bit elements of one word.
  EXPECT_EQ(
      serve(Arch::Gfx942, "ds_read_u16", addressesOf([](int lane) { return 2 * lane; })).degree, 1);
  // The halves of a phase in one bank, each half in a word of its own.
  EXPECT_EQ(
      serve(Arch::Gfx942, "ds_read_b32", addressesOf([](int lane) { return lane / 16 % 2 * 128; }))
          .degree,
      2);
}

TEST(Banks, InactiveLanesTakeNoPart) {
  LaneAddresses addresses = addressesOf([](int lane) { return 128 * lane; });
  for (int lane = 0; lane < 64; ++lane)
    if (lane != 3 && lane != 40)
      addresses[lane].reset();
  const BankReport report = serve(Arch::Gfx942, "ds_read_b32", addresses);
  EXPECT_EQ(report.degree, 1);
  EXPECT_EQ(report.passes, 2);
  for (int lane = 32; lane < 64; ++lane)
    addresses[lane].reset();
  const BankReport half = serve(Arch::Gfx942, "ds_read_b32", addresses);
  EXPECT_EQ(half.passes, 1); // a phase without active lanes costs nothing
  EXPECT_EQ(half.phases[1].degree, 0);
  EXPECT_EQ(half.phases.size(), 2u);
}

TEST(Banks, FewerThan64AddressesAreTheLowLanes) {
  const BankReport report = serve(Arch::Gfx942, "ds_read_b32", {0, 128, 256});
  EXPECT_EQ(report.degree, 3);
  EXPECT_THAT(report.phases[0].colliding, ElementsAre(0, 1, 2));
  EXPECT_FALSE(countBankConflicts(Arch::Gfx942, "ds_read_b32", LaneAddresses(65)));
}

TEST(Banks, AnUnalignedAccessTouchesOneWordMore) {
  // Lane 0 wants words 31 and 32, lane 1 word 0: banks 31, 0 and 0.
  const BankReport report = serve(Arch::Gfx942, "ds_read_b32", {126, 0});
  EXPECT_EQ(report.degree, 2);
}

TEST(Banks, TwoAddressReadsAreTwoAccesses) {
  const LaneAddresses rows = addressesOf([](int lane) { return 8 * lane; });
  const BankReport one = serve(Arch::Gfx942, "ds_read_b64", rows);
  const BankReport two = serve(Arch::Gfx942, "ds_read2_b64 offset0:0 offset1:64", rows);
  EXPECT_EQ(two.passes, 2 * one.passes);
  EXPECT_EQ(two.phases.size(), 2 * one.phases.size());
  EXPECT_EQ(two.confidence, isa::Confidence::Unknown);
}

TEST(Banks, ConfidenceIsPartOfTheAnswer) {
  const LaneAddresses lanes = addressesOf([](int lane) { return 16 * lane; });
  EXPECT_EQ(serve(Arch::Gfx942, "ds_read_b128", lanes).confidence, isa::Confidence::High);
  EXPECT_EQ(serve(Arch::Gfx942, "ds_write_b128", lanes).confidence, isa::Confidence::MediumHigh);
  const BankReport old = serve(Arch::Gfx90a, "ds_read_b128", lanes);
  EXPECT_EQ(old.confidence, isa::Confidence::Low);
  EXPECT_THAT(old.source, HasSubstr("gfx942's assumed"));
  const BankReport unmeasured = serve(Arch::Gfx950, "ds_read_b32", lanes);
  EXPECT_EQ(unmeasured.confidence, isa::Confidence::Unknown);
  EXPECT_THAT(unmeasured.source, HasSubstr("not measured"));
}

TEST(Banks, WhatIsNotKnownIsAnError) {
  const auto unknown = countBankConflicts(Arch::Gfx942, "ds_read_b512", LaneAddresses{0});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("ds_read_b128"));
  const auto rdna = countBankConflicts(Arch::Gfx11, "ds_read_b128", LaneAddresses{0});
  ASSERT_FALSE(rdna);
  EXPECT_THAT(rdna.error().message, HasSubstr("gfx11"));
}

TEST(Banks, TheRankFormulaRefusesWhatIsNotLinearInWords) {
  const isa::LdsInstruction b128 = *isa::ldsInstruction("ds_read_b128", Arch::Gfx942);
  const isa::LdsInstruction b96 = *isa::ldsInstruction("ds_read_b96", Arch::Gfx950);
  const LinearLayout aligned = LinearLayout::strided1D(64, 16, "lane", "offset");
  const LinearLayout words = LinearLayout::strided1D(64, 4, "lane", "offset");
  EXPECT_EQ(*bankDegreeByRank(b128, aligned), 1);
  EXPECT_FALSE(bankDegreeByRank(b128, words));
  EXPECT_FALSE(bankDegreeByRank(b96, aligned));
  EXPECT_FALSE(bankDegreeByRank(b128, LinearLayout::strided1D(64, 16, "register", "offset")));
}
