// Writes a launch file for a module's kernels, and checks one against them.
#pragma once

#include "launch/LaunchFile.h"
#include "proof/Run.h"

namespace layout_port::verify {

// kernel: empty for all. Pointers become buffers, with the types of the signature or
// of what is read through them; two blocks along each axis that a kernel asks for; and
// for the whole-number arguments the first of some sizes at which the source runs
// without problems and nothing is thin (observe/Coverage.h). What stays thin is said in
// a comment; a person corrects the rest.
llvm::Expected<std::string> launchTemplate(Side &source, const std::string &kernel);

// Empty, or the first thing in the launch file that neither side can run: a missing
// kernel, a wrong number of arguments, an instruction that is not known.
std::string checkLaunch(Side &source, Side &port, const LaunchFile &file);

} // namespace layout_port::verify
