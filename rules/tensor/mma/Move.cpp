#include "tensor/mma/Move.h"

#include <initializer_list>
#include <optional>

namespace layout_port {

static f2::Columns identity(int bits) {
  f2::Columns columns;
  for (int i = 0; i < bits; ++i)
    columns.push_back(uint64_t(1) << i);
  return columns;
}

static f2::Columns sum(f2::Columns a, const f2::Columns &b) {
  for (size_t i = 0; i < a.size(); ++i)
    a[i] ^= b[i];
  return a;
}

static std::optional<f2::Columns> inverse(const f2::Columns &m) {
  return f2::rank(m) == static_cast<int>(m.size())
             ? f2::solve(m, identity(static_cast<int>(m.size())))
             : std::nullopt;
}

static int reachedBits(const f2::Columns &m) {
  uint64_t all = 0;
  for (const uint64_t column : m)
    all |= column;
  return f2::popcount(all);
}

int BridgeMove::selects() const { return reachedBits(sendByLane) + reachedBits(storeByLane); }

namespace {

// The four parts of a conversion (see Bridge.h).
struct Parts {
  f2::Columns q, p, u, v;
};

Parts split(const f2::Columns &source, int wordBits, int registerBits) {
  Parts parts;
  const uint64_t low = f2::lowMask(registerBits);
  for (size_t i = 0; i < source.size(); ++i) {
    const bool word = static_cast<int>(i) < wordBits;
    (word ? parts.q : parts.p).push_back(source[i] & low);
    (word ? parts.u : parts.v).push_back(source[i] >> registerBits);
  }
  return parts;
}

std::optional<BridgeMove> tryT(const Parts &parts, const f2::Columns &t, int registerBits) {
  const f2::Columns n = sum(f2::multiply(parts.u, t), parts.v);
  const std::optional<f2::Columns> back = inverse(n);
  if (!back)
    return std::nullopt;
  BridgeMove move;
  move.wordBits = static_cast<int>(parts.q.size());
  move.registerBits = registerBits;
  move.sendByLane = f2::multiply(sum(f2::multiply(parts.q, t), parts.p), *back);
  move.sendByStep = sum(parts.q, f2::multiply(move.sendByLane, parts.u));
  move.readByStep = parts.u;
  move.readByLane = n;
  move.storeByLane = t;
  return move;
}

} // namespace

// T is searched by weight: no entry, then one, then two, then three. Permutations
// of bits need one entry for each bit that is a word bit here and a lane bit there.
Result<BridgeMove> planBridgeMove(const f2::Columns &source, int wordBits, int registerBits,
                                  int laneBits) {
  const Parts parts = split(source, wordBits, registerBits);
  const int entries = wordBits * laneBits;
  std::optional<BridgeMove> best;
  const auto attempt = [&](std::initializer_list<int> set) {
    f2::Columns t(laneBits, 0);
    for (const int e : set)
      t[e / wordBits] ^= uint64_t(1) << (e % wordBits);
    const std::optional<BridgeMove> move = tryT(parts, t, registerBits);
    if (move && (!best || move->selects() < best->selects()))
      best = move;
  };
  attempt({});
  for (int a = 0; a < entries && !best; ++a)
    attempt({a});
  for (int a = 0; a < entries && !best; ++a)
    for (int b = a + 1; b < entries; ++b)
      attempt({a, b});
  for (int a = 0; a < entries && !best; ++a)
    for (int b = a + 1; b < entries; ++b)
      for (int c = b + 1; c < entries; ++c)
        attempt({a, b, c});
  if (!best)
    return makeError("no conversion with three exchanges or fewer");
  return *best;
}

} // namespace layout_port
