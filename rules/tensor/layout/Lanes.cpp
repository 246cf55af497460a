#include "tensor/layout/Lanes.h"

namespace layout_port {

namespace {

// A run of index bits [from, from + count) that moves to [to, to + count).
struct Run {
  int from = 0, to = 0, count = 0;
};

std::string shifted(const std::string &name, const Run &run, int indexBits) {
  const std::string mask = std::to_string((1u << run.count) - 1);
  const bool top = run.from + run.count == indexBits;
  if (run.from == 0) {
    const std::string low = top ? name : name + " & " + mask;
    if (run.to == 0)
      return low;
    return (top ? low : "(" + low + ")") + " << " + std::to_string(run.to);
  }
  if (run.from == run.to) // in place
    return name + " & " + std::to_string(((1u << run.count) - 1) << run.from);
  const std::string down = name + " >> " + std::to_string(run.from);
  const std::string high = top ? down : "(" + down + ") & " + mask;
  return run.to == 0 ? high : "(" + high + ") << " + std::to_string(run.to);
}

// Columns that are one bit each, neighbours to neighbours, as few runs as can be.
std::vector<Run> runsOf(const f2::Columns &columns, std::vector<int> &irregular) {
  std::vector<Run> runs;
  for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
    if (columns[i] == 0)
      continue;
    if (f2::popcount(columns[i]) != 1) {
      irregular.push_back(i);
      continue;
    }
    const int to = f2::lowestBit(columns[i]);
    if (!runs.empty() && runs.back().from + runs.back().count == i &&
        runs.back().to + runs.back().count == to)
      ++runs.back().count;
    else
      runs.push_back({i, to, 1});
  }
  return runs;
}

} // namespace

std::string f2Expression(const std::vector<IndexBits> &indices, uint64_t constant) {
  std::vector<std::string> terms;
  uint64_t used = 0;
  bool overlap = false;
  const auto add = [&](const std::string &term, uint64_t bits) {
    overlap |= (used & bits) != 0;
    used |= bits;
    terms.push_back(term);
  };
  for (const IndexBits &index : indices) {
    std::vector<int> irregular;
    for (const Run &run : runsOf(index.columns, irregular))
      add(shifted(index.name, run, static_cast<int>(index.columns.size())),
          ((uint64_t(1) << run.count) - 1) << run.to);
    for (const int i : irregular)
      add("(" + index.name + " >> " + std::to_string(i) + " & 1) * " +
              std::to_string(index.columns[i]),
          index.columns[i]);
  }
  if (constant)
    add(std::to_string(constant), constant);
  if (terms.empty())
    return "0";
  if (terms.size() == 1)
    return terms[0];
  std::string out;
  for (const std::string &term : terms)
    out += (out.empty() ? "" : overlap ? " ^ " : " | ") +
           (term.find(' ') == std::string::npos ? term : "(" + term + ")");
  return out;
}

std::string f2Select(const std::vector<std::string> &names, const IndexBits &index,
                     uint64_t constant) {
  // Split on the lowest selector bit that any index bit reaches.
  uint64_t reached = 0;
  for (const uint64_t column : index.columns)
    reached |= column;
  if (!reached)
    return names[constant];
  const uint64_t selector = uint64_t(1) << f2::lowestBit(reached);
  uint64_t lanes = 0;
  IndexBits rest = index;
  for (size_t i = 0; i < index.columns.size(); ++i) {
    if (index.columns[i] & selector)
      lanes |= uint64_t(1) << i;
    rest.columns[i] &= ~selector;
  }
  const std::string condition =
      f2::popcount(lanes) == 1
          ? index.name + " & " + std::to_string(lanes)
          : "__builtin_parity(" + index.name + " & " + std::to_string(lanes) + ")";
  const auto nested = [](const std::string &s) {
    return s.find('?') == std::string::npos ? s : "(" + s + ")";
  };
  return condition + " ? " + nested(f2Select(names, rest, constant ^ selector)) + " : " +
         nested(f2Select(names, rest, constant));
}

} // namespace layout_port
