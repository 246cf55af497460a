// See MemoryOps.h.
#include "machine/MemoryOps.h"

#include "machine/FloatOps.h"
#include "machine/Machine.h"

#include <algorithm>

namespace layout_port::verify {

namespace {

// Of generic addresses each lane's own says which memory it is in; those of one memory go there
// together, one memory after the other:
//
//   x = *(lane < 4 ? &shared[lane] : &global[lane]);
template <class Run>
void bySpace(Wave &wave, Space space, Reg address, bool narrow, const Run &run) {
  if (space != Space::Generic || narrow || !wave.active)
    return run();
  const uint64_t active = wave.active;
  uint64_t at[kMaxLanes];
  std::copy_n(wave.get<uint64_t>(address), wave.lanes, at);
  for (uint64_t left = active; left;) {
    const uint64_t window = at[__builtin_ctzll(left)] >> kWindowShift;
    uint64_t together = 0;
    forLanes(left, [&](unsigned lane) {
      together |= uint64_t(at[lane] >> kWindowShift == window) << lane;
    });
    wave.active = together;
    run();
    left &= ~together;
  }
  wave.active = active;
}

} // namespace

void runLoad(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const MemoryAccess *>(op.data);
  bySpace(wave, plan.space, op.a, plan.narrow, [&] {
    Access access;
    wave.resolve(access, plan.space, op.a, plan.narrow, plan.bytes, plan.alignment,
                 MemoryEvent::Load, op, plan.ordered);
    for (const MemoryPart &part : plan.parts)
      wave.load(access, part.offset, part.bytes, part.reg, part.wide);
  });
}

namespace {

// Lanes whose bytes another lane of the same store has overwritten with others: on a
// card, nobody says which lane wins.
uint64_t overwritten(const Wave &wave, const Access &access, const MemoryAccess &plan) {
  uint64_t lost = 0;
  for (const MemoryPart &part : plan.parts)
    forLanes(access.lanes, [&](unsigned lane) {
      const uint64_t word =
          part.wide ? wave.get<uint64_t>(part.reg)[lane] : wave.get<uint32_t>(part.reg)[lane];
      if (std::memcmp(access.bytes[lane] + part.offset, &word, part.bytes) != 0)
        lost |= uint64_t(1) << lane;
    });
  return lost;
}

} // namespace

static void storeTogether(Wave &wave, const Op &op, const MemoryAccess &plan) {
  Access access;
  wave.resolve(access, plan.space, op.a, plan.narrow, plan.bytes, plan.alignment,
               MemoryEvent::Store, op, plan.ordered);
  for (const MemoryPart &part : plan.parts)
    wave.store(access, part.offset, part.bytes, part.reg, part.wide);
  if (!wave.observed())
    return;
  wave.stored();
  if (const uint64_t lost = overwritten(wave, access, plan))
    wave.report(op, ProblemKind::StoreConflict, lost, {}, access.space,
                access.addresses[__builtin_ctzll(lost)]);
}

void runStore(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const MemoryAccess *>(op.data);
  bySpace(wave, plan.space, op.a, plan.narrow, [&] { storeTogether(wave, op, plan); });
}

namespace {

template <class T> void addressLanes(Wave &wave, const Op &op, const AddressPlan &plan) {
  T sum[kMaxLanes];
  const T *base = wave.get<T>(op.a);
  const T offset = T(op.immediate);
  everyLane(wave.lanes, [&sum, base, offset](unsigned lane) { sum[lane] = base[lane] + offset; });
  Meta meta = wave.meta(op.a);
  for (const AddressTerm &term : plan.terms) {
    const Meta &index = wave.meta(term.index);
    meta.defined &= index.defined;
    meta.tainted |= index.tainted;
    if (index.field & wave.active)
      wave.giveUp(op, "a float is used as an index");
    const T scale = T(term.scale);
    if (term.indexBits > 32) {
      const uint64_t *values = wave.get<uint64_t>(term.index);
      everyLane(wave.lanes,
                [&sum, values, scale](unsigned lane) { sum[lane] += T(values[lane]) * scale; });
    } else {
      const uint32_t *values = wave.get<uint32_t>(term.index);
      const unsigned shift = 32 - term.indexBits;
      everyLane(wave.lanes, [&sum, values, scale, shift](unsigned lane) {
        sum[lane] += T(int64_t(int32_t(values[lane] << shift) >> shift)) * scale;
      });
    }
  }
  meta.field = 0;
  meta.code = 0;
  wave.blend<T>(op.dst, sum, meta);
}

} // namespace

void runAddress(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const AddressPlan *>(op.data);
  if (plan.narrow)
    addressLanes<uint32_t>(wave, op, plan);
  else
    addressLanes<uint64_t>(wave, op, plan);
}

namespace {

uint64_t lowBits(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

uint64_t atomicInteger(AtomicKind kind, uint64_t old, uint64_t x, unsigned bits) {
  const int64_t so = int64_t(old << (64 - bits)), sx = int64_t(x << (64 - bits));
  switch (kind) {
  case AtomicKind::Exchange:
    return x;
  case AtomicKind::Add:
    return old + x;
  case AtomicKind::Sub:
    return old - x;
  case AtomicKind::And:
    return old & x;
  case AtomicKind::Or:
    return old | x;
  case AtomicKind::Xor:
    return old ^ x;
  case AtomicKind::Nand:
    return ~(old & x);
  case AtomicKind::SMax:
    return so > sx ? old : x;
  case AtomicKind::SMin:
    return so < sx ? old : x;
  case AtomicKind::UMax:
    return std::max(old, x);
  case AtomicKind::UMin:
    return std::min(old, x);
  case AtomicKind::IncrementWrap:
    return old >= x ? 0 : old + 1;
  case AtomicKind::DecrementWrap:
    return old == 0 || old > x ? x : old - 1;
  default:
    return old;
  }
}

double atomicNumber(AtomicKind kind, double old, double x) {
  switch (kind) {
  case AtomicKind::FAdd:
    return old + x;
  case AtomicKind::FSub:
    return old - x;
  case AtomicKind::FMax:
    return std::max(old, x);
  default:
    return std::min(old, x);
  }
}

uint32_t atomicResidue(const Field &f, AtomicKind kind, uint32_t old, uint32_t x) {
  switch (kind) {
  case AtomicKind::FAdd:
    return f.add(old, x);
  case AtomicKind::FSub:
    return f.sub(old, x);
  case AtomicKind::FMax:
    return f.max(old, x);
  default:
    return f.min(old, x);
  }
}

bool isFloatAtomic(AtomicKind kind) { return kind >= AtomicKind::FAdd && kind <= AtomicKind::FMin; }

// One lane's memory cell: value and shadow.
struct Cell {
  uint8_t *bytes, *shade;
  unsigned size;
  uint64_t value() const {
    uint64_t v = 0;
    std::memcpy(&v, bytes, size);
    return v;
  }
  uint32_t code() const {
    uint32_t code = 0;
    for (unsigned i = 0; i < size; ++i)
      code |= uint32_t(shade[i] >> 4) << (4 * i);
    return code;
  }
  bool defined() const {
    return std::all_of(shade, shade + size, [](uint8_t s) { return s & shadow::defined; });
  }
  bool tainted() const {
    return std::any_of(shade, shade + size, [](uint8_t s) { return s & shadow::tainted; });
  }
  void set(uint64_t v, bool isDefined, bool isTainted, uint32_t code) {
    std::memcpy(bytes, &v, size);
    for (unsigned i = 0; i < size; ++i)
      shade[i] = uint8_t(shadow::addressable | (isDefined ? shadow::defined : 0) |
                         (isTainted ? shadow::tainted : 0) | (code >> (4 * i) & 15) << 4);
  }
};

class AtomicLanes {
public:
  AtomicLanes(Wave &wave, const Op &op, const AtomicPlan &plan)
      : wave_(wave), op_(op), plan_(plan) {}

  void run() {
    const unsigned elements = 1 + unsigned(plan_.more.size() / 2);
    const unsigned size = plan_.scalar.bytes();
    Access access;
    wave_.resolve(access, plan_.space, op_.a, plan_.narrow, size * elements, size * elements,
                  MemoryEvent::Atomic, op_, !isFloatAtomic(plan_.kind));
    for (unsigned e = 0; e < elements; ++e)
      element(access, e * size, e == 0 ? op_.b : plan_.more[2 * e - 2],
              e == 0 ? plan_.old : plan_.more[2 * e - 1]);
  }

private:
  uint64_t word(Reg reg, unsigned lane) const {
    return plan_.scalar.wide() ? wave_.get<uint64_t>(reg)[lane] : wave_.get<uint32_t>(reg)[lane];
  }
  uint32_t codeOf(Reg reg, unsigned lane) const {
    const Meta &meta = wave_.meta(reg);
    return (meta.field >> lane & 1) ? meta.code : 0;
  }

  // New value and code of the cell, from its old ones and the operand.
  void combine(Cell cell, Reg operand, unsigned lane) {
    const uint64_t old = cell.value(), x = word(operand, lane);
    const bool defined = cell.defined() && (wave_.meta(operand).defined >> lane & 1);
    const bool tainted = cell.tainted() || wave_.meta(operand).tainted;
    const uint32_t oldCode = cell.code(), code = codeOf(operand, lane);
    if (plan_.kind == AtomicKind::Exchange)
      return cell.set(x, wave_.meta(operand).defined >> lane & 1, wave_.meta(operand).tainted,
                      code);
    if (!isFloatAtomic(plan_.kind)) {
      if (oldCode || code)
        wave_.giveUp(op_, "the bits of a float take part in an integer atomic");
      return cell.set(atomicInteger(plan_.kind, old, x, plan_.scalar.bits), defined, tainted, 0);
    }
    const FloatFormat format = plan_.scalar.format;
    if (!wave_.field)
      return cell.set(encodeFloat(format, atomicNumber(plan_.kind, decodeFloat(format, old),
                                                       decodeFloat(format, x))),
                      defined, tainted, 0);
    if (plan_.kind == AtomicKind::FMax || plan_.kind == AtomicKind::FMin)
      wave_.assume(op_, "an atomic max or min of floats: proved for a fixed random order");
    const Field &f = *wave_.field;
    const uint32_t a = residueOf(wave_, op_, format, old, oldCode);
    const uint32_t b = residueOf(wave_, op_, format, x, code);
    const uint32_t exact = atomicResidue(f, plan_.kind, a, b);
    const bool narrow = floatBytes(format) < 4;
    if (narrow && f.roundings())
      wave_.rounded(op_, format, exact);
    cell.set(narrow ? f.round(format, exact) & 0xffff : exact, defined, tainted,
             payloadCode(floatBytes(format)));
  }

  // Returns whether the exchange happened.
  bool compareExchange(Cell cell, Reg operand, unsigned lane) {
    const bool equal = cell.value() == (word(op_.c, lane) & lowBits(plan_.scalar.bits));
    if (wave_.field && (cell.code() || codeOf(op_.c, lane)))
      wave_.assume(op_, "compare-and-swap of a float: residues are compared");
    if (equal)
      cell.set(word(operand, lane), wave_.meta(operand).defined >> lane & 1,
               wave_.meta(operand).tainted, codeOf(operand, lane));
    return equal;
  }

  void element(const Access &access, unsigned offset, Reg operand, Reg old) {
    uint64_t before[kMaxLanes] = {};
    uint32_t success[kMaxLanes] = {};
    Meta meta;
    const auto one = [&](unsigned lane) {
      Cell cell{access.bytes[lane] + offset, access.shade[lane] + offset, plan_.scalar.bytes()};
      before[lane] = cell.value();
      if (cell.defined())
        meta.defined |= uint64_t(1) << lane;
      meta.tainted |= cell.tainted();
      if (const uint32_t code = cell.code()) {
        meta.code = !meta.field || meta.code == code ? code : kMixedCode;
        meta.field |= uint64_t(1) << lane;
      }
      if (plan_.kind == AtomicKind::CompareExchange)
        success[lane] = compareExchange(cell, operand, lane);
      else
        combine(cell, operand, lane);
    };
    // What an atomic returns depends on the order of lanes, which is not defined.
    if (wave_.block->backwards)
      for (unsigned lane = wave_.lanes; lane-- > 0;)
        (access.lanes >> lane & 1) ? one(lane) : void();
    else
      forLanes(access.lanes, one);
    if (old.valid() && plan_.scalar.wide())
      wave_.blend<uint64_t>(old, before, meta);
    if (old.valid() && !plan_.scalar.wide()) {
      uint32_t narrow[kMaxLanes];
      std::copy_n(before, kMaxLanes, narrow);
      wave_.blend<uint32_t>(old, narrow, meta);
    }
    if (plan_.success.valid())
      wave_.blend<uint32_t>(plan_.success, success, {meta.defined, 0, 0, meta.tainted});
  }

  Wave &wave_;
  const Op &op_;
  const AtomicPlan &plan_;
};

} // namespace

void runAtomic(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const AtomicPlan *>(op.data);
  bySpace(wave, plan.space, op.a, plan.narrow, [&] { AtomicLanes(wave, op, plan).run(); });
}

// Lane by lane, since lengths may differ.
void runBlockCopy(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const BlockCopy *>(op.data);
  const uint64_t active = wave.active;
  forLanes(active, [&](unsigned lane) {
    const uint64_t length =
        plan.wideLength ? wave.get<uint64_t>(op.c)[lane] : wave.get<uint32_t>(op.c)[lane];
    if (length == 0)
      return;
    if (length > (1u << 28))
      return wave.stop(op, "a memory copy of more than 256 MiB");
    wave.active = uint64_t(1) << lane;
    Access to, from;
    wave.resolve(to, plan.to, op.a, plan.narrowTo, unsigned(length), 1, MemoryEvent::Store, op);
    if (plan.fill) {
      if (to.lanes) {
        std::memset(to.bytes[lane], int(wave.get<uint32_t>(op.b)[lane]), length);
        const bool defined = wave.meta(op.b).defined >> lane & 1;
        std::memset(to.shade[lane], defined ? shadow::ready : shadow::fresh, length);
        wave.stored();
      }
      return;
    }
    wave.resolve(from, plan.from, op.b, plan.narrowFrom, unsigned(length), 1, MemoryEvent::Load,
                 op);
    if (!to.lanes || !from.lanes)
      return;
    std::memmove(to.bytes[lane], from.bytes[lane], length);
    std::memmove(to.shade[lane], from.shade[lane], length);
    for (uint64_t i = 0; i < length; ++i)
      to.shade[lane][i] &= uint8_t(~8); // what was read from constant memory may be written
    wave.stored();
  });
  wave.active = active;
}

void runFence(Wave &wave, const Op &) {
  for (Observer *observer : *wave.block->observers)
    observer->onFence(wave);
}

void runAlloca(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const AllocaPlan *>(op.data);
  wave.clearPrivate(plan.offset, plan.bytes);
  if (plan.narrow) {
    uint32_t *d = wave.begin<uint32_t>(op.dst);
    std::fill_n(d, wave.lanes, uint32_t(plan.offset));
    wave.commit<uint32_t>(op.dst, {wave.all, 0, 0, false});
  } else {
    uint64_t *d = wave.begin<uint64_t>(op.dst);
    std::fill_n(d, wave.lanes, op.immediate + plan.offset);
    wave.commit<uint64_t>(op.dst, {wave.all, 0, 0, false});
  }
}

void runCall(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const CallPlan *>(op.data);
  for (const Copy &copy : plan.arguments)
    wave.copy(copy);
  enterFunction(wave, *plan.callee, op);
}

void issueAsync(Wave &wave, const Op &op, const Access &to, const Access &from, unsigned bytes,
                const unsigned *copied) {
  forLanes(to.lanes & from.lanes, [&](unsigned lane) {
    AsyncCopy copy;
    copy.lane = lane;
    copy.bytes = bytes;
    copy.address = to.addresses[lane];
    copy.group = wave.asyncGroup[lane];
    const unsigned real = copied ? std::min(copied[lane], bytes) : bytes;
    std::memcpy(copy.data, from.bytes[lane], real);
    std::memcpy(copy.shade, from.shade[lane], real);
    std::fill(copy.shade + real, copy.shade + bytes, shadow::ready);
    for (uint8_t &shade : copy.shade)
      shade &= uint8_t(~8);
    wave.async.push_back(copy);
  });
}

void finishAsync(Wave &wave, uint64_t keep) {
  Arena &shared = wave.sharedMemory();
  auto done = [&](const AsyncCopy &copy) {
    return (wave.active >> copy.lane & 1) && copy.group + keep < wave.asyncGroup[copy.lane];
  };
  for (const AsyncCopy &copy : wave.async) {
    if (!done(copy))
      continue;
    std::memcpy(shared.bytes.data() + copy.address, copy.data, copy.bytes);
    std::memcpy(shared.shadow.data() + copy.address, copy.shade, copy.bytes);
    for (Observer *observer : *wave.block->observers)
      observer->onAsyncDone(wave, copy.lane, copy.address, copy.bytes);
  }
  wave.async.erase(std::remove_if(wave.async.begin(), wave.async.end(), done), wave.async.end());
}

} // namespace layout_port::verify
