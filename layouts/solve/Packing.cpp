// Choosing what shares a word: first what already does on both sides (nothing to
// do), then what does on one side (one v_perm a word), then anything.
#include "solve/Packing.h"

#include "solve/Exchange.h"

#include <algorithm>

namespace layout_port::solve {

namespace {

uint64_t unit(int bit) { return uint64_t(1) << bit; }

f2::Columns units(int from, int to) {
  f2::Columns columns;
  for (int i = from; i < to; ++i)
    columns.push_back(unit(i));
  return columns;
}

// Coordinates in a basis: x = sum of basis[i] over the bits i of the result.
class Basis {
public:
  explicit Basis(f2::Columns vectors) : vectors_(std::move(vectors)) {
    for (size_t i = 0; i < vectors_.size(); ++i)
      span_.insert(vectors_[i], static_cast<int>(i));
  }
  // False when the vector is not new.
  bool add(uint64_t vector) {
    if (!span_.insert(vector, static_cast<int>(vectors_.size())))
      return false;
    vectors_.push_back(vector);
    return true;
  }
  uint64_t coordinates(uint64_t x) const { return span_.solve(x).value_or(0); }
  const f2::Columns &vectors() const { return vectors_; }

private:
  f2::Columns vectors_;
  f2::Span span_;
};

// The destination slots without copies: pivots, and how each slot bit is made of them.
struct Reduced {
  std::vector<int> bits;
  f2::Columns expand; // slot bit -> coordinates over `bits`
};

Reduced withoutCopies(const Conversion &slots) {
  Reduced reduced;
  f2::Span span;
  for (int i = 0; i < slots.destSlotBits; ++i) {
    if (span.insert(slots.slotColumn(i), static_cast<int>(reduced.bits.size())))
      reduced.bits.push_back(i);
    reduced.expand.push_back(span.solve(slots.slotColumn(i)).value_or(0));
  }
  return reduced;
}

// K: independent vectors of ker U over the reduced destination slots, and the bit of
// the slot's place in the word that each is.
struct Mates {
  f2::Columns vectors;
  std::vector<int> places;
};

// Picks at most `subBits` vectors, best first.
class WordMates {
public:
  WordMates(const Conversion &slots, const Reduced &reduced, int subBits)
      : slots_(slots), reduced_(reduced), subBits_(subBits) {
    f2::Columns lanes;
    for (const int bit : reduced.bits)
      lanes.push_back(slots.lanePart(slots.slotColumn(bit)));
    kernel_ = f2::kernel(lanes);
  }

  Mates pick() {
    offerIf([&](uint64_t v) { return isDestSubUnit(v) && inSourceWord(v); });
    offerPreimagesOfSourceSubBits();
    offerIf([&](uint64_t v) { return isDestSubUnit(v); });
    offerIf([](uint64_t) { return true; });
    return {picked_, places()};
  }

private:
  uint64_t source(uint64_t v) const {
    uint64_t position = 0;
    for (uint64_t rest = v; rest; rest &= rest - 1)
      position ^= slots_.slotColumn(reduced_.bits[f2::lowestBit(rest)]);
    return position;
  }
  bool isDestSubUnit(uint64_t v) const {
    return f2::popcount(v) == 1 && reduced_.bits[f2::lowestBit(v)] < subBits_;
  }
  bool inSourceWord(uint64_t v) const { return source(v) >> subBits_ == 0; }

  template <typename Wanted> void offerIf(Wanted wanted) {
    for (const uint64_t v : kernel_)
      if (wanted(v))
        take(v);
  }

  // The part of ker U that Q maps into the word of source slot 0.
  void offerPreimagesOfSourceSubBits() {
    f2::Columns above;
    for (const uint64_t v : kernel_)
      above.push_back(source(v) >> subBits_);
    for (const uint64_t combination : f2::kernel(above))
      take(f2::apply(kernel_, combination));
  }

  void take(uint64_t v) {
    if (static_cast<int>(picked_.size()) < subBits_ && span_.insert(v, 0))
      picked_.push_back(v);
  }

  // Each vector at the place it has in the source, else in the destination, else any.
  std::vector<int> places() const {
    std::vector<int> places(picked_.size(), -1);
    uint64_t taken = 0;
    const auto place = [&](size_t i, int at) {
      if (at >= subBits_ || taken >> at & 1)
        return;
      places[i] = at;
      taken |= unit(at);
    };
    for (size_t i = 0; i < picked_.size(); ++i)
      place(i, naturalPlace(picked_[i]));
    for (size_t i = 0; i < picked_.size(); ++i)
      if (places[i] < 0)
        place(i, f2::lowestBit(~taken));
    return places;
  }
  int naturalPlace(uint64_t v) const {
    const uint64_t from = source(v);
    if (f2::popcount(from) == 1 && f2::lowestBit(from) < subBits_)
      return f2::lowestBit(from);
    return isDestSubUnit(v) ? reduced_.bits[f2::lowestBit(v)] : 64;
  }

