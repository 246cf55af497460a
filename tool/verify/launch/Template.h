// Writes a launch file for a module's kernels, and checks one against them.
#pragma once

#include "launch/LaunchFile.h"
#include "proof/Run.h"

namespace layout_port::verify {

// kernel: empty for all. Pointers become buffers, scalars get a small number; a
// person corrects types and sizes.
llvm::Expected<std::string> launchTemplate(const llvm::Module &module, const std::string &kernel);

// Empty, or the first thing in the launch file that neither side can run: a missing
// kernel, a wrong number of arguments, an instruction that is not known.
std::string checkLaunch(Side &source, Side &port, const LaunchFile &file);

} // namespace layout_port::verify
