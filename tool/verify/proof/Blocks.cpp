// See Blocks.h.
#include "proof/Blocks.h"

#include <algorithm>

namespace layout_port::verify {
namespace {

// Sends what is found to the list of the share that runs.
class ToShare : public Observer {
public:
  FindingList *list = nullptr;
  void onProblem(const Wave &wave, const Problem &problem) override {
    list->onProblem(wave, problem);
  }
};

} // namespace

struct ParallelBlocks::Worker {
  Worker(const Program &code, const GlobalMemory &before, const Field *field, Limits limits)
      : memory(before), machine(code, memory, field, limits), watch(found, counts) {}
  GlobalMemory memory;
  Machine machine;
  Counts counts;
  ToShare found;
  Watch watch;
  std::unique_ptr<Touched> touched;
  std::thread thread;
};

bool ParallelBlocks::start(Worker &worker, const Launch &launch) {
  if (observe_) {
    worker.machine.watch(worker.found);
    worker.watch.attach(worker.machine);
  }
  if (!worker.machine.begin(launch).empty())
    return false;
  worker.touched = std::make_unique<Touched>(worker.memory.arena);
  worker.machine.note(*worker.touched);
  return true;
}

void ParallelBlocks::work(Worker &worker, const std::function<void()> &between) {
  for (uint64_t share = next_++; share < findings_.size() && !failed_; share = next_++) {
    between();
    worker.found.list = &findings_[share];
    const uint64_t first = share * perShare_;
    const std::string error = worker.machine.runBlocks(first, std::min(first + perShare_, blocks_));
    if (!error.empty() || worker.touched->usedAtomics())
      failed_ = true;
  }
}

bool ParallelBlocks::putTogether() {
  uint64_t steps = 0;
  for (const auto &worker : workers_)
    steps += worker->machine.steps();
  if (failed_ || steps > limits_.steps)
    return false;
  for (size_t i = 0; i < workers_.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (Touched::overlap(*workers_[i]->touched, *workers_[j]->touched))
        return false;
  GlobalMemory &whole = workers_.front()->memory;
  for (size_t i = 1; i < workers_.size(); ++i)
    workers_[i]->touched->copyWritten(workers_[i]->memory.arena, whole.arena);
  memory_ = std::move(whole);
  return true;
}

bool ParallelBlocks::run(const Launch &launch, Cores &cores) {
  blocks_ = launch.blocks();
  if (blocks_ < 2 || memory_.size() > kMostMemory || (field_ && field_->tracksDegrees()))
    return false;
  perShare_ = (blocks_ + kShares - 1) / kShares;
  findings_.resize((blocks_ + perShare_ - 1) / perShare_);
  for (FindingList &list : findings_)
    list.onLaunch(code_);
  const auto hire = [&] {
    workers_.push_back(std::make_shared<Worker>(code_, memory_, field_, limits_));
    return start(*workers_.back(), launch);
  };
  if (!hire())
    return false;
  unsigned taken = 0;
  work(*workers_.front(), [&] {
    if (next_ >= findings_.size() || !cores.take())
      return;
    ++taken;
    hire();
    Worker *helper = workers_.back().get();
    helper->thread = std::thread([this, helper] { work(*helper, [] {}); });
  });
  for (const auto &worker : workers_)
    if (worker->thread.joinable())
      worker->thread.join();
  for (; taken; --taken)
    cores.give();
  return putTogether();
}

void ParallelBlocks::addTo(FindingList &findings, Counter &counter) const {
  for (const FindingList &list : findings_)
    findings.add(list);
  counter.onLaunch(code_);
  for (const auto &worker : workers_)
    counter.add(worker->watch.counter);
}

void ParallelBlocks::forMachines(const std::function<void(const Machine &)> &f) const {
  for (const auto &worker : workers_)
    f(worker->machine);
}

bool ParallelBlocks::watchedAll() const {
  return std::none_of(workers_.begin(), workers_.end(),
                      [](const auto &worker) { return worker->watch.global.incomplete(); });
}

} // namespace layout_port::verify
