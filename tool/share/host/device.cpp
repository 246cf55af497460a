// The device as a program sees it: properties, errors, streams and events.
#include "names.h"

#include <stdio.h>

namespace {

int64_t &lastError() {
  static thread_local int64_t error = LpOk;
  return error;
}

struct ErrorName {
  int64_t status;
  const char *name, *text;
};
#ifdef LP_HIP
#define LP_ERROR(code, cuda, hip, text) {code, #hip, text},
#else
#define LP_ERROR(code, cuda, hip, text) {code, #cuda, text},
#endif
#ifdef LP_HIP
#define LP_ERROR_UNKNOWN "hipErrorUnknown"
#else
#define LP_ERROR_UNKNOWN "cudaErrorUnknown"
#endif
const ErrorName errorNames[] = {
    LP_ERROR(LpOk, cudaSuccess, hipSuccess, "no error")
        LP_ERROR(LpInvalidValue, cudaErrorInvalidValue, hipErrorInvalidValue, "invalid argument")
            LP_ERROR(LpOutOfMemory, cudaErrorMemoryAllocation, hipErrorOutOfMemory, "out of memory")
                LP_ERROR(LpInvalidConfiguration, cudaErrorInvalidConfiguration,
                         hipErrorInvalidConfiguration, "invalid configuration argument")
                    LP_ERROR(LpInvalidSymbol, cudaErrorInvalidSymbol, hipErrorInvalidSymbol,
                             "invalid device symbol")
                        LP_ERROR(LpInvalidDevicePointer, cudaErrorInvalidDevicePointer,
                                 hipErrorInvalidDevicePointer, "invalid device pointer")
                            LP_ERROR(LpInvalidFunction, cudaErrorInvalidDeviceFunction,
                                     hipErrorInvalidDeviceFunction, "invalid device function")
                                LP_ERROR(LpInvalidDevice, cudaErrorInvalidDevice,
                                         hipErrorInvalidDevice, "invalid device ordinal")
                                    LP_ERROR(LpLaunchFailure, cudaErrorLaunchFailure,
                                             hipErrorLaunchFailure, "unspecified launch failure")
                                        LP_ERROR(LpNotSupported, cudaErrorNotSupported,
                                                 hipErrorNotSupported, "operation not supported")};

const ErrorName &describe(int64_t status) {
  static const ErrorName unknown = {999, LP_ERROR_UNKNOWN, "unknown error"};
  for (const ErrorName &error : errorNames)
    if (error.status == status)
      return error;
  return unknown;
}

// One device. Sizes are the same on both sides, so that launches computed from them are; the
// warp size and the shared memory are each side's own.
#ifdef LP_HIP
constexpr int kWarp = 64, kMajor = 9, kMinor = 4;
constexpr const char *kName = "layout-port SIMT machine (AMD)";
constexpr size_t kSharedPerBlock = LP_SHARED_BYTES;
#else
constexpr int kWarp = 32, kMajor = 8, kMinor = 0;
constexpr const char *kName = "layout-port SIMT machine (NVIDIA)";
constexpr size_t kSharedPerBlock = 48 << 10;
#endif
constexpr int kClockKHz = 1000000, kRegisters = 65536, kThreads = 2048;

int64_t properties(LpProperties *p, int device) {
  if (device != 0 || !p)
    return LpInvalidDevice;
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", kName);
  p->totalGlobalMem = lpCall(LpUsage).results[1];
  p->sharedMemPerBlock = kSharedPerBlock;
  p->regsPerBlock = p->regsPerMultiprocessor = kRegisters;
  p->warpSize = kWarp;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = p->memoryClockRate = kClockKHz;
  p->memoryBusWidth = 4096;
  p->totalConstMem = 64 << 10;
  p->major = kMajor;
  p->minor = kMinor;
  p->textureAlignment = p->texturePitchAlignment = 512;
  p->multiProcessorCount = LP_MULTIPROCESSORS;
  p->canMapHostMemory = p->unifiedAddressing = p->managedMemory = p->concurrentKernels = 1;
  p->asyncEngineCount = 1;
  p->l2CacheSize = 4 << 20;
  p->maxThreadsPerMultiProcessor = kThreads;
  p->sharedMemPerMultiprocessor = LP_SHARED_BYTES;
  p->sharedMemPerBlockOptin = LP_SHARED_BYTES;
  p->maxBlocksPerMultiProcessor = 32;
#ifdef LP_HIP
  snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", LP_ARCH);
  p->maxSharedMemoryPerMultiProcessor = LP_SHARED_BYTES;
#endif
  return LpOk;
}

#ifdef LP_HIP
#define LP_ATTRIBUTE(cuda, hip, value)                                                             \
  case hipDeviceAttribute##hip:                                                                    \
    return value;
#else
#define LP_ATTRIBUTE(cuda, hip, value)                                                             \
  case cudaDevAttr##cuda:                                                                          \
    return value;
#endif

#ifdef LP_HIP
constexpr LpAttribute kFirstAttribute = hipDeviceAttributeEccEnabled;
constexpr LpAttribute kLastAttribute = hipDeviceAttributeAmdSpecificEnd;
#else
constexpr LpAttribute kFirstAttribute = cudaDevAttrMaxThreadsPerBlock;
constexpr LpAttribute kLastAttribute = cudaDevAttrMax;
#endif

int attribute(LpAttribute which, bool &known) {
  known = true;
  switch (which) {
    LP_ATTRIBUTE(MaxThreadsPerBlock, MaxThreadsPerBlock, 1024)
    LP_ATTRIBUTE(MaxBlockDimX, MaxBlockDimX, 1024)
    LP_ATTRIBUTE(MaxBlockDimY, MaxBlockDimY, 1024)
    LP_ATTRIBUTE(MaxBlockDimZ, MaxBlockDimZ, 64)
    LP_ATTRIBUTE(MaxGridDimX, MaxGridDimX, 0x7fffffff)
    LP_ATTRIBUTE(MaxGridDimY, MaxGridDimY, 65535)
    LP_ATTRIBUTE(MaxGridDimZ, MaxGridDimZ, 65535)
    LP_ATTRIBUTE(MaxSharedMemoryPerBlock, MaxSharedMemoryPerBlock, int(kSharedPerBlock))
    LP_ATTRIBUTE(MaxSharedMemoryPerBlockOptin, SharedMemPerBlockOptin, LP_SHARED_BYTES)
    LP_ATTRIBUTE(MaxSharedMemoryPerMultiprocessor, MaxSharedMemoryPerMultiprocessor,
                 LP_SHARED_BYTES)
    LP_ATTRIBUTE(WarpSize, WarpSize, kWarp)
    LP_ATTRIBUTE(MaxRegistersPerBlock, MaxRegistersPerBlock, kRegisters)
    LP_ATTRIBUTE(ClockRate, ClockRate, kClockKHz)
    LP_ATTRIBUTE(MemoryClockRate, MemoryClockRate, kClockKHz)
    LP_ATTRIBUTE(GlobalMemoryBusWidth, MemoryBusWidth, 4096)
    LP_ATTRIBUTE(MultiProcessorCount, MultiprocessorCount, LP_MULTIPROCESSORS)
    LP_ATTRIBUTE(MaxThreadsPerMultiProcessor, MaxThreadsPerMultiProcessor, kThreads)
    LP_ATTRIBUTE(L2CacheSize, L2CacheSize, 4 << 20)
    LP_ATTRIBUTE(ComputeCapabilityMajor, ComputeCapabilityMajor, kMajor)
    LP_ATTRIBUTE(ComputeCapabilityMinor, ComputeCapabilityMinor, kMinor)
    LP_ATTRIBUTE(UnifiedAddressing, UnifiedAddressing, 1)
    LP_ATTRIBUTE(ManagedMemory, ManagedMemory, 1)
    LP_ATTRIBUTE(ConcurrentManagedAccess, ConcurrentManagedAccess, 0)
    LP_ATTRIBUTE(CooperativeLaunch, CooperativeLaunch, 0)
    LP_ATTRIBUTE(TotalConstantMemory, TotalConstantMemory, 64 << 10)
    LP_ATTRIBUTE(MaxPitch, MaxPitch, 0x7fffffff)
    LP_ATTRIBUTE(TextureAlignment, TextureAlignment, 512)
    LP_ATTRIBUTE(TexturePitchAlignment, TexturePitchAlignment, 512)
    LP_ATTRIBUTE(SurfaceAlignment, SurfaceAlignment, 512)
    LP_ATTRIBUTE(AsyncEngineCount, AsyncEngineCount, 1)
    LP_ATTRIBUTE(GpuOverlap, DeviceOverlap, 1)
    LP_ATTRIBUTE(CanMapHostMemory, CanMapHostMemory, 1)
    LP_ATTRIBUTE(ConcurrentKernels, ConcurrentKernels, 1)
    LP_ATTRIBUTE(StreamPrioritiesSupported, StreamPrioritiesSupported, 1)
    LP_ATTRIBUTE(GlobalL1CacheSupported, GlobalL1CacheSupported, 1)
    LP_ATTRIBUTE(LocalL1CacheSupported, LocalL1CacheSupported, 1)
    LP_ATTRIBUTE(MaxRegistersPerMultiprocessor, MaxRegistersPerMultiprocessor, kRegisters)
    LP_ATTRIBUTE(MaxBlocksPerMultiprocessor, MaxBlocksPerMultiProcessor, 32)
    LP_ATTRIBUTE(HostRegisterSupported, HostRegisterSupported, 1)
    LP_ATTRIBUTE(MemoryPoolsSupported, MemoryPoolsSupported, 1)
    LP_ATTRIBUTE(SingleToDoublePrecisionPerfRatio, SingleToDoublePrecisionPerfRatio, 2)
  default: // what is left tells of things this machine has not: textures, peers, buses
    known = which >= kFirstAttribute && which < kLastAttribute;
    return 0;
  }
}

struct Event {
  bool recorded;
  uint64_t work;
};
Event *eventOf(LpEvent event) { return (Event *)event; }

int64_t makeEvent(LpEvent *event) {
  *event = (LpEvent) new Event{false, 0};
  return LpOk;
}
int64_t makeStream(LpStream *stream) {
  *stream = (LpStream) new char;
  return LpOk;
}

} // namespace

