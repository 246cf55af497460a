// See Wave.h.
#include "machine/Wave.h"

#include "machine/Machine.h"

#include <algorithm>

namespace layout_port::verify {

void Wave::attach(BlockState *state, const Program &code, unsigned number) {
  block = state;
  program = &code;
  lanes = code.lanes;
  all = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
  index = number;
  values_.assign(code.registerBytes, 0);
  metas_.assign(code.registerCount, Meta());
  trips.assign(code.loops.size(), 0);
  local_.resize(size_t(code.privateBytes) * lanes, shadow::fresh);
  for (const Constant &constant : code.constants) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (constant.wide)
        mutableGet<uint64_t>(constant.reg)[lane] = constant.value;
      else
        mutableGet<uint32_t>(constant.reg)[lane] = uint32_t(constant.value);
    }
    meta(constant.reg) = constant.meta;
  }
}

void Wave::resetForBlock() {
  state = WaveState::Running;
  exited = 0;
  frames.clear();
  async.clear();
  guards.clear();
  // Nothing of another block is left: what is said of this one does not hang on which
  // blocks ran before.
  metas_ = startMetas_;
  std::fill(std::begin(asyncGroup), std::end(asyncGroup), 0);
}

Arena &Wave::sharedMemory() { return block->shared; }

void Wave::clearPrivate(uint64_t offset, uint64_t bytes) {
  forLanes(active, [&](unsigned lane) {
    auto begin = local_.shadow.begin() + std::ptrdiff_t(lane * program->privateBytes + offset);
    std::fill(begin, begin + std::ptrdiff_t(bytes), shadow::fresh);
    const auto first = local_.bytes.begin() + (begin - local_.shadow.begin());
    std::fill(first, first + std::ptrdiff_t(bytes), uint8_t(0));
  });
}

bool Wave::observed() const { return !block->observers->empty(); }

void Wave::stored() {
  for (Observer *observer : *block->observers)
    observer->onStored(*this);
}

// Lanes outside the active mask keep what they had. Where payloads of two shapes
// meet in one register, nothing can be said about it any more.
void Wave::mergeMeta(Reg dst, const Meta &meta) {
  Meta &old = metas_[dst.meta];
  const uint64_t keep = ~active;
  const uint64_t kept = old.field & keep, fresh = meta.field & active;
  if (!kept)
    old.code = meta.code;
  else if (fresh && old.code != meta.code)
    old.code = kMixedCode;
  old.field = kept | fresh;
  old.defined = (old.defined & keep) | (meta.defined & active);
  old.tainted = active == all ? meta.tainted : old.tainted || meta.tainted;
}

void Wave::copy(const Copy &move) {
  if (move.from.meta == move.to.meta)
    return;
  if (move.wide)
    blend<uint64_t>(move.to, get<uint64_t>(move.from), meta(move.from));
  else
    blend<uint32_t>(move.to, get<uint32_t>(move.from), meta(move.from));
}

namespace {

// One bit a lane; branches are mostly uniform, which is seen first.
template <class T> uint64_t nonZeroLanes(const T *values, unsigned lanes, uint64_t all) {
  T any = 0;
  bool every = true;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    any |= values[lane];
    every &= values[lane] != 0;
  }
  if (!any || every)
    return any ? all : 0;
  uint64_t mask = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    mask |= uint64_t(values[lane] != 0) << lane;
  return mask;
}

} // namespace

uint64_t Wave::nonZero(Reg reg, bool wide) const {
  return wide ? nonZeroLanes(get<uint64_t>(reg), lanes, all)
              : nonZeroLanes(get<uint32_t>(reg), lanes, all);
}

void Wave::report(const Op &op, ProblemKind kind, uint64_t which, std::string detail, Space space,
                  uint64_t address) {
  if (!observed())
    return;
  Problem problem{kind, which, space, address, op.location, std::move(detail)};
  for (Observer *observer : *block->observers)
    observer->onProblem(*this, problem);
}

void Wave::stop(const Op &op, std::string reason) {
  if (!block->stopped.empty())
    return;
  state = WaveState::Stopped;
  block->stopped = block->describe(op.location) + std::move(reason);
}

void Wave::remark(std::set<std::string> Remarks::*list, uint32_t location, const char *text) {
  Remarks &remarks = *block->remarks;
  const uint64_t key = uint64_t(location) << 32 ^ mix(uint64_t(uintptr_t(text))) >> 32;
  if (remarks.seen.insert(key).second)
    (remarks.*list).insert(block->describe(location) + text);
}

