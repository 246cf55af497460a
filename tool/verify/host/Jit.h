// Runs a program's main with LLVM's JIT, linked with the runtime of share/host.
//
// Only ever called in a child process (Child.h): what the program does there, it does to itself.
#pragma once

#include "compile/Compile.h"

#include <llvm/ADT/StringMap.h>

namespace layout_port::verify {

struct HostProgram {
  CompiledModule program, runtime;
};

bool hasMain(const llvm::Module &module);

// Buffers are called what main calls them: a call that allocates through the address of a named
// variable is preceded by lpNameNext("that name").
void nameAllocations(llvm::Module &module);

// Runs static constructors, registration among them, and main. `provided` are functions of the
// tool that the program and its runtime may call; `begin` is called when the program is linked and
// its own code is about to run. An error: the program cannot be linked.
llvm::Expected<int> runMain(HostProgram program, const std::vector<std::string> &arguments,
                            const llvm::StringMap<void *> &provided, void (*begin)());

} // namespace layout_port::verify
