// What a CUDA name is called in HIP: a typed view of the rows in this folder's .inc files.
//
// A row is LP_RENAME(section, CUDA name, HIP name, support, note). One row a name over all files;
// each file is sorted by CUDA name (bytewise), so that a lookup is a binary search over constant
// data and costs nothing at start-up. Names that mean the same under the same name in HIP have no
// row, but for those that the census would ask about. Names in a namespace are written with it.
#pragma once

#include <cstddef>
#include <string_view>

namespace layout_port::rename {

enum class Section {
  Header,     // as written between <> or quotation marks; several of HIP's have a space between
  Runtime,    // functions of the runtime API
  Type,       // types of the runtime API
  Enumerator, // enumerators and flags of the runtime API
  Macro,
  Driver,
  Device, // functions and keywords of device code
  Fp16,   // 16-bit and 8-bit floating types, and functions over them
  Blas,
  Rand,
  Fft,
  Sparse,
  Solver,
  Complex,
  Cub,
  Rtc,
  Tools, // NVTX
  Torch, // PyTorch
};

// How far the HIP name goes.
enum class Support {
  Renamed,       // the name alone changes
  Kept,          // nothing changes, and the note says who has it under this name
  Adapted,       // the name changes, and the note says what else does
  DeviceRuntime, // HIP lacks it or means otherwise: the device runtime has it
  Dropped,       // nothing is needed in its place
  Unsupported,   // left for a person; the note says why
};

struct Name {
  Section section;
  std::string_view cuda;
  std::string_view hip; // empty when HIP has none
  Support support;
  std::string_view note; // empty when there is nothing to say
};

// The row of a CUDA name, or null: a name without a row is either no CUDA name or the same in HIP.
const Name *lookup(std::string_view cuda);

// One .inc file.
struct Table {
  std::string_view file;
  const Name *first;
  std::size_t size;

  const Name *begin() const { return first; }
  const Name *end() const { return first + size; }
};

struct Tables {
  const Table *first;
  std::size_t size;

  const Table *begin() const { return first; }
  const Table *end() const { return first + size; }
};

Tables tables();

std::string_view name(Section section);
std::string_view name(Support support);

} // namespace layout_port::rename
