# Both lit suites: test/lit (the tool) and rules/ (each rule's own folder).
import glob
import os

import lit.formats

config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cu", ".test", ".hip"]
config.excludes = ["Inputs", "CMakeLists.txt"]

config.substitutions += [
    ("%layout-port", config.layout_port),
    ("%ptx-kernels", os.path.join(os.path.dirname(config.layout_port), "lp-ptx-kernels")),
    ("%mutants", os.path.join(os.path.dirname(config.layout_port), "lp-mutants")),
    ("%kernels", config.kernels_dir),
    ("%exits", config.exits),
    ("%source", config.source),
    # An output without the directives that it has from its source, which would find
    # themselves: %ported FILE | FileCheck %s
    ("%ported", "sed -e '/^ *[/][/] *[A-Z][A-Z0-9-]*:/d'"),
    # No PTX may be left in an output or in what it compiles to.
    ("%objdump", os.path.join(config.llvm_tools_dir, "llvm-objdump")),
    ("%readobj", os.path.join(config.llvm_tools_dir, "llvm-readelf")),
    # The host part alone, without a device part to go with it.
    ("%clang-hip-host", config.clang
        + " -x hip -nogpulib -nogpuinc -w --offload-host-only -no-hip-rt"
        + " -Wl,--unresolved-symbols=ignore-all --offload-arch=gfx942"
        + " -isystem " + config.hip_headers),
    ("%clang-hip", config.clang
        + " -x hip -nogpulib -nogpuinc -w -DLAYOUT_PORT_CHECK --offload-device-only"
        + " -isystem " + config.hip_headers),
]
# SDKs, where there are any: options that read kernels with their headers.
def find_sdk(feature, option, header, folders):
    for folder in folders:
        if folder and os.path.exists(os.path.join(folder, header)):
            config.available_features.add(feature)
            return " " + option + " " + folder
    return ""

config.substitutions.append(("%sdk-paths",
    find_sdk("cuda-sdk", "--cuda-path", "include/cuda_runtime.h",
             [os.environ.get("CUDA_PATH")] + sorted(glob.glob("/usr/local/cuda*")))
    + find_sdk("hip-sdk", "--rocm-path", "include/hip/hip_runtime.h",
               [os.environ.get("ROCM_PATH"), "/opt/rocm", "/usr"])))

config.environment["PATH"] = os.pathsep.join(
    [config.llvm_tools_dir, config.environment.get("PATH", "")])
