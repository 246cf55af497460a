// Gaussian elimination on 64-bit words. Everything rests on Span: vectors enter
// one at a time, each is reduced by the rows already there, and what is left
// becomes the row of its highest bit. Because vectors enter in column order, a
// column becomes a row exactly when it is a pivot of the reduced row echelon
// form, and the tags of a reduction are the solution whose free variables are 0.
#include "layout_port/layouts/F2.h"

#include <algorithm>

namespace layout_port {
namespace f2 {

uint64_t lowMask(int bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }
uint64_t shiftLeft(uint64_t x, int by) { return by >= 64 ? 0 : x << by; }
uint64_t shiftRight(uint64_t x, int by) { return by >= 64 ? 0 : x >> by; }
int popcount(uint64_t x) { return __builtin_popcountll(x); }
int lowestBit(uint64_t x) { return __builtin_ctzll(x); }
int highestBit(uint64_t x) { return 63 - __builtin_clzll(x); }

uint64_t apply(const Columns &m, uint64_t x) {
  uint64_t y = 0;
  for (x &= lowMask(static_cast<int>(m.size())); x; x &= x - 1)
    y ^= m[lowestBit(x)];
  return y;
}

Columns multiply(const Columns &a, const Columns &b) {
  Columns product;
  for (const uint64_t column : b)
    product.push_back(apply(a, column));
  return product;
}

Columns transpose(const Columns &m, int rows) {
  Columns result(rows, 0);
  for (size_t c = 0; c < m.size(); ++c)
    for (uint64_t x = m[c] & lowMask(rows); x; x &= x - 1)
      result[lowestBit(x)] |= uint64_t(1) << c;
  return result;
}

Span::Row Span::reduce(uint64_t vector) const {
  Row left{vector, 0};
  // From the top: each step clears the highest bit that has a row.
  for (uint64_t todo = vector; todo;) {
    const int top = highestBit(todo);
    const Row &row = rows_[top];
    if (row.rest) {
      left.rest ^= row.rest;
      left.tags ^= row.tags;
    }
    todo = left.rest & lowMask(top);
  }
  return left;
}

bool Span::insert(uint64_t vector, int tag) {
  Row row = reduce(vector);
  if (!row.rest)
    return false;
  row.tags ^= uint64_t(1) << tag;
  rows_[highestBit(row.rest)] = row;
  ++rank_;
  return true;
}

std::optional<uint64_t> Span::solve(uint64_t vector) const {
  const Row row = reduce(vector);
  if (row.rest)
    return std::nullopt;
  return row.tags;
}

static Span spanOf(const Columns &m) {
  Span span;
  for (size_t c = 0; c < m.size(); ++c)
    span.insert(m[c], static_cast<int>(c));
  return span;
}

int rank(const Columns &m) { return spanOf(m).rank(); }

uint64_t pivots(const Columns &m) {
  Span span;
  uint64_t mask = 0;
  for (size_t c = 0; c < m.size(); ++c)
    if (span.insert(m[c], static_cast<int>(c)))
      mask |= uint64_t(1) << c;
  return mask;
}

std::optional<uint64_t> solve(const Columns &m, uint64_t y) { return spanOf(m).solve(y); }

std::optional<Columns> solve(const Columns &m, const Columns &y) {
  const Span span = spanOf(m);
  Columns x;
  for (const uint64_t column : y) {
    const std::optional<uint64_t> solution = span.solve(column);
    if (!solution)
      return std::nullopt;
    x.push_back(*solution);
  }
  return x;
}

Columns kernel(const Columns &m) {
  Span span;
  Columns basis;
  for (size_t c = 0; c < m.size(); ++c)
    if (const std::optional<uint64_t> sum = span.solve(m[c]))
      basis.push_back(*sum | uint64_t(1) << c);
    else
      span.insert(m[c], static_cast<int>(c));
  return basis;
}

Columns reducedBasis(const Columns &vectors) {
  uint64_t rows[64] = {};
  for (uint64_t v : vectors) {
    while (v && rows[highestBit(v)])
      v ^= rows[highestBit(v)];
    if (v)
      rows[highestBit(v)] = v;
  }
  // Back substitution: clear each row's highest bit out of the rows above.
  Columns basis;
  for (int low = 0; low < 64; ++low) {
    if (!rows[low])
      continue;
    for (int high = low + 1; high < 64; ++high)
      if (rows[high] >> low & 1)
        rows[high] ^= rows[low];
  }
  for (const uint64_t row : rows)
    if (row)
      basis.push_back(row);
  return basis;
}

Columns image(const Columns &m) {
  Columns basis;
  for (uint64_t p = pivots(m); p; p &= p - 1)
    basis.push_back(m[lowestBit(p)]);
  return basis;
}

namespace {

// Finds the lightest element of the coset x0 + ker M. With the kernel basis k_f
// (one vector a free column f, no other free bit) an element is x0 plus a subset
// S of the basis, and its weight is at least |S|: so subsets are tried by size,
// and the search ends when the size alone exceeds the best weight.
class LightestInCoset {
public:
  LightestInCoset(uint64_t start, Columns kernelBasis)
      : kernel_(std::move(kernelBasis)), best_(start) {}

