// Puts the probe together: head, device part, kernels, tables, checking part.
#include "probe/Emit.h"

#include "probe/Parts.h"

#include <algorithm>

namespace layout_port::probe {
namespace {

constexpr const char *deviceText =
#include "device.h.inc"
    ;
constexpr const char *checkText =
#include "check.h.inc"
    ;

std::string head(const std::vector<isa::Arch> &archs) {
  std::string targets;
  for (isa::Arch arch : archs)
    targets += std::string(" --offload-arch=") + isa::archName(arch);
  return "// Checks on this machine's GPU what layout-port's tables say about it.\n"
         "//\n"
         "//   hipcc -O2" +
         targets +
         " probe.hip -o probe && ./probe\n"
         "//\n"
         "// Written by `layout-port probe`. Prints a line a table row: holds, FAILS, or what was\n"
         "// measured where the table knows nothing. Exit status: 0 all rows hold, 1 some do not,\n"
         "// 2 nothing could be checked.\n"
         "#include <hip/hip_runtime.h>\n\n";
}

std::string archTable(const std::vector<isa::Arch> &archs) {
  std::string text = "static const Chip chips[] = {\n";
  for (isa::Arch arch : archs)
    text += "    {" + quoted(isa::archName(arch)) + ", " + quoted(isa::archInfo(arch).fp8) + "},\n";
  return text + "};\n";
}

std::string table(const char *type, const char *name, const std::ostringstream &rows) {
  // The last row is empty, since C++ has no arrays without elements.
  return std::string("static const ") + type + " " + name + "[] = {\n" + rows.str() + "    {}};\n";
}

} // namespace

std::string Program::condition(unsigned chips) const {
  std::string text;
  for (size_t i = 0; i < archs.size(); ++i)
    if (chips >> i & 1)
      text +=
          std::string(text.empty() ? "" : " || ") + "defined(__" + isa::archName(archs[i]) + "__)";
  return text;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "\"";
}

const std::vector<isa::Arch> &probeArchs() {
  static const std::vector<isa::Arch> archs = {isa::Arch::Gfx90a, isa::Arch::Gfx942,
                                               isa::Arch::Gfx950};
  return archs;
}

Result<std::string> emitProbe(const std::vector<isa::Arch> &archs) {
  if (archs.empty())
    return Error{"no chip to write a probe for"};
  for (isa::Arch arch : archs)
    if (std::find(probeArchs().begin(), probeArchs().end(), arch) == probeArchs().end())
      return Error{std::string("no probe for ") + isa::archName(arch)};
  Program program;
  program.archs = archs;
  for (auto *emit : {emitMatrixRows, emitMoveRows, emitTransposeRows, emitLdsRows})
    if (Result<bool> done = emit(program); !done.ok())
      return done.error();
  return head(archs) + deviceText + program.kernels.str() + "\n" + archTable(archs) +
         table("MatrixRow", "matrixRows", program.matrixRows) +
         table("MoveRow", "moveRows", program.moveRows) +
         table("TransposeRow", "transposeRows", program.transposeRows) +
         table("LdsRow", "ldsRows", program.ldsRows) + checkText;
}

} // namespace layout_port::probe
