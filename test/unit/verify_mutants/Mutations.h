// Mechanical mistakes: every constant of an address off by one or with a bit
// flipped, every XOR dropped, barriers and waits removed, .trans lost, fragment
// registers swapped, factors off by 1.0001. Of amdgcn: operands of a matrix
// instruction swapped, halves of a vector exchanged, moves between lanes dropped.
#pragma once

#include <llvm/IR/Function.h>

#include <string>
#include <vector>

namespace layout_port::verify {

struct Mutation {
  std::string name;     // "xor operand 1: bit flipped"
  unsigned instruction; // index in the function
  unsigned operand = 0;
  enum Kind : uint8_t {
    Add,
    FlipLowBit,
    Zero,
    Scale,
    Erase,
    Text,
    SwapOperands,
    Pass,
    SwapHalves
  } kind = Add;
  int64_t amount = 0;
  std::string from, to; // Text: of an asm string
};

std::vector<Mutation> listMutations(const llvm::Function &function);
// Changes `function`, a copy of the one that was listed.
void apply(const Mutation &mutation, llvm::Function &function);

} // namespace layout_port::verify
