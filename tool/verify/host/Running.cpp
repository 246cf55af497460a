// See Running.h.
#include "host/Running.h"

#include <llvm/ADT/StringExtras.h>

namespace layout_port::verify {

Stop Running::trouble(std::string text, bool crashed) {
  Stop stop;
  stop.kind = Stop::Trouble;
  stop.text = std::move(text);
  stop.crashed = crashed;
  return stop;
}

// How the program ended, and what it touched.
std::string Running::why() {
  std::string text = guest_.why();
  const uint64_t address = guest_.faultAddress();
  if (guest_.crashed() && address >= lpDeviceBegin && address < lpDeviceEnd)
    text = "crashes: host code touches device memory (" + device_.memory().describe(address) + ")";
  if (!device_.firstError().empty())
    text += "; before, " + device_.firstError();
  return text;
}

Stop Running::next() {
  for (;;) {
    std::optional<Message> message = guest_.receive();
    if (!message)
      return trouble(why(), guest_.crashed());
    switch (message->request.op) {
    case LpTrouble:
      return trouble(llvm::toStringRef(message->bytes).str());
    case LpExit: {
      Stop stop;
      stop.status = int(message->request.args[0] & 0xff);
      stop.text = "returns " + std::to_string(stop.status);
      if (const std::string line = guest_.lastLine(); stop.status && !line.empty())
        stop.text += " and says '" + line + "'";
      if (stop.status && !device_.firstError().empty())
        stop.text += "; before, " + device_.firstError();
      return stop;
    }
    case LpLaunch: {
      llvm::Expected<RecordedLaunch> launch = device_.record(message->request, message->bytes);
      if (!launch)
        return trouble(llvm::toString(launch.takeError()));
      Stop stop;
      stop.kind = Stop::Launch;
      stop.launch = std::move(*launch);
      return stop;
    }
    default:
      break;
    }
    std::vector<uint8_t> out;
    LpReply reply = device_.serve(message->request, message->bytes, out);
    if (!device_.trouble().empty())
      return trouble("launches a kernel that cannot be run: " + device_.trouble());
    if (message->request.op == LpKernel && reply.status)
      return trouble("launches what is no kernel of the program");
    reply.bytes = out.size();
    guest_.reply(reply, out);
  }
}

} // namespace layout_port::verify
