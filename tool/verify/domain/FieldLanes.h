// Sums and products of whole rows of residues, in loops that become vector code.
//
// Only for Algebra::Residues and only where every operand is a plain residue: others give
// false, and nothing is written. Rows of 32 or 64 words; the result may be an operand.
#pragma once

#include "domain/Field.h"

namespace layout_port::verify {

bool addRows(const Field &field, const uint32_t *a, const uint32_t *b, uint32_t *to,
             unsigned lanes);
bool subtractRows(const Field &field, const uint32_t *a, const uint32_t *b, uint32_t *to,
                  unsigned lanes);
bool multiplyRows(const Field &field, const uint32_t *a, const uint32_t *b, uint32_t *to,
                  unsigned lanes);
bool multiplyAddRows(const Field &field, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                     uint32_t *to, unsigned lanes);

} // namespace layout_port::verify
