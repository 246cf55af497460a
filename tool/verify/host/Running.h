// One side of a program with a main: its child process and its device.
#pragma once

#include "host/Device.h"
#include "host/Guest.h"

namespace layout_port::verify {

// Where main stands.
struct Stop {
  enum Kind : uint8_t { Launch, End, Trouble } kind = End;
  RecordedLaunch launch;
  int status = 0;       // of main, at its end
  std::string text;     // "aborts: ..."; what follows "main"
  bool crashed = false; // by its own doing
};

class Running {
public:
  Running(HostSide &side, uint64_t heap, const HostLimits &host, const Limits &limits)
      : device_(side, heap, limits), guest_(host) {}
  // Empty, or why main cannot start.
  std::string start(const HostProgram &program, const std::vector<std::string> &arguments) {
    return device_.trouble().empty() ? guest_.start(program, arguments) : device_.trouble();
  }
  // Runs main until it launches a kernel or ends.
  Stop next();
  // Lets main go on behind its launch.
  void resume() { guest_.reply({LpOk, {0, 0, 0, 0}, 0}); }
  Device &device() { return device_; }

private:
  Stop trouble(std::string text, bool crashed = false);
  std::string why();

  Device device_;
  Guest guest_;
};

} // namespace layout_port::verify
