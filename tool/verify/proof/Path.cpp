// See Path.h.
#include "proof/Path.h"

#include <llvm/Support/FormatVariadic.h>

#include <set>
#include <unordered_set>

namespace layout_port::verify {
namespace {

constexpr size_t kMostSteps = 8;

// The fingerprints of a list that is the same in all runs but for its residues; empty
// if the runs did not take the same way.
std::vector<uint64_t> fingerprints(const TracedRuns &runs, std::vector<uint64_t> StoreLog::*list) {
  std::vector<uint64_t> prints;
  for (const RunResult &run : runs) {
    const std::vector<uint64_t> &residues = run.stores.*list;
    if (&run == &runs.front())
      prints.resize(residues.size());
    if (!run.stores.complete || residues.size() != prints.size())
      return {};
    for (size_t i = 0; i < prints.size(); ++i)
      prints[i] = mix(prints[i] ^ residues[i]);
  }
  return prints;
}

std::string placeOf(const StoreLog &log, const StoreSite &site) {
  if (site.space == Space::Shared)
    return llvm::formatv("shared {0:x}", site.address).str();
  for (const Region &region : log.regions)
    if (site.address >= region.address && site.address < region.address + region.size)
      return llvm::formatv("{0}+{1:x}", region.name, site.address - region.address).str();
  return "memory";
}

std::string lineOf(const RunResult &run, uint32_t location) {
  const Location &where = run.locations[location];
  return where.line ? where.file + ":" + std::to_string(where.line) : "no line known";
}

std::string describe(const RunResult &run, const StoreSite &site) {
  return llvm::formatv("{0}: thread {1} of block ({2},{3},{4}) stores to {5}",
                       lineOf(run, site.location), site.thread, site.block[0], site.block[1],
                       site.block[2], placeOf(run.stores, site))
      .str();
}

// The steps of one side: its stores without a counterpart among `others`.
std::vector<std::string> steps(const RunResult &run, const std::vector<uint64_t> &prints,
                               const std::unordered_set<uint64_t> &others, const Writer &writer) {
  std::vector<std::string> list;
  if (!writer.known)
    return list;
  std::set<std::pair<uint32_t, Space>> seen;
  for (size_t i = 0; i < prints.size() && list.size() < kMostSteps; ++i) {
    const StoreSite &site = run.stores.sites[i];
    if (site.block != writer.block || site.launch != writer.launch || others.count(prints[i]))
      continue;
    if (seen.insert({site.location, site.space}).second)
      list.push_back(describe(run, site));
  }
  if (!seen.count({writer.location, Space::Global}))
    list.push_back(lineOf(run, writer.location) + ": stores the differing element");
  return list;
}

} // namespace

Path findPath(const TracedRuns &source, const TracedRuns &port, const Writer &sourceWriter,
              const Writer &portWriter) {
  Path path;
  const std::vector<uint64_t> left = fingerprints(source, &StoreLog::stored);
  const std::vector<uint64_t> right = fingerprints(port, &StoreLog::stored);
  if (left.empty() || right.empty()) {
    path.note = "no path: stores of residues are few, too many, or differ from seed to seed";
    return path;
  }
  std::unordered_set<uint64_t> ofSource(left.begin(), left.end());
  std::unordered_set<uint64_t> ofPort(right.begin(), right.end());
  for (uint64_t print : fingerprints(source, &StoreLog::loaded))
    ofSource.insert(print);
  for (uint64_t print : fingerprints(port, &StoreLog::loaded))
    ofPort.insert(print);
  path.source = steps(source.front(), left, ofPort, sourceWriter);
  path.port = steps(port.front(), right, ofSource, portWriter);
  return path;
}

} // namespace layout_port::verify
