#!/usr/bin/env python3
"""machine.py [DOCS]: how fast the SIMT machine of `verify` is, as a section of results.md.

Prints the section; with DOCS (docs/results.md), puts it in the place of the one there.
Needs a build with -DLAYOUT_PORT_BENCHMARKS=ON. The best of some repetitions counts: on a
machine that others use, the rest says more about them.
"""
import json, os, re, subprocess, sys

bench = "build/bin/verify_machine_bench"
title = "## The machine"
rows = [
    ("cudaField128", "128 x 128 x 128, source", "field, a core"),
    ("hipField128", "128 x 128 x 128, port", "field, a core"),
    ("cudaFloat128", "128 x 128 x 128, source", "float, a core"),
    ("bothField128", "128 x 128 x 128, both", "field, a core each"),
    ("cudaField1024", "1024 x 1024 x 256, source", "field, a core"),
    ("cudaTwoCores1024", "1024 x 1024 x 256, source", "field, its blocks on two cores"),
    ("hipField1024", "1024 x 1024 x 256, port", "field, a core"),
    ("hipTwoCores1024", "1024 x 1024 x 256, port", "field, its blocks on two cores"),
    ("bothField1024", "1024 x 1024 x 256, both", "field, a core each"),
]


def best():
    """By name, the repetition that took the least time."""
    text = subprocess.run([bench, "--benchmark_format=json", "--benchmark_min_time=0.1",
                           "--benchmark_repetitions=12"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout
    found = {}
    for run in json.loads(text)["benchmarks"]:
        if run["run_type"] != "iteration":
            continue
        name = run["name"].split("/")[0]
        if name not in found or run["real_time"] < found[name]["real_time"]:
            found[name] = run
    return found


def section():
    found = best()
    lines = [title, "",
             "Written by `tool/scripts/machine.py`: a GEMM through mma.sync "
             "(`test/verify/kernels/gemm_f16.cu`) and its port to gfx942,",
             "one run of a seed, buffers placed, the kernels compiled before. The best of twelve.",
             "", "| GEMM | domain and cores | ms | million lane-operations a second |",
             "|---|---|---|---|"]
    for name, what, how in rows:
        run = found[name]
        lines.append(f"| {what} | {how} | {run['real_time']:.2f} | "
                     f"{run['lane_ops'] / 1e6:.0f} |")
    return "\n".join(lines) + "\n"


if not os.path.exists(bench):
    sys.exit("machine.py: no " + bench + ": build with -DLAYOUT_PORT_BENCHMARKS=ON")
new = section()
if len(sys.argv) < 2:
    print(new, end="")
else:
    old = open(sys.argv[1]).read()
    there = re.compile(re.escape(title) + r"\n.*?(?=\n## |\Z)", re.S)
    new = there.sub(lambda _: new, old) if there.search(old) else old.rstrip("\n") + "\n\n" + new
    open(sys.argv[1], "w").write(new)
