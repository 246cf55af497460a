// Time and chance, made repeatable: both sides' programs must see the same, or data that hangs on
// the clock would look like a difference of the port.
//
// Asking for the time takes a microsecond, sleeping takes none of the user's.
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace {

uint64_t &virtualTime() {
  static uint64_t now = uint64_t(1700000000) * 1000000000;
  return now;
}
uint64_t tick() { return virtualTime() += 1000; }

} // namespace

extern "C" {
time_t time(time_t *out) {
  const time_t now = time_t(tick() / 1000000000);
  if (out)
    *out = now;
  return now;
}
clock_t clock() { return clock_t(tick() / 1000 % 1000000000); }
int clock_gettime(clockid_t, timespec *out) {
  const uint64_t now = tick();
  *out = {time_t(now / 1000000000), long(now % 1000000000)};
  return 0;
}
int gettimeofday(timeval *out, void *) {
  const uint64_t now = tick();
  *out = {time_t(now / 1000000000), suseconds_t(now % 1000000000 / 1000)};
  return 0;
}
unsigned sleep(unsigned seconds) {
  virtualTime() += uint64_t(seconds) * 1000000000;
  return 0;
}
int usleep(useconds_t microseconds) {
  virtualTime() += uint64_t(microseconds) * 1000;
  return 0;
}
int nanosleep(const timespec *time, timespec *) {
  virtualTime() += uint64_t(time->tv_sec) * 1000000000 + uint64_t(time->tv_nsec);
  return 0;
}
}

// libstdc++'s functions by their linker names, which spares reading <chrono> and <random>: a
// time_point is its count of nanoseconds.
extern "C" {
int64_t lpSystemClock() __asm__("_ZNSt6chrono3_V212system_clock3nowEv");
int64_t lpSystemClock() { return int64_t(tick()); }
int64_t lpSteadyClock() __asm__("_ZNSt6chrono3_V212steady_clock3nowEv");
int64_t lpSteadyClock() { return int64_t(tick()); }
unsigned lpRandomDevice(void *) __asm__("_ZNSt13random_device9_M_getvalEv");
unsigned lpRandomDevice(void *) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return unsigned(state >> 32);
}
}
