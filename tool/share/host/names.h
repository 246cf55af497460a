// One text for two runtimes: LP(Malloc) is cudaMalloc or hipMalloc.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef LP_HIP
#include <hip/hip_runtime_api.h>
#define LP(name) hip##name
#define LP_INTERNAL(name) __hip##name
typedef hipError_t LpResult;
typedef hipDeviceProp_t LpProperties;
typedef hipDeviceAttribute_t LpAttribute;
typedef hipFuncCache_t LpFuncCache;
typedef hipPointerAttribute_t LpPointerAttributes;
typedef hipLimit_t LpLimit;
#else
#include <cuda_runtime_api.h>
#define LP(name) cuda##name
#define LP_INTERNAL(name) __cuda##name
typedef cudaError_t LpResult;
typedef cudaDeviceProp LpProperties;
typedef cudaDeviceAttr LpAttribute;
typedef cudaFuncCache LpFuncCache;
typedef cudaPointerAttributes LpPointerAttributes;
typedef cudaLimit LpLimit;
#endif
typedef LP(Stream_t) LpStream;
typedef LP(Event_t) LpEvent;
typedef LP(MemcpyKind) LpKind;

#include "call.h"

// Remembers an error as the runtime's last one, and tells the tool of it.
LpResult lpDone(int64_t status, const char *call);
#define LP_RETURN(status) return lpDone(status, __func__)

inline LpReply lpCall(LpOp op, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0, uint64_t d = 0,
                      const void *bytes = nullptr, uint64_t size = 0, void *out = nullptr,
                      uint64_t outSize = 0) {
  LpRequest request = {op, 0, {a, b, c, d}, size};
  LpReply reply = {};
  lpDeviceCall(&request, bytes, &reply, out, outSize);
  return reply;
}

// Pinned and managed memory: host and device use one address, and the host's pages are copied
// to the device before a launch and back after it.
void lpSharedToDevice();
void lpSharedFromDevice();
bool lpIsShared(const void *pointer);
inline bool lpIsDevice(const void *pointer) {
  const uint64_t address = (uint64_t)pointer;
  return address >= lpDeviceBegin && address < lpDeviceEnd && !lpIsShared(pointer);
}
// Work done so far: the clock of events.
uint64_t &lpWork();
