// How the elements of an operand become what an MFMA multiplies, and what half a
// wave multiplies without one. Rows of data: a PTX type, an MFMA type, the chips.
#pragma once

#include "layout_port/layouts/Isa.h"
#include "ptx/decode/Mma.h"

#include <string>
#include <vector>

namespace layout_port {

// The MFMA sees each element times 2^scaleBits, less 128 where `biased`.
struct OperandNumbers {
  ptx::Type source;
  isa::ElementType mfma;
  unsigned archs;       // bit (1 << isa::Arch) for each chip
  const char *parts[2]; // the MFMA's words out of the source's word "$"; the second may be null
  const char *chunk;    // of the device runtime, or ""
  int scaleBits;
  bool biased;
  int operations; // vector instructions that a source word takes, about

  bool servesOn(isa::Arch arch) const { return archs >> static_cast<int>(arch) & 1; }
  int expansionBits() const { return parts[1] ? 1 : 0; }
};

// The ways of a PTX type, best first.
std::vector<const OperandNumbers *> numbersOf(ptx::Type type, isa::Arch arch);

// log2 of the elements in one register of a fragment: 32 bits, or one f64.
int packedBits(ptx::Type type);

// What lanes accumulate in.
struct SumType {
  const char *scalar;   // "float"
  const char *word;     // what moves between lanes: "unsigned", or "double"
  const char *vector4;  // four of them, as a 16x16 MFMA takes them: "float4x"
  const char *vector16; // ... and a 32x32 MFMA; null: there is none
};
SumType sumType(ptx::Type accumulator);

// sum + x * y of one register of A and one of B, element by element: the C++ of the
// function to call, and its chunk.
struct DotFunction {
  std::string call, chunk;
};
DotFunction dotOf(ptx::Type a, ptx::Type b);

// The C++ type of one MFMA input of `words` 32-bit words (or one f64).
std::string inputTypedef(const isa::MatrixInstruction &mfma, isa::ElementType type, int words);

} // namespace layout_port
