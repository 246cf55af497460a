// See MatrixKernels.h.
#include "semantics/MatrixKernels.h"

#include "machine/Clones.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace layout_port::verify {
namespace {

constexpr unsigned kColumns = 8; // of one vector

// sums[i][j] = sum over p of a[i][p] . b[p][j], pairs of signed 16-bit numbers.
void multiplyPairsPlainly(const int16_t *a, const int16_t *b, int32_t *sums, unsigned m, unsigned n,
                          unsigned pairs) {
  for (unsigned i = 0; i < m; ++i) {
    int32_t *row = sums + i * n;
    std::fill_n(row, n, 0);
    for (unsigned p = 0; p < pairs; ++p) {
      const int32_t x = a[(i * pairs + p) * 2], y = a[(i * pairs + p) * 2 + 1];
      const int16_t *columns = b + p * n * 2;
      for (unsigned j = 0; j < n; ++j)
        row[j] += x * columns[2 * j] + y * columns[2 * j + 1];
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void multiplyPairsByVectors(const int16_t *a, const int16_t *b,
                                                            int32_t *sums, unsigned m, unsigned n,
                                                            unsigned pairs) {
  for (unsigned j = 0; j < n; j += kColumns)
    for (unsigned i = 0; i < m; ++i) {
      __m256i sum = _mm256_setzero_si256();
      const int16_t *left = a + size_t(i) * pairs * 2, *right = b + j * 2;
      for (unsigned p = 0; p < pairs; ++p) {
        int32_t pair;
        std::memcpy(&pair, left + p * 2, sizeof(pair));
        const __m256i columns =
            _mm256_loadu_si256(reinterpret_cast<const __m256i *>(right + size_t(p) * n * 2));
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(pair), columns));
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(sums + i * n + j), sum);
    }
}
#endif

void multiplyPairs(const int16_t *a, const int16_t *b, int32_t *sums, unsigned m, unsigned n,
                   unsigned pairs) {
#if defined(__x86_64__)
  static const bool vectors = __builtin_cpu_supports("avx2");
  if (vectors && n % kColumns == 0)
    return multiplyPairsByVectors(a, b, sums, m, n, pairs);
#endif
  multiplyPairsPlainly(a, b, sums, m, n, pairs);
}

LP_INLINE uint32_t foldOnce(uint32_t x, uint32_t excess) {
  return (x >> 16) * excess + (x & 0xffff);
}

// Returns the largest residue.
LP_CLONES uint32_t centre(const uint16_t *from, int16_t *to, unsigned count, uint32_t prime) {
  uint16_t largest = 0;
  const uint16_t half = uint16_t(prime / 2), whole = uint16_t(prime);
  for (unsigned i = 0; i < count; ++i) {
    const uint16_t x = from[i];
    largest = x > largest ? x : largest;
    to[i] = int16_t(x > half ? x - whole : x);
  }
  return largest;
}

LP_CLONES void split(const int16_t *from, int16_t *low, int16_t *high, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    low[i] = from[i] & 0xff;
    high[i] = int16_t(from[i] >> 8);
  }
}

// Rows 2p and 2p + 1 become one of pairs.
LP_CLONES void interleave(const int16_t *rows, int16_t *pairs, unsigned n, unsigned count) {
  for (unsigned p = 0; p < count; ++p)
    for (unsigned j = 0; j < n; ++j) {
      pairs[(p * n + j) * 2] = rows[2 * p * n + j];
      pairs[(p * n + j) * 2 + 1] = rows[(2 * p + 1) * n + j];
    }
}

// c = c + low + 256 high modulo p = 2^16 - 269. |low| and |high| are below 2^31 - 2^16, so
// that adding the largest multiple of p below 2^31 makes them positive; a fold (2^16 is 269)
// leaves 25 of 32 bits, 18 of 25, 17 of 18.
LP_CLONES void reduceSums(const int32_t *low, const int32_t *high, uint32_t *c, unsigned count,
                          uint32_t prime) {
  const uint32_t excess = 65536 - prime, bias = 0x7fffffffu / prime * prime;
  for (unsigned i = 0; i < count; ++i) {
    const uint32_t x = foldOnce(uint32_t(low[i]) + bias, excess);
    const uint32_t y = foldOnce(foldOnce(uint32_t(high[i]) + bias, excess), excess) << 8;
    const uint32_t sum = foldOnce(foldOnce(foldOnce(x + y + c[i], excess), excess), excess);
    c[i] = sum >= prime ? sum - prime : sum;
  }
}

void reduceSmallSums(const int32_t *sums, uint32_t *c, unsigned count, uint32_t prime) {
  for (unsigned i = 0; i < count; ++i) {
    const int32_t sum = (sums[i] + int32_t(c[i])) % int32_t(prime);
    c[i] = uint32_t(sum < 0 ? sum + int32_t(prime) : sum);
  }
}

LP_CLONES uint32_t largestOf(const uint32_t *values, unsigned count) {
  uint32_t largest = 0;
  for (unsigned i = 0; i < count; ++i)
    largest = values[i] > largest ? values[i] : largest;
  return largest;
}

template <unsigned N>
LP_INLINE void multiplyRows(const float *a, const float *b, float *c, unsigned m, unsigned k) {
  for (unsigned i = 0; i < m; ++i) {
    float sums[N];
    for (unsigned j = 0; j < N; ++j)
      sums[j] = c[i * N + j];
    for (unsigned kk = 0; kk < k; ++kk) {
      const float x = a[i * k + kk];
      for (unsigned j = 0; j < N; ++j)
        sums[j] += x * b[kk * N + j];
    }
    for (unsigned j = 0; j < N; ++j)
      c[i * N + j] = sums[j];
  }
}

} // namespace

