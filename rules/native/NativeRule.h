// Re-solves the matrix products of a kernel for waves of 64 lanes.
//
// What a kernel needs to be native, each with the reason when it is not so:
//   - all matrix work is in reach: fragments in the kernel's own arrays, read by
//     ldmatrix, multiplied by mma.sync, untouched in between
//   - the two warps of a wave never part around it
//   - addresses are functions of lane and warp that can be evaluated for another lane
// Then operands are read where the MFMA wants them (no lane gives another anything), and
// behind the loop accumulators return to CUDA's layout where the kernel looks at them.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "native/Solve.h"
#include "source/Program.h"

#include <map>
#include <string>
#include <vector>

namespace layout_port::native {

// One kernel (of a template: one instance) and the plan its port follows, or why it has none.
struct Explained {
  const Kernel *kernel = nullptr;
  KernelPlans plans;
  std::string problem; // empty: the first plan is taken
  TextRange at;
};

struct NativePort {
  std::vector<Site> sites;
  std::vector<RuntimeChunk> made;
  std::vector<RowFunction> rowFunctions; // each has a site behind the function
  // Parts of the source that the sites replace or remove: nothing else may stand for
  // them, but for what their new text quotes.
  std::vector<std::string> notes;   // "kernel: stays bridged: why"
  std::vector<Explained> explained; // every kernel that multiplies
  // threadIdx.x in kernels whose half waves may do another warp's work, wherever it is left.
  std::vector<Site> mirrored;
  // Bodies that are run for another lane, and what is declared anew in front of them.
  struct Rebound {
    TextRange range;
    std::set<std::string> names;
  };
  std::vector<Rebound> rebound;
};

// `padded`: kernels whose blocks of one warp are padded to a wave; `unpadded`: that were to be, and
// why they are not; `targets`: the chips that it is for, none: all.
NativePort portNatively(const Program &program, const PortCaps &caps,
                        const std::vector<std::string> &padded = {},
                        const std::map<std::string, std::string> &unpadded = {},
                        const std::vector<std::string> &targets = {});

// Drops the sites of other rules that lie in text which a native site wrote anew.
void dropReplaced(const std::vector<Site> &native, std::vector<Site> &others);

} // namespace layout_port::native
