// See Guest.h. Whatever the child sends is checked; whatever it does, the parent's reads end,
// because the child's time is limited.
#include "host/Guest.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace layout_port::verify {

namespace {

constexpr size_t kPrinted = 4096; // bytes of the program's output that are kept

const char *signalText(int signal) {
  switch (signal) {
  case SIGABRT:
    return "aborts";
  case SIGSEGV:
  case SIGBUS:
    return "crashes: it touches memory that is not there";
  case SIGFPE:
    return "crashes: it divides by zero";
  case SIGILL:
    return "crashes: illegal instruction";
  default:
    return "is killed";
  }
}

} // namespace

Guest::~Guest() {
  if (pid_ > 0) {
    kill(-pid_, SIGKILL); // what it has started too
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (socket_ >= 0)
    close(socket_);
  if (output_ >= 0)
    close(output_);
  if (fault_)
    munmap(fault_, sizeof *fault_);
}

std::string Guest::start(const HostProgram &program, const std::vector<std::string> &arguments) {
  int sockets[2], pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || pipe(pipes))
    return std::string("no child process can be made: ") + std::strerror(errno);
  void *page =
      mmap(nullptr, sizeof(FaultPage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    return std::string("no child process can be made: ") + std::strerror(errno);
  fault_ = new (page) FaultPage{{0}, {0}};
  fflush(nullptr); // or the child prints it again
  pid_ = fork();
  if (pid_ == 0) {
    close(sockets[0]);
    close(pipes[0]);
    runChild(sockets[1], pipes[1], fault_, program, arguments, limits_);
  }
  close(sockets[1]);
  close(pipes[1]);
  socket_ = sockets[0];
  output_ = pipes[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
  const timeval patience = {10, 0}; // for a program that does not read its replies
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  return pid_ > 0 ? "" : std::string("no child process can be made: ") + std::strerror(errno);
}

void Guest::drainOutput() {
  char buffer[4096];
  for (ssize_t n; (n = read(output_, buffer, sizeof buffer)) > 0;) {
    printed_.append(buffer, size_t(n));
    if (printed_.size() > 2 * kPrinted)
      printed_.erase(0, printed_.size() - kPrinted);
  }
}

std::string Guest::lastLine() {
  drainOutput();
  const llvm::StringRef text = llvm::StringRef(printed_).rtrim();
  return text.substr(text.rfind('\n') + 1).trim().take_back(200).str();
}

// Waits for bytes from the program, at its expense.
bool Guest::waitForRequest() {
  for (;;) {
    const double left = allowed_ - spent_.count();
    if (left <= 0) {
      why_ = "spends more than " + std::to_string(unsigned(allowed_)) +
             " s outside of kernels: an endless loop? (--host-seconds)";
      return false;
    }
    pollfd ends[2] = {{socket_, POLLIN, 0}, {output_, POLLIN, 0}};
    const auto before = std::chrono::steady_clock::now();
    const int ready = poll(ends, output_ >= 0 ? 2 : 1, int(left * 1000) + 1);
    spent_ += std::chrono::steady_clock::now() - before;
    if (ready < 0 && errno != EINTR)
      return false;
    if (ends[1].revents & POLLIN)
      drainOutput();
    else if (ends[1].revents) { // closed by the program, or it is gone
      close(output_);
      output_ = -1;
    }
    if (ends[0].revents)
      return true;
  }
}

bool Guest::readAll(void *bytes, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    if (!waitForRequest())
      return false;
    const ssize_t n = recv(socket_, static_cast<char *>(bytes) + done, size - done, 0);
    if (n <= 0)
      return false;
    done += uint64_t(n);
  }
  return true;
}

std::optional<Message> Guest::receive() {
  Message message;
  while (readAll(&message.request, sizeof message.request)) {
    if (message.request.op == LpBegin && !begun_) {
      begun_ = true;
      allowed_ = limits_.seconds;
      spent_ = spent_.zero();
      continue;
    }
    if (message.request.bytes > limits_.memory) {
      why_ = "asks for a transfer of " + std::to_string(message.request.bytes >> 20) +
             " MiB, more than the memory limit";
      return std::nullopt;
    }
    message.bytes.resize(message.request.bytes);
    if (readAll(message.bytes.data(), message.bytes.size()))
      return message;
    break;
  }
  describeEnd();
  return std::nullopt;
}

void Guest::describeEnd() {
  if (!why_.empty())
    return;
  int status = 0;
  waitpid(pid_, &status, 0);
  kill(-pid_, SIGKILL);
  pid_ = -1;
  const int signal = fault_->signal        ? fault_->signal.load()
                     : WIFSIGNALED(status) ? WTERMSIG(status)
                                           : 0;
  if (signal == SIGXCPU || signal == SIGKILL) {
    why_ = "uses more than " + std::to_string(unsigned(limits_.seconds)) +
           " s of processor time outside of kernels: an endless loop? (--host-seconds)";
    return;
  }
  crashed_ = true;
  why_ = signal ? signalText(signal) : "ends without a word";
  if (signal != SIGABRT)
    return;
  if (const std::string line = lastLine(); !line.empty())
    why_ += ": " + line;
  if (llvm::StringRef(why_).contains("bad_alloc"))
    why_ += ", with a memory limit of " + std::to_string(limits_.memory >> 20) + " MiB (--memory)";
}

void Guest::reply(const LpReply &reply, llvm::ArrayRef<uint8_t> bytes) {
  auto sendAll = [&](const void *data, uint64_t size) {
    for (uint64_t done = 0; done < size;) {
      const ssize_t n =
          ::send(socket_, static_cast<const char *>(data) + done, size - done, MSG_NOSIGNAL);
      if (n <= 0)
        return; // it is gone; the next receive finds out how
      done += uint64_t(n);
    }
  };
  sendAll(&reply, sizeof reply);
  sendAll(bytes.data(), bytes.size());
}

} // namespace layout_port::verify
