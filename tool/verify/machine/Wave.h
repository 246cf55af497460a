// The state of one wave (warp) and what micro-operations may do to it.
//
// A pure operation reads registers for all lanes, writes them for all lanes into
// begin<T>() and calls commit<T>(), which keeps the old value in lanes that are
// not active. Nothing else of the machine is visible to an instruction.
#pragma once

#include "domain/Field.h"
#include "machine/Program.h"
#include "observe/Observer.h"

#include <cstring>
#include <set>

namespace layout_port::verify {

constexpr unsigned kMaxLanes = 64;
constexpr uint32_t kMixedCode = ~0u; // lanes of one register hold payloads laid out differently

// Runs f(lane) for all lanes of a wave, 32 or 64, in loops that compilers turn into vector
// code: lanes do not depend on each other, and a result may lie where an operand does.
template <class F> inline void everyLane(unsigned lanes, F f) {
  for (unsigned first = 0; first < lanes; first += 32) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
    for (unsigned i = 0; i < 32; ++i)
      f(first + i);
  }
}

// Copies a register's lanes; 32 of them at a time have a size known to the compiler.
template <class T> inline void copyLanes(T *to, const T *from, unsigned lanes) {
  for (unsigned first = 0; first < lanes; first += 32)
    std::memmove(to + first, from + first, 32 * sizeof(T));
}

// Where each lane's access goes. Inactive lanes point at what an active lane
// reads, so that loads need no test.
struct Access {
  uint8_t *bytes[kMaxLanes];
  uint8_t *shade[kMaxLanes];
  uint64_t addresses[kMaxLanes];
  uint64_t lanes = 0; // active lanes whose address is good
  Space space = Space::Global;
};

struct AsyncCopy {
  unsigned lane = 0, bytes = 0;
  uint64_t address = 0; // offset in shared memory
  uint64_t group = 0;
  uint8_t data[16] = {}, shade[16] = {};
};

struct Frame {
  struct Path {
    uint32_t block = 0;
    uint32_t next = 0; // index into Function::ops
    uint64_t lanes = 0;
    uint32_t reconverge = kNoBlock;
  };
  const Function *function = nullptr;
  std::vector<Path> paths;
  const Op *call = nullptr; // whose results the caller waits for
};

enum class WaveState : uint8_t { Running, AtBarrier, Done, Stopped };

struct BarrierRequest {
  unsigned id = 0;
  unsigned threads = 0; // 0: all of the block
  bool waits = true;    // false: bar.arrive
};

// In Machine.h.
class BlockState;
struct Remarks;

class Wave {
public:
  // Identity.
  unsigned lanes = 32;    // of the hardware
  unsigned index = 0;     // in the block
  uint64_t all = 0;       // mask of all hardware lanes
  uint64_t populated = 0; // lanes that have a thread
  uint64_t active = 0;
  uint64_t exited = 0;
  uint32_t threadId[3][kMaxLanes];
  BlockState *block = nullptr;
  const Program *program = nullptr;
  const Field *field = nullptr; // null: IEEE arithmetic

  // Execution.
  WaveState state = WaveState::Running;
  BarrierRequest barrier;
  std::vector<Frame> frames;
  std::vector<AsyncCopy> async;
  uint64_t asyncGroup[kMaxLanes] = {};
  std::vector<uint64_t> guards; // active masks around guarded PTX
  std::vector<uint64_t> trips;  // of each loop's last entry

  // Registers.
  template <class T> const T *get(Reg reg) const {
    return reinterpret_cast<const T *>(values_.data() + reg.at);
  }
  template <class T> T *mutableGet(Reg reg) {
    return reinterpret_cast<T *>(values_.data() + reg.at);
  }
  const Meta &meta(Reg reg) const { return metas_[reg.meta]; }
  Meta &meta(Reg reg) { return metas_[reg.meta]; }

  template <class T> T *begin(Reg dst) {
    return active == all ? mutableGet<T>(dst) : reinterpret_cast<T *>(scratch_);
  }
  template <class T> void commit(Reg dst, const Meta &meta) {
    if (active == all)
      metas_[dst.meta] = meta;
    else
      blend<T>(dst, reinterpret_cast<const T *>(scratch_), meta);
  }
  // Writes `values` to the active lanes of `dst`.
  template <class T> void blend(Reg dst, const T *values, const Meta &meta) {
    T *to = mutableGet<T>(dst);
    if (active == all)
      copyLanes(to, values, lanes);
    else
      for (unsigned lane = 0; lane < lanes; ++lane)
        to[lane] = (active >> lane & 1) ? values[lane] : to[lane];
    mergeMeta(dst, meta);
  }
  void mergeMeta(Reg dst, const Meta &meta);
  void copy(const Copy &copy);

