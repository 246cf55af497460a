// decode(): what a parsed instruction means, as one of the typed structs beside
// this header. The structs point into the Instruction and the Block, which must
// outlive them.
//
//   for (const Instruction &i : block.instructions) {
//     Outcome<Meaning> meaning = decode(i, block);
//     if (!meaning)                                   unknown, refused or misspelled
//       return manual(meaning.error());
//     if (const Mma *mma = std::get_if<Mma>(&*meaning))
//       ...
//   }
#pragma once

#include "ptx/decode/Arithmetic.h"
#include "ptx/decode/Async.h"
#include "ptx/decode/Compare.h"
#include "ptx/decode/Convert.h"
#include "ptx/decode/MatrixMove.h"
#include "ptx/decode/Memory.h"
#include "ptx/decode/Mma.h"
#include "ptx/decode/Move.h"
#include "ptx/decode/Sync.h"
#include "ptx/decode/Warp.h"

#include <variant>

namespace layout_port::ptx {

using Meaning =
    std::variant<Mma, MatrixMove, AsyncCopy, AsyncWait, Move, AddressConversion, Convert,
                 Arithmetic, BitTable, BytePermute, FunnelShift, DotProduct, Compare, Select,
                 FloatTest, Shuffle, Vote, Match, Reduce, ActiveMask, Elect, MemoryAccess, Atomic,
                 CacheControl, SpaceTest, Fence, Barrier, WarpBarrier, Control>;

Outcome<Meaning> decode(const Instruction &instruction, const Block &block);

} // namespace layout_port::ptx
