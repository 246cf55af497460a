// Random register layouts for the solvers' testers.
#pragma once

#include "layout_port/layouts/LinearLayout.h"

#include <algorithm>
#include <random>

namespace layout_port::testing {

class RandomLayouts {
public:
  explicit RandomLayouts(uint64_t seed) : random_(seed) {}

  int below(int bound) { return static_cast<int>(random_() % bound); }
  bool oneIn(int n) { return below(n) == 0; }

  // A basis of F2^bits: unit vectors in random order, or any basis at all.
  f2::Columns basis(int bits, bool permutation) {
    f2::Columns columns;
    for (int i = 0; i < bits; ++i)
      columns.push_back(uint64_t(1) << i);
    std::shuffle(columns.begin(), columns.end(), random_);
    if (!permutation)
      for (int step = 0; step < 4 * bits; ++step) {
        const int a = below(bits), b = below(bits);
        if (a != b)
          columns[a] ^= columns[b];
      }
    return columns;
  }

  // A surjective layout onto `bits` logical bits: a basis spread over register, lane
  // and warp, with zero columns (broadcast) or repeated ones where bits are left.
  LinearLayout surjective(int bits, int registerBits, int laneBits, int warpBits,
                          bool permutation) {
    const int inBits = registerBits + laneBits + warpBits;
    f2::Columns columns = basis(bits, permutation);
    while (static_cast<int>(columns.size()) < inBits)
      columns.push_back(oneIn(2) ? 0 : columns[below(static_cast<int>(columns.size()))]);
    std::shuffle(columns.begin(), columns.end(), random_);
    return made(columns, registerBits, laneBits, warpBits, bits);
  }

  // Any layout into `bits` logical bits.
  LinearLayout any(int bits, int registerBits, int laneBits, int warpBits) {
    f2::Columns columns;
    for (int i = 0; i < registerBits + laneBits + warpBits; ++i)
      columns.push_back(oneIn(6) ? 0 : random_() & f2::lowMask(bits));
    return made(columns, registerBits, laneBits, warpBits, bits);
  }

private:
  static LinearLayout made(f2::Columns columns, int registerBits, int laneBits, int warpBits,
                           int bits) {
    return *LinearLayout::fromColumns(
        {{"register", registerBits}, {"lane", laneBits}, {"warp", warpBits}}, {{"dim0", bits}},
        std::move(columns));
  }

  std::mt19937_64 random_;
};

} // namespace layout_port::testing
