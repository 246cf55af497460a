// The rename rows as constant arrays, one a file, and the search over them.
#include "rename/Tables.h"

#include <algorithm>
#include <array>

namespace layout_port::rename {
namespace {

#define LP_RENAME(section, cuda, hip, support, note)                                               \
  Name{Section::section, cuda, hip, Support::support, note},

constexpr Name headers[] = {
#include "Headers.inc"
};
constexpr Name macros[] = {
#include "Macros.inc"
};
constexpr Name runtime[] = {
#include "Runtime.inc"
};
constexpr Name types[] = {
#include "Types.inc"
};
constexpr Name device[] = {
#include "Device.inc"
};
constexpr Name fp16[] = {
#include "Fp16.inc"
};
constexpr Name driver[] = {
#include "Driver.inc"
};
constexpr Name blas[] = {
#include "Blas.inc"
};
constexpr Name rand[] = {
#include "Rand.inc"
};
constexpr Name fft[] = {
#include "Fft.inc"
};
constexpr Name sparse[] = {
#include "Sparse.inc"
};
constexpr Name solver[] = {
#include "Solver.inc"
};
constexpr Name complex[] = {
#include "Complex.inc"
};
constexpr Name cub[] = {
#include "Cub.inc"
};
constexpr Name rtc[] = {
#include "Rtc.inc"
};
constexpr Name tools[] = {
#include "Tools.inc"
};
constexpr Name torch[] = {
#include "Torch.inc"
};
#undef LP_RENAME

template <std::size_t size> constexpr Table table(std::string_view file, const Name (&rows)[size]) {
  return Table{file, rows, size};
}

constexpr std::array all = {
    table("Runtime.inc", runtime), table("Types.inc", types),     table("Device.inc", device),
    table("Fp16.inc", fp16),       table("Headers.inc", headers), table("Macros.inc", macros),
    table("Driver.inc", driver),   table("Blas.inc", blas),       table("Rand.inc", rand),
    table("Fft.inc", fft),         table("Sparse.inc", sparse),   table("Solver.inc", solver),
    table("Complex.inc", complex), table("Cub.inc", cub),         table("Rtc.inc", rtc),
    table("Tools.inc", tools),     table("Torch.inc", torch),
};

} // namespace

const Name *lookup(std::string_view cuda) {
  for (const Table &t : all) {
    const Name *row = std::lower_bound(
        t.begin(), t.end(), cuda, [](const Name &n, std::string_view s) { return n.cuda < s; });
    if (row != t.end() && row->cuda == cuda)
      return row;
  }
  return nullptr;
}

Tables tables() { return Tables{all.data(), all.size()}; }

std::string_view name(Section section) {
  constexpr std::string_view names[] = {
      "header", "runtime", "type",   "enumerator", "macro",   "driver", "device", "fp16", "blas",
      "rand",   "fft",     "sparse", "solver",     "complex", "cub",    "rtc",    "tools",   "torch"};
  return names[static_cast<std::size_t>(section)];
}

std::string_view name(Support support) {
  constexpr std::string_view names[] = {"renamed",        "kept",    "adapted",
                                        "device runtime", "dropped", "unsupported"};
  return names[static_cast<std::size_t>(support)];
}

} // namespace layout_port::rename
