#!/usr/bin/env python3
"""machine.py [--quick] [DOCS]: how fast the SIMT machine of `verify` is, as a section of results.md.

Prints the section; with DOCS (docs/results.md), puts it in the place of the one there.
Needs a build with -DLAYOUT_PORT_BENCHMARKS=ON. The best of some repetitions counts: on a
machine that others use, the rest says more about them. --quick: one large run only.
"""
import json, os, re, subprocess, sys

bench = "build/bin/verify_machine_bench"
title = "## The machine"
rows = [
    ("hgemmCuda128", "128 x 128 x 128, source", "field, a core"),
    ("hgemmNative128", "128 x 128 x 128, native port", "field, a core"),
    ("hgemmBridge128", "128 x 128 x 128, bridged port", "field, a core"),
    ("hgemmCudaFloat128", "128 x 128 x 128, source", "float, a core"),
    ("hgemmNativeFloat128", "128 x 128 x 128, native port", "float, a core"),
    ("hgemmBoth128", "128 x 128 x 128, source and native port", "field, a core each"),
    ("rolledCuda128", "128 x 128 x 128, rolled source", "field, a core"),
    ("rolledHip128", "128 x 128 x 128, its port", "field, a core"),
    ("rolledCudaFloat128", "128 x 128 x 128, rolled source", "float, a core"),
    ("hgemmCuda1024", "1024 x 1024 x 256, source", "field, a core"),
    ("hgemmNative1024", "1024 x 1024 x 256, native port", "field, a core"),
    ("hgemmBoth1024", "1024 x 1024 x 256, source and native port", "field, a core each"),
    ("rolledCuda1024", "1024 x 1024 x 256, rolled source", "field, a core"),
    ("rolledCudaTwoCores1024", "1024 x 1024 x 256, rolled source", "field, its blocks on two cores"),
    ("rolledHip1024", "1024 x 1024 x 256, its port", "field, a core"),
    ("rolledHipTwoCores1024", "1024 x 1024 x 256, its port", "field, its blocks on two cores"),
]


def best(wanted, repetitions):
    """By name, of the runs that match: the repetition that took the least time."""
    text = subprocess.run([bench, "--benchmark_format=json", "--benchmark_min_time=0.02",
                           f"--benchmark_repetitions={repetitions}",
                           "--benchmark_filter=" + wanted], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout
    found = {}
    for run in json.loads(text)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        name = run["name"].split("/")[0]
        if name not in found or run["cpu_time"] < found[name]["cpu_time"]:
            found[name] = run
    return found


def section(quick):
    found = best("128", 12)
    found.update(best("^hgemmCuda1024" if quick else "1024", 2))
    lines = [title, "",
             "Written by `tool/scripts/machine.py`: a GEMM through mma.sync and its ports by hand to "
             "gfx942 (`test/verify/examples/hgemm.cu`),",
             "and one whose loops are not unrolled (`test/verify/kernels/gemm_f16.cu`) and its port "
             "by the tool;", "one run of a seed, buffers placed, the kernels compiled before; the best of some. CPU ms is",
             "the first thread's own time, wall ms what the clock said on a machine that others used too.",
             "", "| GEMM | domain and cores | CPU ms | wall ms | million lane-operations a CPU second |",
             "|---|---|---|---|---|"]
    for name, what, how in rows:
        if name not in found:
            continue
        run = found[name]
        rate = run["lane_ops"] * run["real_time"] / run["cpu_time"] / 1e6
        one = how.endswith(", a core")
        lines.append(f"| {what} | {how} | {run['cpu_time']:.2f} | {run['real_time']:.2f} | "
                     f"{f'{rate:.0f}' if one else ''} |")
    return "\n".join(lines) + "\n"


if not os.path.exists(bench):
    sys.exit("machine.py: no " + bench + ": build with -DLAYOUT_PORT_BENCHMARKS=ON")
words = [word for word in sys.argv[1:] if word != "--quick"]
new = section("--quick" in sys.argv)
if not words:
    print(new, end="")
else:
    old = open(words[0]).read()
    there = re.compile(re.escape(title) + r"\n.*?(?=\n## |\Z)", re.S)
    new = there.sub(lambda _: new, old) if there.search(old) else old.rstrip("\n") + "\n\n" + new
    open(words[0], "w").write(new)