void Wave::giveUp(const Op &op, const char *reason) {
  remark(&Remarks::gaveUp, op.location, reason);
}

void Wave::takesApart() { block->remarks->takesApart = true; }

void Wave::assume(const Op &op, const char *assumption) {
  remark(&Remarks::assumptions, op.location, assumption);
}

void Wave::spend(const Op &op, const char *reason) { remark(&Remarks::spent, op.location, reason); }

void Wave::rounded(const Op &op, FloatFormat format, uint32_t exact) {
  const uint32_t residue = field->residue(exact);
  if (residue < field->prime() && field->round(format, exact) != exact)
    block->remarks->roundings[{op.location, format}].set(residue);
}

void Wave::leavesOut(const Op &op, const char *what) { remark(&Remarks::taint, op.location, what); }

void Wave::dependsOnData(uint32_t location, const char *what) {
  remark(&Remarks::taint, location, what);
}

namespace {

// Lanes without a good address read from here.
struct Nowhere {
  uint8_t bytes[256] = {};
  uint8_t shade[256];
  Nowhere() { std::fill(std::begin(shade), std::end(shade), shadow::ready); }
};

thread_local Nowhere nowhere;

} // namespace

void Wave::resolve(Access &access, Space space, Reg address, bool narrow, unsigned bytes,
                   unsigned alignment, MemoryEvent::Kind kind, const Op &op, bool ordered) {
  if (!narrow)
    return resolve(access, space, get<uint64_t>(address), meta(address), bytes, alignment, kind, op,
                   ordered);
  uint64_t wide[kMaxLanes];
  const uint32_t *offsets = get<uint32_t>(address);
  everyLane(lanes, [&wide, offsets](unsigned lane) { wide[lane] = offsets[lane]; });
  resolve(access, space, wide, meta(address), bytes, alignment, kind, op, ordered);
}

namespace {

// Whether any lane's address is outside [base, base + limit] or not aligned. Offsets and
// limit are far below 2^63, so that a negative difference has its top bit set.
bool anyWrong(unsigned lanes, const uint64_t *addresses, uint64_t base, uint64_t limit,
              unsigned alignment) {
  uint64_t outside = 0, low = 0;
  for (unsigned first = 0; first < lanes; first += 32)
    for (unsigned i = 0; i < 32; ++i) {
      const uint64_t offset = addresses[first + i] - base;
      outside |= offset | (limit - offset);
      low |= addresses[first + i];
    }
  return outside >> 63 || (low & (alignment - 1));
}

// A lane's own copy of private memory, in bounds and aligned for all lanes: arrays in
// registers are there, since the IR is not unrolled.
bool resolvePrivate(Wave &wave, Arena &arena, Access &access, Space space,
                    const uint64_t *addresses, unsigned bytes, unsigned alignment) {
  const uint64_t size = wave.program->privateBytes;
  const uint64_t base = space == Space::Generic ? kLocalWindow : 0;
  if (bytes > size)
    return false;
  const uint64_t limit = size - bytes;
  if (anyWrong(wave.lanes, addresses, base, limit, alignment))
    return false;
  uint8_t every = shadow::addressable;
  uint8_t *const data = arena.bytes.data(), *const shade = arena.shadow.data();
  everyLane(wave.lanes, [=, &access](unsigned lane) {
    const uint64_t at = addresses[lane] - base, offset = at + lane * size;
    access.addresses[lane] = at;
    access.bytes[lane] = data + offset;
    access.shade[lane] = shade + offset;
  });
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    every &= access.shade[lane][0] & access.shade[lane][bytes - 1];
  access.space = Space::Local;
  return every;
}

// What nearly every access is: all lanes, one space, in bounds, aligned. False: look
// lane by lane what is wrong.
bool resolveTogether(Wave &wave, Access &access, Space space, const uint64_t *addresses,
                     unsigned bytes, unsigned alignment, MemoryEvent::Kind kind) {
  uint64_t window = 0;
  if (space == Space::Generic) {
    window = addresses[0] >> kWindowShift;
    space = window == 0 ? Space::Global : window == 1 ? Space::Shared : Space::Local;
  }
  Arena &arena = space == Space::Shared ? wave.block->shared : wave.block->global->arena;
  if (space == Space::Local || window > 1 || bytes > arena.bytes.size())
    return false;
  const uint64_t base = space == Space::Global ? kGlobalBase : window << kWindowShift;
  if (anyWrong(wave.lanes, addresses, base, arena.bytes.size() - bytes, alignment))
    return false;
  uint8_t *const data = arena.bytes.data(), *const shade = arena.shadow.data();
  const uint64_t shown = space == Space::Global ? 0 : base;
  everyLane(wave.lanes, [=, &access](unsigned lane) {
    const uint64_t offset = addresses[lane] - base;
    access.addresses[lane] = addresses[lane] - shown;
    access.bytes[lane] = data + offset;
    access.shade[lane] = shade + offset;
  });
  uint8_t every = shadow::addressable, any = 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    every &= access.shade[lane][0] & access.shade[lane][bytes - 1];
    any |= access.shade[lane][0];
  }
  access.space = space;
  return every && (kind == MemoryEvent::Load || !(any & 8));
}

