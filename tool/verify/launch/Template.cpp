// See Template.h.
#include "launch/Template.h"

#include "decode/Decoder.h"

#include <llvm/Support/FormatVariadic.h>

#include <algorithm>

namespace layout_port::verify {
namespace {

std::string scalarType(const Parameter &parameter) {
  if (parameter.scalars.size() != 1)
    return {};
  switch (parameter.scalars[0].format) {
  case FloatFormat::F16:
    return "f16";
  case FloatFormat::BF16:
    return "bf16";
  case FloatFormat::F32:
    return "f32";
  case FloatFormat::F64:
    return "f64";
  default:
    return "i" + std::to_string(8 * parameter.scalars[0].bytes());
  }
}

} // namespace

llvm::Expected<std::string> launchTemplate(const llvm::Module &module, const std::string &kernel) {
  std::vector<std::string> names =
      kernel.empty() ? kernelNames(module) : std::vector<std::string>{kernel};
  if (names.empty())
    return llvm::createStringError("no kernel in " + module.getSourceFileName());
  std::string buffers, launches;
  for (size_t k = 0; k < names.size(); ++k) {
    llvm::Expected<const llvm::Function *> function = findKernel(module, names[k]);
    if (!function)
      return function.takeError();
    auto program = Decoder(module, nullptr).decode(**function);
    if (!program)
      return program.takeError();
    std::string args;
    for (size_t i = 0; i < (*program)->parameters.size(); ++i) {
      const Parameter &parameter = (*program)->parameters[i];
      args += args.empty() ? "" : ", ";
      if (parameter.indirect || scalarType(parameter).empty()) {
        args += "{bytes: \"" + std::string(2 * parameter.size, '0') + "\"}";
      } else if (!parameter.pointer) {
        args += "{" + scalarType(parameter) + ": 96}";
      } else {
        const std::string name = llvm::formatv("k{0}_arg{1}", k, i).str();
        const bool written = !(*function)->getArg(unsigned(i))->onlyReadsMemory();
        buffers += "  " + name + ": {type: f32, count: 65536" +
                   (written ? ", init: zero, out: true" : "") + "}\n";
        args += name;
      }
    }
    launches += "  # two blocks along each axis, sizes that leave a ragged edge\n"
                "  - {kernel: \"" +
                names[k] + "\", grid: [2, 2], block: [128], shared: " + "0, args: [" + args +
                "]}\n";
  }
  return "# Correct the types, counts and sizes; docs/verify.md explains the keys.\nbuffers:\n" +
         buffers + "launches:\n" + launches;
}

std::string checkLaunch(Side &source, Side &port, const LaunchFile &file) {
  if (std::none_of(file.buffers.begin(), file.buffers.end(),
                   [](const BufferSpec &buffer) { return buffer.out; }))
    return "no buffer of the launch file is marked out: true, so there is nothing to compare";
  for (Side *side : {&source, &port})
    if (std::string problem = side->check(file); !problem.empty())
      return side->compiled().path + ": " + problem;
  return {};
}

} // namespace layout_port::verify
