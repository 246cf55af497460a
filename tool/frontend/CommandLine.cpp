#include "frontend/CommandLine.h"

namespace layout_port {

// The PTX version that a chip needs and that has the shuffles of *_sync.
static std::string ptxFeature(llvm::StringRef arch) {
  return cudaArchNumber(arch) >= 1000 ? "--cuda-feature=+ptx88" : "--cuda-feature=+ptx80";
}

std::vector<std::string> parserCommandLine(const ParseOptions &options, const Resources &resources,
                                           bool device, const std::string &precompiled) {
  std::vector<std::string> args = {"clang++",
                                   "-x",
                                   "cuda",
                                   device ? "--cuda-device-only" : "--cuda-host-only",
                                   "--cuda-gpu-arch=" + options.cudaArch,
                                   ptxFeature(options.cudaArch),
                                   "-nocudalib",
                                   "-fsyntax-only",
                                   "-w",
                                   "-ferror-limit=1000",
                                   "-fno-caret-diagnostics",
                                   "-resource-dir",
                                   resources.resourceDir};
  if (options.cudaPath.empty())
    args.insert(args.end(),
                {"-nocudainc", "-isystem", resources.shareDir + "/cuda",
                 precompiled.empty() ? "-include" : "-include-pch",
                 precompiled.empty() ? "cuda_runtime.h" : precompiled, "-D__LAYOUT_PORT_READS__"});
  else
    args.insert(args.end(), {"--cuda-path=" + options.cudaPath, "-isystem",
                             options.cudaPath + "/include/cccl", "-Wno-unknown-cuda-version"});
  args.insert(args.end(), options.flags.begin(), options.flags.end());
  args.push_back(options.input);
  return args;
}

} // namespace layout_port
