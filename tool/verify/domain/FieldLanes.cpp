// See FieldLanes.h.
#include "domain/FieldLanes.h"

#include "machine/Clones.h"

namespace layout_port::verify {
namespace {

constexpr unsigned kRow = 32;

LP_INLINE uint32_t largerOf(uint32_t a, uint32_t b) { return a > b ? a : b; }

LP_CLONES uint32_t largestWord(const uint32_t *a, unsigned lanes) {
  uint32_t largest = 0;
  for (unsigned first = 0; first < lanes; first += kRow)
    for (unsigned i = 0; i < kRow; ++i)
      largest = largerOf(largest, a[first + i]);
  return largest;
}

// Modulo p = 2^bits - excess, of a word below 2^32 (bits = 16) or 2^16 (bits = 8).
LP_INLINE uint32_t reduceWord(uint32_t x, unsigned bits, uint32_t excess, uint32_t prime) {
  const uint32_t mask = (1u << bits) - 1;
  for (unsigned fold = 0; fold < 3; ++fold)
    x = (x >> bits) * excess + (x & mask);
  return x >= prime ? x - prime : x;
}

template <class F> LP_INLINE void forRows(unsigned lanes, F f) {
  for (unsigned first = 0; first < lanes; first += kRow) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
    for (unsigned i = 0; i < kRow; ++i)
      f(first + i);
  }
}

LP_CLONES void addPlain(const uint32_t *a, const uint32_t *b, uint32_t *to, unsigned lanes,
                        uint32_t prime) {
  forRows(lanes, [=](unsigned i) {
    const uint32_t sum = a[i] + b[i];
    to[i] = sum >= prime ? sum - prime : sum;
  });
}

LP_CLONES void subtractPlain(const uint32_t *a, const uint32_t *b, uint32_t *to, unsigned lanes,
                             uint32_t prime) {
  forRows(lanes, [=](unsigned i) {
    const uint32_t sum = a[i] + (prime - b[i]);
    to[i] = sum >= prime ? sum - prime : sum;
  });
}

LP_CLONES void multiplyPlain(const uint32_t *a, const uint32_t *b, uint32_t *to, unsigned lanes,
                             unsigned bits, uint32_t prime) {
  const uint32_t excess = (1u << bits) - prime;
  forRows(lanes, [=](unsigned i) { to[i] = reduceWord(a[i] * b[i], bits, excess, prime); });
}

LP_CLONES void multiplyAddPlain(const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                uint32_t *to, unsigned lanes, unsigned bits, uint32_t prime) {
  const uint32_t excess = (1u << bits) - prime;
  forRows(lanes, [=](unsigned i) {
    const uint32_t sum = reduceWord(a[i] * b[i], bits, excess, prime) + c[i];
    to[i] = sum >= prime ? sum - prime : sum;
  });
}

bool allPlain(const Field &field, const uint32_t *a, const uint32_t *b, unsigned lanes) {
  return field.algebra() == Algebra::Residues &&
         largerOf(largestWord(a, lanes), largestWord(b, lanes)) < field.prime();
}

} // namespace

bool addRows(const Field &field, const uint32_t *a, const uint32_t *b, uint32_t *to,
             unsigned lanes) {
  if (!allPlain(field, a, b, lanes))
    return false;
  addPlain(a, b, to, lanes, field.prime());
  return true;
}

bool subtractRows(const Field &field, const uint32_t *a, const uint32_t *b, uint32_t *to,
                  unsigned lanes) {
  if (!allPlain(field, a, b, lanes))
    return false;
  subtractPlain(a, b, to, lanes, field.prime());
  return true;
}

bool multiplyRows(const Field &field, const uint32_t *a, const uint32_t *b, uint32_t *to,
                  unsigned lanes) {
  if (!allPlain(field, a, b, lanes))
    return false;
  multiplyPlain(a, b, to, lanes, field.bits(), field.prime());
  return true;
}

bool multiplyAddRows(const Field &field, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                     uint32_t *to, unsigned lanes) {
  if (!allPlain(field, a, b, lanes) || largestWord(c, lanes) >= field.prime())
    return false;
  multiplyAddPlain(a, b, c, to, lanes, field.bits(), field.prime());
  return true;
}

} // namespace layout_port::verify
