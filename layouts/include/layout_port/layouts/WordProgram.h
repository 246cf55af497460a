// A conversion plan as straight-line code on 32-bit registers: the instructions that its
// costs count, one line of HIP each, and executable.
//
//   Result<WordProgram> program = lowerToWords(*plan);
//   hipText(*program, "toFp8")        __device__ void toFp8(const unsigned *in, unsigned *out)
//   run(*program, waves)              the same, on arrays
//
// Values are numbered: 0 .. inputs-1 are the source words of a lane (slots packed little-
// endian, Plan.h); each operation makes the next one (Swap: the next two).
#pragma once

#include "layout_port/layouts/Plan.h"

namespace layout_port {

struct WordOp {
  enum class Kind : uint8_t {
    Select,  // parity(thread & mask) ? a : b                       v_cndmask
    Permute, // v_perm(a, b, selector): byte i is byte selector[i] of b (0-3), a (4-7)
    Field,   // b | ((a >> amount) & fieldMask) << place            shift, v_and_or
    Move,    // a of another lane
    Swap     // two results: a and b with lane and register bit exchanged
  };
  Kind kind = Kind::Select;
  int a = 0, b = 0;
  uint64_t mask = 0; // Select: thread bits
  AffineBits amount; // Permute: selector; Field: shift; Move: source or target lane,
                     // each a function of the thread
  uint32_t fieldMask = 0;
  int place = 0;
  isa::MoveChoice move = {}; // Move, Swap; null for shfl
};

struct WordProgram {
  int waveSize = 0;
  int laneBits = 0, groupBits = 0; // of the thread
  int inputs = 0;
  std::vector<WordOp> ops;
  std::vector<int> outputs; // value of each destination word; -1: holds nothing
};

// Error: a plan through LDS (its steps say what to write and read).
Result<WordProgram> lowerToWords(const ConversionPlan &plan);

// words[thread][word] in and out.
using ThreadWords = std::vector<std::vector<uint32_t>>;
ThreadWords run(const WordProgram &program, const ThreadWords &words);

// A __device__ function; `lane` and, where waves differ, `warp` are computed at its top
// from threadIdx.x. Error: NVIDIA's shuffles have no HIP text.
Result<std::string> hipText(const WordProgram &program, const std::string &name);

} // namespace layout_port
