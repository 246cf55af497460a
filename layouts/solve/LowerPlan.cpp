// Lowering: each step of a plan is a permutation of words that may depend on the lane,
// so it is butterflies of selects, then moves or byte permutes.
#include "layout_port/layouts/WordProgram.h"

#include <algorithm>
#include <map>

namespace layout_port {

namespace {

int log2Of(uint64_t powerOfTwo) { return f2::lowestBit(powerOfTwo); }

WordOp opOf(WordOp::Kind kind) {
  WordOp op;
  op.kind = kind;
  return op;
}

// The thread bits whose parity is coordinate `i` of the columns in a basis.
std::vector<uint64_t> functionals(const f2::Columns &basis, const f2::Columns &columns) {
  std::vector<uint64_t> masks(basis.size(), 0);
  for (size_t t = 0; t < columns.size(); ++t) {
    const uint64_t coordinates = f2::solve(basis, columns[t]).value_or(0);
    for (size_t i = 0; i < basis.size(); ++i)
      masks[i] |= (coordinates >> i & 1) << t;
  }
  return masks;
}

class Lowering {
public:
  explicit Lowering(const ConversionPlan &plan)
      : plan_(plan), subBits_(log2Of(plan.slotsPerWord())) {
    program_.waveSize = plan.waveSize;
    program_.laneBits = log2Of(plan.waveSize);
    program_.groupBits = plan.threadBits - program_.laneBits;
    const int words = 1 << std::max(0, plan.sourceSlotBits - subBits_);
    program_.inputs = next_ = words;
    for (int i = 0; i < words; ++i)
      words_.push_back(i);
  }

  Result<WordProgram> run() {
    for (const PlanStep &step : plan_.steps) {
      if (const auto *registers = std::get_if<RegisterStep>(&step))
        lower(*registers);
      else if (const auto *exchange = std::get_if<ExchangeStep>(&step))
        lower(*exchange);
      else if (const auto *swap = std::get_if<SwapStep>(&step))
        lower(*swap);
      else
        return makeError("this plan goes through LDS");
    }
    program_.outputs = words_;
    program_.outputs.resize(1 << std::max(0, plan_.destSlotBits - subBits_), -1);
    return program_;
  }

private:
  int add(WordOp op) {
    program_.ops.push_back(std::move(op));
    return next_++;
  }

  int wordAt(uint64_t index) const { return index < words_.size() ? words_[index] : -1; }

  // Values indexed by word, made on demand: value(x) at thread t is
  // leaf(x ^ sum of directions[i] over the i with parity(t & masks[i])).
  class Butterfly {
  public:
    Butterfly(Lowering &lowering, f2::Columns directions, std::vector<uint64_t> masks)
        : lowering_(lowering), directions_(std::move(directions)), masks_(std::move(masks)) {}

    template <typename Leaf> int value(uint64_t x, const Leaf &leaf) {
      return at(x, static_cast<int>(directions_.size()), leaf);
    }

  private:
    template <typename Leaf> int at(uint64_t x, int stage, const Leaf &leaf) {
      if (stage == 0)
        return leaf(x);
      const auto known = made_.find({x, stage});
      if (known != made_.end())
        return known->second;
      const int other = at(x ^ directions_[stage - 1], stage - 1, leaf);
      const int same = at(x, stage - 1, leaf);
      const int made = lowering_.select(masks_[stage - 1], other, same);
      made_[{x, stage}] = made;
      return made;
    }

    Lowering &lowering_;
    f2::Columns directions_;
    std::vector<uint64_t> masks_;
    std::map<std::pair<uint64_t, int>, int> made_;
  };

  int select(uint64_t mask, int a, int b) {
    if (a < 0 || b < 0 || a == b)
      return std::max(a, b); // the missing one is never looked at
    WordOp op = opOf(WordOp::Kind::Select);
    op.a = a;
    op.b = b;
    op.mask = mask;
    return add(std::move(op));
  }

  //===-- Exchange ---------------------------------------------------------===//

  void lower(const ExchangeStep &step) {
    const f2::Columns &send = step.moves.front().sendWord.columns;
    const f2::Columns sendDirections = f2::image(send);
    Butterfly before(*this, sendDirections, functionals(sendDirections, send));
    std::vector<int> received(step.moves.size(), -1);
    const bool fixed = ownWordsAreFixed(step);
    for (size_t s = 0; s < step.moves.size(); ++s) {
      const WordMove &move = step.moves[s];
      if (fixed && move.instruction.isOwn())
        continue;
      const int sent =
          before.value(move.sendWord.offset, [&](uint64_t word) { return wordAt(word); });
      received[s] = moved(move, sent);
    }
    const f2::Columns &store = step.moves.front().destWord.columns;
    const f2::Columns storeDirections = f2::image(store);
    Butterfly after(*this, storeDirections, functionals(storeDirections, store));
    std::vector<int> next;
    for (uint64_t word = 0; word < step.destWords(); ++word)
      if (fixed)
        next.push_back(storedWithOwn(step, storeDirections, word, received));
      else
        next.push_back(after.value(word, [&](uint64_t s) { return received[s]; }));
    words_ = std::move(next);
  }

