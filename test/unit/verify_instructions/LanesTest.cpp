// Moves between lanes, votes and reductions, one lane formula each, from the PTX ISA
// (https://docs.nvidia.com/cuda/parallel-thread-execution/) and from the DPP and LDS
// chapters of the CDNA3 and RDNA3 ISA manuals.
#include "Golden.h"

#include <gtest/gtest.h>

#include <random>

namespace layout_port::verify::golden {
namespace {

std::string text(uint64_t value) { return std::to_string(value); }

constexpr int kZero = -1, kOld = -2;
using Source = std::function<int(int)>; // the lane that a lane reads, kZero or kOld

// %d0 is %r0 of the source lane; kOld: %r1.
void checkMove(const Chip &chip, const Snippet &snippet, const Source &source,
               const std::string &what) {
  const Registers in = randomRegisters(2, chip.lanes, 17);
  const Registers out = execute(chip, in, 1, snippet);
  for (unsigned lane = 0; lane < chip.lanes; ++lane) {
    const int from = source(int(lane));
    const uint32_t want = from == kZero  ? 0
                          : from == kOld ? in.word(1, lane)
                                         : in.word(0, unsigned(from));
    ASSERT_EQ(out.word(0, lane), want) << what << " on " << chip.cpu << ", lane " << lane;
  }
}

//===-- shfl ---------------------------------------------------------------===//

// CUDA C++ Programming Guide, warp shuffle functions: lanes work in segments of
// `width`; out of range keeps the lane's own value.
struct Shuffle {
  const char *mode;
  int clamp;
  std::function<int(int lane, int b, int width)> source; // -1: out of range
};
const Shuffle kShuffles[] = {
    {"bfly", 31, [](int l, int b, int w) { return (l ^ b) <= (l | (w - 1)) ? l ^ b : -1; }},
    {"up", 0, [](int l, int b, int w) { return l % w >= b ? l - b : -1; }},
    {"down", 31, [](int l, int b, int w) { return l % w + b < w ? l + b : -1; }},
    {"idx", 31, [](int l, int b, int w) { return l / w * w + b % w; }}};

TEST(Lanes, ShuffleInSegmentsAsIntrinsic) {
  for (const Shuffle &s : kShuffles)
    for (int width : {32, 16, 8, 4, 2})
      for (int b = 0; b < 32; ++b) {
        const std::string name = std::string("llvm.nvvm.shfl.sync.") + s.mode + ".i32";
        checkMove(
            nvidia(),
            {"  %d0 = call i32 @" + name + "(i32 -1, i32 %r0, i32 " + text(uint64_t(b)) + ", i32 " +
                 text(uint64_t((32 - width) << 8 | s.clamp)) + ")\n",
             "declare i32 @" + name + "(i32, i32, i32, i32)"},
            [&](int l) {
              const int from = s.source(l, b, width);
              return from < 0 ? l : from;
            },
            name);
      }
}

TEST(Lanes, ShuffleAsPtxSaysWhetherTheSourceWasInRange) {
  for (const Shuffle &s : kShuffles)
    for (int width : {32, 8})
      for (int b : {0, 1, 3, 7, 16, 31}) {
        const std::string ptx = std::string("{ .reg .pred p; shfl.sync.") + s.mode +
                                ".b32 $0|p, $2, " + text(uint64_t(b)) + ", " +
                                text(uint64_t((32 - width) << 8 | s.clamp)) +
                                ", -1; selp.u32 $1, 1, 0, p; }";
        const Registers in = randomRegisters(1, 32, 3);
        const Registers out =
            execute(nvidia(), in, 2,
                    {"  %x = call {i32, i32} asm sideeffect \"" + ptx +
                         "\", \"=r,=r,r\"(i32 %r0)\n  %d0 = extractvalue {i32, i32} %x, 0\n"
                         "  %d1 = extractvalue {i32, i32} %x, 1\n",
                     {}});
        for (int lane = 0; lane < 32; ++lane) {
          const int from = s.source(lane, b, width);
          ASSERT_EQ(out.word(0, unsigned(lane)), in.word(0, unsigned(from < 0 ? lane : from)));
          ASSERT_EQ(out.word(1, unsigned(lane)), from < 0 ? 0u : 1u) << ptx << " lane " << lane;
        }
      }
}

TEST(Lanes, AShuffleFromAnAbsentLaneIsReported) {
  const Snippet snippet{
      "  %d0 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %r0, i32 16, i32 31)\n",
      "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)"};
  const Outcome outcome = tryExecute(nvidia(), Registers(1, 32), 1, snippet, nullptr, 16);
  ASSERT_FALSE(outcome.problems.empty());
  EXPECT_EQ(outcome.problems.front().kind, ProblemKind::InactiveLane);
}

//===-- vote, match, redux -------------------------------------------------===//

// Lanes whose bit is set in `members` run `body`, which computes %v from %r0.
Registers runMembers(uint32_t members, const std::string &body, const std::string &declarations,
                     const Registers &in) {
  const std::string mask = text(members);
  return execute(nvidia(), in, 1,
                 {"  %s = lshr i32 " + mask +
                      ", %lane\n  %t = and i32 %s, 1\n"
                      "  %c = icmp ne i32 %t, 0\n  br i1 %c, label %in_, label %out_\nin_:\n" +
                      body +
                      "  br label %out_\nout_:\n"
                      "  %d0 = phi i32 [ -559038737, %0 ], [ %v, %in_ ]\n",
                  declarations});
}

struct Vote {
  std::string body, declarations;
  // over the members' values, for one member
  std::function<uint32_t(uint32_t members, const std::function<uint32_t(int)> &value, int lane)>
      meaning;
};

std::string bit(const std::string &call) {
  return "  %b = icmp slt i32 %r0, 0\n  %w = call " + call + "\n";
}
std::string widened() { return "  %v = zext i1 %w to i32\n"; }

uint32_t ballotOf(uint32_t members, const std::function<uint32_t(int)> &value) {
  uint32_t set = 0;
  for (int l = 0; l < 32; ++l)
    if ((members >> l & 1) && value(l) >> 31)
      set |= 1u << l;
  return set;
}
uint32_t equalTo(uint32_t members, const std::function<uint32_t(int)> &value, uint32_t x) {
  uint32_t set = 0;
  for (int l = 0; l < 32; ++l)
    if ((members >> l & 1) && value(l) == x)
      set |= 1u << l;
  return set;
}

std::vector<Vote> votes(uint32_t members) {
  const std::string m = text(members);
  using Value = std::function<uint32_t(int)>;
  std::vector<Vote> list = {
      {bit("i1 @llvm.nvvm.vote.all.sync(i32 " + m + ", i1 %b)") + widened(),
       "declare i1 @llvm.nvvm.vote.all.sync(i32, i1)",
       [](uint32_t w, const Value &v, int) { return ballotOf(w, v) == w ? 1u : 0u; }},
      {bit("i1 @llvm.nvvm.vote.any.sync(i32 " + m + ", i1 %b)") + widened(),
       "declare i1 @llvm.nvvm.vote.any.sync(i32, i1)",
       [](uint32_t w, const Value &v, int) { return ballotOf(w, v) ? 1u : 0u; }},
      {bit("i1 @llvm.nvvm.vote.uni.sync(i32 " + m + ", i1 %b)") + widened(),
       "declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)",
       [](uint32_t w, const Value &v, int) {
         return ballotOf(w, v) == w || ballotOf(w, v) == 0 ? 1u : 0u;
       }},
      {bit("i32 @llvm.nvvm.vote.ballot.sync(i32 " + m + ", i1 %b)") + "  %v = add i32 %w, 0\n",
       "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)",
       [](uint32_t w, const Value &v, int) { return ballotOf(w, v); }},
      {"  %v = call i32 asm sideeffect \"match.any.sync.b32 $0, $1, " + m +
           ";\", \"=r,r\"(i32 %r0)\n",
       "", [](uint32_t w, const Value &v, int l) { return equalTo(w, v, v(l)); }},
      {"  %x = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 " + m +
           ", i32 %r0)\n  %y = extractvalue {i32, i1} %x, 0\n"
           "  %p = extractvalue {i32, i1} %x, 1\n  %z = zext i1 %p to i32\n"
           "  %v = xor i32 %y, %z\n",
       "declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)",
       [](uint32_t w, const Value &v, int l) { return equalTo(w, v, v(l)) == w ? w ^ 1u : 0u; }},
      {"  %h = zext i32 %r0 to i64\n  %k = shl i64 %h, 32\n"
       "  %v = call i32 @llvm.nvvm.match.any.sync.i64(i32 " +
           m + ", i64 %k)\n",
       "declare i32 @llvm.nvvm.match.any.sync.i64(i32, i64)",
       [](uint32_t w, const Value &v, int l) { return equalTo(w, v, v(l)); }},
      {"  %v = call i32 asm sideeffect \"activemask.b32 $0;\", \"=r\"()\n", "",
       [](uint32_t w, const Value &, int) { return w; }}};
  struct Reduction {
    const char *name;
    std::function<uint32_t(uint32_t, uint32_t)> two;
  };
  const Reduction reductions[] = {
      {"add", [](uint32_t a, uint32_t b) { return a + b; }},
      {"min", [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }},
      {"max", [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; }},
      {"umin", [](uint32_t a, uint32_t b) { return a < b ? a : b; }},
      {"umax", [](uint32_t a, uint32_t b) { return a > b ? a : b; }},
      {"and", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or", [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }}};
  for (const Reduction &r : reductions) {
    const std::string name = std::string("llvm.nvvm.redux.sync.") + r.name;
    list.push_back({"  %v = call i32 @" + name + "(i32 %r0, i32 " + m + ")\n",
                    "declare i32 @" + name + "(i32, i32)", [r](uint32_t w, const Value &v, int) {
                      uint32_t sum = v(__builtin_ctz(w));
                      for (int l = __builtin_ctz(w) + 1; l < 32; ++l)
                        if (w >> l & 1)
                          sum = r.two(sum, v(l));
                      return sum;
                    }});
  }
  return list;
}

TEST(Lanes, VotesMatchesAndReductionsOverTheirMembers) {
  for (uint32_t members : {0xffffffffu, 0x0000ffffu, 0x5a5a1234u, 0x80000000u})
    for (int contents = 0; contents < 4; ++contents) {
      Registers in = randomRegisters(1, 32, 5);
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (contents == 1) // few values, so that some agree
          in.word(0, lane) %= 3;
        if (contents == 2) // all agree
          in.word(0, lane) = 0x80000007u;
        if (contents == 3) // all members' sign bits are clear
          in.word(0, lane) &= 0x7fffffffu;
      }
      for (const Vote &vote : votes(members)) {
        const Registers out = runMembers(members, vote.body, vote.declarations, in);
        for (int lane = 0; lane < 32; ++lane) {
          const uint32_t want =
              members >> lane & 1
                  ? vote.meaning(
                        members, [&](int l) { return in.word(0, unsigned(l)); }, lane)
                  : 0xdeadbeefu;
          ASSERT_EQ(out.word(0, unsigned(lane)), want)
              << vote.body << " members " << members << " lane " << lane;
        }
      }
    }
}

TEST(Lanes, AMaskThatNamesAbsentLanesIsReported) {
  for (const Vote &vote : votes(0xffffffffu)) {
    if (vote.body.find("activemask") != std::string::npos)
      continue;
    // Half the warp stays away.
    const Snippet snippet{"  %c = icmp ult i32 %lane, 16\n"
                          "  br i1 %c, label %in_, label %out_\nin_:\n" +
                              vote.body +
                              "  br label %out_\nout_:\n"
                              "  %d0 = phi i32 [ 0, %0 ], [ %v, %in_ ]\n",
                          vote.declarations};
    const Outcome outcome = tryExecute(nvidia(), Registers(1, 32), 1, snippet);
    ASSERT_FALSE(outcome.problems.empty()) << vote.body;
    EXPECT_EQ(outcome.problems.front().kind, ProblemKind::InactiveLane) << vote.body;
  }
}

//===-- DPP ----------------------------------------------------------------===//

Snippet dpp(unsigned control, unsigned rowMask, unsigned bankMask, bool bound) {
  return {"  %d0 = call i32 @llvm.amdgcn.update.dpp.i32(i32 %r1, i32 %r0, i32 " + text(control) +
              ", i32 " + text(rowMask) + ", i32 " + text(bankMask) + ", i1 " +
              (bound ? "true" : "false") + ")\n",
          "declare i32 @llvm.amdgcn.update.dpp.i32(i32, i32, i32, i32, i32, i1)"};
}

// Every control, and what its manual says of lane l; kZero: no source.
struct Control {
  unsigned control;
  Source source;
  bool onCdna, onRdna;
};
std::vector<Control> controls() {
  std::vector<Control> list;
  for (unsigned c = 0; c < 256; ++c)
    list.push_back({c, [=](int l) { return l / 4 * 4 + int(c >> (l % 4 * 2) & 3); }, true, true});
  for (int n = 1; n < 16; ++n) {
    list.push_back(
        {0x100u + unsigned(n), [=](int l) { return l % 16 + n < 16 ? l + n : kZero; }, true, true});
    list.push_back(
        {0x110u + unsigned(n), [=](int l) { return l % 16 >= n ? l - n : kZero; }, true, true});
    list.push_back({0x120u + unsigned(n),
                    [=](int l) { return l / 16 * 16 + (l % 16 + 16 - n) % 16; }, true, true});
  }
  for (int n = 0; n < 16; ++n) {
    list.push_back({0x150u + unsigned(n), [=](int l) { return l / 16 * 16 + n; }, true, true});
    list.push_back({0x160u + unsigned(n), [=](int l) { return l ^ n; }, false, true});
  }
  const Control rest[] = {
      {0x130, [](int l) { return l < 63 ? l + 1 : kZero; }, true, false},            // wave_shl
      {0x134, [](int l) { return (l + 1) % 64; }, true, false},                      // wave_rol
      {0x138, [](int l) { return l > 0 ? l - 1 : kZero; }, true, false},             // wave_shr
      {0x13c, [](int l) { return (l + 63) % 64; }, true, false},                     // wave_ror
      {0x140, [](int l) { return l / 16 * 16 + 15 - l % 16; }, true, true},          // row_mirror
      {0x141, [](int l) { return l / 8 * 8 + 7 - l % 8; }, true, true},              // half_mirror
      {0x142, [](int l) { return l >= 16 ? l / 16 * 16 - 1 : kZero; }, true, false}, // bcast 15
      {0x143, [](int l) { return l >= 32 ? 31 : kZero; }, true, false}};             // bcast 31
  list.insert(list.end(), std::begin(rest), std::end(rest));
  return list;
}

TEST(Lanes, EveryDppControl) {
  for (const Control &c : controls()) {
    std::vector<Chip> chips;
    if (c.onCdna)
      chips.push_back(amd("gfx942"));
    if (c.onRdna)
      chips.push_back(amd("gfx1100", 32));
    for (const Chip &chip : chips) {
      checkMove(chip, dpp(c.control, 15, 15, true), c.source, "dpp, bound");
      checkMove(
          chip, dpp(c.control, 15, 15, false),
          [&](int l) { return c.source(l) == kZero ? kOld : c.source(l); }, "dpp, old kept");
    }
  }
}

// Rows and banks (groups of four lanes of a row) that the masks leave out keep `old`.
TEST(Lanes, DppMasksKeepTheOldValue) {
  for (unsigned control : {0xb1u, 0x111u, 0x142u, 0x143u})
    for (unsigned rows : {1u, 2u, 10u, 12u, 15u})
      for (unsigned banks : {1u, 6u, 15u}) {
        Source source;
        for (const Control &c : controls())
          if (c.control == control)
            source = c.source;
        checkMove(
            amd("gfx942"), dpp(control, rows, banks, false),
            [&](int l) {
              const bool selected = (rows >> (l / 16) & 1) && (banks >> (l % 16 / 4) & 1);
              return selected && source(l) != kZero ? source(l) : kOld;
            },
            "dpp with masks " + text(rows) + " " + text(banks));
      }
}

TEST(Lanes, ControlsThatAChipLacksAreRefused) {
  const Outcome xmask = tryExecute(amd("gfx942"), Registers(2, 64), 1, dpp(0x161, 15, 15, true));
  EXPECT_NE(xmask.error.find("gfx942 has no DPP control 0x161"), std::string::npos) << xmask.error;
  const Outcome bcast =
      tryExecute(amd("gfx1100", 32), Registers(2, 32), 1, dpp(0x142, 15, 15, true));
  EXPECT_NE(bcast.error.find("no DPP control 0x142"), std::string::npos) << bcast.error;
}

TEST(Lanes, Dpp8PicksALaneOfEight) {
  for (unsigned selectors : {0u, 0xfac688u, 0x053977u, 0x249249u, 0xffffffu})
    checkMove(
        amd("gfx1100", 32),
        {"  %d0 = call i32 @llvm.amdgcn.mov.dpp8.i32(i32 %r0, i32 " + text(selectors) + ")\n",
         "declare i32 @llvm.amdgcn.mov.dpp8.i32(i32, i32)"},
        [=](int l) { return l / 8 * 8 + int(selectors >> (l % 8 * 3) & 7); }, "dpp8");
}

//===-- Through the LDS pipe -----------------------------------------------===//

Snippet swizzle(unsigned offset) {
  return {"  %d0 = call i32 @llvm.amdgcn.ds.swizzle(i32 %r0, i32 " + text(offset) + ")\n",
          "declare i32 @llvm.amdgcn.ds.swizzle(i32, i32)"};
}

TEST(Lanes, DsSwizzleMasksGroupsOf32) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const unsigned offset = random() & 0x7fff;
    const int andMask = offset & 31, orMask = offset >> 5 & 31, xorMask = offset >> 10;
    checkMove(
        amd("gfx942"), swizzle(offset),
        [=](int l) { return l / 32 * 32 + ((((l % 32) & andMask) | orMask) ^ xorMask); },
        "ds_swizzle " + text(offset));
  }
  for (unsigned quad = 0; quad < 256; ++quad)
    checkMove(
        amd("gfx90a"), swizzle(0x8000 | quad),
        [=](int l) { return l / 4 * 4 + int(quad >> (l % 4 * 2) & 3); }, "ds_swizzle quad");
  const Outcome rotate = tryExecute(amd("gfx942"), Registers(1, 64), 1, swizzle(0xc000));
  EXPECT_NE(rotate.error.find("no ds_swizzle control 0xc000"), std::string::npos) << rotate.error;
}

// The address is 4 * lane; its two low bits and those above the wave are ignored.
TEST(Lanes, DsBpermuteGathersAndDsPermuteScatters) {
  for (const char *name : {"ds.bpermute", "ds.permute"})
    for (unsigned seed = 0; seed < 8; ++seed) {
      Registers in = randomRegisters(2, 64, seed);
      if (seed % 2)
        for (unsigned lane = 0; lane < 64; ++lane) // a permutation
          in.word(1, lane) = ((lane * 37 + seed) % 64) << 2;
      const std::string call = std::string("@llvm.amdgcn.") + name + "(i32";
      const Registers out = execute(
          amd("gfx942"), in, 1,
          {"  %d0 = call i32 " + call + " %r1, i32 %r0)\n", "declare i32 " + call + ", i32)"});
      uint32_t want[64] = {};
      for (unsigned lane = 0; lane < 64; ++lane) {
        const unsigned other = in.word(1, lane) >> 2 & 63;
        if (std::string(name) == "ds.bpermute")
          want[lane] = in.word(0, other);
        else // the highest lane that writes wins, for it comes last
          want[other] = in.word(0, lane);
      }
      for (unsigned lane = 0; lane < 64; ++lane)
        ASSERT_EQ(out.word(0, lane), want[lane]) << name << " lane " << lane;
    }
}

TEST(Lanes, ReadingALaneThatIsOffIsReported) {
  const Snippet snippet{"  %c = icmp ult i32 %lane, 32\n  br i1 %c, label %in_, label %out_\n"
                        "in_:\n  %a = xor i32 %lane, 32\n  %b = shl i32 %a, 2\n"
                        "  %v = call i32 @llvm.amdgcn.ds.bpermute(i32 %b, i32 %r0)\n"
                        "  br label %out_\nout_:\n  %d0 = phi i32 [ 0, %0 ], [ %v, %in_ ]\n",
                        "declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)"};
  const Outcome outcome = tryExecute(amd("gfx942"), Registers(1, 64), 1, snippet);
  ASSERT_FALSE(outcome.problems.empty());
  EXPECT_EQ(outcome.problems.front().kind, ProblemKind::InactiveLane);
  EXPECT_EQ(outcome.problems.front().lanes, 0xffffffffu);
}

//===-- permlane, readlane -------------------------------------------------===//

// The lanes of the first operand whose bit is set and those of the second whose bit
// is clear change places.
TEST(Lanes, PermlaneSwapsTradeALaneBitForARegisterBit) {
  for (unsigned bitNumber : {4u, 5u}) {
    const std::string name =
        std::string("@llvm.amdgcn.permlane") + (bitNumber == 5 ? "32" : "16") + ".swap(i32";
    const Registers in = randomRegisters(2, 64, 23);
    const Registers out = execute(amd("gfx950"), in, 2,
                                  {"  %x = call {i32, i32} " + name +
                                       " %r0, i32 %r1, i1 false, i1 false)\n"
                                       "  %d0 = extractvalue {i32, i32} %x, 0\n"
                                       "  %d1 = extractvalue {i32, i32} %x, 1\n",
                                   "declare {i32, i32} " + name + ", i32, i1, i1)"});
    for (unsigned lane = 0; lane < 64; ++lane) {
      const bool set = lane >> bitNumber & 1;
      const unsigned other = lane ^ 1u << bitNumber;
      ASSERT_EQ(out.word(0, lane), set ? in.word(1, other) : in.word(0, lane)) << lane;
      ASSERT_EQ(out.word(1, lane), set ? in.word(1, lane) : in.word(0, other)) << lane;
    }
    const Outcome old = tryExecute(amd("gfx942"), in, 1,
                                   {"  %x = call {i32, i32} " + name +
                                        " %r0, i32 %r1, i1 false, i1 false)\n"
                                        "  %d0 = extractvalue {i32, i32} %x, 0\n",
                                    "declare {i32, i32} " + name + ", i32, i1, i1)"});
    EXPECT_NE(old.error.find("on gfx942"), std::string::npos) << old.error;
  }
}

TEST(Lanes, Permlane16OfRdna) {
  const uint64_t selectors = 0x0123456789abcdefull;
  for (bool crossed : {false, true}) {
    const std::string name =
        std::string("@llvm.amdgcn.permlane") + (crossed ? "x16" : "16") + ".i32(i32";
    checkMove(
        amd("gfx1100", 32),
        {"  %d0 = call i32 " + name + " %r1, i32 %r0, i32 " + text(uint32_t(selectors)) + ", i32 " +
             text(uint32_t(selectors >> 32)) + ", i1 false, i1 false)\n",
         "declare i32 " + name + ", i32, i32, i32, i1, i1)"},
        [=](int l) {
          return (l / 16 ^ (crossed ? 1 : 0)) * 16 + int(selectors >> (l % 16 * 4) & 15);
        },
        name);
  }
  checkMove(
      amd("gfx1100", 64),
      {"  %d0 = call i32 @llvm.amdgcn.permlane64.i32(i32 %r0)\n",
       "declare i32 @llvm.amdgcn.permlane64.i32(i32)"},
      [](int l) { return l ^ 32; }, "permlane64");
}

TEST(Lanes, ReadlaneReadfirstlaneWritelane) {
  for (int from : {0, 1, 31, 32, 63})
    checkMove(
        amd("gfx942"),
        {"  %d0 = call i32 @llvm.amdgcn.readlane.i32(i32 %r0, i32 " + text(uint64_t(from)) + ")\n",
         "declare i32 @llvm.amdgcn.readlane.i32(i32, i32)"},
        [=](int) { return from; }, "readlane");
  checkMove(
      amd("gfx942"),
      {"  %d0 = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r0)\n",
       "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)"},
      [](int) { return 0; }, "readfirstlane");
  // The first *active* lane.
  checkMove(
      amd("gfx942"),
      {"  %c = icmp ugt i32 %lane, 12\n  br i1 %c, label %in_, label %out_\nin_:\n"
       "  %v = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %r0)\n  br label %out_\nout_:\n"
       "  %d0 = phi i32 [ %r1, %0 ], [ %v, %in_ ]\n",
       "declare i32 @llvm.amdgcn.readfirstlane.i32(i32)"},
      [](int l) { return l > 12 ? 13 : kOld; }, "readfirstlane of some");
  checkMove(
      amd("gfx942"),
      {"  %s = call i32 @llvm.amdgcn.readlane.i32(i32 %r0, i32 9)\n"
       "  %d0 = call i32 @llvm.amdgcn.writelane.i32(i32 %s, i32 40, i32 %r1)\n",
       "declare i32 @llvm.amdgcn.readlane.i32(i32, i32)\n"
       "declare i32 @llvm.amdgcn.writelane.i32(i32, i32, i32)"},
      [](int l) { return l == 40 ? 9 : kOld; }, "writelane");
}

//===-- Ballots and counts of AMD ------------------------------------------===//

TEST(Lanes, BallotAndMbcnt) {
  const Registers in = randomRegisters(1, 64, 31);
  const Registers out = execute(
      amd("gfx942"), in, 3,
      {"  %b = icmp slt i32 %r0, 0\n  %m = call i64 @llvm.amdgcn.ballot.i64(i1 %b)\n"
       "  %d0 = trunc i64 %m to i32\n  %h = lshr i64 %m, 32\n  %d1 = trunc i64 %h to i32\n"
       "  %c = call i32 @llvm.amdgcn.mbcnt.lo(i32 %d0, i32 100)\n"
       "  %d2 = call i32 @llvm.amdgcn.mbcnt.hi(i32 %d1, i32 %c)\n",
       "declare i64 @llvm.amdgcn.ballot.i64(i1)\ndeclare i32 @llvm.amdgcn.mbcnt.lo(i32, i32)\n"
       "declare i32 @llvm.amdgcn.mbcnt.hi(i32, i32)"});
  uint64_t set = 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    set |= uint64_t(in.word(0, lane) >> 31) << lane;
  for (unsigned lane = 0; lane < 64; ++lane) {
    ASSERT_EQ(out.word(0, lane), uint32_t(set));
    ASSERT_EQ(out.word(1, lane), uint32_t(set >> 32));
    const uint64_t below = lane ? set << (64 - lane) : 0;
    ASSERT_EQ(out.word(2, lane), 100 + uint32_t(__builtin_popcountll(below))) << lane;
  }
}

//===-- Bytes inside a lane ------------------------------------------------===//

// v_perm_b32(high, low, selector): bytes 0-3 of low, 4-7 of high, 8-11 the signs of
// the halves of low, then of high, 12 zero, 13 and more 0xff.
TEST(Lanes, VPermOfEverySelector) {
  const Registers words = randomRegisters(2, 64, 37);
  for (unsigned first = 0; first < 16; ++first) {
    const uint32_t selector =
        first | ((first + 5) & 15) << 8 | ((first + 11) & 15) << 16 | (first * 7 & 255) << 24;
    const Registers out = execute(
        amd("gfx942"), words, 1,
        {"  %d0 = call i32 @llvm.amdgcn.perm(i32 %r0, i32 %r1, i32 " + text(selector) + ")\n",
         "declare i32 @llvm.amdgcn.perm(i32, i32, i32)"});
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const uint32_t high = words.word(0, lane), low = words.word(1, lane);
        const unsigned choice = selector >> (8 * i) & 255;
        uint32_t want = 0xff;
        if (choice < 4)
          want = low >> (8 * choice) & 255;
        else if (choice < 8)
          want = high >> (8 * (choice - 4)) & 255;
        else if (choice < 12)
          want = ((choice < 10 ? low : high) >> (choice % 2 ? 31 : 15) & 1) * 255;
        else if (choice == 12)
          want = 0;
        ASSERT_EQ(out.word(0, lane) >> (8 * i) & 255, want) << "selector " << choice;
      }
  }
}