void announce(const Wave &wave, const Access &access, unsigned bytes, unsigned alignment,
              MemoryEvent::Kind kind, const Op &op, bool ordered) {
  if (!access.lanes)
    return;
  if (wave.block->touched && access.space == Space::Global)
    wave.block->touched->mark(kind, access.lanes, access.addresses, bytes);
  if (!wave.observed())
    return;
  MemoryEvent event{kind,  access.space, access.lanes, access.addresses,
                    bytes, &op,          alignment,    ordered};
  for (Observer *observer : *wave.block->observers)
    observer->onMemory(wave, event);
}

} // namespace

void Wave::resolve(Access &access, Space space, const uint64_t *addresses, const Meta &meta,
                   unsigned bytes, unsigned alignment, MemoryEvent::Kind kind, const Op &op,
                   bool ordered) {
  access.lanes = active & meta.defined;
  if (access.lanes != active)
    report(op, ProblemKind::UndefinedAddress, active & ~meta.defined);
  if (meta.field & active)
    giveUp(op, "a float is used as an address");
  if (meta.tainted)
    dependsOnData(op.location, "an address depends on data");
  const bool isPrivate =
      space == Space::Local || (space == Space::Generic && addresses[0] >> kWindowShift == 2);
  if (access.lanes == all && bytes &&
      (isPrivate ? resolvePrivate(*this, local_, access, space, addresses, bytes, alignment)
                 : resolveTogether(*this, access, space, addresses, bytes, alignment, kind)))
    return announce(*this, access, bytes, alignment, kind, op, ordered);
  access.space = space == Space::Generic ? Space::Global : space;
  uint64_t bad = 0, misaligned = 0, constant = 0;
  bool first = true;
  forLanes(access.lanes, [&](unsigned lane) {
    uint64_t at = addresses[lane];
    Space where = space;
    if (space == Space::Generic)
      where = at >> kWindowShift == 1   ? Space::Shared
              : at >> kWindowShift == 2 ? Space::Local
                                        : Space::Global;
    if (first)
      access.space = where;
    first = false;
    Arena *arena = &block->global->arena;
    uint64_t offset = at - kGlobalBase;
    if (where != Space::Global) {
      arena = where == Space::Shared ? &block->shared : &local_;
      offset = at & (kSharedWindow - 1); // far beyond a window is out of bounds, not inside
      at = offset;
      if (where == Space::Local)
        offset = offset + bytes <= program->privateBytes
                     ? offset + uint64_t(lane) * program->privateBytes
                     : ~uint64_t(0) / 2;
    }
    const uint64_t size = arena->bytes.size();
    if (where != access.space || offset > size || bytes > size - offset ||
        !(arena->shadow[offset] & arena->shadow[offset + bytes - 1] & shadow::addressable)) {
      bad |= uint64_t(1) << lane;
      return;
    }
    if (kind != MemoryEvent::Load && (arena->shadow[offset] & 8))
      constant |= uint64_t(1) << lane;
    misaligned |= uint64_t((at & (alignment - 1)) != 0) << lane;
    access.addresses[lane] = at;
    access.bytes[lane] = arena->bytes.data() + offset;
    access.shade[lane] = arena->shadow.data() + offset;
  });
  if (bad | constant | misaligned) {
    forLanes(bad & -bad, [&](unsigned lane) {
      report(op, ProblemKind::OutOfBounds, bad, {}, access.space, addresses[lane]);
    });
    forLanes(constant & -constant, [&](unsigned lane) {
      report(op, ProblemKind::ReadOnly, constant, {}, access.space, addresses[lane]);
    });
    forLanes(misaligned & -misaligned, [&](unsigned lane) {
      report(op, ProblemKind::Misaligned, misaligned, {}, access.space, addresses[lane]);
    });
    access.lanes &= ~(bad | constant);
  }
  const unsigned model = access.lanes ? __builtin_ctzll(access.lanes) : 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (access.lanes >> lane & 1)
      continue;
    const bool copyModel = access.lanes && !(active >> lane & 1);
    access.bytes[lane] = copyModel ? access.bytes[model] : nowhere.bytes;
    access.shade[lane] = copyModel ? access.shade[model] : nowhere.shade;
    access.addresses[lane] = 0;
  }
  announce(*this, access, bytes, alignment, kind, op, ordered);
}

