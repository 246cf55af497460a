// What the machine must execute beside arithmetic, one kernel a thing. machine.hip is the same
// text for AMD; test/unit/verify_machine compares both with plain loops.

#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

__device__ __noinline__ int steps(int n, int most) {
  int count = 0;
  while (n != 1 && count < most) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++count;
  }
  return count;
}
__device__ __noinline__ int stepsTwice(int n) { return steps(n, 50) + steps(n + 1, 7); }

// Calls that are not inlined, of some lanes only.
__global__ void calls(const int *in, int *out) {
  int sum = 0;
  if (HERE % 3)
    sum = stepsTwice(in[HERE]);
  out[HERE] = sum * 100 + steps(HERE + 1, 20);
}

struct Numbers {
  int base;
  float factor;
  int table[4];
};

// A struct by value, indexed at run time.
__global__ void byValue(Numbers numbers, int *out) {
  out[HERE] = numbers.base + int(numbers.factor * numbers.table[HERE % 4]);
}

// What a thread makes of it is its own.
__global__ void byValueChanged(Numbers numbers, int *out) {
  numbers.base -= int(HERE);
  numbers.table[HERE % 4] += 1;
  out[HERE] = numbers.base + numbers.table[0] + numbers.table[3] * 10;
}

__device__ int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__device__ int touched;
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

__global__ void variables(int *out) {
  atomicAdd(&touched, 1);
  out[HERE] = squares[HERE % 8] + 1000 * primes[HERE % 5];
}
__global__ void readTouched(int *out) { out[HERE] = touched; }

// Static and dynamic shared memory.
__global__ void shared(const int *in, int *out) {
  __shared__ int fixed[64];
  extern __shared__ int dynamic[];
  fixed[threadIdx.x] = in[HERE];
  dynamic[threadIdx.x] = in[HERE] * 2;
  __syncthreads();
  out[HERE] = fixed[63 - threadIdx.x] + dynamic[(threadIdx.x + 1) % 64];
}

// An array of a lane's own, indexed at run time; copies and fills of unknown length.
__global__ void privateMemory(const int *in, int *out) {
  int own[16], copy[16];
  for (int i = 0; i < 16; ++i)
    own[i] = in[(HERE + i) % 128] + i;
  const int length = 1 + in[HERE] % 16;
  __builtin_memset(copy, 0, sizeof copy);
  __builtin_memcpy(copy, own, length * sizeof(int));
  int sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += copy[(i * 5 + HERE) % 16] * (i + 1);
  out[HERE] = sum;
}

// 64-bit atomics, minima, exchange by comparison; all answers but sums hang on the order.
__global__ void atomics(const int *in, unsigned long long *sums, int *limits) {
  atomicAdd(&sums[HERE % 4], (unsigned long long)in[HERE] << 32 | 1);
  atomicMin(&limits[0], in[HERE]);
  atomicMax(&limits[1], in[HERE]);
  int old = limits[2], expected;
  do { // a product by compare and swap
    expected = old;
    old = atomicCAS(&limits[2], expected, expected * 3 % 1009);
  } while (old != expected);
}

// Bytes and halves of a word, with scopes.
__global__ void smallAtomics(const int *in, unsigned char *bytes, unsigned short *halves) {
  __scoped_atomic_fetch_add(&bytes[HERE % 8], (unsigned char)in[HERE], __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_xor(&halves[HERE % 8], (unsigned short)(in[HERE] * 257), __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_WRKGRP);
}

__global__ void ways(const int *in, int *out) {
  int x = in[HERE];
  switch (x % 11) {
  case 0:
    x = 7;
    break;
  case 2:
    x = steps(x + 1, 9);
    break;
  case 3:
  case 5:
    x = -x;
    break;
  case 9:
    return;
  default:
    x ^= 0x55;
  }
  out[HERE] = x;
}

typedef int int4v __attribute__((ext_vector_type(4)));

// An element of a vector, by a number that is known at run time only.
__global__ void vectors(const int *in, int *out) {
  int4v v = {in[HERE], in[HERE] + 1, in[HERE] + 2, in[HERE] + 3};
  v[in[HERE] % 4] *= 10;
  const int at = HERE % 4;
  out[HERE] = v[at] + v[3 - at] * 1000;
}

// One instruction, lanes in three memories: its own, shared and global.
__global__ void threeMemories(const int *in, int *out) {
  __shared__ int tile[64];
  int mine[4] = {int(threadIdx.x), int(threadIdx.x) + 1, 0, 0};
  tile[threadIdx.x] = 1000 + in[HERE];
  out[HERE] = 5000;
  int *const place = threadIdx.x % 3 == 0   ? &mine[in[HERE] % 2]
                     : threadIdx.x % 3 == 1 ? &tile[threadIdx.x]
                                            : &out[HERE];
  const int old = *place;
  *place = old + 7;
  atomicAdd(place, 100);
  out[HERE] = threadIdx.x % 3 == 2 ? out[HERE] : old + *place * 2;
}

// Waves that leave early do not hold the others up at a barrier.
__global__ void leaving(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[HERE];
  __syncthreads();
  if (threadIdx.x >= 64)
    return;
  const int mine = tile[threadIdx.x] + tile[threadIdx.x + 64];
  __syncthreads();
  tile[threadIdx.x] = mine;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

// So it is with half a wave; what lies behind the return is nothing to wait for.
__global__ void leavingInHalves(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[HERE];
  __syncthreads();
  if (threadIdx.x % 32 >= 16)
    return;
  const int mine = tile[threadIdx.x] + tile[threadIdx.x + 16];
  __syncthreads();
  tile[threadIdx.x] = mine;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x ^ 32];
}

// A mistake: half of a wave goes past the barrier and has more to do.
__global__ void pastABarrier(const int *in, int *out) {
  __shared__ int tile[128];
  tile[threadIdx.x] = in[HERE];
  if (threadIdx.x % 32 < 16) {
    __syncthreads();
    tile[threadIdx.x] += 1;
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

// Three axes of blocks and of threads.
__global__ void axes(int *out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  out[(z * height + y) * width + x] = x + 100 * y + 10000 * z;
}

__global__ void trapping(const int *in, int *out) {
  if (in[HERE] == 77)
    __builtin_trap();
  out[HERE] = in[HERE];
}

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1) + n; }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1) * 2; }
__global__ void recursive(const int *in, int *out) { out[HERE] = even(in[HERE]); }

__global__ void endless(const int *in, volatile int *out) {
  while (in[HERE] >= 0)
    out[HERE] = 1;
}
