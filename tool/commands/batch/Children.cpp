#include "commands/batch/Children.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

#include <chrono>
#include <signal.h>
#include <thread>

namespace layout_port {

namespace {

using Instant = std::chrono::steady_clock::time_point;

struct Running {
  size_t task = 0;
  llvm::sys::ProcessInfo process;
  Instant start;
};

// Process groups that an interrupt has to end; 0 is a free place.
constexpr unsigned mostJobs = 64;
volatile sig_atomic_t groups[mostJobs];

void killGroups() {
  for (volatile sig_atomic_t &group : groups)
    if (group)
      ::kill(-group, SIGKILL);
}

void setGroup(sig_atomic_t from, sig_atomic_t to) {
  for (volatile sig_atomic_t &group : groups)
    if (group == from) {
      group = to;
      return;
    }
}

double secondsSince(Instant start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Pool {
public:
  Pool(const std::vector<ChildTask> &tasks, const ChildLimits &limits,
       const std::function<void(size_t, const ChildResult &)> &done)
      : tasks_(tasks), limits_(limits), done_(done) {}

  void run() {
    llvm::sys::SetInterruptFunction(killGroups);
    while (next_ < tasks_.size() || !running_.empty()) {
      while (next_ < tasks_.size() && running_.size() < std::min(limits_.jobs, mostJobs))
        start(next_++);
      bool anyEnded = false;
      for (size_t i = 0; i < running_.size();)
        if (hasEnded(running_[i])) {
          running_.erase(running_.begin() + i);
          anyEnded = true;
        } else {
          ++i;
        }
      if (!anyEnded)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    llvm::sys::SetInterruptFunction(nullptr);
  }

private:
  void start(size_t index) {
    const ChildTask &task = tasks_[index];
    const std::vector<llvm::StringRef> args(task.args.begin(), task.args.end());
    const std::optional<llvm::StringRef> redirects[] = {
        llvm::StringRef(""), llvm::StringRef(task.log), llvm::StringRef(task.log)};
    Running child;
    child.task = index;
    child.start = std::chrono::steady_clock::now();
    std::string problem;
    bool failed = false;
    // A process group of its own, so that the compilers it runs end with it.
    child.process = llvm::sys::ExecuteNoWait(args[0], args, std::nullopt, redirects,
                                             limits_.mebibytes, &problem, &failed, nullptr,
                                             /*DetachProcess=*/true);
    if (failed) {
      done_(index, {-1, "could not be started: " + problem, 0, 0});
      return;
    }
    setGroup(0, child.process.Pid);
    running_.push_back(child);
  }

  bool hasEnded(Running &child) {
    std::string message;
    std::optional<llvm::sys::ProcessStatistics> statistics;
    const llvm::sys::ProcessInfo now =
        llvm::sys::Wait(child.process, 0, &message, &statistics, /*Polling=*/true);
    const double seconds = secondsSince(child.start);
    if (now.Pid == 0) {
      if (seconds < limits_.seconds)
        return false;
      ::kill(-child.process.Pid, SIGKILL);
      llvm::sys::Wait(child.process, std::nullopt, &message);
      setGroup(child.process.Pid, 0);
      done_(child.task,
            {-1, "ran longer than " + std::to_string(limits_.seconds) + " s", seconds, 0});
      return true;
    }
    setGroup(child.process.Pid, 0);
    ChildResult result;
    result.code = now.ReturnCode;
    result.seconds = seconds;
    if (statistics)
      result.peakMebibytes = statistics->PeakMemory / 1024;
    if (now.ReturnCode < 0)
      result.problem = "crashed" + (message.empty() ? "" : " (" + message + ")");
    done_(child.task, result);
    return true;
  }

  const std::vector<ChildTask> &tasks_;
  const ChildLimits &limits_;
  const std::function<void(size_t, const ChildResult &)> &done_;
  std::vector<Running> running_;
  size_t next_ = 0;
};

} // namespace

void runChildren(const std::vector<ChildTask> &tasks, const ChildLimits &limits,
                 const std::function<void(size_t, const ChildResult &)> &done) {
  Pool(tasks, limits, done).run();
}

} // namespace layout_port
