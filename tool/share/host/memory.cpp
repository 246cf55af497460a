// Memory of the device: allocation, copies, fills and symbols. Every call takes effect at once,
// the asynchronous ones too: streams run in the order of their calls.
#include "names.h"

#include <map>
#include <sys/mman.h>

namespace {

std::map<uint64_t, uint64_t> &sharedRegions() { // address -> bytes
  static std::map<uint64_t, uint64_t> regions;
  return regions;
}

const char *nextName = "";

int64_t allocate(void **pointer, size_t size, LpMemory memory) {
  const char *name = nextName;
  nextName = "";
  if (!pointer)
    return LpInvalidValue;
  *pointer = nullptr;
  if (size == 0)
    return LpOk;
  const LpReply reply = lpCall(LpAllocate, size, memory, 0, 0, name, strlen(name));
  if (reply.status)
    return reply.status;
  const uint64_t address = reply.results[0];
  if (memory == LpSharedMemory) {
    void *page = mmap((void *)address, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (page == MAP_FAILED)
      return LpOutOfMemory;
    sharedRegions()[address] = size;
  }
  *pointer = (void *)address;
  return LpOk;
}

int64_t release(void *pointer, LpMemory memory) {
  if (!pointer)
    return LpOk;
  auto shared = sharedRegions().find((uint64_t)pointer);
  const bool isShared = shared != sharedRegions().end();
  if (memory == LpSharedMemory && !isShared)
    return LpInvalidValue;
  const LpReply reply =
      lpCall(LpFree, (uint64_t)pointer, isShared ? LpSharedMemory : LpDeviceMemory);
  if (reply.status == LpOk && isShared) {
    mprotect(pointer, shared->second, PROT_NONE);
    sharedRegions().erase(shared);
  }
  return reply.status;
}

int64_t copy(void *to, const void *from, size_t size, LpKind kind) {
  if (size == 0)
    return LpOk;
  const bool toDevice = lpIsDevice(to), fromDevice = lpIsDevice(from);
  const bool wrong =
      (kind == LP(MemcpyHostToDevice) && (fromDevice || !(toDevice || lpIsShared(to)))) ||
      (kind == LP(MemcpyDeviceToHost) && (toDevice || !(fromDevice || lpIsShared(from)))) ||
      (kind == LP(MemcpyHostToHost) && (toDevice || fromDevice)) ||
      (kind == LP(MemcpyDeviceToDevice) &&
       !((toDevice || lpIsShared(to)) && (fromDevice || lpIsShared(from)))) ||
      (unsigned)kind > (unsigned)LP(MemcpyDefault) || !to || !from;
  if (wrong)
    return LpInvalidValue;
  ++lpWork();
  if (toDevice && fromDevice)
    return lpCall(LpCopy, (uint64_t)to, (uint64_t)from, size).status;
  if (toDevice)
    return lpCall(LpWrite, (uint64_t)to, 0, 0, 0, from, size).status;
  if (fromDevice)
    return lpCall(LpRead, (uint64_t)from, size, 0, 0, nullptr, 0, to, size).status;
  memmove(to, from, size);
  return LpOk;
}

int64_t copyRows(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                 size_t height, LpKind kind) {
  if (width > toPitch || width > fromPitch)
    return height ? LpInvalidValue : LpOk;
  for (size_t row = 0; row < height; ++row)
    if (int64_t status =
            copy((char *)to + row * toPitch, (const char *)from + row * fromPitch, width, kind))
      return status;
  return LpOk;
}

template <class Parameters> int64_t copyBox(const Parameters *p) {
  if (!p || p->srcArray || p->dstArray)
    return LpNotSupported;
  for (size_t z = 0; z < p->extent.depth; ++z) {
    const size_t toRow = (p->dstPos.z + z) * p->dstPtr.ysize + p->dstPos.y;
    const size_t fromRow = (p->srcPos.z + z) * p->srcPtr.ysize + p->srcPos.y;
    if (int64_t status =
            copyRows((char *)p->dstPtr.ptr + toRow * p->dstPtr.pitch + p->dstPos.x, p->dstPtr.pitch,
                     (char *)p->srcPtr.ptr + fromRow * p->srcPtr.pitch + p->srcPos.x,
                     p->srcPtr.pitch, p->extent.width, p->extent.height, p->kind))
      return status;
  }
  return LpOk;
}

int64_t fill(void *pointer, uint64_t value, unsigned width, size_t count) {
  if (count == 0)
    return LpOk;
  ++lpWork();
  if (!lpIsShared(pointer))
    return lpCall(LpFill, (uint64_t)pointer, value, width, count).status;
  for (size_t i = 0; i < count; ++i)
    memcpy((char *)pointer + i * width, &value, width);
  return LpOk;
}

int64_t fillRows(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; ++row)
    if (int64_t status = fill((char *)pointer + row * pitch, (unsigned char)value, 1, width))
      return status;
  return LpOk;
}

// The device address of symbol + offset; checks that `count` bytes fit.
int64_t symbolAddress(const void *symbol, size_t offset, size_t count, void *&address) {
  const LpReply reply = lpCall(LpSymbol, (uint64_t)symbol);
  if (reply.status)
    return reply.status;
  if (offset > reply.results[1] || count > reply.results[1] - offset)
    return LpInvalidValue;
  address = (void *)(reply.results[0] + offset);
  return LpOk;
}

int64_t copyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                     LpKind kind) {
  void *address = nullptr;
  const int64_t status = symbolAddress(symbol, offset, count, address);
  return status ? status : copy(address, from, count, kind);
}