  const Conversion &slots_;
  const Reduced &reduced_;
  int subBits_;
  f2::Columns kernel_, picked_;
  f2::Span span_;
};

// The source slots as (place in the word, word): Q K at its places, the other places
// filled with what lies in a source word anyway; places that the source has no slots
// for stay unfilled.
f2::Columns sourceOrder(const Mates &mates, const f2::Columns &sourceMates, int slotBits,
                        int subBits) {
  Basis basis(sourceMates);
  const f2::Columns inWord = units(0, std::min(subBits, slotBits));
  const f2::Columns above = units(std::min(subBits, slotBits), slotBits);
  f2::Columns places(subBits, 0), fillers, words;
  for (size_t i = 0; i < sourceMates.size(); ++i)
    places[mates.places[i]] = sourceMates[i];
  const auto extend = [&](const f2::Columns &candidates, f2::Columns &into, size_t most) {
    for (const uint64_t vector : candidates)
      if (into.size() < most && basis.add(vector))
        into.push_back(vector);
  };
  extend(inWord, fillers, subBits - sourceMates.size());
  extend(above, fillers, subBits - sourceMates.size());
  extend(above, words, 64);
  extend(inWord, words, 64);
  // A filler that is a place of its own goes there.
  for (uint64_t &filler : fillers)
    if (f2::popcount(filler) == 1 && filler < unit(subBits) && !places[f2::lowestBit(filler)])
      std::swap(places[f2::lowestBit(filler)], filler);
  size_t missing = slotBits;
  for (uint64_t &place : places) {
    if (place)
      continue;
    const auto filler = std::find_if(fillers.begin(), fillers.end(), [](uint64_t f) { return f; });
    if (filler != fillers.end())
      std::swap(place, *filler);
    else
      place = unit(static_cast<int>(missing++));
  }
  places.insert(places.end(), words.begin(), words.end());
  return places;
}

} // namespace

Packed packIntoWords(const Conversion &slots, int subBits) {
  const Reduced reduced = withoutCopies(slots);
  const int reducedBits = static_cast<int>(reduced.bits.size());
  const auto column = [&](uint64_t v) {
    uint64_t position = 0;
    for (uint64_t rest = v; rest; rest &= rest - 1)
      position ^= slots.slotColumn(reduced.bits[f2::lowestBit(rest)]);
    return position;
  };

  const Mates mates = WordMates(slots, reduced, subBits).pick();
  const int filled = static_cast<int>(mates.vectors.size());
  Basis dest(mates.vectors);
  // Slots of other words first, so that word bits stay word bits.
  for (const bool inWord : {false, true})
    for (int i = 0; i < reducedBits; ++i)
      if ((reduced.bits[i] < subBits) == inWord)
        dest.add(unit(i));

  f2::Columns sourceMates;
  for (const uint64_t v : mates.vectors)
    sourceMates.push_back(slots.slotPart(column(v)));
  const Basis source(sourceOrder(mates, sourceMates, slots.sourceSlotBits, subBits));

  Packed packed;
  packed.pack.slots = source.vectors();
  packed.pack.threads.assign(slots.threadBits(), 0);

  Conversion &words = packed.words;
  words.sourceSlotBits = static_cast<int>(source.vectors().size()) - subBits;
  words.destSlotBits = reducedBits - filled;
  words.laneBits = slots.laneBits;
  words.groupBits = slots.groupBits;
  f2::Columns shift; // a, of each word-level in-bit
  const auto addColumn = [&](uint64_t position) {
    const uint64_t slot = source.coordinates(slots.slotPart(position));
    shift.push_back(slot & f2::lowMask(subBits));
    words.columns.push_back(slot >> subBits | slots.threadPart(position) << words.sourceSlotBits);
  };
  for (int i = filled; i < reducedBits; ++i)
    addColumn(column(dest.vectors()[i]));
  for (int t = 0; t < slots.threadBits(); ++t)
    addColumn(slots.threadColumn(t));

  f2::Columns placed; // coordinate in `dest` -> place in the word
  for (const int place : mates.places)
    placed.push_back(unit(place));
  for (int i = 0; i < slots.destSlotBits; ++i) {
    const uint64_t at = dest.coordinates(reduced.expand[i]);
    const uint64_t word = at >> filled;
    packed.unpack.slots.push_back(f2::apply(placed, at & f2::lowMask(filled)) ^
                                  f2::apply(shift, word) ^ word << subBits);
  }
  packed.unpack.threads.assign(shift.begin() + words.destSlotBits, shift.end());
  packed.pack.selects = registerSelects(packed.pack, subBits);
  packed.unpack.selects = registerSelects(packed.unpack, subBits);
  return packed;
}

bool isIdentity(const RegisterStep &step, int oldSlotBits) {
  if (static_cast<int>(step.slots.size()) != oldSlotBits)
    return false;
  for (size_t i = 0; i < step.slots.size(); ++i)
    if (step.slots[i] != unit(static_cast<int>(i)))
      return false;
  return std::all_of(step.threads.begin(), step.threads.end(),
                     [](uint64_t column) { return column == 0; });
}

RegisterStep fused(const RegisterStep &first, const RegisterStep &second, int subBits) {
  RegisterStep both;
  both.slots = f2::multiply(first.slots, second.slots);
  both.threads = f2::multiply(first.slots, second.threads);
  for (size_t t = 0; t < both.threads.size(); ++t)
    both.threads[t] ^= first.threads[t];
  both.selects = registerSelects(both, subBits);
  return both;
}

namespace {

// Counts what a register step takes when words hold several slots.
class SelectCounter {
public:
  SelectCounter(const RegisterStep &step, int subBits) : step_(step), subBits_(subBits) {
    subColumns_.assign(step.slots.begin(), step.slots.begin() + inWord());
    for (const uint64_t column : subColumns_)
      wordsTogether_.push_back(column >> subBits_);
    wordsTogether_ = f2::reducedBasis(wordsTogether_);
  }

