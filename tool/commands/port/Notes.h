// What a run has to say beside its sites: one line each, for the summary and the
// JSON.
#pragma once

#include "Registry.h"
#include "check/Compile.h"
#include "frontend/Parse.h"

#include <string>
#include <vector>

namespace layout_port {

// Headers that nobody has, errors while parsing, what the pre-pass mended.
void addParseNotes(const ParseResult &parsed, std::vector<std::string> &notes);

// Sites in #if arms that --cuda-arch does not take: ported from their tokens alone.
void addArmNotes(const Program &program, const std::vector<Site> &sites, llvm::StringRef cudaArch,
                 std::vector<std::string> &notes);

// Memory of one type that the device code reads as another: the output wants a flag of hipcc.
void addTypePunNotes(const Program &program, std::vector<std::string> &notes);

// Blocks that are no whole number of waves: right, but without MFMA in the last.
void addLaunchNotes(const Program &program, const PortedProgram &ported,
                    std::vector<std::string> &notes);

// Launches with more shared memory than the checked chip has: they fail there as surely
// as a build, and count as one that does, with the line among its diagnostics.
void addSharedNotes(const ParseResult &parsed, CheckResult &check, std::vector<std::string> &notes);

} // namespace layout_port
