// Compiles an output for each target, in child processes, down to a code object.
//
// -c and nothing less: with -S, PTX text would pass straight into the assembly
// with exit 0, and an MFMA builtin of the wrong chip passes Sema and dies in the
// backend.
#pragma once

#include "frontend/Resources.h"
#include "source/Emit.h"

#include <string>
#include <vector>

namespace layout_port {

struct CheckOptions {
  std::string text;                        // the output
  std::string path = "output.hip";         // where it stands among `beside`
  std::vector<EmittedFile> beside;         // headers that were written with it
  std::string inputDir;                    // quoted includes are looked up here too
  std::vector<std::string> flags;          // the user's -I, -D, -std
  std::vector<std::string> missingHeaders; // replaced by empty ones
  std::vector<std::string> targets;
  bool allowManual = false; // -DLP_ALLOW_MANUAL
  unsigned seconds = 300;   // that one compile may take
};

struct CheckResult {
  std::string target; // gfx942, or "host"
  bool compiled = false;
  // clang's, against the output, and what else stands against it: why clang did not end, that a
  // launch wants more shared memory than the chip has. Not empty where it did not compile.
  std::string diagnostics;
};

// One result a target, and one for the host side. Runs as many children at once
// as there are cores.
std::vector<CheckResult> compileOutput(const CheckOptions &options, const Resources &resources);

} // namespace layout_port
