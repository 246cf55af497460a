// Loads, stores, address arithmetic, atomics, block copies and calls.
#pragma once

#include "machine/Wave.h"

namespace layout_port::verify {

struct MemoryPart {
  Reg reg;
  uint32_t offset = 0;
  uint8_t bytes = 4;
  bool wide = false;
};

// Op::a is the address, Op::data this.
struct MemoryAccess {
  Space space = Space::Generic;
  bool narrow = false;  // 32-bit address register
  bool ordered = false; // volatile or atomic
  uint32_t bytes = 4;
  uint32_t alignment = 1;
  std::vector<MemoryPart> parts;
};
void runLoad(Wave &wave, const Op &op);
void runStore(Wave &wave, const Op &op);

// dst = a + immediate + sum of sext(index) * scale.
struct AddressTerm {
  Reg index;
  uint64_t scale = 1;
  uint8_t indexBits = 64;
};
struct AddressPlan {
  bool narrow = false;
  std::vector<AddressTerm> terms;
};
void runAddress(Wave &wave, const Op &op);

enum class AtomicKind : uint8_t {
  Exchange,
  Add,
  Sub,
  And,
  Or,
  Xor,
  Nand,
  SMax,
  SMin,
  UMax,
  UMin,
  IncrementWrap,
  DecrementWrap,
  FAdd,
  FSub,
  FMax,
  FMin,
  CompareExchange
};
struct AtomicPlan {
  AtomicKind kind = AtomicKind::Add;
  Space space = Space::Generic;
  bool narrow = false;
  Scalar scalar;         // of one element
  Reg old, success;      // results; either may be absent
  std::vector<Reg> more; // further elements of a vector: operand, old, operand, old, ...
};
// Op::a address, Op::b operand (for CompareExchange the new value), Op::c comparand.
void runAtomic(Wave &wave, const Op &op);

// Op::a destination, Op::b source (or the byte for a fill), Op::c length.
struct BlockCopy {
  Space to = Space::Generic, from = Space::Generic;
  bool narrowTo = false, narrowFrom = false, wideLength = true, fill = false;
};
void runBlockCopy(Wave &wave, const Op &op);

// Tells observers: __threadfence and its kin.
void runFence(Wave &wave, const Op &op);

// Marks an alloca's bytes as undefined again. Op::immediate offset, Op::data size.
struct AllocaPlan {
  uint64_t offset = 0, bytes = 0;
  bool narrow = false;
};
void runAlloca(Wave &wave, const Op &op);

struct CallPlan {
  const Function *callee = nullptr;
  std::vector<Copy> arguments;
};
void runCall(Wave &wave, const Op &op);

// Copies of the lanes' pending asynchronous copies into shared memory; the
// youngest `keep` groups of each lane stay pending.
void finishAsync(Wave &wave, uint64_t keep);
void issueAsync(Wave &wave, const Op &op, const Access &to, const Access &from, unsigned bytes,
                const unsigned *copied); // bytes beyond copied[lane] become zero

} // namespace layout_port::verify
