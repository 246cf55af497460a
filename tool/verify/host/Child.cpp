// See Child.h. Everything here runs in the child, beside code that may do anything: the parent
// takes nothing from it on trust.
#include "host/Child.h"

#include "share/host/call.h"

#include <llvm/Support/raw_ostream.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace layout_port::verify {
namespace {

// One program a process: its end of the socket is the process's.
int deviceSocket = -1;
FaultPage *faultPage = nullptr;
double secondsAllowed = 0;
std::mutex &deviceMutex() { // threads of the program take turns
  static std::mutex mutex;
  return mutex;
}

void sendAll(const void *bytes, uint64_t size) {
  // Through a buffer of our own: a bad pointer of the program's faults here, where the fault is
  // reported, and not in the kernel.
  static char buffer[1 << 16];
  for (uint64_t done = 0; done < size;) {
    const uint64_t part = std::min<uint64_t>(size - done, sizeof buffer);
    std::memcpy(buffer, static_cast<const char *>(bytes) + done, part);
    for (uint64_t sent = 0; sent < part;) {
      const ssize_t n = write(deviceSocket, buffer + sent, part - sent);
      if (n <= 0)
        _exit(1); // the tool is gone
      sent += uint64_t(n);
    }
    done += part;
  }
}

void receiveAll(void *bytes, uint64_t size, uint64_t wanted) {
  static char buffer[1 << 16];
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = read(deviceSocket, buffer, std::min<uint64_t>(size - done, sizeof buffer));
    if (n <= 0)
      _exit(1);
    const uint64_t keep = done < wanted ? std::min<uint64_t>(uint64_t(n), wanted - done) : 0;
    if (keep)
      std::memcpy(static_cast<char *>(bytes) + done, buffer, keep);
    done += uint64_t(n);
  }
}

void send(LpOp op, uint64_t value, llvm::StringRef text) {
  const LpRequest request = {op, 0, {value}, text.size()};
  sendAll(&request, sizeof request);
  sendAll(text.data(), text.size());
}

void call(const LpRequest *request, const void *bytes, LpReply *reply, void *out,
          uint64_t outBytes) {
  const std::lock_guard<std::mutex> lock(deviceMutex());
  sendAll(request, sizeof *request);
  sendAll(bytes, request->bytes);
  receiveAll(reply, sizeof *reply, sizeof *reply);
  receiveAll(out, reply->bytes, outBytes);
}

[[noreturn]] void leave(int status) {
  fflush(nullptr);
  const std::lock_guard<std::mutex> lock(deviceMutex());
  send(LpExit, uint64_t(int64_t(status)), "");
  _exit(0);
}

[[noreturn]] void giveUp(llvm::StringRef why) {
  fflush(nullptr);
  const std::lock_guard<std::mutex> lock(deviceMutex());
  send(LpTrouble, 0, why);
  _exit(0);
}

[[noreturn]] void missing(const char *name) {
  giveUp("needs " + std::string(name) + ", which the host runtime does not have");
}

// The process ends without destructors.
int ignoreAtExit(void (*)()) { return 0; }
int ignoreDestructor(void (*)(void *), void *, void *) { return 0; }

void onFault(int signal, siginfo_t *info, void *) {
  faultPage->address = uint64_t(info->si_addr);
  faultPage->signal = signal;
  fflush(nullptr); // as much of the last words as can be had
  _exit(1);
}

void catchFaults() {
  static char stack[1 << 16];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU})
    sigaction(signal, &action, nullptr);
}

void setLimit(int resource, rlim_t value) {
  const rlimit limit = {value, value};
  setrlimit(resource, &limit);
}

uint64_t usedMemory() { // of private data, in bytes
  unsigned long pages[6] = {};
  if (FILE *file = fopen("/proc/self/statm", "r")) {
    if (fscanf(file, "%lu %lu %lu %lu %lu %lu", pages, pages + 1, pages + 2, pages + 3, pages + 4,
               pages + 5) != 6)
      pages[5] = 0;
    fclose(file);
  }
  return pages[5] * uint64_t(sysconf(_SC_PAGESIZE));
}

double usedSeconds() { // of processor time
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return double(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
}

void begin() {
  const std::lock_guard<std::mutex> lock(deviceMutex());
  setLimit(RLIMIT_CPU, rlim_t(usedSeconds() + secondsAllowed) + 2);
  send(LpBegin, 0, "");
}

void confine(int output, const HostLimits &limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, 0);
  dup2(output, 1);
  dup2(output, 2);
  // Device addresses are no addresses of the host's: touching one is a fault.
  mmap(reinterpret_cast<void *>(lpDeviceBegin), lpDeviceEnd - lpDeviceBegin, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  setLimit(RLIMIT_CORE, 0);
  setLimit(RLIMIT_DATA, usedMemory() + limits.memory);
}

struct Provided {
  llvm::StringRef name;
  void *address;
};
const Provided kProvided[] = {
    {"lpDeviceCall", reinterpret_cast<void *>(&call)},
    {"lpMissing", reinterpret_cast<void *>(&missing)},
    {"exit", reinterpret_cast<void *>(&leave)},
    {"quick_exit", reinterpret_cast<void *>(&leave)},
    {"_exit", reinterpret_cast<void *>(&leave)},
    {"_Exit", reinterpret_cast<void *>(&leave)},
    {"at_quick_exit", reinterpret_cast<void *>(&ignoreAtExit)},
    {"__cxa_thread_atexit", reinterpret_cast<void *>(&ignoreDestructor)},
};

} // namespace

llvm::ArrayRef<llvm::StringRef> providedNames() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> names;
    for (const Provided &one : kProvided)
      names.push_back(one.name);
    return names;
  }();
  return names;
}

void runChild(int socket, int output, FaultPage *fault, const HostProgram &program,
              const std::vector<std::string> &arguments, const HostLimits &limits) {
  deviceSocket = socket;
  faultPage = fault;
  secondsAllowed = limits.seconds;
  confine(output, limits);
  catchFaults();
  llvm::StringMap<void *> provided;
  for (const Provided &one : kProvided)
    provided[one.name] = one.address;
  llvm::Expected<int> status = runMain(program, arguments, provided, &begin);
  if (!status)
    giveUp("cannot be linked: " + llvm::toString(status.takeError()));
  leave(*status);
}

} // namespace layout_port::verify
