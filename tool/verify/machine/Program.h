// A kernel decoded into micro-operations.
//
//   LLVM IR  --Decoder-->  Program: functions of blocks of Op  --Machine-->  effects
//
// Values are flattened: a <4 x half> is four registers, a struct its leaves. A
// register holds one scalar for every lane of a wave, as 32-bit words (types up to
// 32 bits, zero-extended) or 64-bit words, and one Meta for the register. Since
// recursion is refused, every function of the program owns fixed registers.
//
// An Op is a function pointer and its operands: adding an instruction to the
// machine is writing one function with the signature Op::Function and naming it in
// a table under semantics/.
#pragma once

#include "domain/Ieee.h"
#include "machine/Memory.h"

#include <memory>
#include <string>
#include <vector>

namespace layout_port::verify {

class Wave;

struct Reg {
  uint32_t at = 0;     // byte offset in the wave's register file
  uint32_t meta = ~0u; // index of its Meta; ~0u: no register
  bool valid() const { return meta != ~0u; }
};

// What is known of one register, lane by lane where a mask says so.
struct Meta {
  uint64_t defined = 0; // lanes whose value is not poison or undef
  uint64_t field = 0;   // lanes that hold float payloads, laid out as `code` says
  uint32_t code = 0;    // payload nibbles, see Memory.h; the same for all lanes in `field`
  bool tainted = false; // depends on the contents of a buffer
};

struct Scalar {
  unsigned bits = 32;
  FloatFormat format = FloatFormat::None;
  bool wide() const { return bits > 32; }
  unsigned bytes() const { return (bits + 7) / 8; }
};

struct Op {
  using Function = void (*)(Wave &, const Op &);
  Function run = nullptr;
  Reg dst, a, b, c;
  uint64_t immediate = 0;
  const void *data = nullptr; // side tables, owned by the Program
  uint32_t location = 0;      // index into Program::locations
  uint16_t opcode = 0;        // of the LLVM instruction, for the slow path of payloads
  uint8_t bits = 32;          // of the operands
  uint8_t kind = 0;           // InstructionClass, for counting
};

enum class InstructionClass : uint8_t {
  Integer,
  Float,
  Matrix,
  CrossLane,   // shuffles and reductions of a warp; permlane and its kin
  Dpp,         // moves inside the VALU
  LdsPermute,  // ds_bpermute, ds_permute, ds_swizzle: through the LDS pipe
  ReadLane,    // readlane, readfirstlane, writelane
  Vote,        // ballots, votes and matches
  BytePermute, // v_perm, prmt
  SharedMemory,
  GlobalMemory,
  PrivateMemory,
  Atomic,
  Barrier,
  Async,
  Control,
  Count
};
const char *toString(InstructionClass kind);

// Phi nodes become copies on the edges that lead to them.
struct Copy {
  Reg from, to;
  bool wide = false;
};

constexpr uint32_t kNoLoop = ~0u;

struct Edge {
  uint32_t target = 0;
  uint32_t loop = kNoLoop; // index into Program::loops, when the target is its header
  bool repeats = false;    // a back edge of that loop; otherwise it is entered
  std::vector<Copy> copies;
  bool parallel = false; // some copy reads what another writes
};

struct Terminator {
  enum Kind : uint8_t { Branch, Switch, Return, Unreachable } kind = Unreachable;
  Reg condition;
  bool wideCondition = false;
  bool twoWay = false;         // `br i1`: edge 1 where the condition holds
  std::vector<uint64_t> cases; // edge i + 1 is taken on cases[i]; edge 0 otherwise
  std::vector<Edge> edges;
  std::vector<Copy> returned;
  uint32_t location = 0;
  uint32_t guard = ~0u; // index into Program::guards
};

// What a launch must exercise to mean something, see observe/Coverage.h.
struct LoopFact {
  uint32_t location = 0;
  uint64_t constantTrips = 0; // at most so many, whatever the launch; 0: not known
  bool testsFirst = false;    // the header is entered once more than the body runs
};
struct GuardFact { // a two-way branch that neither repeats nor leaves a loop
  uint32_t location = 0;
};

constexpr uint32_t kNoBlock = ~0u;

// A natural loop and its place in the nest, for those who count.
struct Loop {
  uint32_t location = 0;     // of its first line: index into Program::locations
  uint32_t parent = kNoLoop; // index into Function::loops
  uint32_t header = 0;       // the block that every trip enters
};

struct Block {
  uint32_t begin = 0, end = 0;    // range in Function::ops
  uint32_t loop = kNoLoop;        // the innermost: index into Function::loops
  uint32_t reconverge = kNoBlock; // immediate post-dominator
  Terminator terminator;
};

struct Function {
  std::string name;
  std::vector<Op> ops;
  std::vector<Block> blocks;
  std::vector<Loop> loops; // parents before their children
  std::vector<std::vector<Reg>> parameters;
  std::vector<Reg> results;
  std::vector<Scalar> resultTypes;
};

struct Location {
  std::string file;
  unsigned line = 0;
};

struct Constant {
  Reg reg;
  uint64_t value = 0;
  bool wide = false;
  Meta meta;
};

// A kernel parameter, as a launch has to fill it.
struct Parameter {
  std::string name;
  uint64_t size = 0; // of the value, or of the pointee of a by-value struct
  uint64_t alignment = 1;
  bool pointer = false;  // a buffer
  bool indirect = false; // byval / byref: the register holds the address of a copy
  std::vector<Scalar> scalars;
  std::vector<uint64_t> offsets; // of the scalars in memory
};

// __device__ and __constant__ variables and string literals.
struct Global {
  std::string name;
  uint64_t address = 0;
  std::vector<uint8_t> bytes, shadow;
  bool constant = false;
};

enum class Target : uint8_t { Nvptx, Amdgcn };

struct Program {
  Target target = Target::Nvptx;
  std::string arch; // sm_80, gfx942
  unsigned lanes = 32;
  std::vector<std::unique_ptr<Function>> functions; // functions[0] is the kernel
  std::vector<Constant> constants;
  std::vector<std::pair<uint32_t, bool>> signs; // of float constants in the field: word, negative
  std::vector<Location> locations{Location()};
  std::vector<Parameter> parameters;
  std::vector<Global> globals;
  uint64_t globalBytes = 0;   // of the image that starts at kGlobalBase
  uint32_t staticShared = 0;  // bytes of shared arrays
  uint32_t dynamicShared = 0; // where dynamic shared memory begins
  // Unaddressable bytes behind each shared array, so that an index that runs over its end
  // does not land in the next one. Whole rows of banks: conflicts stay what they are.
  static constexpr uint32_t kSharedGap = 256;
  std::vector<uint32_t> sharedGaps; // where they begin
  uint32_t privateBytes = 0;        // a lane
  uint32_t registerBytes = 0, registerCount = 0;
  std::vector<LoopFact> loops;
  std::vector<GuardFact> guards;
  bool readsBlock[3] = {};                 // blockIdx.x, y, z
  bool readsThread[3] = {};                // threadIdx.x, y, z
  bool prints = false;                     // printf is called
  Reg implicitArguments;                   // amdgcn: pointer to the hidden kernel arguments
  std::vector<std::shared_ptr<void>> data; // what Op::data points to
  std::vector<std::string> notes;          // things a reader of the verdict must know

  const Function &kernel() const { return *functions.front(); }
  template <class T> const T *keep(T value) {
    auto owned = std::make_shared<T>(std::move(value));
    const T *pointer = owned.get();
    data.push_back(std::move(owned));
    return pointer;
  }
};

} // namespace layout_port::verify
