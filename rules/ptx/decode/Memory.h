// Loads, stores, atomics and what is said to the caches.
//
//   ld.relaxed.gpu.global.L1::no_allocate.v2.b32 {d0, d1}, [a+8];
//   st.shared.v4.f32 [a], {x, y, z, w};
//   atom.acq_rel.gpu.global.cas.b32 d, [a], expected, desired;
//   red.global.add.f32 [a], x;
//   createpolicy.fractional.L2::evict_last.b64 policy, 1.0;
//
// A load narrower than its register is extended by its type: .s8 by sign, .u8
// and .b8 by zeros.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-ld
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-atom
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

#include <string>
#include <vector>

namespace layout_port::ptx {

// The strength of a memory operation. Weak: none is written. Volatile is at
// least relaxed at system scope, and is never removed or merged.
enum class MemoryOrder {
  Weak,
  Volatile,
  Mmio,
  Relaxed,
  Acquire,
  Release,
  AcquireRelease,
  Sequential
};

// Whom an operation is ordered for. None: none is written.
enum class MemoryScope { None, Block, Cluster, Device, System };

struct MemoryAccess {
  bool load = true;
  Space space = Space::Generic;
  Type type = Type::B32; // of one element
  MemoryOrder order = MemoryOrder::Weak;
  MemoryScope scope = MemoryScope::None;
  bool readOnly = false; // ld.global.nc, ldu
  // Performance hints, which never change the meaning:
  std::string cacheOperation; // "ca", "cg", "cs", "lu", "cv", "wb", "wt" or empty
  std::string evictL1;        // "no_allocate", "evict_last", ... or empty
  std::string evictL2;
  unsigned prefetchBytes = 0;
  const Operand *cachePolicy = nullptr;

  std::vector<const Operand *> registers; // one an element; may be _ in a load
  const Operand *address = nullptr;
};

struct Atomic {
  enum class Kind { And, Or, Xor, Exchange, CompareAndSwap, Add, Inc, Dec, Min, Max };
  Kind kind = Kind::Add;
  bool returns = true; // atom; red does not give the old value
  Space space = Space::Generic;
  Type type = Type::U32; // of one element
  MemoryOrder order = MemoryOrder::Relaxed;
  MemoryScope scope = MemoryScope::Device;
  const Operand *address = nullptr;
  std::vector<const Operand *> destinations; // old values; empty for red
  std::vector<const Operand *> sources;      // one an element; CompareAndSwap: expected, desired
  const Operand *cachePolicy = nullptr;
};

// Prefetches, priorities and policies: all may be dropped but DefinePolicy, whose
// register must hold something, and Discard, after which the bytes are undefined.
struct CacheControl {
  enum class Kind { Prefetch, PrefetchUniform, Priority, Discard, DefinePolicy };
  Kind kind = Kind::Prefetch;
  Space space = Space::Generic;
  const Operand *address = nullptr;
  const Operand *bytes = nullptr;       // Priority, Discard
  const Operand *destination = nullptr; // DefinePolicy
};

// isspacep: is the generic address in `space`?
struct SpaceTest {
  Space space = Space::Shared;
  const Operand *destination = nullptr;
  const Operand *address = nullptr;
};

Outcome<MemoryAccess> decodeAccess(const Instruction &instruction);
Outcome<Atomic> decodeAtomic(const Instruction &instruction);
Outcome<CacheControl> decodeCacheControl(const Instruction &instruction);
Outcome<SpaceTest> decodeSpaceTest(const Instruction &instruction);

MemoryOrder orderOf(const Instruction &instruction, MemoryOrder otherwise);
MemoryScope scopeOf(const Instruction &instruction);

} // namespace layout_port::ptx
