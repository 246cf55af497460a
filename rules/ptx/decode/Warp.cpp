#include "ptx/decode/Warp.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

// d or d|p.
struct Results {
  const Operand *destination;
  const Operand *predicate;
};

Results resultsOf(const Operand &o) {
  if (o.is(Operand::Kind::Pair))
    return {&o.elements[0], &o.elements[1]};
  return {&o, nullptr};
}

// c = ((32 - width) << 8) | (up ? 0 : 31) for a power of two up to 32.
std::optional<unsigned> widthOf(const Operand &clamp, Shuffle::Mode mode) {
  const auto c = integerOf(clamp);
  if (!c)
    return std::nullopt;
  const std::int64_t last = mode == Shuffle::Mode::Up ? 0 : 31;
  for (unsigned width = 1; width <= 32; width *= 2)
    if (*c == (((32 - std::int64_t(width)) << 8) | last))
      return width;
  return std::nullopt;
}

} // namespace

Outcome<Shuffle> decodeShuffle(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Shuffle s;
  s.mode = pick<Shuffle::Mode>(i, {{"up", Shuffle::Mode::Up},
                                   {"down", Shuffle::Mode::Down},
                                   {"bfly", Shuffle::Mode::Butterfly},
                                   {"idx", Shuffle::Mode::Index}})
               .value_or(Shuffle::Mode::Index);
  const Results results = resultsOf(i.operands[0]);
  s.destination = results.destination;
  s.predicate = results.predicate;
  s.source = &i.operands[1];
  s.lane = &i.operands[2];
  s.clamp = &i.operands[3];
  s.mask = &i.operands[4];
  s.width = widthOf(*s.clamp, s.mode);
  return s;
}

Outcome<Vote> decodeVote(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Vote v;
  v.mode = pick<Vote::Mode>(i, {{"all", Vote::Mode::All},
                                {"any", Vote::Mode::Any},
                                {"uni", Vote::Mode::Uniform},
                                {"ballot", Vote::Mode::Ballot}})
               .value_or(Vote::Mode::Ballot);
  v.destination = &i.operands[0];
  v.predicate = &i.operands[1];
  v.mask = &i.operands[2];
  return v;
}

Outcome<Match> decodeMatch(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Match m;
  m.all = i.has("all");
  m.type = typesOf(i)[0];
  const Results results = resultsOf(i.operands[0]);
  m.destination = results.destination;
  m.predicate = results.predicate;
  m.value = &i.operands[1];
  m.mask = &i.operands[2];
  return m;
}

Outcome<Reduce> decodeReduce(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Reduce r;
  r.kind = pick<Reduce::Kind>(i, {{"add", Reduce::Kind::Add},
                                  {"min", Reduce::Kind::Min},
                                  {"max", Reduce::Kind::Max},
                                  {"and", Reduce::Kind::And},
                                  {"or", Reduce::Kind::Or},
                                  {"xor", Reduce::Kind::Xor}})
               .value_or(Reduce::Kind::Add);
  r.type = typesOf(i)[0];
  r.magnitude = i.has("abs");
  r.propagateNan = i.has("NaN");
  r.destination = &i.operands[0];
  r.source = &i.operands[1];
  r.mask = &i.operands[2];
  return r;
}

Outcome<ActiveMask> decodeActiveMask(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  return ActiveMask{&i.operands[0]};
}

Outcome<Elect> decodeElect(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  const Results results = resultsOf(i.operands[0]);
  if (!results.predicate)
    return problemAt(i.operands[0].span.begin, "elect.sync writes d|p");
  return Elect{results.destination, results.predicate, &i.operands[1]};
}

} // namespace layout_port::ptx