bool multiplyResidues(const uint16_t *a, const uint16_t *b, uint32_t *c, unsigned m, unsigned n,
                      unsigned k, uint32_t prime, unsigned bits) {
  alignas(32) int16_t left[kMostElements], right[kMostElements], pairs[kMostElements];
  alignas(32) int16_t low[kMostElements], high[kMostElements];
  alignas(32) int32_t lowSums[kMostElements], highSums[kMostElements];
  if (std::max(centre(a, left, m * k, prime), centre(b, right, k * n, prime)) >= prime ||
      largestOf(c, m * n) >= prime)
    return false;
  interleave(right, pairs, n, k / 2);
  if (bits == 8) {
    multiplyPairs(left, pairs, lowSums, m, n, k / 2);
    reduceSmallSums(lowSums, c, m * n, prime);
    return true;
  }
  split(left, low, high, m * k);
  multiplyPairs(low, pairs, lowSums, m, n, k / 2);
  multiplyPairs(high, pairs, highSums, m, n, k / 2);
  reduceSums(lowSums, highSums, c, m * n, prime);
  return true;
}

void multiplyBytes(const int16_t *a, const int16_t *b, int32_t *c, unsigned m, unsigned n,
                   unsigned k) {
  alignas(32) int16_t pairs[kMostElements];
  interleave(b, pairs, n, k / 2);
  multiplyPairs(a, pairs, c, m, n, k / 2);
}

LP_CLONES void multiplyFloats(const float *a, const float *b, float *c, unsigned m, unsigned n,
                              unsigned k) {
  switch (n) {
  case 8:
    return multiplyRows<8>(a, b, c, m, k);
  case 16:
    return multiplyRows<16>(a, b, c, m, k);
  case 32:
    return multiplyRows<32>(a, b, c, m, k);
  default:
    for (unsigned i = 0; i < m; ++i)
      for (unsigned kk = 0; kk < k; ++kk)
        for (unsigned j = 0; j < n; ++j)
          c[i * n + j] += a[i * k + kk] * b[kk * n + j];
  }
}

} // namespace layout_port::verify
