// The inner loops of matrix instructions, on dense row-major matrices.
//
// Residues modulo p < 2^16 are multiplied as signed 16-bit numbers, two k at a time:
//
//   centred     x - p if x > p / 2                    |x| < 2^15
//   split       x = 256 hi + lo                       0 <= lo < 256, |hi| <= 128
//   pairs       sum of a[2p] b[2p] + a[2p+1] b[2p+1]  one instruction (pmaddwd)
//
// so that 128 products of lo or hi fit 32 bits; both sums are put together and reduced
// once an element.
#pragma once

#include <cstdint>

namespace layout_port::verify {

// The most elements of one operand or result of one instruction, and the largest k.
constexpr unsigned kMostElements = 4096, kMostDepth = 128;

// c = c + a b modulo `prime`, which is at most 2^bits and not much less. k is even, at most
// kMostDepth. False, and c is as it was: some operand is no residue.
bool multiplyResidues(const uint16_t *a, const uint16_t *b, uint32_t *c, unsigned m, unsigned n,
                      unsigned k, uint32_t prime, unsigned bits);

// c = a b, with all products and sums in 32 bits, for 8-bit integers. k is even.
void multiplyBytes(const int16_t *a, const int16_t *b, int32_t *c, unsigned m, unsigned n,
                   unsigned k);

// c = c + a b, k in ascending order, rounding each product and each sum.
void multiplyFloats(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k);

} // namespace layout_port::verify
