#!/usr/bin/env python3
"""results.py [PUBLIC]: the text of docs/results.md, on stdout; run by results.sh.

PUBLIC is a folder with clones of the repositories below; none is part of this one.
Every kernel is ported twice: once without the -c checks, for its seconds and memory,
and once with them, for all targets.
"""
import glob, json, os, re, subprocess, sys, tempfile, time

tool = "build/bin/layout-port"
targets = ["gfx90a", "gfx942", "gfx950"]
choices = ["--warp-blocks=pad"]  # what a person would choose for blocks of one warp
public = sys.argv[1] if len(sys.argv) > 1 else ""

# Kernel and include paths, below PUBLIC; commits as read in November 2026.
kernels = [
    ("cuda_hgemm/src/mma/mma_naive.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_permuted.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_base.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_async.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_async_pg2s.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_async_pg2s_ps2r.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_async_stage2.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_async_stage3.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/mma/mma_async_stage4.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemm/src/wmma/wmma_padding.cu", "cuda_hgemm/src/common"),
    ("cuda_hgemv/src/warp/warp8_smem.cu", "cuda_hgemv/src/common"),
    *((f"MatmulTutorial/examples/matmul/this-sm80/matmul-v{n:02}.cu", "")
      for n in range(3, 16)),
    ("learn-cuda/02b_matmul_sm80/matmul_v5.cu", ""),
    ("learn-cuda/07_attention/attention_v1.cu", ""),
    ("learn-cuda/07_attention/attention_v2.cu", ""),
    ("learn-cuda/07_attention/attention_v3.cu", ""),
    ("learn-cuda/07_attention/attention_v4.cu", ""),
    ("learn-cuda/07_attention/attention_v5.cu", ""),
    ("marlin/marlin/marlin_cuda_kernel.cu", ""),
    ("cuda-samples/Samples/3_CUDA_Features/cudaTensorCoreGemm/cudaTensorCoreGemm.cu",
     "cuda-samples/Common"),
    ("cuda-samples/Samples/3_CUDA_Features/immaTensorCoreGemm/immaTensorCoreGemm.cu",
     "cuda-samples/Common"),
    ("cuda-samples/Samples/2_Concepts_and_Techniques/shfl_scan/shfl_scan.cu",
     "cuda-samples/Common"),
    ("cuda-samples/Samples/0_Introduction/simpleVoteIntrinsics/simpleVoteIntrinsics.cu",
     "cuda-samples/Common"),
    ("cuda-samples/Samples/3_CUDA_Features/warpAggregatedAtomicsCG/warpAggregatedAtomicsCG.cu",
     "cuda-samples/Common"),
    ("llm-awq/awq/kernels/csrc/quantization/gemm_cuda_gen.cu", ""),
    ("llm-awq/awq/kernels/csrc/w8a8/w8a8_gemm_cuda.cu", ""),
    ("LeetCUDA/kernels/hgemm/mma/swizzle/hgemm_mma_stage_swizzle.cu",
     "LeetCUDA/kernels/hgemm/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/basic/flash_attn_mma_split_q.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/basic/flash_attn_mma_share_kv.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/basic/flash_attn_mma_share_kv_F32F16F16F32.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/basic/flash_attn_mma_share_qkv.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/others/flash_attn_mma_share_qkv_Os2g.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/basic/flash_attn_mma_tiling_qkv.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("LeetCUDA/kernels/flash-attn/mma/swizzle/flash_attn_mma_share_qkv_swizzle_qkv.cu",
     "LeetCUDA/kernels/flash-attn/utils"),
    ("llm.c/dev/cuda/softmax_forward.cu", ""),
    ("llm.c/dev/cuda/attention_forward.cu", ""),
    ("llm.c/dev/cuda/layernorm_forward.cu", ""),
    ("ggml/src/ggml-cuda/mma.cuh", "ggml/include,ggml/src"),
]


