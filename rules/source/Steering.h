// What the author says to the porter in comments:
//
//   // layout-port: tier=bridged              the statement or function below, at best so
//   // layout-port: keep                      leave it as it stands
//   // layout-port: assume uniform(x)         (native: conditions, Recover.h)
//   // layout-port: assume whole waves        (native: block sizes)
//   // layout-port: noalias(p)                (native: epilogues)
//
// A comment behind code on its line speaks of that line's statement. Words that nobody
// knows are said in the report: a misspelt wish must not be lost.
#pragma once

#include "Rule.h"
#include "source/Program.h"

#include <optional>

namespace layout_port {

struct SteeredRange {
  unsigned file = 0, begin = 0, end = 0; // bytes of the statement or definition
  std::optional<Tier> tier;              // none: keep
  bool contains(unsigned f, unsigned offset) const {
    return f == file && begin <= offset && offset < end;
  }
};

struct Steering {
  std::vector<SteeredRange> ranges;
  std::vector<std::string> notes; // of comments that are not understood
};

Steering findSteering(const Program &program);

// `caps` with the tiers that the author asks for.
PortCaps steeredCaps(const PortCaps &caps, const Steering &steering);

// Sites in kept text go; one site for each piece of it says so.
void keepText(const Program &program, const Steering &steering, std::vector<Site> &sites);

} // namespace layout_port
