// See Coverage.h.
#include "observe/Coverage.h"

#include <algorithm>

namespace layout_port::verify {
namespace {

std::string lineOf(const Program &program, uint32_t location) {
  const Location &where = program.locations[location];
  return where.line ? where.file + ":" + std::to_string(where.line) : std::string();
}

} // namespace

void LineCoverage::add(const Program &program, const Coverage &coverage) {
  for (size_t i = 0; i < coverage.trips.size(); ++i) {
    const LoopFact &fact = program.loops[i];
    const std::string line = lineOf(program, fact.location);
    if (line.empty())
      continue;
    const auto [entry, added] = loops.try_emplace(line);
    Loop &loop = entry->second;
    loop.trips = std::max(loop.trips, coverage.trips[i]);
    // Copies of a loop: known only if all are.
    loop.constantTrips = added ? fact.constantTrips
                         : loop.constantTrips && fact.constantTrips
                             ? std::max(loop.constantTrips, fact.constantTrips)
                             : 0;
  }
  for (size_t i = 0; i < coverage.taken.size(); ++i)
    if (const std::string line = lineOf(program, program.guards[i].location); !line.empty())
      guards[line] |= coverage.taken[i];
}

std::vector<std::string> LineCoverage::thin() const {
  std::vector<std::string> lines;
  for (const auto &[line, loop] : loops) {
    const uint64_t wanted =
        loop.constantTrips ? std::min(loop.constantTrips, kFullTrips) : kFullTrips;
    if (loop.trips >= wanted)
      continue;
    lines.push_back("loop at " + line +
                    (loop.trips == 0   ? " never ran"
                     : loop.trips == 1 ? " ran 1 time"
                                       : " ran " + std::to_string(loop.trips) + " times"));
  }
  for (const auto &[line, taken] : guards)
    if (taken != 3)
      lines.push_back("guard at " + line +
                      (taken ? " always went the same way" : " was never reached"));
  return lines;
}

} // namespace layout_port::verify
