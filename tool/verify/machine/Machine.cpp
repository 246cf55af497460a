// See Machine.h.
#include "machine/Machine.h"

#include <algorithm>
#include <utility>

namespace layout_port::verify {

std::string BlockState::describe(uint32_t location) const {
  const Program &program = *waves.front().program;
  const Location &where = program.locations[location];
  if (where.line == 0)
    return program.kernel().name + ": ";
  return where.file + ":" + std::to_string(where.line) + ": ";
}

void placeGlobals(const Program &program, GlobalMemory &memory) {
  memory.arena.bytes.resize(program.globalBytes);
  memory.arena.shadow.resize(program.globalBytes);
  for (const Global &global : program.globals) {
    const size_t offset = global.address - kGlobalBase;
    std::copy(global.bytes.begin(), global.bytes.end(), memory.arena.bytes.begin() + offset);
    std::copy(global.shadow.begin(), global.shadow.end(), memory.arena.shadow.begin() + offset);
  }
}

Machine::Machine(const Program &program, GlobalMemory &memory, const Field *field, Limits limits)
    : program_(program), memory_(memory), field_(field), limits_(limits) {
  coverage_.trips.assign(program.loops.size(), 0);
  coverage_.taken.assign(program.guards.size(), 0);
}

std::string Machine::check(const Launch &launch) const {
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!launch.grid[axis] || !launch.block[axis])
      return "a launch needs at least one block and one thread along each axis";
    threads *= launch.block[axis];
  }
  if (threads > 1024)
    return "a block of " + std::to_string(threads) + " threads is larger than 1024";
  if (launch.arguments.size() != program_.parameters.size())
    return "kernel " + program_.kernel().name + " takes " +
           std::to_string(program_.parameters.size()) + " arguments, the launch gives " +
           std::to_string(launch.arguments.size());
  return {};
}

// By-value structs and amdgcn's hidden arguments live in memory.
uint64_t Machine::placeArguments(const Launch &launch) {
  argumentAddress_.assign(launch.arguments.size(), 0);
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const Parameter &parameter = program_.parameters[i];
    if (!parameter.indirect)
      continue;
    const std::vector<uint8_t> &bytes = launch.arguments[i];
    const uint64_t address =
        memory_.allocate("argument " + std::to_string(i), std::max<uint64_t>(parameter.size, 1));
    const size_t size = std::min<size_t>(bytes.size(), parameter.size);
    std::copy_n(bytes.begin(), size, memory_.bytesAt(address));
    std::copy_n(launch.argumentShadow[i].begin(), size, memory_.shadowAt(address));
    argumentAddress_[i] = address;
  }
  // https://llvm.org/docs/AMDGPUUsage.html, code object V5 hidden arguments.
  const uint64_t hidden = memory_.allocate("hidden arguments", 256, 256, shadow::ready);
  auto put = [&](unsigned offset, uint64_t value, unsigned bytes) {
    std::memcpy(memory_.bytesAt(hidden) + offset, &value, bytes);
  };
  unsigned dimensions = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    put(4 * axis, launch.grid[axis], 4);
    put(12 + 2 * axis, launch.block[axis], 2);
    if (launch.grid[axis] * launch.block[axis] > 1)
      dimensions = axis + 1;
  }
  put(64, dimensions, 2);
  put(120, launch.dynamicShared, 4);
  return hidden;
}

