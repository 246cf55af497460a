// Sites: what a kernel does with memory, matrices and lanes, with indices for addresses:
// the walk's events with PTX decoded, so that asm and C++ read the same.
#pragma once

#include "recover/FromAst.h"

#include <string>
#include <vector>

namespace layout_port::recover {

struct MemorySite {
  unsigned line = 0;      // in the kernel's own text
  unsigned innerLine = 0; // of the construct itself, in a function it calls
  std::string what;       // "load", "store", "ldmatrix.m8n8.x4.b16", "cp.async"
  bool isWrite = false;
  unsigned bytes = 0;  // a lane; a row of 16 for ldmatrix
  unsigned lanes = 32; // that give an address: 8 a tile for ldmatrix
  Place place;
  std::vector<AsmValue> registers; // of ldmatrix: destinations
  Control control;
};

struct MatrixSite {
  unsigned line = 0, innerLine = 0;
  std::string name; // "mma.m16n8k16.f16"
  std::vector<AsmValue> d, a, b, c;
  Control control;
};

struct KernelSites {
  std::vector<MemorySite> memory;
  std::vector<MatrixSite> matrices;
  std::vector<std::pair<ShuffleSite, Control>> shuffles;
  std::vector<std::pair<BranchSite, Control>> branches;
  std::vector<std::pair<unsigned, Control>> barriers; // line
};

// Runs the walk and collects. Kernels of one line are told apart by the caller.
KernelSites findSites(KernelWalk &walk, clang::ASTContext &context);

// Over which threads all of the conditions and trip counts around a site are the same.
Uniformity uniformityOf(KernelWalk &walk, const Control &control);

// Where an address of the wave's 64 lanes lies, for lanes whose warps are 2w and 2w + 1;
// other variables (wave, loops) as given by `rest`, absent ones 0. Nothing when the address
// is not a known function of the lane.
std::vector<uint64_t> waveAddresses(const NumericForm &form, const ThreadVariables &threads,
                                    uint64_t rest);

} // namespace layout_port::recover
