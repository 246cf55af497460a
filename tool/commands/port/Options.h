// The command line of `layout-port IN ...`, read and checked.
//
//   args ──parse──▶ PortJob: what to read, what to choose from, where to write
//
// Whatever stops a run before it reads the source is found here and said in one
// line: a missing file, a folder, text that is none, an unknown chip.
#pragma once

#include "Registry.h"
#include "frontend/Resources.h"
#include "pages/Globs.h"
#include "source/Emit.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace layout_port {

struct PortJob {
  std::string input;
  std::string output; // "-": stdout
  std::string json;   // empty: none
  std::vector<std::string> targets;
  std::vector<std::string> flags; // the user's, as clang takes them
  std::vector<std::string> notes; // what reading the command line found worth saying
  std::string cudaPath, cudaArch;
  Tier maxTier = Tier::Native;
  RuleGlobs rules;
  PortChoices choices;
  Delivery headers = Delivery::Inline, runtime = Delivery::Inline;
  std::string sourceRoot, outputRoot; // empty: the folders of input and output
  bool inPlace = false;
  bool showDiff = false, checkOnly = false, explainPlan = false, quiet = false;
  unsigned checkSeconds = 300; // that one compile of the output may take
  bool verify = false;
  std::string launch;    // launch file of --verify; empty: a template
  std::string breakRule; // for tests: see PortVerify.h
  Resources resources;
  const char *executable = "";

  // Nothing is written, only said.
  bool looksOnly() const { return showDiff || checkOnly || (explainPlan && output == "-"); }
  // More than the one file comes out.
  bool isSplit() const { return headers == Delivery::Separate || runtime == Delivery::Separate; }
};

namespace commands {

// What a command line asks for: a port, or an answer about rules, or nothing that
// can be done (`error`, one line; or Refused, and the line is out already).
struct PortRequest {
  enum class Kind { Port, ListRules, Explain, Refused } kind = Kind::Port;
  PortJob job;
  std::string explain;
  std::string error;
};

PortRequest parsePortOptions(llvm::ArrayRef<const char *> args);

} // namespace commands
} // namespace layout_port