  int count() const { return mergeCount() + chooseWords(); }

private:
  int inWord() const { return std::min<int>(subBits_, static_cast<int>(step_.slots.size())); }
  uint64_t words() const { return unit(static_cast<int>(step_.slots.size()) - inWord()); }
  uint64_t firstSlot(uint64_t word) const { return f2::apply(step_.slots, word << inWord()); }

  // One v_perm merges two words and can reorder their bytes, lane by lane if need be.
  int mergeCount() const {
    const int inputs = 1 << wordsTogether_.size();
    int count = 0;
    for (uint64_t word = 0; word < words(); ++word)
      if (inputs > 1)
        count += (inputs - 1) * permCost();
      else if (reorders(firstSlot(word)))
        count += permCost();
    return count;
  }

  bool reorders(uint64_t first) const {
    if (first & f2::lowMask(subBits_))
      return true;
    for (size_t i = 0; i < subColumns_.size(); ++i)
      if ((subColumns_[i] & f2::lowMask(subBits_)) != unit(static_cast<int>(i)))
        return true;
    for (const uint64_t column : step_.threads)
      if (column & f2::lowMask(subBits_))
        return true;
    return false;
  }

  // Bytes move with v_perm. Slots of less than a byte that change their place in the
  // byte take a shift and two v_bfi or v_and_or instead.
  int permCost() const {
    const int bitsInByte = std::max(0, subBits_ - 2);
    for (size_t i = 0; i < step_.slots.size(); ++i) {
      const uint64_t want = static_cast<int>(i) < bitsInByte ? unit(static_cast<int>(i)) : 0;
      if ((step_.slots[i] & f2::lowMask(bitsInByte)) != want)
        return 3;
    }
    for (const uint64_t column : step_.threads)
      if (column & f2::lowMask(bitsInByte))
        return 3;
    return 1;
  }

  // Which words are the inputs may depend on the lane, beyond what the v_perm that
  // merges them can choose itself.
  int chooseWords() const {
    f2::Span merged;
    for (const uint64_t direction : wordsTogether_)
      merged.insert(direction, 0);
    f2::Columns directions;
    for (const uint64_t column : step_.threads)
      if (merged.insert(column >> subBits_, 0))
        directions.push_back(column >> subBits_);
    if (directions.empty())
      return 0;
    std::vector<uint64_t> inputs;
    for (uint64_t word = 0; word < words(); ++word)
      for (uint64_t i = 0; i < unit(static_cast<int>(wordsTogether_.size())); ++i)
        inputs.push_back(firstSlot(word) >> subBits_ ^ f2::apply(wordsTogether_, i));
    return selectCount(inputs, directions);
  }

  const RegisterStep &step_;
  int subBits_;
  f2::Columns subColumns_, wordsTogether_;
};

} // namespace

int registerSelects(const RegisterStep &step, int subBits) {
  return SelectCounter(step, subBits).count();
}

} // namespace layout_port::solve
