// A program's host part, compiled to machine code and run with its runtime (share/host).
//
// Linking and running happen in a child process (Child.h) only: what the program does there, it
// does to itself.
#pragma once

#include "compile/Compile.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/Support/MemoryBuffer.h>

namespace layout_port::verify {

bool hasMain(const llvm::Module &module);

// Machine code, to be linked any number of times.
struct HostProgram {
  std::unique_ptr<llvm::MemoryBuffer> program, runtime; // object files
};

// `provided` are the names of the tool's functions that program and runtime may call. A function
// that nobody has becomes a call of lpMissing, so that only its use is an error.
llvm::Expected<HostProgram> compileHostProgram(CompiledModule program, CompiledModule runtime,
                                               llvm::ArrayRef<llvm::StringRef> provided);

// Runs static constructors, registration among them, and main. `begin` is called when the program
// is linked and its own code is about to run. An error: it cannot be linked.
llvm::Expected<int> runMain(const HostProgram &program, const std::vector<std::string> &arguments,
                            const llvm::StringMap<void *> &provided, void (*begin)());

} // namespace layout_port::verify
