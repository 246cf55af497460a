// What a plan costs: the number that plans are ranked by.
//
//   clocks of one wave, were nothing to overlap  =  MFMA + LDS + moves + VALU  in the loops
//                                                +  what stands behind them, once
//
//   MFMA    issue clocks of the chip's instruction (layouts/isa), times how often
//   LDS     issue clocks of each read; passes beyond the phases' own cost one slot each,
//           counted from the 64 addresses of the plan where they are known
//   moves   values that are asked of other lanes, operands that stay where CUDA has them
//   VALU    words put together, addresses that each turn needs anew
//   once    accumulators on their way back to CUDA's layout, stores by width
//
// A loop whose length nobody knows counts kTurns turns. The clocks are for ranking plans of
// one kernel, not for predicting its time.
#pragma once

#include "native/Scheme.h"

namespace layout_port::native {

struct Product;

inline constexpr int kTurns = 16;

struct Price {
  double mfma = 0, lds = 0, moves = 0, valu = 0, once = 0; // clocks
  // Of one turn of the innermost loops around the products, loops of constant length run
  // through; what the clocks are made of.
  double mfmas = 0, reads = 0, passes = 0, leastPasses = 0;
  int registers = 0;      // 32-bit, of a lane: sums and operands
  bool knowsBanks = true; // false: some addresses are not known, and no conflicts assumed

  double total() const { return mfma + lds + moves + valu + once; }
  Price &operator+=(const Price &other);
};

// The products of one kernel.
class Pricer {
public:
  explicit Pricer(const Kernel &kernel) : kernel_(kernel) {}
  Price price(const Product &product, isa::Arch arch);

private:
  // Clocks for one call of the conversion that takes a result back to CUDA's layout.
  double borderClocks(const Scheme &scheme, bool isPacked, isa::Arch arch);
  // For one tile of an operand that each product moves from CUDA's layout.
  static double moveClocks(const Scheme &scheme, bool isA, isa::Arch arch);

  const Kernel &kernel_;
  std::map<std::vector<int>, double> borders_;
};

// Registers that a lane has: the most a plan may take.
inline constexpr int kLaneRegisters = 512;

// Where the numbers come from and how sure they are, a line each: for the user's screen.
std::vector<std::string> priceSources(isa::Arch arch);

} // namespace layout_port::native
