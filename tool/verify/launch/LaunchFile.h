// Launch files: which kernels to run over which buffers.
//
//   buffers:
//     A: {type: f16, count: 8192}
//     C: {type: f32, count: 16384, init: zero, out: true}
//   launches:
//     - {kernel: "hgemm", grid: [2, 2], block: [128], shared: 256, args: [A, C, {i32: 64}]}
//
// Types: f16 bf16 f32 f64 e4m3 e5m2 i8 u8 i16 u16 i32 u32 i64 u64.
// init: random (default), zero, iota, ints (small whole numbers), index (random in
// [0, below), with `below: N`), file (with `file: PATH`, raw bytes). alias: another
// buffer whose memory this one shares, from byte `offset`. In args, a plain word is
// a buffer, {f32: 0.5} a scalar, {buffer: A, offset: 16} an address inside a buffer, null a null
// pointer, {struct: [A, {i32: 64}]} a by-value struct of such members, each aligned to its own size,
// and {bytes: "00ff.."} one of any layout.
#pragma once

#include "domain/Ieee.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <array>
#include <string>
#include <vector>

namespace layout_port::verify {

struct ElementType {
  std::string name = "f32";
  FloatFormat format = FloatFormat::F32; // None: an integer
  unsigned bytes = 4;
  bool isSigned = true;
  bool isFloat() const { return format != FloatFormat::None; }
};
llvm::Expected<ElementType> parseElementType(llvm::StringRef name);

enum class Init : uint8_t { Random, Zero, Iota, Ints, Index, File };

struct BufferSpec {
  std::string name;
  ElementType type;
  uint64_t count = 0;
  Init init = Init::Random;
  uint64_t below = 0;
  std::string file, alias;
  uint64_t offset = 0; // in the aliased buffer, bytes
  bool out = false;
  uint64_t bytes() const { return count * type.bytes; }
};

struct ArgumentSpec {
  enum Kind : uint8_t { Buffer, Scalar, Bytes, Struct, Null } kind = Scalar;
  std::string buffer;
  uint64_t offset = 0;
  ElementType type;
  double number = 0;    // of a float
  uint64_t integer = 0; // of an integer
  std::vector<uint8_t> bytes;
  std::vector<ArgumentSpec> members; // of a struct
};

struct LaunchSpec {
  std::string kernel, kernelHip;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<uint32_t, 3> blockHip{0, 0, 0}; // the port's, where that differs
  uint32_t shared = 0;
  std::vector<ArgumentSpec> args;
};

struct LaunchFile {
  std::vector<BufferSpec> buffers;
  std::vector<LaunchSpec> launches;
  const BufferSpec *find(llvm::StringRef name) const;
};

// What `--warp-blocks=pad` makes of a block: an odd number of warps in a row becomes even.
std::array<uint32_t, 3> paddedBlock(std::array<uint32_t, 3> block);

// `name` is used in messages.
llvm::Expected<LaunchFile> parseLaunchFile(llvm::StringRef text, llvm::StringRef name);
llvm::Expected<LaunchFile> readLaunchFile(llvm::StringRef path);

} // namespace layout_port::verify