uint64_t &lpWork() {
  static uint64_t work = 0;
  return work;
}

LpResult lpDone(int64_t status, const char *call) {
  if (status) {
    lastError() = status;
    lpCall(LpError, (uint64_t)status, 0, 0, 0, call, strlen(call));
  }
  return LpResult(status);
}

extern "C" {

LpResult LP(GetLastError)() {
  const int64_t error = lastError();
  lastError() = LpOk;
  return LpResult(error);
}
LpResult LP(PeekAtLastError)() { return LpResult(lastError()); }
const char *LP(GetErrorName)(LpResult error) { return describe(error).name; }
const char *LP(GetErrorString)(LpResult error) { return describe(error).text; }

LpResult LP(GetDeviceCount)(int *count) {
  *count = 1;
  LP_RETURN(LpOk);
}
LpResult LP(SetDevice)(int device) { LP_RETURN(device == 0 ? LpOk : LpInvalidDevice); }
LpResult LP(GetDevice)(int *device) {
  *device = 0;
  LP_RETURN(LpOk);
}
LpResult LP(GetDeviceProperties)(LpProperties *p, int device) { LP_RETURN(properties(p, device)); }
LpResult LP(DeviceGetAttribute)(int *value, LpAttribute which, int device) {
  bool known = false;
  *value = attribute(which, known);
  LP_RETURN(device != 0 ? LpInvalidDevice : known ? LpOk : LpInvalidValue);
}
LpResult LP(ChooseDevice)(int *device, const LpProperties *) {
  *device = 0;
  LP_RETURN(LpOk);
}
LpResult LP(DeviceSynchronize)() { LP_RETURN(LpOk); }
LpResult LP(DeviceReset)() { LP_RETURN(LpOk); }
LpResult LP(SetDeviceFlags)(unsigned) { LP_RETURN(LpOk); }
LpResult LP(DeviceSetCacheConfig)(LpFuncCache) { LP_RETURN(LpOk); }
LpResult LP(DeviceSetSharedMemConfig)(LP(SharedMemConfig)) { LP_RETURN(LpOk); }
LpResult LP(DeviceSetLimit)(LpLimit, size_t) { LP_RETURN(LpOk); }
LpResult LP(DriverGetVersion)(int *version) {
  *version = 12080;
  LP_RETURN(LpOk);
}
LpResult LP(RuntimeGetVersion)(int *version) {
  *version = 12080;
  LP_RETURN(LpOk);
}
LpResult LP(DeviceCanAccessPeer)(int *can, int, int) {
  *can = 0;
  LP_RETURN(LpOk);
}
LpResult LP(ProfilerStart)() { LP_RETURN(LpOk); }
LpResult LP(ProfilerStop)() { LP_RETURN(LpOk); }

LpResult LP(StreamCreate)(LpStream *stream) { LP_RETURN(makeStream(stream)); }
LpResult LP(StreamCreateWithFlags)(LpStream *stream, unsigned) { LP_RETURN(makeStream(stream)); }
LpResult LP(StreamCreateWithPriority)(LpStream *stream, unsigned, int) {
  LP_RETURN(makeStream(stream));
}
LpResult LP(DeviceGetStreamPriorityRange)(int *least, int *greatest) {
  *least = *greatest = 0;
  LP_RETURN(LpOk);
}
LpResult LP(StreamDestroy)(LpStream stream) {
  delete (char *)stream;
  LP_RETURN(LpOk);
}
LpResult LP(StreamSynchronize)(LpStream) { LP_RETURN(LpOk); }
LpResult LP(StreamQuery)(LpStream) { LP_RETURN(LpOk); }
LpResult LP(StreamWaitEvent)(LpStream, LpEvent, unsigned) { LP_RETURN(LpOk); }
LpResult LP(StreamAddCallback)(LpStream stream, void (*callback)(LpStream, LpResult, void *),
                               void *data, unsigned) {
  callback(stream, LpResult(LpOk), data);
  LP_RETURN(LpOk);
}
LpResult LP(LaunchHostFunc)(LpStream, void (*function)(void *), void *data) {
  function(data);
  LP_RETURN(LpOk);
}

LpResult LP(EventCreate)(LpEvent *event) { LP_RETURN(makeEvent(event)); }
LpResult LP(EventCreateWithFlags)(LpEvent *event, unsigned) { LP_RETURN(makeEvent(event)); }
LpResult LP(EventRecord)(LpEvent event, LpStream) {
  *eventOf(event) = {true, lpWork()};
  LP_RETURN(LpOk);
}
LpResult LP(EventSynchronize)(LpEvent) { LP_RETURN(LpOk); }
LpResult LP(EventQuery)(LpEvent) { LP_RETURN(LpOk); }
LpResult LP(EventDestroy)(LpEvent event) {
  delete eventOf(event);
  LP_RETURN(LpOk);
}
// A millisecond for each launch, copy and fill in between: no clock, so that both sides and all
// runs agree.
LpResult LP(EventElapsedTime)(float *milliseconds, LpEvent start, LpEvent stop) {
  if (!eventOf(start)->recorded || !eventOf(stop)->recorded)
    LP_RETURN(400); // invalid resource handle
  const uint64_t work = eventOf(stop)->work - eventOf(start)->work;
  *milliseconds = work ? float(work) : 0.001f;
  LP_RETURN(LpOk);
}
#ifndef LP_HIP
cudaError_t cudaThreadSynchronize() { LP_RETURN(LpOk); }
cudaError_t cudaThreadExit() { LP_RETURN(LpOk); }
#else
hipError_t hipInit(unsigned) { LP_RETURN(LpOk); }
#endif
}