  // One direction of T at most, and it decides X: then the own word of each destination
  // word is one register.
  static bool ownWordsAreFixed(const ExchangeStep &step) {
    const f2::Columns &store = step.moves.front().destWord.columns;
    f2::Columns both;
    for (size_t t = 0; t < store.size(); ++t)
      both.push_back(store[t] | step.moves.front().sendWord.columns[t] << 32);
    return f2::rank(store) <= 1 && f2::rank(both) == f2::rank(store);
  }

  int storedWithOwn(const ExchangeStep &step, const f2::Columns &directions, uint64_t word,
                    const std::vector<int> &received) {
    const f2::Columns &store = step.moves.front().destWord.columns;
    // A thread with T t = difference, to evaluate what it would send.
    const auto leaf = [&](uint64_t s) {
      const WordMove &move = step.moves[s];
      if (!move.instruction.isOwn())
        return received[s];
      const uint64_t thread = f2::solve(store, word ^ s).value_or(0);
      return wordAt(move.sendWord(thread));
    };
    if (directions.empty())
      return leaf(word);
    return select(functionals(directions, store)[0], leaf(word ^ directions[0]), leaf(word));
  }

  int moved(const WordMove &move, int sent) {
    int value = sent;
    for (int i = 0; i < move.instruction.count; ++i) {
      WordOp op = opOf(WordOp::Kind::Move);
      op.a = value;
      op.move = move.instruction.moves[i];
      op.amount = isScatter(op) ? inverse(move.sourceLane) : move.sourceLane;
      value = add(std::move(op));
    }
    return value;
  }

  static bool isScatter(const WordOp &op) {
    return op.move.move && op.move.move->kind == isa::MoveKind::Scatter;
  }

  // sender -> receiver for receiver -> sender = W t ^ o on the lane bits.
  AffineBits inverse(const AffineBits &source) const {
    f2::Columns units;
    for (int i = 0; i < program_.laneBits; ++i)
      units.push_back(uint64_t(1) << i);
    f2::Columns columns =
        f2::solve(f2::Columns(source.columns.begin(), source.columns.begin() + program_.laneBits),
                  units)
            .value_or(units);
    const uint64_t offset = f2::apply(columns, source.offset);
    columns.resize(source.columns.size(), 0);
    return {std::move(columns), offset};
  }

  //===-- Swap -------------------------------------------------------------===//

  void lower(const SwapStep &step) {
    const uint64_t bit = uint64_t(1) << step.wordBit;
    for (uint64_t word = 0; word < uint64_t(1) << step.wordBits; ++word) {
      if (word & bit)
        continue;
      WordOp op = opOf(WordOp::Kind::Swap);
      op.a = wordAt(word);
      op.b = wordAt(word | bit);
      op.place = step.laneBit;
      op.move = {step.instruction, 0};
      words_[word] = add(std::move(op));
      words_[word | bit] = next_++;
    }
  }

  //===-- Registers --------------------------------------------------------===//

  void lower(const RegisterStep &step) {
    const int inWord = std::min<int>(subBits_, static_cast<int>(step.slots.size()));
    if (subBits_ > 2)
      lowerFields(step, inWord);
    else
      lowerBytes(step, inWord);
  }

  f2::Columns wordParts(const f2::Columns &columns) const {
    f2::Columns parts;
    for (const uint64_t column : columns)
      parts.push_back(column >> subBits_);
    return parts;
  }

  // Slots of whole bytes. `merged` are the directions in which words are merged; of the
  // lane's influence on the word, what lies in them is the selector's business.
  void lowerBytes(const RegisterStep &step, int inWord) {
    const f2::Columns merged =
        f2::reducedBasis(wordParts(f2::Columns(step.slots.begin(), step.slots.begin() + inWord)));
    f2::Columns basis = merged, directions;
    f2::Span span;
    for (const uint64_t vector : merged)
      span.insert(vector, 0);
    for (const uint64_t part : wordParts(step.threads))
      if (span.insert(part, 0)) {
        basis.push_back(part);
        directions.push_back(part);
      }
    const std::vector<uint64_t> masks = functionals(basis, wordParts(step.threads));
    Butterfly choose(*this, directions,
                     std::vector<uint64_t>(masks.begin() + merged.size(), masks.end()));
    std::vector<int> next;
    for (uint64_t word = 0; word < uint64_t(1) << (step.slots.size() - inWord); ++word) {
      const uint64_t first = f2::apply(step.slots, word << inWord);
      std::vector<int> inputs;
      for (uint64_t i = 0; i < uint64_t(1) << merged.size(); ++i)
        inputs.push_back(choose.value(first >> subBits_ ^ f2::apply(merged, i),
                                      [&](uint64_t w) { return wordAt(w); }));
      next.push_back(mergedWord(step, inWord, first, merged, masks, inputs));
    }
    words_ = std::move(next);
  }

