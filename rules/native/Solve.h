// Chooses a scheme for every product of a kernel, or says why there is none.
#pragma once

#include "native/Scheme.h"

#include <set>

namespace layout_port::native {

// All mma statements on one accumulator variable, and how they are re-solved.
struct Product {
  uint64_t d = 0; // declaration of the accumulator
  std::vector<const MmaSite *> mmas;
  std::set<uint64_t> a, b; // declarations of the operands
  Scheme scheme;
  int nDim = -1;  // which tile index of the accumulator runs along n
  int nDimB = -1; // and which of B; -1: none
};

struct Refusal {
  std::string reason;
  TextRange at;
};

// The chips that one output must serve.
const std::vector<isa::Arch> &outputArchs();

// What a plan must do without, so that one text serves all instantiations of a template.
struct PlanLimits {
  bool mayTurn = true;     // a B along n may be turned (Scheme.h)
  bool onlyApart = false;  // as if the warps of a wave shared nothing
  bool onlySingle = false; // each n8 tile by itself
};

std::optional<Refusal> planKernel(const Kernel &kernel, const PlanLimits &limits,
                                  std::vector<Product> &products);

// From the first product on the accumulator to the end of the outermost loop, inside
// the accumulator's scope, that holds one.
TextRange regionOf(const Kernel &kernel, uint64_t accumulator);

// The products that a load's registers go into: those in the innermost loop around the load
// that has any.
std::vector<const MmaSite *> fedBy(const Kernel &kernel, const LoadSite &load);

// The registers are one array's, in order.
bool inOrder(const std::vector<Slot> &slots);

} // namespace layout_port::native
