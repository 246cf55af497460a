// Bank conflicts by counting and by ranks; Banks.h has the equations.
#include "layout_port/layouts/Banks.h"

#include <algorithm>
#include <map>
#include <set>

namespace layout_port {
namespace {

constexpr int waveLanes = 64;
constexpr int wordBytes = 4;

struct BankUse {
  std::set<uint64_t> words;
  std::set<int> lanes;
};

// The words that a lane's access of `bytes` at `address` touches, into their banks.
void touch(std::map<int, BankUse> &banks, int bankCount, int lane, uint64_t address, int bytes) {
  for (uint64_t word = address / wordBytes; word <= (address + bytes - 1) / wordBytes; ++word) {
    BankUse &use = banks[static_cast<int>(word % bankCount)];
    use.words.insert(word);
    use.lanes.insert(lane);
  }
}

void settle(BankPhase &phase, const std::map<int, BankUse> &banks) {
  const BankUse *fullest = nullptr;
  for (const auto &[bank, use] : banks)
    if (!fullest || use.words.size() > fullest->words.size()) {
      fullest = &use;
      phase.bank = bank;
    }
  if (!fullest)
    return;
  phase.degree = static_cast<int>(fullest->words.size());
  if (phase.degree > 1)
    phase.colliding.assign(fullest->lanes.begin(), fullest->lanes.end());
}

BankPhase servePhase(const isa::LdsInstruction &in, const std::vector<int> &lanes,
                     const LaneAddresses &addresses, int offset) {
  BankPhase phase;
  phase.lanes = lanes;
  std::map<int, BankUse> banks;
  for (const int lane : lanes)
    if (lane < static_cast<int>(addresses.size()) && addresses[lane])
      touch(banks, in.banks, lane, *addresses[lane] + offset, in.bytes);
  settle(phase, banks);
  return phase;
}

void addPhase(BankReport &report, BankPhase phase) {
  report.passes += phase.degree;
  report.degree = std::max(report.degree, phase.degree);
  report.phasesUsed += phase.degree > 0;
  report.phases.push_back(std::move(phase));
}

std::string sourceText(const isa::LdsInstruction &in) {
  return in.source->what + (in.note.empty() || in.note == in.source->what ? "" : "; " + in.note);
}

//===-- Ranks --------------------------------------------------------------===//

bool isPowerOfTwo(int x) { return x > 0 && (x & (x - 1)) == 0; }

// What keeps an access from being linear in words, or "".
std::string notLinear(const isa::LdsInstruction &in, const LinearLayout &lanes) {
  for (const LayoutDim &dim : lanes.ins())
    if (dim.name != "lane" && dim.bits > 0)
      return "in-dim '" + dim.name + "' of more than one value";
  if (lanes.inBits("lane") > 6)
    return "more than 64 lanes";
  if (!isPowerOfTwo(in.bytes))
    return "a vector of " + std::to_string(in.bytes) + " bytes is no power of two";
  for (const uint64_t column : lanes.columns())
    if (column % in.bytes)
      return "an address is not aligned to " + std::to_string(in.bytes) + " bytes";
  return "";
}

// Word addresses of the phase's lane generators and of the words of one vector.
f2::Columns wordColumns(const isa::LdsInstruction &in, const LinearLayout &lanes) {
  f2::Columns columns;
  for (const uint32_t mask : in.phaseSpan)
    columns.push_back(lanes.apply(mask) / wordBytes);
  for (int word = 1; word < in.bytes / wordBytes; word *= 2)
    columns.push_back(word);
  return columns;
}

f2::Columns moduloBanks(f2::Columns columns, int banks) {
  for (uint64_t &column : columns)
    column %= banks;
  return columns;
}

LaneAddresses enumerate(const LinearLayout &lanes) {
  LaneAddresses addresses;
  for (int lane = 0; lane < waveLanes; ++lane)
    addresses.emplace_back(lanes.apply(lane));
  return addresses;
}

} // namespace

BankReport countBankConflicts(const isa::LdsInstruction &in, const LaneAddresses &addresses) {
  BankReport report;
  report.confidence = in.confidence;
  report.source = sourceText(in);
  for (int access = 0; access < in.accesses; ++access)
    for (const std::vector<int> &lanes : in.phases())
      addPhase(report, servePhase(in, lanes, addresses, in.offsets[access]));
  return report;
}

Result<BankReport> countBankConflicts(isa::Arch arch, std::string_view instruction,
                                      const LaneAddresses &addresses) {
  if (addresses.size() > waveLanes)
    return makeError("%zu addresses: a wave has 64 lanes", addresses.size());
  const Result<isa::LdsInstruction> in = isa::ldsInstruction(instruction, arch);
  if (!in)
    return in.error();
  return countBankConflicts(*in, addresses);
}

Result<int> bankDegreeByRank(const isa::LdsInstruction &in, const LinearLayout &lanes) {
  if (const std::string why = notLinear(in, lanes); !why.empty())
    return makeError("no rank formula: %s", why.c_str());
  const f2::Columns words = wordColumns(in, lanes);
  return 1 << (f2::rank(words) - f2::rank(moduloBanks(words, in.banks)));
}

Result<BankReport> countBankConflicts(isa::Arch arch, std::string_view instruction,
                                      const LinearLayout &lanes) {
  for (const LayoutDim &dim : lanes.ins())
    if (dim.name != "lane" && dim.bits > 0)
      return makeError("in-dim '%s' of a shared-memory access: only 'lane' has addresses",
                       dim.name.c_str());
  return countBankConflicts(arch, instruction, enumerate(lanes));
}

} // namespace layout_port
