#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// A lane's share of an operand, as 32-bit registers. It turns into whatever vector
// type a builtin takes, and the registers that type has beyond are 0.
template <int N> struct Registers {
  unsigned words[N];
  template <class T> __device__ operator T() const {
    T value{};
    __builtin_memcpy(&value, words, sizeof(T) < sizeof(words) ? sizeof(T) : sizeof(words));
    return value;
  }
};

// volatile: read by every lane, also by those that are switched off afterwards.
template <int N> __device__ Registers<N> load(const unsigned *memory) {
  const volatile unsigned *from = memory + threadIdx.x * N;
  Registers<N> registers;
  for (int i = 0; i < N; ++i)
    registers.words[i] = from[i];
  return registers;
}

template <class T> __device__ void store(unsigned *memory, const T &value) {
  __builtin_memcpy(memory + threadIdx.x * (sizeof(T) / sizeof(unsigned)), &value, sizeof(T));
}

// permlane16_swap and permlane32_swap give two registers.
template <class T> __device__ void storePair(unsigned *memory, const T &pair) {
  memory[threadIdx.x] = pair[0];
  memory[threadIdx.x + 64] = pair[1];
}

#define MOVE_OPERANDS                                                                              \
  const int x = 0x100 + threadIdx.x, y = 0x200 + threadIdx.x, old = 0x300 + threadIdx.x;           \
  const int index = indices[threadIdx.x];                                                          \
  (void)x, (void)y, (void)old, (void)index;

template <class E, int N> using Vector = E __attribute__((ext_vector_type(N)));
template <class V> using LocalPointer = __attribute__((address_space(3))) V *;

// Copies every lane's V into LDS, lane after lane, and returns this lane's address.
template <class V> __device__ LocalPointer<V> stage(const unsigned *in) {
  constexpr int words = sizeof(unsigned) == 4 && sizeof(V) == 16 ? 3 : sizeof(V) / 4;
  __shared__ __attribute__((aligned(16))) unsigned memory[64 * words];
  for (int i = 0; i < words; ++i)
    memory[threadIdx.x * words + i] = in[threadIdx.x * words + i];
  __syncthreads();
  return (LocalPointer<V>)(memory + threadIdx.x * words);
}

// Clocks of 128 equal LDS instructions, issued back to back by one wave.
template <int N> struct LdsData {
  using Type = Vector<unsigned, N>;
};
template <> struct LdsData<1> {
  using Type = unsigned;
};
#define REPEAT_4(x) x x x x
#define REPEAT_128(x) REPEAT_4(REPEAT_4(REPEAT_4(x x)))
#define TIME_LDS(instruction, N, statement)                                                        \
  __shared__ __attribute__((aligned(16))) unsigned memory[16384 / 4];                              \
  for (int i = threadIdx.x; i < 16384 / 4; i += 64)                                                \
    memory[i] = i;                                                                                 \
  __syncthreads();                                                                                 \
  const unsigned address =                                                                         \
      (unsigned)(uintptr_t)(LocalPointer<unsigned>)memory + addresses[threadIdx.x];                \
  typename LdsData<N>::Type data{};                                                                \
  const unsigned long long start = __builtin_readcyclecounter();                                   \
  asm volatile("s_waitcnt lgkmcnt(0)" : : "s"(start) : "memory");                                  \
  REPEAT_128(statement(instruction))                                                               \
  asm volatile("s_waitcnt lgkmcnt(0)" : "+v"(data) : : "memory");                                  \
  const unsigned long long stop = __builtin_readcyclecounter();                                    \
  if (threadIdx.x == 0)                                                                            \
    *clocks = stop - start;
#define LDS_READ(instruction)                                                                      \
  asm volatile(instruction " %0, %1" : "+v"(data) : "v"(address) : "memory");
#define LDS_WRITE(instruction)                                                                     \
  asm volatile(instruction " %1, %0" : "+v"(data) : "v"(address) : "memory");
#define TIME_LDS_READ(instruction, N) TIME_LDS(instruction, N, LDS_READ)
#define TIME_LDS_WRITE(instruction, N) TIME_LDS(instruction, N, LDS_WRITE)

//===-- What the tables say ------------------------------------------------===//

struct Chip {
  const char *name, *fp8;
};

// Where the bits of (element, lane) lead: row, column, block; others by XOR.
struct Basis {
  int place[3];
};
struct Operand {
  const char *type;
  int elements; // a lane
  std::vector<Basis> bases;
};

struct MatrixRow {
  const char *name, *source, *confidence;
  unsigned chips;
  void (*kernel)(const unsigned *, const unsigned *, const unsigned *, unsigned *,
                 unsigned long long);
  int m, n, k, blocks;
  Operand a, b, d;
};

struct MoveRow {
  const char *name, *control, *source;
  unsigned chips;
  void (*kernel)(const unsigned *, unsigned *);
  std::vector<unsigned> index, expected;
};

struct TransposeRow {
  const char *name, *source, *confidence;
  unsigned chips;
  void (*kernel)(const unsigned *, unsigned *);
  int elementBits, laneBits;
  std::vector<unsigned> sources;
};

struct Pattern {
  std::vector<unsigned> vectors; // of the lane bits, bytes
  int passes;
};
struct LdsRow {
  const char *name, *source, *confidence;
  unsigned chips;
  void (*kernel)(const unsigned *, unsigned long long *);
  std::vector<Pattern> patterns;
};
