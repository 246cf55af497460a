"""homeless.py CLANG SHARE RENAME: functions of our CUDA headers that no output could call.

A function that the parse headers declare for CUDA sources is one of HIP's (our HIP headers
or clang's declare it), or a row of the rename tables says what becomes of it. The names are
those of clang's AST on both sides.
"""
import glob, re, subprocess, sys

clang, share, rename = sys.argv[1:]


cudaHeaders = ["cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"]
cudaFlags = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib",
             "-isystem", share + "/cuda", "-include", "cuda_runtime.h"]
hipHeaders = ["hip/hip_fp16.h", "hip/hip_bf16.h", "hip/hip_fp8.h"]
hipFlags = ["-x", "hip", "--offload-device-only", "--offload-arch=gfx942", "-nogpuinc", "-nogpulib",
            "-isystem", share + "/hip", "-include", "hip/hip_runtime.h"]


def run(flags, text):
    return subprocess.run([clang, *flags, "-fsyntax-only", "-w", "-"], input=text,
                          capture_output=True, text=True)


def headersText(headers):
    return "".join(f"#include <{header}>\n" for header in headers)


def names(headers, flags):
    found = set()
    for line in run(flags + ["-Xclang", "-ast-list"], headersText(headers)).stdout.splitlines():
        name = line.strip().split("(")[0]
        if "::" not in name and "<" not in name:
            found.add(name.split(" ")[-1])
    return found


cuda, hip = names(cudaHeaders, cudaFlags), names(hipHeaders, hipFlags)
assert len(cuda) > 1000 and len(hip) > 1000
rows = set()
for path in glob.glob(rename + "/*.inc"):
    rows.update(re.findall(r'LP_RENAME\(\w+, "([^"]+)"', open(path).read()))

# Clang's and the C library's own helpers; __cluster.. and the like are named by the census.
internal = re.compile(r"__nv_|__nvvm_|__lp_|__clang_|__cuda|__internal|__\w+Atomic|__assert|"
                      r"__match(32|64)_|__(div|mul)[ds]c3$|__(signbit|isfinite|ilogb|logb)\w?$|"
                      r"__cluster|__fns$|__uni_sync$|__bool2mask$|__pm\d$")
called = re.compile(r"__[a-z]\w*|h2?[a-z]+\w*|atomic\w+|(tex|surf)[A-Z123]\w*")
left = [name for name in sorted(cuda - hip - rows)
        if called.fullmatch(name) and not internal.match(name)]
# Parameters have names as well: what ::name does not find is none of the headers' functions.
probe = headersText(cudaHeaders) + "".join(f"using ::{name};\n" for name in left)
errors = run(cudaFlags + ["-ferror-limit=0"], probe).stderr
for name in left:
    if f"no member named '{name}'" not in errors:
        print(name)
