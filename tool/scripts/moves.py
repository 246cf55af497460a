#!/usr/bin/env python3
"""moves.py: what the warp's moves cost, in instructions, beside HIP's own shuffles.

Ports test/kernels/warp/moves.cu, compiles it and moves.hip (the same kernels by
__shfl*) for each chip, and prints a table: instructions between entry and
s_endpgm, how many of them go through the LDS pipe (ds_*), and the moves
themselves as the assembler spells them.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLANG = os.environ.get("CLANG", "clang++-22")
TOOL = os.path.join(ROOT, "build", "bin", "layout-port")
KERNELS = os.path.join(ROOT, "test", "kernels", "warp")
ROWS = [("warp_count", "sum of a warp, int"), ("warp_max", "maximum of a warp, float"),
        ("warp_sum", "sum of a warp, float, in the order written"),
        ("down_sum", "sum of a warp by shfl_down, float"), ("quad_sum", "sum of a quad"),
        ("shuffle_scan", "scan by shuffles"), ("group_scan", "scan by cooperative groups"),
        ("broadcast", "broadcast of lane 0")]


def assembly(source, chip, out):
    subprocess.run([CLANG, "-x", "hip", "-O3", "-S", "-w", "-nogpulib", "-nogpuinc",
                    "--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=" + chip,
                    "-DLAYOUT_PORT_CHECK", "-isystem", os.path.join(ROOT, "tool", "share", "hip"),
                    "-include", "hip/hip_runtime.h", source, "-o", out], check=True)
    with open(out) as file:
        return file.read()


def kernels(text):
    """Mangled name -> its instructions, from the label to the first s_endpgm."""
    found = {}
    for match in re.finditer(r"^(_Z\w+):.*?^\ts_endpgm", text, re.M | re.S):
        lines = match.group(0).splitlines()
        found[match.group(1)] = [line.strip() for line in lines if re.match(r"\t[a-z]+_", line)]
    return found


def body(found, name):
    for mangled, lines in found.items():
        if re.match(r"_Z\d+" + name + r"P", mangled):
            return lines
    sys.exit("no kernel " + name)


def is_lds(line):
    return line.startswith("ds_")


def moves(lines):
    words = []
    for line in lines:
        dpp = re.search(r"(quad_perm|row_\w+|wave_\w+)(:\S+)?", line)
        if is_lds(line) or line.startswith(("v_readlane", "v_permlane")):
            words.append(line.split()[0])
        elif dpp:
            words.append(dpp.group(0))
    counted = []
    for word in words:
        if word not in counted:
            counted.append(word)
    return ", ".join(f"{words.count(w)} {w}" if words.count(w) > 1 else w for w in counted)


def main():
    with tempfile.TemporaryDirectory() as work:
        ported = os.path.join(work, "moves.hip")
        subprocess.run([TOOL, os.path.join(KERNELS, "moves.cu"), "--quiet", "-o", ported],
                       check=True)
        print("| move | chip | instructions: HIP, port | LDS pipe: HIP, port | moves of the port |")
        print("|---|---|---|---|---|")
        for chip in ("gfx90a", "gfx942", "gfx950"):
            own = kernels(assembly(os.path.join(KERNELS, "moves.hip"), chip,
                                   os.path.join(work, "own.s")))
            port = kernels(assembly(ported, chip, os.path.join(work, "port.s")))
            for name, title in ROWS:
                a, b = body(own, name), body(port, name)
                print(f"| {title} | {chip} | {len(a)}, {len(b)} | {sum(map(is_lds, a))}, "
                      f"{sum(map(is_lds, b))} | {moves(b)} |")


main()
