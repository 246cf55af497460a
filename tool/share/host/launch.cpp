// Kernels: registration, launches, attributes and occupancy.
#include "names.h"

#include <map>
#include <vector>

namespace {

struct Kernel {
  std::vector<uint32_t> sizes; // of the arguments
  uint64_t staticShared = 0;
  uint64_t dynamicShared = 0; // allowed by FuncSetAttribute
  int64_t status = LpOk;
};

// Registration runs in static constructors: the maps must exist before anything else does.
std::map<const void *, Kernel> &kernels() {
  static std::map<const void *, Kernel> known;
  return known;
}

Kernel &kernelAt(const void *function) {
  auto entry = kernels().emplace(function, Kernel());
  Kernel &kernel = entry.first->second;
  if (!entry.second)
    return kernel;
  uint32_t sizes[1024];
  const LpReply reply =
      lpCall(LpKernel, (uint64_t)function, 0, 0, 0, nullptr, 0, sizes, sizeof sizes);
  kernel.status = reply.status;
  kernel.staticShared = reply.results[0];
  kernel.sizes.assign(sizes, sizes + reply.bytes / sizeof *sizes);
  return kernel;
}

// What a block may have: 48 KiB on NVIDIA until a kernel asks for more, all of LDS on AMD.
uint64_t sharedLimit(const Kernel &kernel) {
#ifdef LP_HIP
  (void)kernel;
  return LP_SHARED_BYTES;
#else
  const uint64_t usual = 48 << 10, asked = kernel.staticShared + kernel.dynamicShared;
  return asked > usual ? asked : usual;
#endif
}

int64_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared) {
  const Kernel &kernel = kernelAt(function);
  if (kernel.status)
    return kernel.status;
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z ||
      (uint64_t)block.x * block.y * block.z > 1024)
    return LpInvalidConfiguration;
  if (kernel.staticShared + shared > sharedLimit(kernel))
    return LpInvalidValue;
  std::vector<char> bytes;
  for (size_t i = 0; i < kernel.sizes.size(); ++i) {
    if (!args || !args[i])
      return LpInvalidValue;
    const char *argument = (const char *)args[i];
    bytes.insert(bytes.end(), argument, argument + kernel.sizes[i]);
  }
  lpSharedToDevice();
  LpRequest request = {
      LpLaunch,
      0,
      {(uint64_t)function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared},
      bytes.size()};
  LpReply reply = {};
  lpDeviceCall(&request, bytes.data(), &reply, nullptr, 0);
  lpSharedFromDevice();
  ++lpWork();
  return reply.status;
}

struct Configuration {
  dim3 grid, block;
  size_t shared;
  LpStream stream;
};
std::vector<Configuration> &configurations() {
  static thread_local std::vector<Configuration> stack;
  return stack;
}

// The same on both sides, so that grids sized by occupancy are alike: blocks that fit into 2048
// threads and 64 KiB of shared memory.
int occupancy(const void *function, int block, size_t dynamicShared) {
  if (block < 1 || block > 1024)
    return 0;
  const uint64_t shared = kernelAt(function).staticShared + dynamicShared;
  uint64_t blocks = 2048 / (uint64_t)block;
  if (shared && (64 << 10) / shared < blocks)
    blocks = (64 << 10) / shared;
  return blocks < 32 ? (int)blocks : 32;
}

} // namespace

extern "C" {

void **LP_INTERNAL(RegisterFatBinary)(void *) {
  static void *handle = nullptr;
  return &handle;
}
void LP_INTERNAL(RegisterFatBinaryEnd)(void **) {}
void LP_INTERNAL(UnregisterFatBinary)(void **) {}
int LP_INTERNAL(RegisterFunction)(void **, const char *function, char *, const char *name, int,
                                  void *, void *, void *, void *, int *) {
  lpCall(LpFunction, (uint64_t)function, 0, 0, 0, name, strlen(name));
  return 0;
}
void LP_INTERNAL(RegisterVar)(void **, char *variable, char *, const char *name, int, size_t, int,
                              int) {
  lpCall(LpVariable, (uint64_t)variable, 0, 0, 0, name, strlen(name));
}
void LP_INTERNAL(RegisterManagedVar)(void *, void **, void *, const char *, size_t, unsigned) {
  lpMissing("__managed__ variables");
}
void LP_INTERNAL(RegisterTexture)(void **, const void *, const char *, int, int) {
  lpMissing("texture references");
}
void LP_INTERNAL(RegisterSurface)(void **, const void *, const char *, int, int) {
  lpMissing("surface references");
}

#ifdef LP_HIP
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
#else
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                         cudaStream_t stream) {
#endif
  configurations().push_back({grid, block, shared, stream});
  return LpResult(0);
}
#ifdef LP_HIP
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream) {
#else
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
#endif
  if (configurations().empty())
    return LpResult(LpInvalidConfiguration);
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *(LpStream *)stream = top.stream;
  return LpResult(0);
}

LpResult LP(LaunchKernel)(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                          LpStream) {
  LP_RETURN(launch(function, grid, block, args, shared));
}
#ifdef LP_HIP
hipError_t hipExtLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                              size_t shared, hipStream_t, hipEvent_t, hipEvent_t, int) {
  LP_RETURN(launch(function, grid, block, args, shared));
}
#endif

LpResult LP(FuncSetAttribute)(const void *function, LP(FuncAttribute) attribute, int value) {
  Kernel &kernel = kernelAt(function);
  if (kernel.status)
    LP_RETURN(kernel.status);
  if (attribute != LP(FuncAttributeMaxDynamicSharedMemorySize))
    LP_RETURN(LpOk);
  if (value < 0 || kernel.staticShared + (uint64_t)value > LP_SHARED_BYTES)
    LP_RETURN(LpInvalidValue);
  kernel.dynamicShared = (uint64_t)value;
  LP_RETURN(LpOk);
}
LpResult LP(FuncSetCacheConfig)(const void *, LpFuncCache) { LP_RETURN(LpOk); }
LpResult LP(FuncSetSharedMemConfig)(const void *, LP(SharedMemConfig)) { LP_RETURN(LpOk); }
LpResult LP(FuncGetAttributes)(LP(FuncAttributes) * attributes, const void *function) {
  memset(attributes, 0, sizeof *attributes);
  const Kernel &kernel = kernelAt(function);
  attributes->sharedSizeBytes = kernel.staticShared;
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->maxDynamicSharedSizeBytes = int(sharedLimit(kernel) - kernel.staticShared);
  LP_RETURN(kernel.status);
}

LpResult LP(OccupancyMaxActiveBlocksPerMultiprocessor)(int *blocks, const void *function, int block,
                                                       size_t shared) {
  *blocks = occupancy(function, block, shared);
  LP_RETURN(LpOk);
}
LpResult LP(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *blocks, const void *function,
                                                                int block, size_t shared,
                                                                unsigned) {
  *blocks = occupancy(function, block, shared);
  LP_RETURN(LpOk);
}
#ifdef LP_HIP
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *function,
                                             size_t shared, int limit) {
  *block = limit > 0 && limit < 1024 ? limit : 1024;
  *grid = occupancy(function, *block, shared) * LP_MULTIPROCESSORS;
  LP_RETURN(LpOk);
}
#endif
}
