// What a rule is: it finds constructs that must be ported and says what becomes
// of each.
//
//   files, tokens, AST facts ──match──▶ Site { where, what, tier, reason, edits }
//
// A rule never writes a file and never prints: it returns sites, and the tool
// applies their edits, reports them and checks (with the census) that nothing
// was left out.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace layout_port {

// How a site was ported, best first.
//   Native    layouts re-solved across the kernel
//   Bridged   the site alone becomes MFMA with layout conversions around it
//   Emulated  half-wave arithmetic or plain code, right even in divergent code
//   Renamed   an API, type or header name
//   Manual    left for a person: diagnosed, never passed through in silence
enum class Tier { Native, Bridged, Emulated, Renamed, Manual };

llvm::StringRef tierName(Tier tier);

// Replaces `length` bytes at `offset` of file number `file` by `text`.
struct Edit {
  unsigned file = 0;
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
};

// One construct that must be ported. [begin, end) are byte offsets in the file:
// the text this record answers for. Everything the census counts inside that
// range is explained by this site.
struct Site {
  unsigned file = 0;
  unsigned begin = 0;
  unsigned end = 0;
  std::string rule;
  std::string construct;
  Tier tier = Tier::Manual;
  std::string reason;
  std::vector<Edit> edits;
  // Functions of the device runtime that the edits call, by chunk name.
  std::vector<std::string> runtime;
  // Manual, but in the body of a macro that nothing here expands: no part of this
  // program. LP_MANUAL stands in the macro and stops the first who expands it; the
  // report has a note, not a failure.
  bool unreached = false;
};

// How good a site may become, when a better port of it was refuted by `--verify`:
//
//   tier of a site  =  max(best, sites[place], asked)      (Tier grows downwards)
//
// `best` holds for all, `sites` for single places: file number and offset of the
// site's first byte, `asked` for the text that the author steers (Steering.h). A rule asks at() before it chooses a tier; a rule that joins
// several places into one site asks for each. Tier::Manual is no rule's business:
// the registry leaves such a site to a person.
struct PortCaps {
  Tier best = Tier::Native;
  std::map<std::pair<unsigned, unsigned>, Tier> sites;
  struct Asked {
    unsigned file = 0, begin = 0, end = 0;
    Tier tier = Tier::Native;
  };
  std::vector<Asked> asked;

  Tier at(unsigned file, unsigned offset) const {
    const auto known = sites.find({file, offset});
    Tier tier = known == sites.end() || known->second < best ? best : known->second;
    for (const Asked &range : asked)
      if (range.file == file && range.begin <= offset && offset < range.end && tier < range.tier)
        tier = range.tier;
    return tier;
  }
  // The author asks for less than native there.
  bool isAsked(unsigned file, unsigned offset) const {
    for (const Asked &range : asked)
      if (range.file == file && range.begin <= offset && offset < range.end &&
          Tier::Native < range.tier)
        return true;
    return false;
  }
};

class Program;

class Rule {
public:
  virtual ~Rule() = default;
  // Stable name, as shown in reports: folder/rule, e.g. "tensor-mma".
  virtual llvm::StringRef name() const = 0;
  // Appends the sites this rule finds in `program`.
  virtual void match(const Program &program, std::vector<Site> &sites) const = 0;
};

} // namespace layout_port
