// Writes a HIP file that names each HIP name of the rename tables once: a using-declaration finds
// functions, types and enumerators alike, and fails to compile for a name nobody declares.
#include "rename/Tables.h"

#include <cstdio>
#include <set>
#include <string>

using namespace layout_port::rename;

namespace {

// hipRAND, hipFFT, hipSPARSE, hipSOLVER, hipCUB, hipRTC and ROCTX are names of libraries the tool has
// no headers for; of hipBLAS it declares what kernels' test programs call. PyTorch's are declared by
// headers of its own, which the tests of rename/ compile with.
bool isDeclaredHere(Section section) {
  switch (section) {
  case Section::Blas:
  case Section::Rand:
  case Section::Fft:
  case Section::Sparse:
  case Section::Solver:
  case Section::Cub:
  case Section::Rtc:
  case Section::Tools:
  case Section::Torch:
    return false;
  default:
    return true;
  }
}

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

} // namespace

int main() {
  std::set<std::string> headers, names;
  for (const Table &table : tables())
    for (const Name &row : table) {
      if (row.hip.empty() || !isDeclaredHere(row.section))
        continue;
      if (row.section != Section::Header)
        names.emplace(row.hip);
      else if (startsWith(row.hip, "hip/"))
        headers.emplace(row.hip);
    }

  for (const std::string &header : headers)
    std::printf("#include <%s>\n", header.c_str());
  std::printf("namespace lp_probe {\n");
  for (const std::string &name : names)
    std::printf("#ifndef %s\nusing ::%s;\n#endif\n", name.c_str(), name.c_str());
  std::printf("}\n");
}
