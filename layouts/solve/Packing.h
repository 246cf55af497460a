// From elements to the 32-bit words that move between lanes.
#pragma once

#include "solve/Conversion.h"

namespace layout_port::solve {

// v_perm and v_cndmask that a register step takes, for slots of 32 >> subBits bits.
int registerSelects(const RegisterStep &step, int subBits);
// Does nothing at all.
bool isIdentity(const RegisterStep &step, int oldSlotBits);
// `first`, then `second`, as one step.
RegisterStep fused(const RegisterStep &first, const RegisterStep &second, int subBits);

// A conversion of slots as three: pack, move whole words, unpack.
//
// Slots may share a word on the way exactly when they come from one lane and go to
// one lane, that is along a subspace K of ker U. With B = (K | rest) a basis of the
// destination slots, and (Q K, fillers | E) one of the source slots:
//
//   pack     packed slot (k, r)  = source slot  (Q K, fillers) k ^ E r
//   move     words r             by the word-level conversion
//   unpack   destination slot    = received slot (k ^ a, w) where (k, w) = B^-1 slot
//
// a, which may depend on the lane, is the place in the word, which a word move cannot
// change; fillers are places that only come along, because ker U is too small to use
// the whole word. Copies inside a lane are made by unpack.
struct Packed {
  RegisterStep pack;
  Conversion words;
  RegisterStep unpack;
};
Packed packIntoWords(const Conversion &slots, int subBits);

} // namespace layout_port::solve