  // Meta of a pure operation's raw result.
  Meta rawMeta(Reg a) const { return {meta(a).defined, 0, 0, meta(a).tainted}; }
  Meta rawMeta(Reg a, Reg b) const {
    return {meta(a).defined & meta(b).defined, 0, 0, meta(a).tainted || meta(b).tainted};
  }
  Meta rawMeta(Reg a, Reg b, Reg c) const {
    Meta m = rawMeta(a, b);
    return {m.defined & meta(c).defined, 0, 0, m.tainted || meta(c).tainted};
  }
  bool holdsPayload(Reg a) const { return meta(a).field & active; }
  bool holdsPayload(Reg a, Reg b) const { return (meta(a).field | meta(b).field) & active; }

  // Mask of the lanes in which a register is not zero.
  uint64_t nonZero(Reg reg, bool wide) const;

  // Memory. `narrow`: the address register holds 32-bit offsets.
  void resolve(Access &access, Space space, Reg address, bool narrow, unsigned bytes,
               unsigned alignment, MemoryEvent::Kind kind, const Op &op, bool ordered = false);
  void resolve(Access &access, Space space, const uint64_t *addresses, const Meta &meta,
               unsigned bytes, unsigned alignment, MemoryEvent::Kind kind, const Op &op,
               bool ordered = false);
  // Reads / writes one component of `bytes` bytes, `offset` bytes into the access.
  void load(const Access &access, unsigned offset, unsigned bytes, Reg dst, bool wide);
  void store(const Access &access, unsigned offset, unsigned bytes, Reg value, bool wide);
  // What load() does, from values and shadow bytes gathered by other means.
  void writeLoaded(Reg dst, const uint64_t *values, const uint64_t *shades, unsigned bytes);
  void writeLoaded(Reg dst, const uint32_t *values, const uint32_t *shades); // of 4 bytes
  // The shadow bytes that one lane of a register would store.
  uint64_t shadeOf(Reg reg, unsigned lane, unsigned bytes) const;
  Arena &sharedMemory();
  void clearPrivate(uint64_t offset, uint64_t bytes); // undefined again, for active lanes

  // Telling others.
  void report(const Op &op, ProblemKind kind, uint64_t lanes, std::string detail = {},
              Space space = Space::Global, uint64_t address = 0);
  void stop(const Op &op, std::string reason);
  // The field domain cannot follow what the program does; it goes on with raw bits.
  void giveUp(const Op &op, const char *reason);
  void assume(const Op &op, const char *assumption);
  // Bytes of a float that go their own way may end beside those of another one.
  void noteParts(const Meta &made) {
    if ((made.field & active) && made.code != payloadCode(4) && made.code != kMixedCode &&
        !holdsWhole(made.code))
      takesApart();
  }
  // The shadow residue of an exponent is used up.
  void spend(const Op &op, const char *reason);
  // A value was rounded to a format (field domain with roundings).
  void rounded(const Op &op, FloatFormat format, uint32_t exact);
  // Something that no domain looks at.
  void leavesOut(const Op &op, const char *what);
  void dependsOnData(uint32_t location, const char *what);
  bool observed() const;
  void stored(); // to be called when the bytes of an announced store are in memory

  void attach(BlockState *block, const Program &program, unsigned index);
  // After the arguments were set: what every block begins with.
  void rememberStart() { startMetas_ = metas_; }
  void resetForBlock();

private:
  void takesApart();
  void remark(std::set<std::string> Remarks::*list, uint32_t location, const char *text);
  template <class Word, unsigned Bytes>
  void loadWords(const Access &access, unsigned offset, Reg dst);

  std::vector<uint8_t> values_;
  std::vector<Meta> metas_, startMetas_;
  Arena local_;
  alignas(64) uint8_t scratch_[kMaxLanes * 8];
};

// Runs f(lane) for the lanes of a mask, lowest first.
template <class F> void forLanes(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(__builtin_ctzll(mask)));
}

} // namespace layout_port::verify
