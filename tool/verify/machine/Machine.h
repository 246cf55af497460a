// The SIMT machine: runs a Program over a grid of blocks.
//
// Lanes of a wave run in lockstep; divergent branches are serialised and lanes
// meet again at the branch's immediate post-dominator. Waves of a block take turns
// and stop at barriers; blocks run one after another. A machine is deterministic;
// several machines may run at once on different threads, also on blocks of one launch
// (proof/Blocks.h).
#pragma once

#include "domain/Field.h"
#include "machine/Memory.h"
#include "machine/Touched.h"
#include "machine/Wave.h"
#include "observe/Coverage.h"

#include <array>
#include <bitset>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

namespace layout_port::verify {

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamicShared = 0; // bytes
  uint64_t blocks() const { return uint64_t(grid[0]) * grid[1] * grid[2]; }
  // One a parameter: the value's bytes, and their shadow.
  std::vector<std::vector<uint8_t>> arguments, argumentShadow;
};

struct Limits {
  uint64_t steps = 400u * 1000 * 1000; // basic blocks entered and operations run, by waves
  uint64_t memory = uint64_t(2) << 30; // bytes of buffers and globals
};

// Which residues were rounded, by place (index into Program::locations) and format.
using RoundingSet = std::bitset<1 << 16>;
using Roundings = std::map<std::pair<uint32_t, FloatFormat>, RoundingSet>;

// What a run could not be sure of; sets, so that a loop says it once.
struct Remarks {
  std::unordered_set<uint64_t> seen; // kind and location, so that hot loops stay hot
  std::set<std::string> gaveUp;      // the field domain lost track
  std::set<std::string> assumptions; // the answer hangs on these
  std::set<std::string> taint;       // control flow or addresses depend on data
  std::set<std::string> spent;       // exponentials of exponentials
  bool takesApart = false;           // bytes of a payload went without the others
  Roundings roundings;               // where, to which format, and which residues
};

struct NamedBarrier {
  unsigned arrivedThreads = 0;
  unsigned expected = 0;
  unsigned voting = 0, agreeing = 0; // threads so far, and those that say yes
  unsigned voted = 0, agreed = 0;    // the same when it last opened
};

class BlockState {
public:
  std::array<uint32_t, 3> id{0, 0, 0};
  Arena shared;
  std::vector<Wave> waves;
  std::map<unsigned, NamedBarrier> barriers;
  const Launch *launch = nullptr;
  GlobalMemory *global = nullptr;
  std::vector<Observer *> *observers = nullptr;
  Touched *touched = nullptr; // where global memory is read and written, if that is asked
  bool backwards = false;
  Remarks *remarks = nullptr;
  std::string stopped; // why the launch cannot go on
  uint64_t implicitArguments = 0;
  uint64_t printed = 0;

  std::string describe(uint32_t location) const;
};

class Machine {
public:
  Machine(const Program &program, GlobalMemory &memory, const Field *field, Limits limits = {});

  void watch(Observer &observer) { observers_.push_back(&observer); }
  // Empty, or one line that says why the launch did not finish.
  std::string run(const Launch &launch);
  // The same in steps: checks and places the arguments, then runs some of the blocks,
  // numbered with x fastest. The launch must outlive them.
  std::string begin(const Launch &launch);
  std::string runBlocks(uint64_t first, uint64_t last);
  void note(Touched &touched) { block_.touched = &touched; }
  // Blocks, the waves of a block and the lanes of an atomic take turns from the last to
  // the first: an order as good as the usual one.
  void runBackwards() { block_.backwards = true; }
  const Remarks &remarks() const { return remarks_; }
  const Coverage &coverage() const { return coverage_; }
  uint64_t steps() const { return steps_; }

private:
  std::string check(const Launch &launch) const;
  void setUp(const Launch &launch);
  uint64_t placeArguments(const Launch &launch);
  void setArgument(Wave &wave, unsigned parameter, const Launch &launch);
  void runBlock();
  bool releaseBarriers();
  void runWave(Wave &wave);
  bool runOps(Wave &wave);
  void branch(Wave &wave, const Terminator &terminator);
  void partLanes(Wave &wave, const Terminator &terminator);
  void takeEdge(Wave &wave, const Edge &edge, uint64_t lanes);
  void countTrip(Wave &wave, const Edge &edge);
  void leave(Wave &wave, const Terminator &terminator);
  void settle(Wave &wave);

  const Program &program_;
  GlobalMemory &memory_;
  const Field *field_;
  Limits limits_;
  BlockState block_;
  std::vector<Observer *> observers_;
  bool watchInstructions_ = false, watchBranches_ = false;
  Remarks remarks_;
  Coverage coverage_;
  uint64_t steps_ = 0;
  std::vector<uint64_t> argumentAddress_;
  // Kept between branches, so that none allocates.
  std::vector<uint64_t> masks_;
  std::vector<uint8_t> copyBuffer_;
  std::vector<Meta> copyMetas_;
};

// Pushes a frame for a call; used by the call operation.
void enterFunction(Wave &wave, const Function &callee, const Op &call);

// Puts a program's variables into an empty memory, at the addresses decoding gave them.
void placeGlobals(const Program &program, GlobalMemory &memory);

} // namespace layout_port::verify
