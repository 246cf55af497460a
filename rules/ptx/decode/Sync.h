// Fences, barriers, and the instructions that only steer a thread.
//
//   membar.gl;  fence.acq_rel.gpu;
//   bar.sync 1, 128;               named barrier 1, for 128 threads
//   barrier.cta.red.popc.u32 d, 0, p;
//   bar.warp.sync 0xffffffff;
//   nanosleep.u32 100;  trap;  exit;  brkpt;
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"
#include "ptx/decode/Memory.h"

namespace layout_port::ptx {

// membar is sequentially consistent: membar.cta, .gl and .sys are fence.sc at
// block, device and system scope.
struct Fence {
  MemoryOrder order = MemoryOrder::AcquireRelease;
  MemoryScope scope = MemoryScope::Device;
};

struct Barrier {
  enum class Kind { Sync, Arrive, Reduce };
  enum class Reduction { Count, And, Or };
  Kind kind = Kind::Sync;
  // All threads of a warp execute it together; without it each thread counts alone.
  bool aligned = true;
  const Operand *id = nullptr;            // 0 to 15
  const Operand *threads = nullptr;       // how many take part; all of the block when absent
  Reduction reduction = Reduction::Count; // Reduce
  const Operand *destination = nullptr;   // Reduce
  const Operand *predicate = nullptr;     // Reduce; `negated` for !p
};

struct WarpBarrier {
  const Operand *mask = nullptr;
};

struct Control {
  enum class Kind { Trap, Breakpoint, Exit, Sleep };
  Kind kind = Kind::Trap;
  const Operand *nanoseconds = nullptr; // Sleep
};

Outcome<Fence> decodeFence(const Instruction &instruction);
Outcome<Barrier> decodeBarrier(const Instruction &instruction);
Outcome<WarpBarrier> decodeWarpBarrier(const Instruction &instruction);
Outcome<Control> decodeControl(const Instruction &instruction);

} // namespace layout_port::ptx