int64_t copyFromSymbol(void *to, const void *symbol, size_t count, size_t offset, LpKind kind) {
  void *address = nullptr;
  const int64_t status = symbolAddress(symbol, offset, count, address);
  return status ? status : copy(to, address, count, kind);
}

constexpr size_t kPitch = 512; // the same on both sides, so that their buffers are alike
size_t pitchOf(size_t width) { return (width + kPitch - 1) / kPitch * kPitch; }

int64_t allocatePitched(void **pointer, size_t *pitch, size_t width, size_t rows) {
  if (!pitch)
    return LpInvalidValue;
  *pitch = pitchOf(width);
  return allocate(pointer, *pitch * rows, LpDeviceMemory);
}

int64_t describePointer(LpPointerAttributes *attributes, const void *pointer) {
  if (!attributes)
    return LpInvalidValue;
  memset(attributes, 0, sizeof *attributes);
  attributes->type = LP(MemoryTypeUnregistered);
  if (lpIsShared(pointer)) {
    attributes->type = LP(MemoryTypeHost);
    attributes->devicePointer = attributes->hostPointer = (void *)pointer;
  } else if (lpIsDevice(pointer) && lpCall(LpRange, (uint64_t)pointer).status == LpOk) {
    attributes->type = LP(MemoryTypeDevice);
    attributes->devicePointer = (void *)pointer;
  } else {
    attributes->hostPointer = (void *)pointer;
  }
  return LpOk;
}

} // namespace

bool lpIsShared(const void *pointer) {
  auto after = sharedRegions().upper_bound((uint64_t)pointer);
  if (after == sharedRegions().begin())
    return false;
  --after;
  return (uint64_t)pointer - after->first < after->second;
}

void lpSharedToDevice() {
  for (const auto &region : sharedRegions())
    lpCall(LpWrite, region.first, 0, 0, 0, (const void *)region.first, region.second);
}

void lpSharedFromDevice() {
  for (const auto &region : sharedRegions())
    lpCall(LpRead, region.first, region.second, 0, 0, nullptr, 0, (void *)region.first,
           region.second);
}

