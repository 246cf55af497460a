// Chooses a scheme for every product of a kernel, or says why there is none.
#pragma once

#include "native/HeldSteps.h"
#include "native/Price.h"
#include "native/Scheme.h"

#include <set>

namespace layout_port::native {

// All mma statements of one kind on one accumulator variable, and how they are re-solved.
struct Product {
  uint64_t d = 0; // declaration of the accumulator
  // Another kind of mma adds to the same sums (the rest of k, half as deep), and is the first that
  // does: what becomes of the sums is that one's to say.
  bool isFurther = false;
  std::vector<const MmaSite *> mmas;
  std::set<uint64_t> a, b; // declarations of the operands
  Scheme scheme;
  int nDim = -1;  // which tile index of the accumulator runs along n
  int nDimB = -1; // and which of B; -1: none
  int mDim = -1;  // the same along m, where 32x32 MFMAs ask for it
  int mDimA = -1;
  // Deep: the loop over k of which two trips become one.
  const Loop *stepLoop = nullptr;
  // Products whose steps of k wait for each other on some chip (HeldSteps.h).
  std::map<const MmaSite *, HeldSteps> held;
  // The epilogue that runs where the elements lie; none: they go back to CUDA's layout
  // behind the loops, and why.
  const Epilogue *epilogue = nullptr;
  std::string noEpilogue;
  TextRange noEpilogueAt;
};

// Its sums are read in CUDA's layout, behind a conversion.
bool goesBack(const Kernel &kernel, const Product &product);
// Other code works on its sums in front of the products, so that they come from CUDA's layout. The
// last such use; null: there is none.
const FragmentUse *usedInFront(const Kernel &kernel, const Product &product);

struct Refusal {
  std::string reason;
  TextRange at;
  // The operand that it is about, which would not stand in the way where CUDA has it; 0: none.
  uint64_t operand = 0;
};

// The chips that one output must serve.
const std::vector<isa::Arch> &outputArchs();

// What a plan must do without, so that one text serves all instantiations of a template.
struct PlanLimits {
  bool mayTurn = true;     // a B along n may be turned (Scheme.h)
  bool onlyApart = false;  // as if the warps of a wave shared nothing
  bool onlySingle = false; // each n8 tile by itself
  bool mayFollow = true;   // the epilogue may follow the elements; else nothing is doubled, either
  bool inPairs = false;    // no n8 tile by itself
  bool anyNumber = false;  // ... but the last, where their number is odd
  bool mayPart = false;    // each instance of a function that multiplies for itself
  bool mayHold = true;     // steps of k may wait for each other
  bool mayDouble = true;   // k may go two steps at once, a 32x32 MFMA do four tiles
  bool inTwos = false;     // what the warps share is used, and a turned B read in twos
  // For whose sake loops are split so that they do; none: of all (outputArchs).
  std::vector<isa::Arch> targets = {};
};

// One way to do all products of a kernel, and what it costs (Price.h): on every chip of
// outputArchs(), in their order, all products together.
struct Plan {
  std::vector<Product> products;
  std::vector<Price> prices;
  double total = 0; // clocks, the sum over the chips
};

// A choice for one product that something speaks against.
struct Blocked {
  Product product;
  Refusal why;
};

// What was considered for a kernel: plans, the cheapest first, at most kPlansKept; the first
// is the one to take. Equal prices stay in the order of the choices, so the same kernel has
// the same plan each time.
struct KernelPlans {
  std::vector<Plan> plans;
  std::vector<Blocked> blocked;
};
inline constexpr size_t kPlansKept = 8;

// The refusal when there is no plan.
std::optional<Refusal> planKernel(const Kernel &kernel, const PlanLimits &limits,
                                  KernelPlans &plans);

// What a tile holds is told by the number of another one, or by more than its own.
inline bool tilesMeet(const Scheme &scheme) {
  return scheme.large ? scheme.rowTilesTogether() > 1 : scheme.tilesTogether() > 1;
}
// The tile index that says so.
inline int dimOfTiles(const Product &product) {
  return product.scheme.rowTilesTogether() > 1 ? product.mDim : product.nDim;
}

// ... and of a tile that an epilogue names. It may count those that go together by themselves, the
// two of `acc[i * 16 + j * 8 + c * 4 + r]`, where the products know i and 2 * j + c.
inline int dimOfTilesIn(const Product &product, const Slot &tile) {
  const int dim = dimOfTiles(product);
  const Slot &d = product.mmas[0]->d[0];
  const size_t dims = d.tile.size();
  const bool isFiner = d.flatRegisters && dim >= 0 && static_cast<size_t>(dim) + 1 == dims &&
                       tile.tile.size() == dims + 1 &&
                       tile.extents.back() == product.scheme.tilesTogether() &&
                       tile.extents[dim] * tile.extents.back() == d.extents[dim];
  return isFiner ? dim + 1 : dim;
}

// A 32x32 MFMA takes twice the words of B that a tile has registers for: two neighbours have half
// of them each. Without an index, the one variable grows.
inline bool hasHalves(const Product &product) { return product.scheme.large && product.nDimB >= 0; }

// How an epilogue's statements are rebound: to another lane and warp, or (wide, Columns)
// another lane of the same warp.
const EpilogueBody::Rebound &reboundOf(const EpilogueBody &body, const Scheme &scheme);

// The products that a load's registers go into: those in the innermost loop around the load
// that has any.
std::vector<const MmaSite *> fedBy(const Kernel &kernel, const LoadSite &load);

// The registers are one array's, in order.
bool inOrder(const std::vector<Slot> &slots);

} // namespace layout_port::native