void Machine::setUp(const Launch &launch) {
  block_.launch = &launch;
  block_.global = &memory_;
  block_.observers = &observers_;
  block_.remarks = &remarks_;
  block_.implicitArguments = placeArguments(launch);
  const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  block_.waves.assign((threads + program_.lanes - 1) / program_.lanes, Wave());
  for (unsigned i = 0; i < block_.waves.size(); ++i) {
    Wave &wave = block_.waves[i];
    wave.attach(&block_, program_, i);
    wave.field = field_;
    wave.populated = 0;
    for (unsigned lane = 0; lane < wave.lanes; ++lane) {
      const unsigned thread = i * wave.lanes + lane;
      wave.threadId[0][lane] = thread % launch.block[0];
      wave.threadId[1][lane] = thread / launch.block[0] % launch.block[1];
      wave.threadId[2][lane] = thread / launch.block[0] / launch.block[1];
      if (thread < threads)
        wave.populated |= uint64_t(1) << lane;
    }
    wave.active = wave.all;
    for (unsigned p = 0; p < launch.arguments.size(); ++p)
      setArgument(wave, p, launch);
    wave.rememberStart();
  }
}

void Machine::setArgument(Wave &wave, unsigned index, const Launch &launch) {
  const Parameter &parameter = program_.parameters[index];
  const std::vector<Reg> &regs = program_.kernel().parameters[index];
  for (size_t i = 0; i < regs.size(); ++i) {
    uint64_t value = 0;
    Meta meta{wave.all, 0, 0, false};
    const bool wide = parameter.indirect ? regs.size() == 1 : parameter.scalars[i].wide();
    if (parameter.indirect) {
      value = argumentAddress_[index];
    } else {
      const std::vector<uint8_t> &bytes = launch.arguments[index];
      const std::vector<uint8_t> &shade = launch.argumentShadow[index];
      const size_t offset = parameter.offsets[i];
      const size_t size = std::min<size_t>(parameter.scalars[i].bytes(),
                                           bytes.size() > offset ? bytes.size() - offset : 0);
      std::memcpy(&value, bytes.data() + offset, size);
      for (size_t b = 0; b < size; ++b)
        meta.code |= uint32_t(shade[offset + b] >> 4) << (4 * b);
      meta.field = meta.code ? wave.all : 0;
    }
    uint64_t wideValues[kMaxLanes];
    uint32_t narrowValues[kMaxLanes];
    std::fill_n(wideValues, kMaxLanes, value);
    std::fill_n(narrowValues, kMaxLanes, uint32_t(value));
    if (wide)
      wave.blend<uint64_t>(regs[i], wideValues, meta);
    else
      wave.blend<uint32_t>(regs[i], narrowValues, meta);
  }
}

std::string Machine::run(const Launch &launch) {
  if (std::string problem = begin(launch); !problem.empty())
    return problem;
  return runBlocks(0, launch.blocks());
}

std::string Machine::begin(const Launch &launch) {
  if (std::string problem = check(launch); !problem.empty())
    return problem;
  block_.stopped.clear();
  setUp(launch);
  watchInstructions_ = std::any_of(observers_.begin(), observers_.end(),
                                   [](Observer *o) { return o->wantsInstructions(); });
  watchBranches_ = std::any_of(observers_.begin(), observers_.end(),
                               [](Observer *o) { return o->wantsBranches(); });
  for (Observer *observer : observers_)
    observer->onLaunch(program_);
  return {};
}

std::string Machine::runBlocks(uint64_t first, uint64_t last) {
  const auto &grid = block_.launch->grid;
  for (uint64_t i = first; i < last && block_.stopped.empty(); ++i) {
    const uint64_t block = block_.backwards ? last - 1 - (i - first) : i;
    block_.id = {uint32_t(block % grid[0]), uint32_t(block / grid[0] % grid[1]),
                 uint32_t(block / grid[0] / grid[1])};
    runBlock();
  }
  return block_.stopped;
}

void enterFunction(Wave &wave, const Function &callee, const Op *call, uint64_t lanes) {
  Frame frame;
  frame.function = &callee;
  frame.call = call;
  frame.paths.push_back({0, callee.blocks.front().begin, lanes, kNoBlock});
  wave.frames.push_back(std::move(frame));
}

void enterFunction(Wave &wave, const Function &callee, const Op &call) {
  enterFunction(wave, callee, &call, wave.active);
}

