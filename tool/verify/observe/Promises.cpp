// See Promises.h.
#include "observe/Promises.h"

#include "machine/Machine.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Path.h>

namespace layout_port::verify {
namespace {

// The words behind "layout-port:" in a comment of the line; empty if there are none.
llvm::StringRef wordsOf(llvm::StringRef line) {
  const auto [before, after] = line.split("layout-port:");
  const llvm::StringRef opening = before.rtrim(" \t");
  return opening.ends_with("//") || opening.ends_with("/*") ? after.trim() : llvm::StringRef();
}

struct Pointer {
  std::string name;
  uint64_t address = 0;
};

std::vector<Pointer> pointersOf(const Program &program, const Launch &launch) {
  std::vector<Pointer> pointers;
  for (size_t i = 0; i < program.parameters.size() && i < launch.arguments.size(); ++i) {
    const Parameter &parameter = program.parameters[i];
    if (!parameter.pointer || launch.arguments[i].size() != 8)
      continue;
    Pointer pointer;
    llvm::StringRef name = parameter.name;
    name.consume_back(".coerce");
    pointer.name = name.str();
    std::memcpy(&pointer.address, launch.arguments[i].data(), 8);
    if (pointer.address)
      pointers.push_back(pointer);
  }
  return pointers;
}

const Region *regionOf(const GlobalMemory &memory, uint64_t address) {
  for (const Region &region : memory.regions())
    if (address >= region.address && address < region.address + region.size)
      return &region;
  return nullptr;
}

// Bytes from the pointer on that are certainly its own; 0: nobody says.
uint64_t extentOf(const std::map<uint64_t, uint64_t> &extents, uint64_t address) {
  const auto known = extents.find(address);
  return known == extents.end() ? 0 : known->second;
}

bool overlap(const Pointer &a, const Pointer &b, const std::map<uint64_t, uint64_t> &extents) {
  const uint64_t sizeA = extentOf(extents, a.address), sizeB = extentOf(extents, b.address);
  return a.address < b.address ? b.address - a.address < sizeA : a.address - b.address < sizeB;
}

} // namespace

Promises readPromises(const std::string &source) {
  Promises promises;
  unsigned number = 0;
  llvm::StringRef rest = source;
  while (!rest.empty()) {
    llvm::StringRef line;
    std::tie(line, rest) = rest.split('\n');
    ++number;
    llvm::StringRef words = wordsOf(line);
    if (words.starts_with("assume uniform")) {
      // Behind code it speaks of that line, else of the next.
      const bool behind = !line.ltrim(" \t").starts_with("/");
      promises.uniform.emplace(behind ? number : number + 1, number);
    } else if (words.consume_front("noalias(") && words.contains(')')) {
      promises.unaliased.push_back({words.split(')').first.trim().str(), number});
    }
  }
  return promises;
}

void PromiseKeeper::report(const Wave &wave, uint32_t location, unsigned comment,
                           const std::string &who) {
  sink_.onProblem(wave, {ProblemKind::BrokenPromise, wave.active, Space::Global, 0, location,
                         who + " disagree on a condition that 'assume uniform' of line " +
                             std::to_string(comment) + " says all 64 threads agree on"});
}

void PromiseKeeper::onBranch(const Wave &wave, uint32_t location,
                             const std::vector<uint64_t> &lanes) {
  const Location &where = program_->locations[location];
  const auto promised = promises_.uniform.find(where.line);
  if (promised == promises_.uniform.end() ||
      llvm::sys::path::filename(where.file) != llvm::sys::path::filename(file_))
    return;
  unsigned way = 0, ways = 0;
  for (unsigned i = 0; i < lanes.size(); ++i)
    if (lanes[i]) {
      way = i;
      ++ways;
    }
  if (ways > 1)
    return report(wave, location, promised->second, "lanes of one warp");
  std::vector<unsigned> &own = taken_[{where.line, wave.index}];
  const std::vector<unsigned> &other = taken_[{where.line, wave.index ^ 1}];
  own.push_back(way);
  if (other.size() >= own.size() && other[own.size() - 1] != way)
    report(wave, location, promised->second,
           "warps " + std::to_string(wave.index & ~1u) + " and " + std::to_string(wave.index | 1));
}

AliasCheck checkAliases(const Promises &promises, const std::string &file, const Program &program,
                        const Launch &launch, const std::map<uint64_t, uint64_t> &extents,
                        const GlobalMemory &memory) {
  AliasCheck check;
  const std::vector<Pointer> pointers = pointersOf(program, launch);
  for (const Promises::Unaliased &promise : promises.unaliased)
    for (const Pointer &p : pointers) {
      if (p.name != promise.parameter)
        continue;
      const std::string place = llvm::sys::path::filename(file).str() + ":" +
                                std::to_string(promise.line) + ": 'noalias(" + p.name + ")'";
      for (const Pointer &q : pointers) {
        const Region *region = &p == &q ? nullptr : regionOf(memory, p.address);
        if (!region || region != regionOf(memory, q.address))
          continue;
        const bool known = extentOf(extents, p.address) && extentOf(extents, q.address);
        if (p.address == q.address || (known && overlap(p, q, extents)))
          check.broken.push_back(place + " does not hold: " + q.name +
                                 " leads to the same memory (" + memory.describe(q.address) +
                                 ") in the launch of " + program.kernel().name);
        else if (!known)
          check.unclear.push_back(place + " is not decided: " + q.name +
                                  " points into the same buffer (" + memory.describe(q.address) +
                                  ")");
      }
    }
  return check;
}

} // namespace layout_port::verify
