// See Counters.h.
#include "observe/Counters.h"

#include "domain/Field.h"
#include "layout_port/layouts/Banks.h"
#include "machine/Machine.h"

#include <algorithm>

namespace layout_port::verify {

void Tally::add(const Tally &other) {
  for (size_t i = 0; i < instructions.size(); ++i)
    instructions[i] += other.instructions[i];
  laneOperations += other.laneOperations;
  sharedAccesses += other.sharedAccesses;
  globalAccesses += other.globalAccesses;
  const std::pair<Widths *, const Widths *> widths[] = {{&sharedReads, &other.sharedReads},
                                                        {&sharedWrites, &other.sharedWrites},
                                                        {&globalReads, &other.globalReads},
                                                        {&globalWrites, &other.globalWrites}};
  for (const auto &[to, from] : widths)
    for (const auto &[bytes, count] : *from)
      (*to)[bytes] += count;
  sharedPasses += other.sharedPasses;
  sharedBound += other.sharedBound;
  sharedWithoutRow += other.sharedWithoutRow;
  if (other.sharedConfidence)
    sharedConfidence =
        std::min(sharedConfidence.value_or(isa::Confidence::High), *other.sharedConfidence);
  segments64 += other.segments64;
  segments128 += other.segments128;
  segmentBound += other.segmentBound;
  barriers += other.barriers;
}

//===-- Which loop ---------------------------------------------------------===//

void Counter::describe(Running &running, const Program &program) {
  running.program = &program;
  running.kernel = program.kernel().name;
  for (const auto &function : program.functions) {
    const uint32_t first = uint32_t(running.tallies.size());
    for (uint32_t i = 0; i < function->loops.size(); ++i) {
      const Block &header = function->blocks[function->loops[i].header];
      if (header.begin < header.end)
        running.headers[&function->ops[header.begin]] = first + i;
      running.loops.push_back({function.get(), i});
      running.tallies.emplace_back();
      running.trips.push_back(0);
    }
    std::vector<uint32_t> &table = running.tallyOfOp[function.get()];
    table.resize(function->ops.size());
    for (const Block &block : function->blocks)
      for (uint32_t op = block.begin; op < block.end; ++op)
        table[op] = block.loop == kNoLoop ? 0 : first + block.loop;
  }
}

void Counter::onLaunch(const Program &program) {
  auto known = std::find_if(kernels_.begin(), kernels_.end(),
                            [&](const Running &r) { return r.program == &program; });
  if (known == kernels_.end()) {
    kernels_.emplace_back();
    describe(kernels_.back(), program);
    known = kernels_.end() - 1;
  }
  running_ = &*known;
  ++running_->launches;
  function_ = nullptr;
  tally_ = 0;
  counts_.arch = program.arch;
  Result<isa::Arch> arch = isa::parseArch(program.arch);
  arch_.reset();
  if (arch && program.target == Target::Amdgcn)
    arch_ = *arch;
}

const std::vector<uint32_t> *Counter::tableOf(const Op &op) {
  const auto holds = [&](const Function &function) {
    return &op >= function.ops.data() && &op < function.ops.data() + function.ops.size();
  };
  if (function_ && holds(*function_))
    return table_;
  for (const auto &function : running_->program->functions)
    if (holds(*function)) {
      function_ = function.get();
      return table_ = &running_->tallyOfOp[function_];
    }
  return nullptr;
}

void Counter::onInstruction(const Wave &wave, const Op &op) {
  if (newBlock_)
    running_->waves += wave.block->waves.size();
  newBlock_ = false;
  const std::vector<uint32_t> *table = tableOf(op);
  tally_ = table ? (*table)[size_t(&op - function_->ops.data())] : 0;
  if (tally_)
    if (const auto header = running_->headers.find(&op); header != running_->headers.end())
      ++running_->trips[header->second];
  Tally &tally = innermost();
  ++tally.instructions[op.kind];
  tally.laneOperations += uint64_t(__builtin_popcountll(wave.active));
}

//===-- Memory -------------------------------------------------------------===//

void Counter::onMemory(const Wave &, const MemoryEvent &event) {
  Tally &tally = innermost();
  if (event.space == Space::Shared)
    countShared(event, tally);
  else if (event.space == Space::Global)
    countGlobal(event, tally);
}

namespace {

// The next piece of an access of which `left` bytes are left: a power of two, or 12
// bytes where 16 would be allowed.
unsigned pieceOf(unsigned left, unsigned alignment) {
  const unsigned most = std::min(std::max(alignment, 1u), 16u);
  if (left == 12 && most == 16)
    return 12;
  unsigned piece = 16;
  while (piece > left || piece > most)
    piece /= 2;
  return piece;
}

} // namespace

void Counter::countShared(const MemoryEvent &event, Tally &tally) {
  ++tally.sharedAccesses;
  if (event.kind == MemoryEvent::Atomic)
    return;
  const bool write = event.kind != MemoryEvent::Load;
  for (unsigned done = 0; done < event.bytes;) {
    const unsigned piece = pieceOf(event.bytes - done, event.alignment);
    ++(write ? tally.sharedWrites : tally.sharedReads)[piece];
    if (arch_)
      countPasses(event, done, piece, write, tally);
    done += piece;
  }
}

const isa::LdsInstruction *Counter::rowOf(bool write, unsigned bytes) {
  auto [entry, added] = rows_.try_emplace({write, bytes});
  if (added) {
    const std::string name = bytes < 4
                                 ? (write ? "ds_write_b" : "ds_read_u") + std::to_string(8 * bytes)
                                 : (write ? "ds_write_b" : "ds_read_b") + std::to_string(8 * bytes);
    if (Result<isa::LdsInstruction> row = isa::ldsInstruction(name, *arch_))
      entry->second = *row;
  }
  return entry->second ? &*entry->second : nullptr;
}

void Counter::countPasses(const MemoryEvent &event, unsigned offset, unsigned bytes, bool write,
                          Tally &tally) {
  const isa::LdsInstruction *row = rowOf(write, bytes);
  if (!row) {
    ++tally.sharedWithoutRow;
    return;
  }
  // Moving all addresses by a whole number of bank rows changes nothing.
  uint64_t lowest = ~uint64_t(0);
  forLanes(event.lanes, [&](unsigned lane) { lowest = std::min(lowest, event.addresses[lane]); });
  const uint64_t bankRow = uint64_t(row->banks) * 4, base = lowest / bankRow * bankRow;
  uint64_t key = mix(event.lanes ^ mix(bytes * 2 + write));
  forLanes(event.lanes,
           [&](unsigned lane) { key = mix(key ^ (event.addresses[lane] - base + offset)); });
  auto [entry, added] = known_.try_emplace(key);
  if (added) {
    LaneAddresses addresses(64);
    forLanes(event.lanes,
             [&](unsigned lane) { addresses[lane] = event.addresses[lane] - base + offset; });
    const BankReport report = countBankConflicts(*row, addresses);
    entry->second = {unsigned(report.passes), unsigned(report.phasesUsed)};
  }
  tally.sharedPasses += entry->second.passes;
  tally.sharedBound += entry->second.bound;
  tally.sharedConfidence =
      std::min(tally.sharedConfidence.value_or(isa::Confidence::High), row->confidence);
}

void Counter::countGlobal(const MemoryEvent &event, Tally &tally) {
  ++tally.globalAccesses;
  if (event.kind != MemoryEvent::Atomic)
    for (unsigned done = 0; done < event.bytes;) {
      const unsigned piece = pieceOf(event.bytes - done, event.alignment);
      ++(event.kind == MemoryEvent::Load ? tally.globalReads : tally.globalWrites)[piece];
      done += piece;
    }
  std::vector<uint64_t> starts;
  forLanes(event.lanes, [&](unsigned lane) { starts.push_back(event.addresses[lane]); });
  std::sort(starts.begin(), starts.end());
  // Intervals in ascending order: count the segments and bytes that are new.
  uint64_t seen64 = 0, seen128 = 0, end = 0, bytes = 0; // first segment or byte not seen
  for (uint64_t start : starts) {
    const uint64_t last = start + event.bytes - 1;
    const auto fresh = [&](uint64_t size, uint64_t &seen) {
      const uint64_t from = std::max(seen, start / size), to = last / size + 1;
      seen = std::max(seen, to);
      return to > from ? to - from : 0;
    };
    tally.segments64 += fresh(64, seen64);
    tally.segments128 += fresh(128, seen128);
    bytes += fresh(1, end);
  }
  tally.segmentBound += (bytes + 63) / 64;
}

//===-- Sums ---------------------------------------------------------------===//

void Counter::add(const Counter &other) {
  for (const Running &part : other.kernels_) {
    auto own = std::find_if(kernels_.begin(), kernels_.end(),
                            [&](const Running &r) { return r.program == part.program; });
    if (own == kernels_.end())
      continue;
    own->waves += part.waves;
    for (size_t i = 0; i < part.tallies.size(); ++i) {
      own->tallies[i].add(part.tallies[i]);
      own->trips[i] += part.trips[i];
    }
  }
}

void Counter::finish() {
  for (Running &running : kernels_) {
    KernelCounts kernel;
    kernel.kernel = running.kernel;
    kernel.launches = running.launches;
    kernel.waves = running.waves;
    // Children come after their parents: add them up from behind.
    for (size_t i = running.loops.size(); i-- > 0;) {
      const auto &[function, index] = running.loops[i];
      const uint32_t parent = function->loops[index].parent;
      const size_t above = parent == kNoLoop ? 0 : i + 1 - (index - parent);
      running.tallies[above].add(running.tallies[i + 1]);
    }
    kernel.tally = running.tallies[0];
    std::vector<unsigned> depths;
    for (size_t i = 0; i < running.loops.size(); ++i) {
      const auto &[function, index] = running.loops[i];
      const Loop &loop = function->loops[index];
      const Location &where = running.program->locations[loop.location];
      depths.push_back(loop.parent == kNoLoop ? 1 : depths[i - (index - loop.parent)] + 1);
      kernel.loops.push_back(
          {where.line ? where.file + ":" + std::to_string(where.line) : running.kernel, depths[i],
           running.trips[i + 1], running.tallies[i + 1]});
    }
    counts_.total.add(kernel.tally);
    counts_.kernels.push_back(std::move(kernel));
  }
  kernels_.clear();
  running_ = nullptr;
}

} // namespace layout_port::verify