  uint64_t run() {
    const uint64_t start = best_;
    for (int size = 1; size <= static_cast<int>(kernel_.size()) && size <= popcount(best_); ++size)
      extend(start, 0, size);
    return best_;
  }

private:
  void extend(uint64_t x, size_t from, int size) {
    if (size == 0) {
      consider(x);
      return;
    }
    for (size_t i = from; i + size <= kernel_.size(); ++i)
      extend(x ^ kernel_[i], i + 1, size - 1);
  }

  void consider(uint64_t x) {
    const int weight = popcount(x), bestWeight = popcount(best_);
    if (weight < bestWeight || (weight == bestWeight && x < best_))
      best_ = x;
  }

  Columns kernel_;
  uint64_t best_;
};

// The columns that a lightest solution can use: neither zero nor a repetition of
// a lower column. `index` says where each came from.
struct DistinctColumns {
  Columns columns;
  std::vector<int> index;
};

DistinctColumns distinctColumns(const Columns &m) {
  DistinctColumns kept;
  for (size_t c = 0; c < m.size(); ++c) {
    if (m[c] == 0 ||
        std::find(kept.columns.begin(), kept.columns.end(), m[c]) != kept.columns.end())
      continue;
    kept.columns.push_back(m[c]);
    kept.index.push_back(static_cast<int>(c));
  }
  return kept;
}

uint64_t expand(uint64_t x, const std::vector<int> &index) {
  uint64_t wide = 0;
  for (; x; x &= x - 1)
    wide |= uint64_t(1) << index[lowestBit(x)];
  return wide;
}

} // namespace

std::optional<uint64_t> solveMinWeight(const Columns &m, uint64_t y) {
  const DistinctColumns kept = distinctColumns(m);
  const std::optional<uint64_t> start = solve(kept.columns, y);
  if (!start)
    return std::nullopt;
  return expand(LightestInCoset(*start, kernel(kept.columns)).run(), kept.index);
}

std::optional<Columns> minWeightRightInverse(const Columns &m, int rows) {
  Columns inverse;
  for (int r = 0; r < rows; ++r) {
    const std::optional<uint64_t> x = solveMinWeight(m, uint64_t(1) << r);
    if (!x)
      return std::nullopt;
    inverse.push_back(*x);
  }
  return inverse;
}

Columns intersection(const Columns &u, const Columns &v) {
  // Sum of some u = sum of some v: carry along, for each row of the span of U
  // and V, which part of it came from U (Zassenhaus).
  struct Row {
    uint64_t sum = 0, fromU = 0;
  };
  Row rows[64];
  Columns common;
  const auto insert = [&](uint64_t sum, uint64_t fromU) {
    while (sum && rows[highestBit(sum)].sum) {
      const Row &row = rows[highestBit(sum)];
      fromU ^= row.fromU;
      sum ^= row.sum;
    }
    if (sum)
      rows[highestBit(sum)] = {sum, fromU};
    else
      common.push_back(fromU);
  };
  for (const uint64_t vector : reducedBasis(u))
    insert(vector, vector);
  for (const uint64_t vector : reducedBasis(v))
    insert(vector, 0);
  return reducedBasis(common);
}

Columns complement(const Columns &u, int bits) {
  uint64_t taken = 0;
  for (const uint64_t vector : reducedBasis(u))
    taken |= uint64_t(1) << highestBit(vector);
  Columns units;
  for (int b = 0; b < bits; ++b)
    if (!(taken >> b & 1))
      units.push_back(uint64_t(1) << b);
  return units;
}

// The vectors of `candidates` that extend the span of `base`, in order.
static Columns extension(const Columns &base, const Columns &candidates) {
  Span span;
  for (const uint64_t vector : base)
    span.insert(vector, 0);
  Columns added;
  for (const uint64_t vector : candidates)
    if (span.insert(vector, 0))
      added.push_back(vector);
  return added;
}

static Columns joined(Columns a, const Columns &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Columns commonComplement(const Columns &u, const Columns &v, int bits) {
  const Columns common = intersection(u, v);
  const Columns onlyU = extension(common, reducedBasis(u));
  const Columns onlyV = extension(common, reducedBasis(v));
  // Pair as many as there are on both sides; what is left of the longer side
  // joins the shorter space and thereby the part that C avoids.
  Columns c;
  for (size_t i = 0; i < std::min(onlyU.size(), onlyV.size()); ++i)
    c.push_back(onlyU[i] ^ onlyV[i]);
  return joined(c, complement(joined(u, v), bits));
}

} // namespace f2
} // namespace layout_port
