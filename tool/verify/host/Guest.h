// The parent's end of a program that runs in a child process.
#pragma once

#include "host/Child.h"

#include "share/host/call.h"

#include <chrono>
#include <optional>

namespace layout_port::verify {

struct Message {
  LpRequest request = {};
  std::vector<uint8_t> bytes;
};

class Guest {
public:
  explicit Guest(HostLimits limits) : limits_(limits) {}
  Guest(const Guest &) = delete;
  Guest &operator=(const Guest &) = delete;
  ~Guest();

  // Starts main; empty, or why that cannot be done.
  std::string start(const HostProgram &program, const std::vector<std::string> &arguments);
  // The next request; none when the program is gone, and then why() says how it ended.
  std::optional<Message> receive();
  void reply(const LpReply &reply, llvm::ArrayRef<uint8_t> bytes = {});
  // One line: a signal, a limit; empty while the program runs.
  const std::string &why() const { return why_; }
  bool crashed() const { return crashed_; } // by its own doing, not by a limit
  uint64_t faultAddress() const { return fault_ ? fault_->address.load() : 0; }
  // The last line that the program printed.
  std::string lastLine();

private:
  static constexpr double kLinkSeconds = 120; // before main begins
  bool readAll(void *bytes, uint64_t size);
  bool waitForRequest();
  void drainOutput();
  void describeEnd();

  HostLimits limits_;
  int pid_ = -1, socket_ = -1, output_ = -1;
  FaultPage *fault_ = nullptr;
  double allowed_ = kLinkSeconds; // of waiting for the program
  std::chrono::duration<double> spent_{0};
  std::string printed_, why_;
  bool crashed_ = false, begun_ = false;
};

} // namespace layout_port::verify
