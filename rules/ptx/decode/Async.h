// cp.async: copies from global to shared memory that run on their own, and the
// instructions that wait for them.
//
//   cp.async.cg.shared.global.L2::128B [dst], [src], 16, srcBytes;   bytes past
//       srcBytes are written as zeros
//   cp.async.ca.shared.global [dst], [src], 4, p;                    p true: all zeros
//   cp.async.commit_group;      the copies since the last commit become one group
//   cp.async.wait_group N;      all but the N newest groups are done
//   cp.async.wait_all;          all copies are done, committed or not
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"

#include <optional>

namespace layout_port::ptx {

struct AsyncCopy {
  bool bypassL1 = false;      // .cg; .ca caches at all levels
  unsigned prefetchBytes = 0; // of L2::64B, 128B, 256B; 0 for none
  const Operand *destination = nullptr;
  const Operand *source = nullptr;
  const Operand *size = nullptr;         // bytes copied
  std::optional<unsigned> bytes;         // of `size`: 4, 8 or 16; nothing when it is an asm operand
  const Operand *sourceSize = nullptr;   // bytes really read; the rest is zero
  const Operand *ignoreSource = nullptr; // a predicate, maybe negated: true writes zeros only
  const Operand *cachePolicy = nullptr;
};

// commit_group, wait_group and wait_all.
struct AsyncWait {
  enum class Kind { Commit, WaitGroup, WaitAll };
  Kind kind = Kind::Commit;
  const Operand *pending = nullptr;     // WaitGroup: how many groups may still be under way
  std::optional<unsigned> pendingCount; // of `pending`, unless it is an asm operand
};

// `block` tells whether the optional operand of cp.async is a predicate.
Outcome<AsyncCopy> decodeAsyncCopy(const Instruction &instruction, const Block &block);
Outcome<AsyncWait> decodeAsyncWait(const Instruction &instruction);

} // namespace layout_port::ptx
