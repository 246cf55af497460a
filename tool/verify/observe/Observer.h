// What the machine tells those who watch it.
//
// The machine executes; it never judges. Whatever may be wrong with a kernel
// (reading undefined values, racing, forgetting a wait) and whatever is worth
// counting is found by observers, which implement the hooks they need. A machine
// without observers pays one test an instruction.
#pragma once

#include "machine/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace layout_port::verify {

class Wave;

enum class ProblemKind : uint8_t {
  OutOfBounds,      // an address in no allocation
  Misaligned,       // an address less aligned than the instruction says
  ReadOnly,         // a store to constant memory
  UndefinedAddress, // an address that depends on an undefined value
  UndefinedBranch,  // a branch on an undefined value
  UndefinedOperand, // an undefined value given to a matrix or cross-lane instruction
  UndefinedResult,  // an output element that was stored undefined
  InactiveLane,     // a value taken from a lane that did not take part
  PartialMatrix,    // a matrix instruction with lanes missing
  DivergentBarrier, // a barrier with lanes missing, or waves at different barriers
  SharedRace,       // two waves, one shared byte, one epoch, one of them a store
  GlobalRace,       // two waves, one byte of global memory, nothing that orders them
  WarpRace,         // the same within a CUDA warp, without a __syncwarp between
  StoreConflict,    // lanes of one store that give one byte different values
  AsyncNotWaited,   // shared memory read before its asynchronous copy was waited for
  BrokenPromise,    // what the author told the porter is not so, see Promises.h
  Trap,             // assert, trap, unreachable
};
const char *toString(ProblemKind kind);

struct Problem {
  ProblemKind kind = ProblemKind::Trap;
  uint64_t lanes = 0;
  Space space = Space::Global;
  uint64_t address = 0; // of the lowest lane; an offset, except in global memory
  uint32_t location = 0;
  std::string detail;
};

struct MemoryEvent {
  enum Kind : uint8_t { Load, Store, Atomic, AsyncStore } kind = Load;
  Space space = Space::Global; // never Generic
  uint64_t lanes = 0;
  const uint64_t *addresses = nullptr; // one a lane: offsets, or global addresses
  unsigned bytes = 0;
  const Op *op = nullptr;
  unsigned alignment = 1; // that the program promises
  // Volatile, or an atomic of whole numbers: what waves tell each other by.
  bool ordered = false;
};

class Observer {
public:
  virtual ~Observer() = default;
  // Whether onInstruction is wanted; it is called for every micro-operation.
  virtual bool wantsInstructions() const { return false; }
  // Whether onBranch is.
  virtual bool wantsBranches() const { return false; }
  virtual void onLaunch(const Program &) {}
  virtual void onBlock(const uint32_t (&)[3]) {}
  virtual void onInstruction(const Wave &, const Op &) {}
  // A conditional branch or switch: the lanes that take each of its ways.
  virtual void onBranch(const Wave &, uint32_t location, const std::vector<uint64_t> &lanes) {}
  virtual void onMemory(const Wave &, const MemoryEvent &) {}
  // The bytes of the store that was announced last are in memory.
  virtual void onStored(const Wave &) {}
  // An asynchronous copy of one of this wave's lanes became visible.
  virtual void onAsyncDone(const Wave &, unsigned lane, uint64_t address, unsigned bytes) {}
  // Lanes of a warp waited for each other (__syncwarp).
  virtual void onWarpSync(const Wave &) {}
  // A fence for the whole card or more (__threadfence).
  virtual void onFence(const Wave &) {}
  // Every wave of the block passed a barrier: a new epoch of shared memory.
  virtual void onBarrier() {}
  virtual void onProblem(const Wave &, const Problem &) {}
};

} // namespace layout_port::verify