void Machine::runBlock() {
  const uint32_t id[3] = {block_.id[0], block_.id[1], block_.id[2]};
  for (Observer *observer : observers_)
    observer->onBlock(id);
  block_.shared.resize(program_.dynamicShared + block_.launch->dynamicShared, shadow::fresh);
  for (uint32_t gap : program_.sharedGaps)
    std::fill_n(block_.shared.shadow.begin() + gap, Program::kSharedGap, uint8_t(0));
  block_.barriers.clear();
  for (Wave &wave : block_.waves) {
    wave.resetForBlock();
    enterFunction(wave, program_.kernel(), nullptr, wave.populated);
  }
  for (;;) {
    bool ran = false;
    for (size_t i = 0; i < block_.waves.size(); ++i) {
      Wave &wave = block_.waves[block_.backwards ? block_.waves.size() - 1 - i : i];
      if (wave.state != WaveState::Running)
        continue;
      runWave(wave);
      ran = true;
      if (!block_.stopped.empty())
        return;
    }
    if (releaseBarriers())
      continue;
    if (!ran)
      break;
  }
  for (Wave &wave : block_.waves)
    if (wave.state != WaveState::Done) {
      block_.stopped = block_.describe(0) + "waves wait for ever at a barrier (block " +
                       std::to_string(id[0]) + "," + std::to_string(id[1]) + "," +
                       std::to_string(id[2]) + ")";
      return;
    }
}

// A barrier opens when as many threads have arrived as it expects; a barrier of
// the whole block does not wait for threads that have exited.
bool Machine::releaseBarriers() {
  bool released = false;
  unsigned living = 0;
  for (const Wave &wave : block_.waves)
    if (wave.state != WaveState::Done)
      living += wave.lanes;
  for (auto &[id, barrier] : block_.barriers) {
    const unsigned expected = barrier.expected ? barrier.expected : living;
    if (!barrier.arrivedThreads || barrier.arrivedThreads < expected)
      continue;
    barrier.arrivedThreads = 0;
    barrier.expected = 0;
    barrier.voted = std::exchange(barrier.voting, 0);
    barrier.agreed = std::exchange(barrier.agreeing, 0);
    for (Wave &wave : block_.waves)
      if (wave.state == WaveState::AtBarrier && wave.barrier.id == id)
        wave.state = WaveState::Running;
    released = true;
    for (Observer *observer : observers_)
      observer->onBarrier();
  }
  return released;
}

// Runs until the wave ends, waits or has used up its turn.
void Machine::runWave(Wave &wave) {
  constexpr unsigned turn = 1 << 16; // blocks, so that waves that spin let others run
  for (unsigned i = 0; i < turn && wave.state == WaveState::Running; ++i) {
    if (!runOps(wave))
      continue;
    Frame &frame = wave.frames.back();
    const Terminator &terminator = frame.function->blocks[frame.paths.back().block].terminator;
    wave.active = frame.paths.back().lanes;
    if (terminator.kind == Terminator::Return)
      leave(wave, terminator);
    else
      branch(wave, terminator);
    if (++steps_ > limits_.steps && block_.stopped.empty()) {
      block_.stopped = block_.describe(terminator.location) + "step limit of " +
                       std::to_string(limits_.steps) +
                       " reached: an endless loop? Otherwise a smaller size, or --steps";
      wave.state = WaveState::Stopped;
    }
  }
}

// Runs a block's operations; false when the wave left before the terminator.
bool Machine::runOps(Wave &wave) {
  const size_t depth = wave.frames.size();
  const Function &function = *wave.frames.back().function;
  Frame::Path &path = wave.frames.back().paths.back();
  const Block &block = function.blocks[path.block];
  wave.active = path.lanes;
  const uint32_t first = path.next;
  for (uint32_t next = first; next < block.end; ++next) {
    const Op &op = function.ops[next];
    if (watchInstructions_)
      for (Observer *observer : observers_)
        observer->onInstruction(wave, op);
    if (wave.active || op.kind == uint8_t(InstructionClass::Control))
      op.run(wave, op); // a guard may leave no lane
    if (wave.state == WaveState::Running && wave.frames.size() == depth)
      continue;
    wave.frames[depth - 1].paths.back().next = next + 1;
    steps_ += next - first;
    return false;
  }
  steps_ += block.end - first;
  return true;
}

