#include "recover/Memory.h"

#include <algorithm>

namespace layout_port::recover {

void lose(Contents &contents, const std::string &why) {
  contents.writes.clear();
  contents.lost = why;
}

void write(Contents &contents, const Write &write) {
  constexpr size_t most = 512;
  std::vector<Write> &writes = contents.writes;
  // A write to the very same bytes replaces the older one where nothing uncertain lies
  // between them.
  for (size_t i = writes.size(); i-- > 0;) {
    if (writes[i].offset == write.offset && writes[i].bytes == write.bytes) {
      writes.erase(writes.begin() + static_cast<long>(i));
      break;
    }
    if (!writes[i].offset->isConstant() || !write.offset->isConstant())
      break;
  }
  if (writes.size() >= most)
    lose(contents, "it is written at more than " + std::to_string(most) + " places");
  writes.push_back(write);
}

namespace {

// Solves offset(x) = at for the variables x of a stored offset: digits of a number with
// places of different size.
//
//   stored 32 i + 4 j (i < 2, j < 8),   read at 32 a + 4 b + 4   ->   i = a, j = b + 1
//
// Sound only if each solution is in its variable's range, which is checked.
class Digits {
public:
  Digits(IndexGraph &graph, Index stored, Index at)
      : graph_(graph), stored_(graph.separation().of(stored).sum),
        rest_(graph.separation().of(at).sum) {}

  std::optional<std::map<VariableId, Index>> solve() {
    std::vector<std::pair<uint64_t, VariableId>> places;
    for (const auto &[monomial, coefficient] : stored_.terms) {
      if (monomial.empty()) {
        rest_.add({}, ~coefficient + 1);
        continue;
      }
      Index variable = monomial[0];
      if (monomial.size() != 1 || variable->op != Op::Variable ||
          !graph_.variableAt(VariableId(variable->value)).isFinite() ||
          static_cast<int64_t>(coefficient) <= 0)
        return std::nullopt;
      places.push_back({coefficient, VariableId(variable->value)});
    }
    std::sort(places.rbegin(), places.rend());
    std::map<VariableId, Index> solution;
    for (const auto &[place, variable] : places)
      if (!solution.emplace(variable, digit(place, variable)).second || !solution[variable])
        return std::nullopt;
    if (!rest_.isZero())
      return std::nullopt;
    return solution;
  }

private:
  // Takes out of the rest what is a multiple of `place`.
  Index digit(uint64_t place, VariableId variable) {
    Sum taken;
    for (const auto &[monomial, coefficient] : rest_.terms) {
      const int64_t c = static_cast<int64_t>(coefficient), p = static_cast<int64_t>(place);
      const int64_t count = monomial.empty() ? (c - ((c % p) + p) % p) / p : c / p;
      if (count != 0 && (monomial.empty() || c % p == 0))
        taken.add(monomial, static_cast<uint64_t>(count));
    }
    rest_ = rest_ - scaled(taken, place);
    const Index e = graph_.separation().rebuild(taken, kI64);
    const Wide size = graph_.variableAt(variable).size;
    return e->range.within(0, size - 1) ? e : nullptr;
  }

  IndexGraph &graph_;
  Sum stored_, rest_;
};

enum class Overlap { None, Same, Unknown };

Overlap overlap(IndexGraph &graph, const Write &write, Index offset, unsigned bytes) {
  if (write.offset == offset)
    return write.bytes == bytes ? Overlap::Same : Overlap::Unknown;
  std::optional<int64_t> apart;
  if (write.offset->isConstant() && offset->isConstant())
    apart = static_cast<int64_t>(offset->value - write.offset->value);
  else
    apart = difference(graph, offset, write.offset);
  if (apart && *apart == 0 && write.bytes == bytes)
    return Overlap::Same;
  if (apart && (*apart >= int64_t(write.bytes) || *apart <= -int64_t(bytes)))
    return Overlap::None;
  const Range a = write.offset->range, b = offset->range;
  if (a.most + write.bytes <= b.least || b.most + bytes <= a.least)
    return Overlap::None;
  return Overlap::Unknown;
}

// A read at a few places: a table of what lies there.
Index readEach(IndexGraph &graph, const Contents &contents, Index offset, unsigned bytes,
               const std::vector<VariableId> &running, std::string &reason) {
  constexpr uint64_t most = 64;
  for (const VariableId v : offset->support) {
    const Variable &variable = graph.variableAt(v);
    if (!variable.isFinite() || variable.size > most)
      continue;
    std::vector<Index> values;
    for (uint64_t i = 0; i < variable.size; ++i) {
      const Index at = graph.substitute(offset, {{v, graph.constant(i)}});
      const Index value =
          at == offset ? nullptr : read(graph, contents, at, bytes, running, reason);
      if (!value || (!values.empty() && value->type != values[0]->type))
        return nullptr;
      values.push_back(value);
    }
    return graph.table(v, values);
  }
  return nullptr;
}

} // namespace

Index read(IndexGraph &graph, const Contents &contents, Index offset, unsigned bytes,
           const std::vector<VariableId> &running, std::string &reason) {
  const auto ended = [&](Index e) {
    return std::none_of(running.begin(), running.end(),
                        [&](VariableId v) { return e->mentions(v); });
  };
  for (size_t i = contents.writes.size(); i-- > 0;) {
    const Write &w = contents.writes[i];
    const Overlap how = overlap(graph, w, offset, bytes);
    if (how == Overlap::Same)
      return w.value;
    if (how == Overlap::None)
      continue;
    if (w.bytes == bytes && !w.offset->isConstant() && ended(w.offset))
      if (const auto solution = Digits(graph, w.offset, offset).solve())
        return graph.substitute(w.value, *solution);
    if (const Index each = readEach(graph, contents, offset, bytes, running, reason))
      return each;
    reason = "which write it sees is not clear";
    return nullptr;
  }
  reason = contents.lost.empty() ? "it has no value yet" : contents.lost;
  return nullptr;
}

} // namespace layout_port::recover