namespace {

template <unsigned Bytes> uint64_t readBytes(const uint8_t *from) {
  uint64_t value = 0;
  std::memcpy(&value, from, Bytes);
  return value;
}

// The payload nibbles of up to eight shadow bytes.
uint32_t codeOf(uint64_t shade, unsigned bytes) {
  uint32_t code = 0;
  for (unsigned i = 0; i < bytes; ++i)
    code |= uint32_t(shade >> (8 * i + 4) & 15) << (4 * i);
  return code;
}

constexpr uint64_t kIgnoredShade = shadow::each(uint8_t(~(shadow::addressable | 8)));

bool allDefined(uint64_t shade, unsigned bytes) {
  const uint64_t want = shadow::each(shadow::defined) >> (64 - 8 * bytes);
  return (shade & want) == want;
}

bool anyTainted(uint64_t shade) { return shade & shadow::each(shadow::tainted); }

// A lane whose bytes are all zero reads as the residue 0 whatever the layout.
Meta describeLanes(const uint64_t *shades, const uint64_t *values, unsigned bytes, unsigned lanes,
                   uint64_t good) {
  Meta meta;
  forLanes(good, [&](unsigned lane) {
    const uint64_t bit = uint64_t(1) << lane;
    if (allDefined(shades[lane], bytes))
      meta.defined |= bit;
    meta.tainted |= anyTainted(shades[lane]);
    const uint32_t code = codeOf(shades[lane], bytes);
    if (!code)
      return;
    meta.code = !meta.field || meta.code == code ? code : kMixedCode;
    meta.field |= bit;
  });
  if (meta.code == kMixedCode || !meta.field)
    return meta;
  forLanes(good & ~meta.field, [&](unsigned lane) {
    if (values[lane] == 0)
      meta.field |= uint64_t(1) << lane;
  });
  return meta;
}

// When every lane has the same shade.
Meta describeAll(uint64_t shade, unsigned bytes, uint64_t good) {
  const uint32_t code = codeOf(shade, bytes);
  return {allDefined(shade, bytes) ? good : 0, code ? good : 0, code, anyTainted(shade)};
}

// Where shades differ: lane by lane.
template <class Word, unsigned Bytes>
Meta describeMixed(const Access &access, unsigned offset, const Word *values, unsigned lanes) {
  uint64_t shades[kMaxLanes], wide[kMaxLanes];
  for (unsigned lane = 0; lane < lanes; ++lane) {
    shades[lane] = readBytes<Bytes>(access.shade[lane] + offset) & kIgnoredShade;
    wide[lane] = values[lane];
  }
  return describeLanes(shades, wide, Bytes, lanes, access.lanes);
}

template <class Word, unsigned Bytes>
Meta loadLanes(const Access &access, unsigned offset, Word *values, unsigned lanes) {
  const uint64_t first = readBytes<Bytes>(access.shade[0] + offset);
  uint64_t differ = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    values[lane] = Word(readBytes<Bytes>(access.bytes[lane] + offset));
    differ |= readBytes<Bytes>(access.shade[lane] + offset) ^ first;
  }
  if (differ & kIgnoredShade)
    return describeMixed<Word, Bytes>(access, offset, values, lanes);
  return describeAll(first & kIgnoredShade, Bytes, access.lanes);
}

uint64_t storedShade(const Meta &meta, unsigned lane, unsigned bytes) {
  uint64_t shade = shadow::each(shadow::addressable);
  if (meta.defined >> lane & 1)
    shade |= shadow::each(shadow::defined);
  if (meta.tainted)
    shade |= shadow::each(shadow::tainted);
  if (meta.field >> lane & 1)
    for (unsigned i = 0; i < bytes; ++i)
      shade |= uint64_t(meta.code >> (4 * i) & 15) << (8 * i + 4);
  return shade;
}

} // namespace

void Wave::writeLoaded(Reg dst, const uint64_t *values, const uint64_t *shades, unsigned bytes) {
  uint64_t known[kMaxLanes];
  uint64_t differ = 0;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    known[lane] = shades[lane] & kIgnoredShade;
    differ |= known[lane] ^ known[0];
  }
  const Meta meta = differ || active != all ? describeLanes(known, values, bytes, lanes, active)
                                            : describeAll(known[0], bytes, active);
  noteParts(meta);
  if (bytes > 4)
    return blend<uint64_t>(dst, values, meta);
  uint32_t narrow[kMaxLanes];
  std::copy_n(values, lanes, narrow);
  blend<uint32_t>(dst, narrow, meta);
}

