// Child processes, a few at once, each with a limit of time and memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace layout_port {

struct ChildTask {
  std::vector<std::string> args; // args[0] is the program
  std::string log;               // stdout and stderr go here
};

struct ChildLimits {
  unsigned jobs = 1;      // children at once
  unsigned seconds = 300; // of wall time each
  unsigned mebibytes = 8192;
};

struct ChildResult {
  int code = -1;       // exit status; negative when there is none
  std::string problem; // "crashed (...)", "ran longer than 300 s"; empty when it ended
  double seconds = 0;
  unsigned peakMebibytes = 0; // of the child and the compilers it ran
};

// Runs all tasks; `done(index, result)` is called from this thread as each ends. An
// interrupt ends the children too.
void runChildren(const std::vector<ChildTask> &tasks, const ChildLimits &limits,
                 const std::function<void(size_t, const ChildResult &)> &done);

} // namespace layout_port
