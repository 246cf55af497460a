// Random expressions: the graph, the values at all inputs at once, the sum that Separation
// makes, the bits by shape, and the fitted forms, each against evaluation one by one in
// arithmetic of this file's own.
#include "Build.h"

#include "recover/Bits.h"

#include <gtest/gtest.h>
#include <random>

using namespace layout_port;
using namespace layout_port::recover;

namespace {

constexpr unsigned seed = 20250611;

// What C++ computes, or nothing where it has no meaning (signed overflow, division by 0).
struct Plain {
  bool valid = true;
  uint64_t bits = 0;
};

__extension__ typedef __int128 Big;

Big asNumber(uint64_t bits, IndexType t) { return t.isSigned ? Big(int64_t(bits)) : Big(bits); }

Plain store(Big value, IndexType t, bool wraps) {
  const Big one = 1;
  const Big low = t.isSigned ? -(one << (t.bits - 1)) : 0;
  const Big high = t.isSigned ? (one << (t.bits - 1)) : one << t.bits;
  if (!wraps && t.isSigned && (value < low || value >= high))
    return {false, 0};
  while (value < low)
    value += one << t.bits;
  Big rest = (value - low) % (one << t.bits);
  return {true, uint64_t(rest + low)};
}

Plain compute(Op op, IndexType t, Plain x, Plain y) {
  if (!x.valid || !y.valid)
    return {false, 0};
  const Big a = asNumber(x.bits, t), b = asNumber(y.bits, t);
  switch (op) {
  case Op::Add:
    return store(a + b, t, false);
  case Op::Sub:
    return store(a - b, t, false);
  case Op::Mul:
    if (t.bits == 64 &&
        (a > Big(1) << 40 || b > Big(1) << 40 || a < -(Big(1) << 40) || b < -(Big(1) << 40)))
      return {false, 0};
    return store(a * b, t, false);
  case Op::Div:
    return b == 0 ? Plain{false, 0} : store(a / b, t, false);
  case Op::Rem:
    return b == 0 ? Plain{false, 0} : store(a % b, t, false);
  case Op::Shl:
    return b < 0 || b >= t.bits ? Plain{false, 0} : store(a * (Big(1) << int(b)), t, false);
  case Op::Shr:
    return b < 0 || b >= t.bits ? Plain{false, 0} : store(a >> int(b), t, false);
  case Op::And:
    return {true, x.bits & y.bits};
  case Op::Or:
    return {true, x.bits | y.bits};
  case Op::Xor:
    return {true, x.bits ^ y.bits};
  case Op::Min:
    return {true, a < b ? x.bits : y.bits};
  case Op::Max:
    return {true, a < b ? y.bits : x.bits};
  default:
    return {false, 0};
  }
}

// An expression with its values at all rows (joint inputs x choices of the symbols).
struct Sample {
  Index index;
  std::vector<Plain> values;
};

class Maker {
public:
  explicit Maker(unsigned seed) : random(seed) {
    lane = graph.addVariable({"lane", 32, Role::Lane});
    tile = graph.addVariable({"tile", 3, Role::Loop});
    Symbol s;
    s.name = "S";
    s.type = kI32;
    s.least = 0;
    s.most = 1 << 20;
    s.zeroBits = 6;
    S = graph.addSymbol(s);
    s.name = "K";
    s.zeroBits = 0;
    K = graph.addSymbol(s);
    for (uint64_t row = 0; row < 96 * 3; ++row) {
      Bindings at;
      at.variables = {{lane, row % 32}, {tile, row / 32 % 3}};
      const uint64_t choice = row / 96;
      at.symbols = {{S, choice * 448}, {K, choice * choice * 37}};
      rows.push_back(at);
    }
  }

  Sample make(int depth) {
    const int kind = depth == 0 ? pick(4) : 4 + pick(20);
    if (kind < 4)
      return leaf(kind);
    if (kind < 7)
      return convert(make(depth - 1));
    if (kind == 7)
      return select(make(depth - 1), make(depth - 1), make(depth - 1));
    static constexpr Op ops[] = {Op::Add, Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem,
                                 Op::Shl, Op::Shr, Op::And, Op::And, Op::Or,  Op::Xor,
                                 Op::Xor, Op::Min, Op::Max, Op::Add};
    const Op op = ops[kind - 8];
    const Sample a = make(depth - 1);
    const bool constant = op == Op::Mul || op == Op::Div || op == Op::Rem || op == Op::Shl ||
                          op == Op::Shr || pick(2);
    Sample b = constant ? number(op) : make(depth - 1);
    return binary(op, a, b);
  }

  int pick(int n) { return int(random() % uint64_t(n)); }

