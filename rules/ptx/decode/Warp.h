// What the lanes of a warp tell each other.
//
//   shfl.sync.bfly.b32 d|p, a, b, c, mask;
//        c = ((32 - width) << 8) | clamp, clamp being 0 for up and 31 otherwise
//   vote.sync.ballot.b32 d, !p, mask;
//   match.sync.all.b32 d|p, a, mask;
//   redux.sync.add.s32 d, a, mask;
//   activemask.b32 d;
//   elect.sync d|p, mask;
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

namespace layout_port::ptx {

struct Shuffle {
  enum class Mode { Up, Down, Butterfly, Index };
  Mode mode = Mode::Index;
  const Operand *destination = nullptr;
  const Operand *predicate = nullptr; // true when the source lane was in range; may be absent
  const Operand *source = nullptr;
  const Operand *lane = nullptr;  // b: distance, mask or source lane
  const Operand *clamp = nullptr; // c
  const Operand *mask = nullptr;
  // Of `clamp` when it is a number: the segment's width, if c is what the C++
  // intrinsics write for one.
  std::optional<unsigned> width;
};

struct Vote {
  enum class Mode { All, Any, Uniform, Ballot };
  Mode mode = Mode::Ballot;
  const Operand *destination = nullptr;
  const Operand *predicate = nullptr; // `negated` for !p
  const Operand *mask = nullptr;
};

struct Match {
  bool all = false;
  Type type = Type::B32;
  const Operand *destination = nullptr;
  const Operand *predicate = nullptr; // of match.all; may be absent
  const Operand *value = nullptr;
  const Operand *mask = nullptr;
};

struct Reduce {
  enum class Kind { Add, Min, Max, And, Or, Xor };
  Kind kind = Kind::Add;
  Type type = Type::S32;
  bool magnitude = false;    // .abs of f32
  bool propagateNan = false; // .NaN of f32
  const Operand *destination = nullptr;
  const Operand *source = nullptr;
  const Operand *mask = nullptr;
};

struct ActiveMask {
  const Operand *destination = nullptr;
};

struct Elect {
  const Operand *destination = nullptr; // the elected lane; may be _
  const Operand *predicate = nullptr;   // true in that lane
  const Operand *mask = nullptr;
};

Outcome<Shuffle> decodeShuffle(const Instruction &instruction);
Outcome<Vote> decodeVote(const Instruction &instruction);
Outcome<Match> decodeMatch(const Instruction &instruction);
Outcome<Reduce> decodeReduce(const Instruction &instruction);
Outcome<ActiveMask> decodeActiveMask(const Instruction &instruction);
Outcome<Elect> decodeElect(const Instruction &instruction);

} // namespace layout_port::ptx
