// Bank conflicts: how many passes one LDS instruction of a wave takes.
//
// The LDS serves a wave in phases (Lds.h), groups of lanes that do not depend on the
// addresses. In a phase every bank delivers one 4-byte word a pass, so the phase
// takes as many passes as there are *different* words in its fullest bank; lanes
// that want the same word share it.
//
//   gfx942, ds_read_b128, lane l at byte 64 * l (rows of 64 bytes, one a lane):
//   the first phase is lanes 0-3 and 20-23. Lane 0 wants words 0-3, lane 2 words
//   32-35: the same banks 0-3, other words. Four lanes meet there: 4 passes.
//
// For addresses that are linear over F2 in the lane bits no counting is needed.
// Take the word addresses of the phase's lane generators and of the vector's words
// as columns of a matrix W; then
//
//   degree = 2^(rank W - rank(W modulo banks))
//
// since 2^rank W different words spread evenly over 2^rank(W mod banks) banks.
// Both ways are here; they agree (test/testers/layouts_banks).
#pragma once

#include "layout_port/layouts/Lds.h"

#include <optional>

namespace layout_port {

struct BankPhase {
  std::vector<int> lanes;     // all lanes of the phase, ascending, active or not
  int degree = 0;             // passes it takes; 0 when none of its lanes is active
  int bank = -1;              // the lowest of its fullest banks; -1 when idle
  std::vector<int> colliding; // active lanes that use that bank, if degree > 1
};

struct BankReport {
  int passes = 0;     // the sum over the phases
  int degree = 0;     // of the worst phase: 1 is free of conflicts
  int phasesUsed = 0; // phases with an active lane: the passes a perfect layout takes
  std::vector<BankPhase> phases;
  isa::Confidence confidence = isa::Confidence::Unknown;
  std::string source; // where the phases come from, and what was assumed
};

// One byte address a lane, at most 64; nothing for an inactive lane.
using LaneAddresses = std::vector<std::optional<uint64_t>>;

// Exact for arbitrary addresses. A two-address instruction (ds_read2_b64) is two
// accesses, each with its own phases, at the lane's address plus each offset.
// Errors: more than 64 lanes; an unknown instruction or a chip without rows.
Result<BankReport> countBankConflicts(isa::Arch arch, std::string_view instruction,
                                      const LaneAddresses &addresses);
BankReport countBankConflicts(const isa::LdsInstruction &instruction,
                              const LaneAddresses &addresses);

// The degree of every phase by ranks. `lanes` maps in-dim "lane" (at most 6 bits;
// missing ones are zero) to a byte address, all out-dims flattened, first lowest.
// A constant XORed onto all addresses changes nothing, so the layout says all.
// Errors: other in-dims of more than one value; a vector that is no power of two
// words (b96), or an address not aligned to it: then count instead.
Result<int> bankDegreeByRank(const isa::LdsInstruction &instruction, const LinearLayout &lanes);

// The report for a linear access: by enumeration of its 64 addresses.
Result<BankReport> countBankConflicts(isa::Arch arch, std::string_view instruction,
                                      const LinearLayout &lanes);

} // namespace layout_port