  IndexGraph graph;
  VariableId lane, tile;
  SymbolId S, K;
  std::vector<Bindings> rows;
  std::mt19937_64 random;

private:
  Sample leaf(int kind) {
    Sample s;
    const Index leaves[] = {graph.variable(lane), graph.variable(lane), graph.variable(tile),
                            graph.symbol(pick(2) ? S : K)};
    s.index = leaves[kind];
    for (const Bindings &at : rows)
      s.values.push_back({true, kind < 2    ? at.variables.at(lane)
                                : kind == 2 ? at.variables.at(tile)
                                            : at.symbols.at(SymbolId(s.index->value))});
    return s;
  }

  Sample number(Op op) {
    static constexpr uint64_t some[] = {1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 36, 64, 255};
    uint64_t value = some[pick(14)];
    if (op == Op::Shl || op == Op::Shr)
      value = uint64_t(pick(7));
    return {graph.constant(value), std::vector<Plain>(rows.size(), {true, value})};
  }

  Sample convert(Sample a) {
    static constexpr IndexType types[] = {kI32, kU32, kI64, kU64, {16, false}, {16, true}};
    return convertTo(std::move(a), types[pick(6)]);
  }

  Sample convertTo(Sample a, IndexType type) {
    const IndexType from = a.index->type;
    for (Plain &value : a.values)
      if (value.valid)
        value = store(asNumber(value.bits, from), type, true);
    a.index = graph.convert(a.index, type);
    return a;
  }

  // The usual conversions: what is narrower than int is int; then the wider, the unsigned.
  static IndexType common(IndexType a, IndexType b) {
    a = a.bits < 32 ? kI32 : a;
    b = b.bits < 32 ? kI32 : b;
    if (a.bits != b.bits)
      return a.bits > b.bits ? a : b;
    return {a.bits, a.isSigned && b.isSigned};
  }

  Sample binary(Op op, Sample a, Sample b) {
    const IndexType type = common(a.index->type, b.index->type);
    a = convertTo(std::move(a), type);
    b = convertTo(std::move(b), type);
    for (size_t i = 0; i < rows.size(); ++i)
      a.values[i] = compute(op, type, a.values[i], b.values[i]);
    a.index = graph.binary(op, a.index, b.index);
    return a;
  }

  Sample select(Sample c, Sample a, Sample b) {
    const IndexType type = common(a.index->type, b.index->type);
    a = convertTo(std::move(a), type);
    b = convertTo(std::move(b), type);
    const IndexType compared = common(c.index->type, kI32);
    c = convertTo(std::move(c), compared);
    for (size_t i = 0; i < rows.size(); ++i) {
      const bool valid = c.values[i].valid && a.values[i].valid && b.values[i].valid;
      const bool less = asNumber(c.values[i].bits, compared) < 11;
      a.values[i] = valid ? (less ? a.values[i] : b.values[i]) : Plain{false, 0};
    }
    const Index less = graph.binary(Op::Lt, c.index, graph.constant(11, compared));
    a.index = graph.select(less, a.index, b.index);
    return a;
  }
};

uint64_t maskOf(IndexType t) { return t.bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << t.bits) - 1; }