extern "C" {

void lpNameNext(const char *name) { nextName = name; }

LpResult LP(Malloc)(void **p, size_t n) { LP_RETURN(allocate(p, n, LpDeviceMemory)); }
LpResult LP(MallocAsync)(void **p, size_t n, LpStream) {
  LP_RETURN(allocate(p, n, LpDeviceMemory));
}
LpResult LP(MallocManaged)(void **p, size_t n, unsigned) {
  LP_RETURN(allocate(p, n, LpSharedMemory));
}
LpResult LP(MallocHost)(void **p, size_t n) { LP_RETURN(allocate(p, n, LpSharedMemory)); }
LpResult LP(HostAlloc)(void **p, size_t n, unsigned) { LP_RETURN(allocate(p, n, LpSharedMemory)); }
LpResult LP(MallocPitch)(void **p, size_t *pitch, size_t width, size_t height) {
  LP_RETURN(allocatePitched(p, pitch, width, height));
}
LpResult LP(Malloc3D)(LP(PitchedPtr) * p, LP(Extent) extent) {
  p->xsize = extent.width;
  p->ysize = extent.height;
  LP_RETURN(allocatePitched(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth));
}
LpResult LP(Free)(void *p) { LP_RETURN(release(p, LpDeviceMemory)); }
LpResult LP(FreeAsync)(void *p, LpStream) { LP_RETURN(release(p, LpDeviceMemory)); }
LpResult LP(FreeHost)(void *p) { LP_RETURN(release(p, LpSharedMemory)); }
LpResult LP(HostGetDevicePointer)(void **device, void *host, unsigned) {
  *device = host;
  LP_RETURN(lpIsShared(host) ? LpOk : LpInvalidValue);
}
LpResult LP(HostRegister)(void *, size_t, unsigned) { LP_RETURN(LpNotSupported); }
LpResult LP(HostUnregister)(void *) { LP_RETURN(LpInvalidValue); }
LpResult LP(MemPrefetchAsync)(const void *, size_t, int, LpStream) { LP_RETURN(LpOk); }
LpResult LP(MemAdvise)(const void *, size_t, LP(MemoryAdvise), int) { LP_RETURN(LpOk); }
LpResult LP(MemGetInfo)(size_t *free, size_t *total) {
  const LpReply reply = lpCall(LpUsage);
  *free = reply.results[0];
  *total = reply.results[1];
  LP_RETURN(LpOk);
}
LpResult LP(PointerGetAttributes)(LpPointerAttributes *attributes, const void *p) {
  LP_RETURN(describePointer(attributes, p));
}

LpResult LP(Memcpy)(void *to, const void *from, size_t n, LpKind kind) {
  LP_RETURN(copy(to, from, n, kind));
}
LpResult LP(MemcpyAsync)(void *to, const void *from, size_t n, LpKind kind, LpStream) {
  LP_RETURN(copy(to, from, n, kind));
}
LpResult LP(MemcpyPeer)(void *to, int, const void *from, int, size_t n) {
  LP_RETURN(copy(to, from, n, LP(MemcpyDefault)));
}
LpResult LP(Memcpy2D)(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width,
                      size_t height, LpKind kind) {
  LP_RETURN(copyRows(to, toPitch, from, fromPitch, width, height, kind));
}
LpResult LP(Memcpy2DAsync)(void *to, size_t toPitch, const void *from, size_t fromPitch,
                           size_t width, size_t height, LpKind kind, LpStream) {
  LP_RETURN(copyRows(to, toPitch, from, fromPitch, width, height, kind));
}
LpResult LP(Memcpy3D)(const LP(Memcpy3DParms) * p) { LP_RETURN(copyBox(p)); }
LpResult LP(Memcpy3DAsync)(const LP(Memcpy3DParms) * p, LpStream) { LP_RETURN(copyBox(p)); }
LpResult LP(Memset)(void *p, int value, size_t n) {
  LP_RETURN(fill(p, (unsigned char)value, 1, n));
}
LpResult LP(MemsetAsync)(void *p, int value, size_t n, LpStream) {
  LP_RETURN(fill(p, (unsigned char)value, 1, n));
}
LpResult LP(Memset2D)(void *p, size_t pitch, int value, size_t width, size_t height) {
  LP_RETURN(fillRows(p, pitch, value, width, height));
}
LpResult LP(Memset2DAsync)(void *p, size_t pitch, int value, size_t width, size_t height,
                           LpStream) {
  LP_RETURN(fillRows(p, pitch, value, width, height));
}
LpResult LP(MemcpyToSymbol)(const void *symbol, const void *from, size_t n, size_t offset,
                            LpKind kind) {
  LP_RETURN(copyToSymbol(symbol, from, n, offset, kind));
}
LpResult LP(MemcpyToSymbolAsync)(const void *symbol, const void *from, size_t n, size_t offset,
                                 LpKind kind, LpStream) {
  LP_RETURN(copyToSymbol(symbol, from, n, offset, kind));
}
LpResult LP(MemcpyFromSymbol)(void *to, const void *symbol, size_t n, size_t offset, LpKind kind) {
  LP_RETURN(copyFromSymbol(to, symbol, n, offset, kind));
}
LpResult LP(MemcpyFromSymbolAsync)(void *to, const void *symbol, size_t n, size_t offset,
                                   LpKind kind, LpStream) {
  LP_RETURN(copyFromSymbol(to, symbol, n, offset, kind));
}
LpResult LP(GetSymbolAddress)(void **pointer, const void *symbol) {
  LP_RETURN(symbolAddress(symbol, 0, 0, *pointer));
}
LpResult LP(GetSymbolSize)(size_t *size, const void *symbol) {
  const LpReply reply = lpCall(LpSymbol, (uint64_t)symbol);
  *size = reply.results[1];
  LP_RETURN(reply.status);
}

#ifdef LP_HIP
hipError_t hipHostMalloc(void **p, size_t n, unsigned) {
  LP_RETURN(allocate(p, n, LpSharedMemory));
}
hipError_t hipMemAllocHost(void **p, size_t n) { LP_RETURN(allocate(p, n, LpSharedMemory)); }
hipError_t hipExtMallocWithFlags(void **p, size_t n, unsigned) {
  LP_RETURN(allocate(p, n, LpDeviceMemory));
}
hipError_t hipHostFree(void *p) { LP_RETURN(release(p, LpSharedMemory)); }
hipError_t hipMemcpyWithStream(void *to, const void *from, size_t n, hipMemcpyKind kind,
                               hipStream_t) {
  LP_RETURN(copy(to, from, n, kind));
}
hipError_t hipMemcpyHtoD(void *to, void *from, size_t n) {
  LP_RETURN(copy(to, from, n, hipMemcpyHostToDevice));
}
hipError_t hipMemcpyDtoH(void *to, void *from, size_t n) {
  LP_RETURN(copy(to, from, n, hipMemcpyDeviceToHost));
}
hipError_t hipMemcpyDtoD(void *to, void *from, size_t n) {
  LP_RETURN(copy(to, from, n, hipMemcpyDeviceToDevice));
}
hipError_t hipMemsetD8(void *p, unsigned char value, size_t n) { LP_RETURN(fill(p, value, 1, n)); }
hipError_t hipMemsetD16(void *p, unsigned short value, size_t n) {
  LP_RETURN(fill(p, value, 2, n));
}
hipError_t hipMemsetD32(void *p, int value, size_t n) { LP_RETURN(fill(p, (unsigned)value, 4, n)); }
#endif
}