def run(arguments):
    """Exit status, CPU seconds with its children's, and the largest process in MiB.

    What takes ten minutes is ended, as status 124."""
    child = subprocess.Popen(["timeout", "600", tool] + arguments, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = usage.ru_utime + usage.ru_stime
    return os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss // 1024


def compiled_text(summary):
    by = summary["compiled"]
    bad = [target for target in targets + ["host"] if not by.get(target)]
    text = "yes" if not bad else "NO: " + ", ".join(bad)
    if bad and any("bytes of shared memory a block" in note for note in summary["notes"]):
        text += " (less shared memory than it wants)"
    return text + (" (but for the manual sites)" if summary["compiled_with_allow_manual"] else "")


totals = {"kernels": 0, "compiled": 0, "mma": 0, "good": 0, "troubles": 0}
reasons = {}
why_not = {}  # kernel -> what is said of products that are not native
warps = {}  # what speaks of warps: kernel -> construct -> tier -> sites


def own_flags(path):
    """Compiler flags that an own kernel's test has: // RUN: %prove .. -- -std=c++20 2>&1 | .."""
    found = re.search(r"// RUN: %prove .* -- (.*?) 2>&1", open(path, errors="replace").read())
    return found.group(1).split() if found else []


def row(path, includes, work):
    out, report = work + "/out.hip", work + "/report.json"
    flags = ["--"] + ["-I" + i for i in includes] + own_flags(path)
    name = path[len(public) + 1:] if public and path.startswith(public) else path
    _, seconds, memory = run([path, "--check", "--quiet"] + choices + flags)
    if os.path.exists(report):
        os.remove(report)
    code, both, _ = run([path, "-o", out, "--target", ",".join(targets), "--json", report,
                         "--quiet"] + choices + flags)
    totals["kernels"] += 1
    if not os.path.exists(report):
        totals["troubles"] += 1
        return f"| {name} | trouble, exit {code} | | | | | | |"
    data = json.load(open(report))
    summary = data["summary"]
    mma = [s for s in data["sites"] if re.match(r"mma\.sync|wmma|native", s["construct"])
           or s["rule"] in ("tensor-mma", "native")]
    good = sum(s["tier"] in ("native", "bridged") for s in mma)
    totals["mma"] += len(mma)
    totals["good"] += good
    totals["compiled"] += all(summary["compiled"].get(t) for t in targets + ["host"])
    for site in data["sites"]:
        if site["tier"] == "manual" and not site["unreached"]:
            reasons.setdefault((site["construct"], site["reason"]), set()).add(name)
    is_public = name != path
    said = [n.split(" is not native: ", 1) for n in summary["notes"] if " is not native: " in n]
    said = said or [(".".join(s["construct"].split(".")[:2]), s["reason"]) for s in data["sites"]
                    if s["rule"] in ("tensor-mma", "tensor-wmma") and s["tier"] == "bridged"]
    for kernel, reason in said if is_public else []:
        named = re.sub(r"\(\S*/(\S+:\d+)\)$", r"(\1)", reason)
        why_not.setdefault(name, {}).setdefault(named, []).append(kernel)
    for site in data["sites"]:
        if re.match(r"warp-|tensor-wmma|async-|launch-", site["rule"]):
            by = warps.setdefault(name, {}).setdefault(site["construct"], {})
            by[site["tier"]] = by.get(site["tier"], 0) + 1
    tiers = ", ".join(f"{n} {tier}" for tier in ("native", "bridged", "emulated", "renamed",
                                                  "manual") if (n := summary["tiers"][tier]))
    return (f"| {name} | {summary['sites']} | {tiers} | {good}/{len(mma)} | "
            f"{compiled_text(summary)} | {seconds:.2f} | {both - seconds:.2f} | {memory} |")


def table(title, entries):
    print(f"\n## {title}\n")
    print("| kernel | sites | by tier | mma bridged or better | compiled for "
          + ", ".join(targets) + ", host | port s | checks s | MiB |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        for path, includes in entries:
            print(row(path, includes, work), flush=True)


def print_why_not():
    print("\n### Why not native\n\nWhat keeps products of these kernels from the native tier; all of"
          " the others are native.\n")
    print("| file | kernel or construct | reason |\n|---|---|---|")
    for name, said in why_not.items():
        for reason, which in said.items():
            print(f"| {os.path.basename(name)} | {', '.join(sorted(set(which)))} | {reason} |")


def with_waits(path, folder):
    """A copy of the source with what it does not wait for; where its own headers are; what was done."""
    if "MatmulTutorial" not in path:
        return path, [], ""
    text = open(path).read()
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w") as out:
        out.write(re.sub(r"\n( *)storeAccum\(SC", r"\n\1__syncthreads();\n\1storeAccum(SC",
                         re.sub(r'"n"\([12]\)\);', '"n"(0));', text)))
    return copy, [os.path.dirname(path)], ", waits mended"


def proofs(present):
    """Kernels with a launch file in test/public: what verify says, for the first target."""
    print("\n### Proved\n")
    print("Public kernels as their repositories have them, with the launches of `test/public`, on"
          " gfx942.\nMatmulTutorial's wait for one or two copies too few in their last turns, and two warps meet"
          " in shared\nmemory without a barrier: `cp.async.wait_group 0` and a barrier stand there (as they are,"
          " verify names both).\n")
    print("| kernel | native sites | verdict |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        for path, includes in present:
            launch = f"test/public/{os.path.splitext(os.path.basename(path))[0]}.yaml"
            if not os.path.exists(launch):
                continue
            report = work + "/report.json"
            source, own, changed = with_waits(path, work)
            run([source, "-o", work + "/out.hip", "--target", "gfx942", "--verify", "--launch", launch,
                 "--json", report, "--quiet"] + choices + ["--"]
                + ["-I" + i for i in includes + own])
            name = os.path.basename(path) + changed
            if not os.path.exists(report):
                print(f"| {name} | | trouble: no port |", flush=True)
                continue
            summary = json.load(open(report))["summary"]
            verdicts = ", ".join(p["verdict"] for p in summary["proofs"])
            print(f"| {name} | {summary['tiers']['native']} | {verdicts} |", flush=True)
            os.remove(report)


def long_source(lines):
    """An own kernel again and again, each copy in a namespace, until there are `lines`."""
    text = open("test/kernels/hgemm_macros.cu").read().splitlines()
    head = [line for line in text if line.startswith("#include")]
    body = [line for line in text if not line.startswith(("#include", "//"))]
    copies = head
    while len(copies) < lines:
        copies = copies + [f"namespace copy{len(copies)} {{"] + body + ["}"]
    return "\n".join(copies) + "\n"


def measure_speed(lines=700, files=50):
    """One long file, and a folder of such files ported by one and by two children."""
    print(f"\n## Speed\n\nA file of {lines} lines (own kernels, no SDK) and a folder of {files} such"
          " files; CPU seconds and the\nlargest process. The folder's include the `-c` checks, whose four compilers run"
          " at the same time with\n-j1 too: two cores are busy all the time with -j2.\n")
    print("| what | CPU s | wall s | MiB |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        folder = os.path.join(work, "in")
        os.mkdir(folder)
        for number in range(files):
            with open(os.path.join(folder, f"k{number}.cu"), "w") as out:
                out.write(long_source(lines))
        runs = [("one file, no checks", [os.path.join(folder, "k0.cu"), "--check", "--quiet"])]
        runs += [(f"{files} files, -j{jobs}",
                  ["batch", folder, "-o", os.path.join(work, f"out{jobs}"), "-j", str(jobs)])
                 for jobs in (1, 2)]
        for what, arguments in runs:
            start = time.time()
            _, seconds, memory = run(arguments)
            print(f"| {what} | {seconds:.2f} | {time.time() - start:.2f} | {memory} |", flush=True)


print("# Results\n")
print("Regenerated by `tool/scripts/results.sh`, ported with `--warp-blocks=pad`. *port s* and *MiB* are\n"
      "CPU seconds and memory of the whole process without the `-c` checks (the device and the host\n"
      "side are read at the same time, so it is done in less); *checks s* are the CPU seconds of the\n"
      "compilers for three chips and the host. A site is one of the report's: a native one is any that\n"
      "the native tier rewrote, block sizes and definitions that no use is left of (`unused macro`)\n"
      "among them, and *mma* counts those, too.")
table("Own kernels", [(path, []) for path in sorted(
    glob.glob("test/kernels/*.cu") + glob.glob("test/native/*.cu"))])
measure_speed()
if public:
    present = [(os.path.join(public, path),
                [os.path.join(public, i) for i in includes.split(",") if i])
               for path, includes in kernels if os.path.exists(os.path.join(public, path))]
    table("Public kernels", present)
    print(f"\nOf {totals['kernels']} kernels {totals['compiled']} compile for every target and the"
          f" host (but for their manual sites), {totals['troubles']} could not be read."
          f" {totals['good']} of {totals['mma']} matrix sites are bridged or better.")
    print_why_not()
    proofs(present)
    print("\n### What is left to a person\n")
    for (construct, reason), names in sorted(reasons.items()):
        shown = ", ".join(sorted(os.path.basename(n) for n in names))
        print(f"- `{construct}`: {reason} ({shown})")
    print("\n### The warp vocabulary in public kernels\n")
    print("Sites of the rules `warp-*`, `tensor-wmma`, `async-*` and `launch-*`.\n")
    print("| kernel | construct | sites by tier |")
    print("|---|---|---|")
    for name, constructs in warps.items():
        if not any(os.path.join(public, name) == path for path, _ in present):
            continue
        for construct, by in sorted(constructs.items()):
            tiers = ", ".join(f"{n} {tier}" for tier, n in sorted(by.items()))
            print(f"| {os.path.basename(name)} | `{construct}` | {tiers} |")