  // The value of byte `i` of the new word before lanes are looked at: which input (as
  // coordinates over `merged`) and which byte of it.
  struct Byte {
    uint64_t input, byte;
  };
  Byte byteOf(const RegisterStep &step, int inWord, const f2::Columns &merged, uint64_t first,
              uint64_t i) const {
    const uint64_t bytesPerSlot = 4 >> subBits_;
    const uint64_t slot = i / bytesPerSlot;
    if (slot >> inWord)
      return {0, i}; // holds nothing
    const uint64_t old = f2::apply(step.slots, slot) ^ (first & f2::lowMask(subBits_));
    return {f2::solve(merged, old >> subBits_).value_or(0),
            (old & f2::lowMask(subBits_)) * bytesPerSlot + i % bytesPerSlot};
  }

  // One v_perm merges two inputs, a tree of them four: the bits of the input's number
  // from low to high, the bytes put in their places by the first level.
  int mergedWord(const RegisterStep &step, int inWord, uint64_t first, const f2::Columns &merged,
                 const std::vector<uint64_t> &masks, std::vector<int> inputs) {
    bool inPlace = true;
    for (int level = 0; level == 0 || inputs.size() > 1; ++level) {
      const bool merging = inputs.size() > 1;
      AffineBits selector{f2::Columns(step.threads.size(), 0), 0};
      for (uint64_t i = 0; i < 4; ++i) {
        const Byte byte = byteOf(step, inWord, merged, first, i);
        const uint64_t from = level == 0 ? byte.byte : i;
        selector.offset |= (from | (merging ? (byte.input >> level & 1) << 2 : 0)) << (8 * i);
      }
      for (size_t t = 0; t < step.threads.size(); ++t) {
        uint64_t change = 0;
        if (level == 0)
          change = (step.threads[t] & f2::lowMask(subBits_)) * (4 >> subBits_);
        if (merging)
          change |= (masks[level] >> t & 1) << 2;
        selector.columns[t] = change * 0x01010101;
      }
      inPlace = !merging && selector.offset == 0x03020100 && selector.isConstant();
      if (inPlace)
        return inputs[0];
      std::vector<int> level0;
      for (size_t i = 0; i < inputs.size(); i += 2) {
        WordOp op = opOf(WordOp::Kind::Permute);
        op.b = inputs[i];
        op.a = merging ? inputs[i + 1] : inputs[i];
        op.amount = selector;
        level0.push_back(op.a < 0 && op.b < 0 ? -1 : permute(std::move(op)));
      }
      inputs = std::move(level0);
    }
    return inputs[0];
  }

  int permute(WordOp op) {
    if (op.a < 0)
      op.a = op.b;
    if (op.b < 0)
      op.b = op.a;
    return add(std::move(op));
  }

  // Slots of less than a byte: shifted and masked one after the other, from words that
  // are chosen by selects.
  void lowerFields(const RegisterStep &step, int inWord) {
    const f2::Columns parts = wordParts(step.threads), directions = f2::image(parts);
    Butterfly choose(*this, directions, functionals(directions, parts));
    std::vector<int> next;
    for (uint64_t word = 0; word < uint64_t(1) << (step.slots.size() - inWord); ++word) {
      int value = -1;
      for (uint64_t slot = 0; slot < uint64_t(1) << inWord; ++slot) {
        const uint64_t old = f2::apply(step.slots, slot | word << inWord);
        WordOp op = opOf(WordOp::Kind::Field);
        op.a = choose.value(old >> subBits_, [&](uint64_t w) { return wordAt(w); });
        if (op.a < 0)
          continue;
        op.b = value;
        op.amount = {{}, (old & f2::lowMask(subBits_)) * plan_.slotBits};
        for (const uint64_t column : step.threads)
          op.amount.columns.push_back((column & f2::lowMask(subBits_)) * plan_.slotBits);
        op.fieldMask = static_cast<uint32_t>(f2::lowMask(plan_.slotBits));
        op.place = static_cast<int>(slot) * plan_.slotBits;
        value = add(std::move(op));
      }
      next.push_back(value);
    }
    words_ = std::move(next);
  }

  const ConversionPlan &plan_;
  int subBits_;
  WordProgram program_;
  std::vector<int> words_; // value of each word now; -1: holds nothing
  int next_ = 0;
};

} // namespace

Result<WordProgram> lowerToWords(const ConversionPlan &plan) { return Lowering(plan).run(); }

} // namespace layout_port