// Expressions whose every row has a meaning; `test` gets the maker and the sample.
template <typename F> void forRandom(int rounds, F test) {
  for (int round = 0; round < rounds; ++round) {
    Maker maker(seed + unsigned(round));
    const Sample sample = maker.make(1 + round % 5);
    const bool meaningful = std::all_of(sample.values.begin(), sample.values.end(),
                                        [](const Plain &p) { return p.valid; });
    if (!meaningful)
      continue;
    SCOPED_TRACE("seed " + std::to_string(seed + unsigned(round)) + ": " +
                 maker.graph.toString(sample.index));
    test(maker, sample);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

uint64_t evaluate(Maker &maker, Index e, size_t row) {
  return maker.graph.evaluate(e, maker.rows[row]);
}

} // namespace

TEST(RandomIndex, EvaluatesAsCpp) {
  int checked = 0;
  forRandom(1500, [&](Maker &maker, const Sample &sample) {
    for (size_t i = 0; i < maker.rows.size(); i += 7)
      ASSERT_EQ(evaluate(maker, sample.index, i), sample.values[i].bits) << "row " << i;
    ++checked;
  });
  EXPECT_GT(checked, 500);
}

TEST(RandomIndex, AllValuesAtOnceAreThoseOneByOne) {
  forRandom(1500, [&](Maker &maker, const Sample &sample) {
    if (!sample.index->isPure())
      return;
    const auto all = maker.graph.evaluateAll(sample.index, {maker.lane, maker.tile});
    for (size_t i = 0; i < 96; ++i)
      ASSERT_EQ(all[i], sample.values[i].bits) << "row " << i;
  });
}

// A range and known zeros hold for every value.
TEST(RandomIndex, RangesHold) {
  forRandom(1500, [&](Maker &maker, const Sample &sample) {
    for (size_t i = 0; i < maker.rows.size(); ++i) {
      const Big value = asNumber(sample.values[i].bits, sample.index->type);
      ASSERT_GE(value, sample.index->range.least) << i;
      ASSERT_LE(value, sample.index->range.most) << i;
      ASSERT_EQ(sample.values[i].bits & ((uint64_t(1) << sample.index->zeroBits) - 1), 0u);
    }
  });
}

// The sum of products has the expression's value; exactly, or modulo its width.
TEST(RandomIndex, SeparationKeepsTheValue) {
  int split = 0;
  forRandom(2500, [&](Maker &maker, const Sample &sample) {
    const Separated &separated = maker.graph.separation().of(sample.index);
    for (const Assumption &a : separated.assumptions)
      if (a.kind == Assumption::Kind::NoWrap)
        return; // S and K are chosen small, but shifts may make them wrap
    split += separated.sum.terms.size() > 1;
    const Index sum = maker.graph.separation().rebuild(separated.sum, kI64);
    const uint64_t mask = separated.exact ? ~uint64_t(0) : maskOf(sample.index->type);
    for (size_t i = 0; i < maker.rows.size(); i += 13)
      ASSERT_EQ(evaluate(maker, sum, i) & mask, sample.values[i].bits & mask)
          << "row " << i << " as " << maker.graph.toString(sum);
  });
  EXPECT_GT(split, 300);
}

TEST(RandomIndex, BitsByShapeHold) {
  int known = 0;
  forRandom(1500, [&](Maker &maker, const Sample &sample) {
    const AffineBits bits = affineBits(maker.graph, sample.index, {maker.lane, maker.tile});
    for (size_t i = 0; i < maker.rows.size(); i += 3)
      for (int b = 0; b < 64; ++b) {
        if (!bits[b].known)
          continue;
        const uint64_t flat =
            maker.rows[i].variables.at(maker.lane) | maker.rows[i].variables.at(maker.tile) << 5;
        const bool value = bits[b].one != bool(__builtin_parityll(bits[b].mask & flat));
        ASSERT_EQ(sample.values[i].bits >> b & 1, uint64_t(value)) << "bit " << b << " row " << i;
        known += bits[b].mask != 0;
      }
  });
  EXPECT_GT(known, 2000);
}

// Every kind of form, evaluated again at every row, symbols put back in.
TEST(RandomIndex, FormsHaveTheValue) {
  int kinds[5] = {0, 0, 0, 0, 0};
  forRandom(3000, [&](Maker &maker, const Sample &sample) {
    const Form form = classify(maker.graph, sample.index, {maker.lane, maker.tile});
    ++kinds[int(form.kind)];
    if (form.kind == FormKind::Unknown || !form.assumptions.empty())
      return;
    const uint64_t mask = maskOf(sample.index->type);
    for (size_t i = 0; i < maker.rows.size(); ++i) {
      const uint64_t flat =
          maker.rows[i].variables.at(maker.lane) | maker.rows[i].variables.at(maker.tile) << 5;
      uint64_t value = evaluate(maker, form.uniform, i) + *form.number.at(flat);
      for (const StridedTerm &term : form.strided)
        value += evaluate(maker, term.stride, i) * *term.form.at(flat);
      ASSERT_EQ(value & mask, sample.values[i].bits & mask) << "row " << i;
      if (form.number.affine) {
        ASSERT_EQ(form.number.affine->apply(flat), *form.number.at(flat));
      }
      if (form.number.strided) {
        ASSERT_EQ(form.number.strided->apply(flat), *form.number.at(flat));
      }
      for (const Piece &piece : form.number.pieces)
        if ((flat & piece.mask) == piece.value) {
          ASSERT_EQ(piece.affine ? piece.affine->apply(flat) : piece.strided->apply(flat),
                    *form.number.at(flat));
        }
    }
  });
  for (int kind = 0; kind < 5; ++kind)
    EXPECT_GT(kinds[kind], 4) << name(FormKind(kind));
}

// No dependence means no change, whatever the rest.
TEST(RandomIndex, IndependenceHolds) {
  int independent = 0;
  forRandom(2500, [&](Maker &maker, const Sample &sample) {
    std::vector<Assumption> assumptions;
    if (dependsOn(maker.graph, sample.index, maker.lane, &assumptions) || !assumptions.empty())
      return;
    independent += sample.index->mentions(maker.lane);
    for (size_t i = 0; i < maker.rows.size(); ++i)
      ASSERT_EQ(sample.values[i].bits, sample.values[i / 32 * 32].bits);
  });
  EXPECT_GT(independent, 10);
}

TEST(RandomIndex, SubstitutionIsEvaluation) {
  forRandom(1500, [&](Maker &maker, const Sample &sample) {
    const Index at = maker.graph.substitute(sample.index, {{maker.lane, maker.graph.constant(13)}});
    for (size_t i = 0; i < maker.rows.size(); ++i)
      if (maker.rows[i].variables.at(maker.lane) == 13)
        ASSERT_EQ(evaluate(maker, at, i), sample.values[i].bits);
  });
}