void Machine::countTrip(Wave &wave, const Edge &edge) {
  uint64_t &trips = wave.trips[edge.loop];
  trips = edge.repeats ? trips + 1 : !program_.loops[edge.loop].testsFirst;
  coverage_.trips[edge.loop] = std::max(coverage_.trips[edge.loop], trips);
}

void Machine::takeEdge(Wave &wave, const Edge &edge, uint64_t lanes) {
  if (edge.loop != kNoLoop)
    countTrip(wave, edge);
  if (edge.copies.empty())
    return;
  const uint64_t saved = wave.active;
  wave.active = lanes;
  if (!edge.parallel) {
    for (const Copy &copy : edge.copies)
      wave.copy(copy);
  } else {
    // Read everything before anything is written.
    const size_t slot = kMaxLanes * 8;
    copyBuffer_.resize(edge.copies.size() * slot);
    copyMetas_.clear();
    for (size_t i = 0; i < edge.copies.size(); ++i) {
      const Copy &copy = edge.copies[i];
      std::memcpy(copyBuffer_.data() + i * slot, wave.get<uint8_t>(copy.from),
                  wave.lanes * (copy.wide ? 8 : 4));
      copyMetas_.push_back(wave.meta(copy.from));
    }
    for (size_t i = 0; i < edge.copies.size(); ++i) {
      const uint8_t *values = copyBuffer_.data() + i * slot;
      if (edge.copies[i].wide)
        wave.blend<uint64_t>(edge.copies[i].to, reinterpret_cast<const uint64_t *>(values),
                             copyMetas_[i]);
      else
        wave.blend<uint32_t>(edge.copies[i].to, reinterpret_cast<const uint32_t *>(values),
                             copyMetas_[i]);
    }
  }
  wave.active = saved;
}

// Lanes that take each edge, into masks_.
void Machine::partLanes(Wave &wave, const Terminator &terminator) {
  masks_.assign(terminator.edges.size(), 0);
  uint64_t rest = wave.active;
  if (terminator.twoWay) {
    masks_[1] = rest & wave.nonZero(terminator.condition, false);
    masks_[0] = rest & ~masks_[1];
    return;
  }
  for (size_t i = 0; i < terminator.cases.size(); ++i) {
    uint64_t hit = 0;
    forLanes(rest, [&](unsigned lane) {
      const uint64_t value = terminator.wideCondition
                                 ? wave.get<uint64_t>(terminator.condition)[lane]
                                 : wave.get<uint32_t>(terminator.condition)[lane];
      hit |= uint64_t(value == terminator.cases[i]) << lane;
    });
    masks_[i + 1] = hit;
    rest &= ~hit;
  }
  masks_[0] = rest;
}

// Whether a lane that comes to the block has nothing left to do. The compiler turns
// `if (n <= i) return;` into a branch to such a block, where the others arrive later: the
// lanes are gone, no barrier waits for them.
static bool endsThread(const Frame &frame, uint32_t target) {
  const Block &block = frame.function->blocks[target];
  return !frame.call && block.terminator.kind == Terminator::Return && block.begin == block.end;
}

// The lanes leave every path of the kernel that they are on.
static void exitLanes(Wave &wave, uint64_t gone) {
  wave.exited |= gone;
  for (Frame::Path &path : wave.frames.back().paths)
    path.lanes &= ~gone;
}