void Wave::writeLoaded(Reg dst, const uint32_t *values, const uint32_t *shades) {
  uint32_t differ = 0;
  for (unsigned lane = 0; lane < lanes; ++lane)
    differ |= shades[lane] ^ shades[0];
  if (!(differ & uint32_t(kIgnoredShade)) && active == all)
    return blend<uint32_t>(dst, values, describeAll(shades[0] & kIgnoredShade, 4, active));
  uint64_t wideValues[kMaxLanes], wideShades[kMaxLanes];
  std::copy_n(values, lanes, wideValues);
  std::copy_n(shades, lanes, wideShades);
  writeLoaded(dst, wideValues, wideShades, 4);
}

uint64_t Wave::shadeOf(Reg reg, unsigned lane, unsigned bytes) const {
  return storedShade(meta(reg), lane, bytes);
}

template <class Word, unsigned Bytes>
void Wave::loadWords(const Access &access, unsigned offset, Reg dst) {
  Word *values = begin<Word>(dst);
  const Meta meta = loadLanes<Word, Bytes>(access, offset, values, lanes);
  noteParts(meta);
  commit<Word>(dst, meta);
}

void Wave::load(const Access &access, unsigned offset, unsigned bytes, Reg dst, bool wide) {
  switch (bytes) {
  case 1:
    return wide ? loadWords<uint64_t, 1>(access, offset, dst)
                : loadWords<uint32_t, 1>(access, offset, dst);
  case 2:
    return wide ? loadWords<uint64_t, 2>(access, offset, dst)
                : loadWords<uint32_t, 2>(access, offset, dst);
  case 3:
    return wide ? loadWords<uint64_t, 3>(access, offset, dst)
                : loadWords<uint32_t, 3>(access, offset, dst);
  case 4:
    return wide ? loadWords<uint64_t, 4>(access, offset, dst)
                : loadWords<uint32_t, 4>(access, offset, dst);
  default:
    return loadWords<uint64_t, 8>(access, offset, dst);
  }
}

namespace {

template <unsigned Bytes, class Word>
void storeWords(const Wave &wave, const Access &access, unsigned offset, Reg value) {
  const Meta &about = wave.meta(value);
  const Word *words = wave.get<Word>(value);
  const auto one = [&](unsigned lane, uint64_t shade) {
    const uint64_t word = words[lane];
    std::memcpy(access.bytes[lane] + offset, &word, Bytes);
    std::memcpy(access.shade[lane] + offset, &shade, Bytes);
  };
  const uint64_t field = about.field & access.lanes, defined = about.defined & access.lanes;
  const bool alike = (field == 0 || field == access.lanes) &&
                     (defined == 0 || defined == access.lanes) && access.lanes;
  if (!alike)
    return forLanes(access.lanes,
                    [&](unsigned lane) { one(lane, storedShade(about, lane, Bytes)); });
  const uint64_t shade = storedShade(about, unsigned(__builtin_ctzll(access.lanes)), Bytes);
  if (access.lanes != wave.all)
    return forLanes(access.lanes, [&](unsigned lane) { one(lane, shade); });
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    one(lane, shade);
}

} // namespace

void Wave::store(const Access &access, unsigned offset, unsigned bytes, Reg value, bool wide) {
  switch (bytes) {
  case 1:
    return wide ? storeWords<1, uint64_t>(*this, access, offset, value)
                : storeWords<1, uint32_t>(*this, access, offset, value);
  case 2:
    return wide ? storeWords<2, uint64_t>(*this, access, offset, value)
                : storeWords<2, uint32_t>(*this, access, offset, value);
  case 3:
    return wide ? storeWords<3, uint64_t>(*this, access, offset, value)
                : storeWords<3, uint32_t>(*this, access, offset, value);
  case 4:
    return wide ? storeWords<4, uint64_t>(*this, access, offset, value)
                : storeWords<4, uint32_t>(*this, access, offset, value);
  case 5:
    return storeWords<5, uint64_t>(*this, access, offset, value);
  case 6:
    return storeWords<6, uint64_t>(*this, access, offset, value);
  case 7:
    return storeWords<7, uint64_t>(*this, access, offset, value);
  default:
    return storeWords<8, uint64_t>(*this, access, offset, value);
  }
}

} // namespace layout_port::verify
