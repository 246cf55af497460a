// The checking part of a probe against a device that is played: does it report what
// the device does? MOCK says how the device behaves:
//
//   perfect   every row holds             idle    kernels do nothing
//   lane      one lane of a move is off   matrix  a product's rows and columns are exchanged
//   clock     LDS times stand still       phases  LDS times do not follow the passes
//   other     another chip                memory  hipMalloc fails
#include <hip/hip_runtime.h>

#include "device.h"

__global__ void product(const unsigned *, const unsigned *, const unsigned *, unsigned *,
                        unsigned long long) {}
__global__ void move(const unsigned *, unsigned *) {}
__global__ void transpose(const unsigned *, unsigned *) {}
__global__ void unknownRead(const unsigned *, unsigned *) {}
__global__ void lds(const unsigned *, unsigned long long *) {}

static const Chip chips[] = {{"gfx942", "FNUZ"}};
// An 8x8x8 product of whole numbers: lane bits 0-2 are rows, 3-5 columns.
#define PLAIN {"i32", 1, {{{1}}, {{2}}, {{4}}, {{0, 1}}, {{0, 2}}, {{0, 4}}}}
static const MatrixRow matrixRows[] = {
    {"product", "a manual", "high", 1, product, 8, 8, 8, 1, PLAIN, PLAIN, PLAIN},
    {"another chip's product", "a manual", "high", 2, product, 8, 8, 8, 1, PLAIN, PLAIN, PLAIN},
    {}};
static std::vector<unsigned> reversed() {
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < 64; ++lane)
    lanes.push_back(0x100 + 63 - lane);
  return lanes;
}
static const MoveRow moveRows[] = {{"reverse", "0x1", "a manual", 1, move, {}, reversed()}, {}};
static const TransposeRow transposeRows[] = {
    // 16-bit elements, four a lane, that stay where they are.
    {"tr_known", "a note", "medium", 1, transpose, 16, 64, {1, 2, 4, 8, 16, 32, 64, 128}},
    {"tr_unknown", "", "unknown", 1, unknownRead, 16, 64, {}},
    {}};
static const LdsRow ldsRows[] = {{"ds_read_b32", "a blog", "medium", 1, lds,
                                  {{{4, 8, 16, 32, 64, 128}, 2}, {{128, 8, 16, 32, 64, 4}, 4}}},
                                 {}};

#include "check.h"

//===-- The device ---------------------------------------------------------===//

static bool plays(const char *what) {
  const char *mock = std::getenv("MOCK");
  return mock && !std::strcmp(mock, what);
}

static void multiplyInLanes(const unsigned *a, const unsigned *b, const unsigned *c, unsigned *d,
                            unsigned long long active) {
  for (unsigned lane = 0; lane < 64; ++lane) {
    unsigned row = lane % 8, col = lane / 8, sum = c[lane];
    if (plays("matrix"))
      std::swap(row, col);
    for (unsigned k = 0; k < 8; ++k) // lanes that are off still give their operands
      sum += a[row + 8 * k] * b[k + 8 * col];
    if (active >> lane & 1)
      d[lane] = sum;
  }
}

// Clocks of 128 instructions: 64 a pass, if they follow the passes at all.
static unsigned long long clocksFor(const unsigned *addresses) {
  if (plays("clock"))
    return 0;
  return plays("phases") ? 128 * 64 : 128ull * 64 * (addresses[1] == 4 ? 2 : 4);
}

extern "C" {
static dim3 configuredGrid, configuredBlock;
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t, hipStream_t) {
  configuredGrid = grid, configuredBlock = block;
  return hipSuccess;
}
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *, hipStream_t *) {
  *grid = configuredGrid, *block = configuredBlock;
  return hipSuccess;
}
void **__hipRegisterFatBinary(const void *) {
  static void *handle;
  return &handle;
}
void __hipUnregisterFatBinary(void **) {}
void __hipRegisterFunction(void **, const void *, char *, const char *, unsigned, void *, void *,
                           void *, void *, int *) {}
void __hipRegisterVar(void **, void *, char *, char *, int, size_t, int, int) {}

hipError_t hipMalloc(void **memory, size_t size) {
  *memory = std::malloc(size);
  return plays("memory") ? hipErrorOutOfMemory : hipSuccess;
}
hipError_t hipFree(void *memory) {
  std::free(memory);
  return hipSuccess;
}
hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind) {
  std::memcpy(to, from, size);
  return hipSuccess;
}
hipError_t hipDeviceSynchronize() { return hipSuccess; }
hipError_t hipGetLastError() { return hipSuccess; }
const char *hipGetErrorString(hipError_t) { return "out of memory"; }
hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int) {
  std::strcpy(properties->name, "a played device");
  std::strcpy(properties->gcnArchName, plays("other") ? "gfx1100" : "gfx942:sramecc+:xnack-");
  return hipSuccess;
}
hipError_t hipLaunchKernel(const void *kernel, dim3, dim3, void **args, size_t, hipStream_t) {
  if (plays("idle"))
    return hipSuccess;
  auto in = *static_cast<const unsigned **>(args[0]);
  auto out = *static_cast<unsigned **>(args[1]);
  if (kernel == reinterpret_cast<const void *>(product))
    multiplyInLanes(in, *static_cast<const unsigned **>(args[1]),
                    *static_cast<const unsigned **>(args[2]), *static_cast<unsigned **>(args[3]),
                    *static_cast<unsigned long long *>(args[4]));
  else if (kernel == reinterpret_cast<const void *>(move))
    for (unsigned lane = 0; lane < 64; ++lane)
      out[lane] = 0x100 + 63 - lane + (plays("lane") && lane == 17);
  else if (kernel == reinterpret_cast<const void *>(lds))
    *reinterpret_cast<unsigned long long *>(out) = clocksFor(in);
  else // the transposing reads, which leave all in place
    std::memcpy(out, in, 64 * 8);
  return hipSuccess;
}
}