//         lanes                  before: path {block, lanes, reconverge R}
//        /     \                 after:  path {P, lanes, R}      waits at P
//      then    else                      path {else, some, P}
//        \     /                         path {then, others, P}  runs next
//      P (immediate post-dominator)
void Machine::branch(Wave &wave, const Terminator &terminator) {
  Op here;
  here.location = terminator.location;
  if (terminator.kind == Terminator::Unreachable) {
    wave.report(here, ProblemKind::Trap, wave.active, "unreachable code was reached");
    wave.stop(here, "unreachable code was reached");
    return;
  }
  Frame &frame = wave.frames.back();
  const Function &function = *frame.function;
  const uint32_t block = frame.paths.back().block;
  if (terminator.kind == Terminator::Branch) {
    takeEdge(wave, terminator.edges[0], wave.active);
    const uint32_t target = terminator.edges[0].target;
    frame.paths.back().block = target;
    frame.paths.back().next = function.blocks[target].begin;
    if (endsThread(frame, target))
      exitLanes(wave, wave.active);
    settle(wave);
    return;
  }
  const Meta &condition = wave.meta(terminator.condition);
  if (wave.active & ~condition.defined)
    wave.report(here, ProblemKind::UndefinedBranch, wave.active & ~condition.defined);
  if (!terminator.twoWay && wave.holdsPayload(terminator.condition))
    wave.giveUp(here, "the bits of a float are compared as an integer");
  if (condition.tainted)
    wave.dependsOnData(terminator.location, "a branch depends on data");
  partLanes(wave, terminator);
  std::vector<uint64_t> &masks = masks_;
  if (watchBranches_)
    for (Observer *observer : observers_)
      observer->onBranch(wave, terminator.location, masks);
  if (terminator.guard != ~0u)
    coverage_.taken[terminator.guard] |= uint8_t((masks[0] ? 1 : 0) | (masks[1] ? 2 : 0));
  for (size_t i = 0; i < masks.size(); ++i)
    if (masks[i] && endsThread(frame, terminator.edges[i].target))
      exitLanes(wave, std::exchange(masks[i], 0));
    else if (masks[i])
      takeEdge(wave, terminator.edges[i], masks[i]);
  const Frame::Path path = frame.paths.back();
  const uint32_t meet = function.blocks[block].reconverge;
  frame.paths.pop_back();
  const bool uniform =
      std::count(masks.begin(), masks.end(), uint64_t(0)) + 1 == std::ptrdiff_t(masks.size());
  const uint32_t inner = uniform ? path.reconverge : meet;
  // The lanes wait at the meeting point, unless a path below already waits there for them.
  if (!uniform && meet != kNoBlock && meet != path.reconverge)
    frame.paths.push_back({meet, function.blocks[meet].begin, path.lanes, path.reconverge});
  for (size_t i = masks.size(); i-- > 0;) {
    const uint32_t target = terminator.edges[i].target;
    if (masks[i] && (uniform || target != meet))
      frame.paths.push_back({target, function.blocks[target].begin, masks[i], inner});
  }
  settle(wave);
}

// Drops paths that have arrived where another path waits for them, or have no lanes.
void Machine::settle(Wave &wave) {
  std::vector<Frame::Path> &paths = wave.frames.back().paths;
  while (!paths.empty() && (!paths.back().lanes || paths.back().block == paths.back().reconverge))
    paths.pop_back();
  if (paths.empty())
    wave.frames.pop_back();
  if (wave.frames.empty())
    wave.state = WaveState::Done;
}

void Machine::leave(Wave &wave, const Terminator &terminator) {
  Frame &frame = wave.frames.back();
  if (!frame.call) {
    exitLanes(wave, wave.active);
  } else {
    for (const Copy &copy : terminator.returned)
      wave.copy(copy);
    for (Frame::Path &path : frame.paths)
      path.lanes &= ~wave.active;
  }
  settle(wave);
}

} // namespace layout_port::verify
