// Random layouts, from a seed that a failing test can print.
//
//   for (uint64_t seed = 0; seed < 10000; ++seed) {
//     RandomLayouts random(seed);
//     SCOPED_TRACE(testing::Message() << "seed " << seed);
//     ...
//   }
#pragma once

#include "layout_port/layouts/LinearLayout.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace layout_port {

class RandomLayouts {
public:
  explicit RandomLayouts(uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15u + 1) {}

  // Uniform in [0, bound).
  uint64_t below(uint64_t bound) { return engine_() % bound; }
  bool coin() { return below(2) != 0; }
  uint64_t bits(int count) { return engine_() & f2::lowMask(count); }

  // Dims name0, name1, ... with `total` bits spread over them; some have none.
  std::vector<LayoutDim> dims(const std::string &name, int total) {
    std::vector<LayoutDim> dims;
    for (uint64_t d = 0, count = 1 + below(3); d < count; ++d)
      dims.push_back({name + std::to_string(d), 0});
    for (int i = 0; i < total; ++i)
      ++dims[below(dims.size())].bits;
    return dims;
  }

  // The columns of a matrix: any, or like those of real layouts (unit vectors in some
  // order, zeros, repetitions, a swizzle).
  f2::Columns columns(int inBits, int outBits) {
    const uint64_t style = below(4);
    f2::Columns m;
    for (int i = 0; i < inBits; ++i) {
      uint64_t column = bits(outBits);
      if (style > 0 && outBits > 0)
        column = uint64_t(1) << below(outBits);
      if (style > 1 && below(4) == 0)
        column = 0;
      if (style > 2 && outBits > 0 && coin())
        column |= uint64_t(1) << below(outBits);
      m.push_back(column);
    }
    return m;
  }

  // An invertible matrix: a permutation and some row additions.
  f2::Columns invertible(int n) {
    f2::Columns m;
    for (int i = 0; i < n; ++i)
      m.push_back(uint64_t(1) << i);
    std::shuffle(m.begin(), m.end(), engine_);
    for (uint64_t steps = n > 1 ? below(2 * n) : 0; steps > 0; --steps) {
      const uint64_t from = below(n), to = below(n);
      if (from != to)
        m[to] ^= m[from];
    }
    return m;
  }

  // Many columns that reach every output: invertible ones among others, shuffled.
  f2::Columns surjective(int inBits, int outBits) {
    f2::Columns m = invertible(outBits);
    for (const uint64_t column : columns(inBits - outBits, outBits))
      m.push_back(column);
    std::shuffle(m.begin(), m.end(), engine_);
    return m;
  }

  LinearLayout layout(const std::vector<LayoutDim> &ins, const std::vector<LayoutDim> &outs) {
    return *LinearLayout::fromColumns(ins, outs, columns(total(ins), total(outs)));
  }

  template <typename T> std::vector<T> shuffled(std::vector<T> items) {
    std::shuffle(items.begin(), items.end(), engine_);
    return items;
  }

  static int total(const std::vector<LayoutDim> &dims) {
    int bits = 0;
    for (const LayoutDim &dim : dims)
      bits += dim.bits;
    return bits;
  }

private:
  std::mt19937_64 engine_;
};

} // namespace layout_port
