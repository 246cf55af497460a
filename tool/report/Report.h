// What a run tells the user: the summary on stderr and the JSON file.
//
//   {"sites": [{file, line, column, rule, construct, tier, targets, reason, unreached,
//               text_before, text_after}],
//    "summary": {...}}
#pragma once

#include "Rule.h"
#include "check/Compile.h"
#include "commands/PortProof.h"
#include "frontend/Parse.h"
#include "source/Program.h"

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace layout_port {

struct Report {
  std::string input;
  std::vector<std::string> targets;
  std::vector<Site> sites;
  std::vector<CheckResult> checks; // empty when nothing was compiled
  std::vector<ProofResult> proofs; // with --verify: one a target
  std::vector<std::string> notes;  // missing headers, parse errors: one line each
  bool allowedManual = false;      // the checks ran with -DLP_ALLOW_MANUAL
  double portSeconds = 0, checkSeconds = 0;

  unsigned count(Tier tier) const; // without the unreached
  unsigned unreached() const;      // manual, in macros that nothing expands
  bool compiled() const;
};

// The text of the JSON document.
std::string reportJson(const Report &report, const Program &program);

// For people: what was found, how each was ported, what is left, whether it
// compiled.
void printSummary(llvm::raw_ostream &out, const Report &report, const Program &program);

} // namespace layout_port
