// From source files to LLVM modules: spawns clang, or reads .ll and .bc.
//
// No SDK is needed: the project's own parse headers stand in for CUDA's and HIP's.
// The device side is compiled with -O1 (calls inlined, PTX left as asm) and line
// tables, so that findings name source lines. The host part, of programs that are
// run with their own main, is compiled with the same headers. What nvcc takes and clang
// does not is mended on the way, in the source and the headers it includes.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <string>
#include <vector>

namespace layout_port::verify {

// A file's text as clang should read it; empty when it needs no change. Lines stay.
using Mender = std::string (*)(llvm::StringRef text);

struct CompileOptions {
  std::string clang;       // empty: beside the executable, then where it was at build time
  std::string shareFolder; // with cuda/ and hip/; empty: looked for likewise
  std::string cudaArch = "sm_80";
  std::string hipArch = "gfx942";
  // SDKs whose headers device code is to be compiled with; empty: our own headers.
  std::string cudaPath, rocmPath;
  std::string executable;         // argv[0], for the look-up
  std::vector<std::string> flags; // given to both sides
  Mender mend = nullptr;          // tried on CUDA sources that do not compile
};

struct CompiledModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string path;
};

enum class Part : uint8_t { Device, Host };

// One part of a .cu, .hip or .cpp (taken as HIP); .ll and .bc are read as they are.
llvm::Expected<CompiledModule> compile(Part part, const std::string &path,
                                       const CompileOptions &options);
inline llvm::Expected<CompiledModule> compileDevice(const std::string &path,
                                                    const CompileOptions &options) {
  return compile(Part::Device, path, options);
}

// What a program's host part calls: the runtime of share/host, with CUDA's names or with HIP's.
// sharedBytes: what a block may have.
llvm::Expected<CompiledModule> compileHostRuntime(bool cuda, unsigned sharedBytes,
                                                  const CompileOptions &options);

} // namespace layout_port::verify
