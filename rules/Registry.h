// The rules by name, and the port of one program by all of them.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "source/Program.h"

#include <memory>
#include <vector>

namespace layout_port {

struct PortedProgram {
  std::vector<Site> sites; // by file and position
  std::vector<RuntimeChunk> made;
};

// Runs every rule, then the census: what no site answers for becomes a manual
// site of rule "census". Every manual site carries its LP_MANUAL edit.
//
// `best` caps the tier: with Tier::Emulated no site becomes MFMA, and with
// Tier::Manual what would call the device runtime is left for a person.
PortedProgram portProgram(const Program &program, Tier best = Tier::Native);

} // namespace layout_port
