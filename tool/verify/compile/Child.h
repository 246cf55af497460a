// Runs a program to its end, or to a limit of time, and says how it ended.
//
// llvm::sys::ExecuteAndWait keeps its limit with alarm(), of which a process has one: with two
// threads that wait, the first to finish takes the other's limit away. Here each call looks at its
// own clock.
#pragma once

#include <string>
#include <vector>

namespace layout_port {

struct ChildEnd {
  int code = -1; // exit code; negative: it did not come to one
  // "was killed by a signal (Segmentation fault)", "took longer than 300 s", "could not be
  // started: ...", "ended with exit code 3"; empty with exit code 0.
  std::string problem;
  bool succeeded() const { return code == 0; }
};

// args[0] is the program; stdout and stderr go to the file `log`.
ChildEnd runToEnd(const std::vector<std::string> &args, const std::string &log, unsigned seconds);

} // namespace layout_port
