// How a program under `layout-port verify` speaks with its device.
//
//   main, in a child process                       the tool
//   cudaMemcpy(...)  ->  LpRequest, bytes  ->      memory of the SIMT machine
//                    <-  LpReply, bytes    <-
//
// Each runtime call that touches the device is one request; the child waits for its reply.
// This header is read by both ends: by the runtime beside it, which is compiled with the
// program, and by tool/verify/host.
#pragma once
#include <stdint.h>

enum LpOp : uint32_t {
  LpBegin,    // the program is linked, its code runs from here on; there is no reply
  LpFunction, // a kernel exists: args[0] host address; bytes: its mangled name
  LpVariable, // so does a __device__ variable: args[0] host address; bytes: its name
  LpKernel,   // args[0] host address -> results[0] static shared bytes; bytes: argument sizes
  LpSymbol,   // args[0] host address -> results[0] device address, results[1] size
  LpAllocate, // args[0] size, args[1] LpMemory -> results[0] address; bytes: a name, if known
  LpFree,     // args[0] address, args[1] LpMemory
  LpWrite,    // args[0] address; bytes
  LpRead,     // args[0] address, args[1] size -> bytes
  LpCopy,     // args[0] to, args[1] from, args[2] size
  LpFill,     // args[0] address, args[1] value, args[2] bytes a value, args[3] count
  LpRange,    // args[0] address -> results[0] begin, results[1] size, results[2] LpMemory
  LpUsage,    // -> results[0] bytes free, results[1] bytes in all
  LpLaunch,   // args[0] host address of the kernel, args[1..6] grid and block, args[7] shared
              // bytes; bytes: the arguments, end to end
  LpError,    // args[0] code; bytes: name of the call that returned it
  LpTrouble,  // bytes: why the program cannot go on; there is no reply
  LpExit      // args[0] exit status; there is no reply
};

enum LpMemory : uint64_t { LpDeviceMemory, LpSharedMemory /* pinned or managed */ };

struct LpRequest {
  uint32_t op;
  uint32_t unused;
  uint64_t args[8];
  uint64_t bytes; // that follow
};

// Error codes of both runtimes that the device end uses.
enum LpStatus : int64_t {
  LpOk = 0,
  LpInvalidValue = 1,
  LpOutOfMemory = 2,
  LpInvalidConfiguration = 9,
  LpInvalidSymbol = 13,
  LpInvalidDevicePointer = 17,
  LpInvalidFunction = 98,
  LpInvalidDevice = 101,
  LpLaunchFailure = 719,
  LpNotSupported = 801
};

struct LpReply {
  int64_t status; // an LpStatus
  uint64_t results[4];
  uint64_t bytes; // that follow
};

// Device addresses lie in [begin, end); host code gets a fault there, except in shared memory.
static const uint64_t lpDeviceBegin = (uint64_t)1 << 32, lpDeviceEnd = (uint64_t)1 << 38;

#ifdef __cplusplus
extern "C" {
#endif
// Defined by the tool. `out` receives at most outBytes of what follows the reply.
void lpDeviceCall(const struct LpRequest *request, const void *bytes, struct LpReply *reply,
                  void *out, uint64_t outBytes);
// Names the next allocation; inserted by the tool before a program's allocating calls.
void lpNameNext(const char *name);
// A function that the runtime does not have was called.
void lpMissing(const char *name);
#ifdef __cplusplus
}
#endif
