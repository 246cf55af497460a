// See Touched.h.
#include "machine/Touched.h"

#include "machine/Wave.h"

namespace layout_port::verify {

Touched::Touched(const Arena &arena)
    : base_(arena.base), read_(arena.bytes.size() / 64 + 2), written_(read_.size()) {}

namespace {

void setBits(std::vector<uint64_t> &words, uint64_t first, uint64_t count) {
  while (count) {
    const unsigned bit = first % 64;
    const unsigned here = unsigned(std::min<uint64_t>(count, 64 - bit));
    words[first / 64] |= (here == 64 ? ~uint64_t(0) : (uint64_t(1) << here) - 1) << bit;
    first += here;
    count -= here;
  }
}

} // namespace

void Touched::mark(MemoryEvent::Kind kind, uint64_t lanes, const uint64_t *addresses,
                   unsigned bytes) {
  atomics_ |= kind == MemoryEvent::Atomic;
  std::vector<uint64_t> &words = kind == MemoryEvent::Load ? read_ : written_;
  forLanes(lanes, [&](unsigned lane) { setBits(words, addresses[lane] - base_, bytes); });
}

bool Touched::overlap(const Touched &a, const Touched &b) {
  for (size_t i = 0; i < a.written_.size(); ++i)
    if ((a.written_[i] & (b.read_[i] | b.written_[i])) | (a.read_[i] & b.written_[i]))
      return true;
  return false;
}

void Touched::copyWritten(const Arena &from, Arena &to) const {
  for (size_t i = 0; i < written_.size(); ++i)
    for (uint64_t rest = written_[i]; rest; rest &= rest - 1) {
      const size_t at = 64 * i + size_t(__builtin_ctzll(rest));
      to.bytes[at] = from.bytes[at];
      to.shadow[at] = from.shadow[at];
    }
}

} // namespace layout_port::verify