// PTX ISA, prmt: the tables of the generic form and of the modes, byte 3 first.
TEST(Lanes, PrmtInEveryMode) {
  const Registers words = randomRegisters(2, 32, 41);
  auto byte = [&](unsigned lane, unsigned n) {
    return words.word(n / 4, lane) >> (8 * (n % 4)) & 255;
  };
  auto run = [&](const std::string &mode, unsigned selector) {
    return execute(nvidia(), words, 1,
                   {"  %d0 = call i32 asm \"prmt.b32" + mode + " $0, $1, $2, " + text(selector) +
                        ";\", \"=r,r,r\"(i32 %r0, i32 %r1)\n",
                    {}});
  };
  struct Mode {
    const char *name;
    const char *bytes[4]; // for selector 0 to 3
  };
  const Mode modes[] = {
      {".f4e", {"3210", "4321", "5432", "6543"}}, {".b4e", {"5670", "6701", "7012", "0123"}},
      {".rc8", {"0000", "1111", "2222", "3333"}}, {".ecl", {"3210", "3211", "3222", "3333"}},
      {".ecr", {"0000", "1110", "2210", "3210"}}, {".rc16", {"1010", "3232", "1010", "3232"}}};
  for (const Mode &mode : modes)
    for (unsigned selector = 0; selector < 4; ++selector) {
      const Registers out = run(mode.name, selector);
      for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i)
          ASSERT_EQ(out.word(0, lane) >> (8 * i) & 255,
                    byte(lane, unsigned(mode.bytes[selector][3 - i] - '0')))
              << mode.name << " " << selector;
    }
  for (unsigned selector : {0x3210u, 0x7654u, 0x0246u, 0x1357u, 0x89abu, 0xfedcu, 0x5409u}) {
    const Registers out = run("", selector);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned nibble = selector >> (4 * i) & 15;
        const uint32_t picked = byte(lane, nibble & 7);
        ASSERT_EQ(out.word(0, lane) >> (8 * i) & 255, nibble & 8 ? (picked >> 7) * 255 : picked)
            << selector;
      }
  }
}

} // namespace
} // namespace layout_port::verify::golden
