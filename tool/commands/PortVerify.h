// `layout-port IN -o OUT --verify`: ports, proves, and drops what is refuted.
//
//   port ─▶ prove ─▶ refuted? ─▶ TierSearch: which sites, how far ─▶ port ─▶ prove
//
// A refuted kernel is never written as ported: what cannot be mended becomes manual,
// and if no site is to blame the whole output does.
#pragma once

#include "Registry.h"
#include "commands/PortProof.h"
#include "source/Emit.h"

#include <functional>

namespace layout_port {

struct VerifyJob {
  const Program &program;
  ProofRequest request; // without the texts
  PortCaps caps;
  std::function<PortedProgram(const PortCaps &)> port;
};

struct VerifiedPort {
  PortedProgram ported;
  Emission emission;
  std::vector<ProofResult> proofs; // of what was written
  std::vector<std::string> notes;  // what was refuted, and what became of it
};

// Starts from `first`, the port as the rules made it.
VerifiedPort verifyPort(const VerifyJob &job, VerifiedPort first);

// Makes one site of a port wrong on purpose, so that the way back can be tested:
//
//   RULE|TIER|FROM|TO          in the edits of all sites of RULE at TIER
//   RULE|TIER|FROM|TO|LINE     of the one that begins on LINE
//
// "\n" in TO is a new line. Only layout-port's own tests use it (--break-rule). Returns how many sites it broke.
unsigned breakRule(const Program &program, llvm::StringRef how, std::vector<Site> &sites);

} // namespace layout_port
