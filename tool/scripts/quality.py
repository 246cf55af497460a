#!/usr/bin/env python3
"""docs/quality.md: what the ports' code objects hold, counted; markdown on stdout.

  tool/scripts/quality.py [--tool build/bin/layout-port] [--target gfx942,...] [FILE|FOLDER...]

Without arguments: the kernels of test/native and test/kernels. A FOLDER of worked examples
adds NAME.cu, and beside it NAME_native.hip, a port made by hand, compiled as it is. --ck DIR
names a checkout of Composable Kernel and adds its GEMM of the tile of tile_128x128.cu.

Every kernel is ported, compiled to a code object with clang -O3 and disassembled. The k-loop
is the innermost loop that holds MFMAs, found by dominators over the branches; counts are one
trip of one wave. The bounds come from the same loop of the source, compiled to PTX:

  MFMA       2 x the sum of m n k over its mma.sync / the work of the chip's best instruction
  LDS reads  2 x the bytes its ldmatrix and ld.shared take / 1024, a full ds_read_b128

2, because a wave hosts two warps. Where one trip of the port's loop does the work of several of the
source's (two steps of k at once, another unrolling), the bound is that of so many: a launch on the
SIMT machine tells how often either side multiplies. Where both warps read the same operand a port
may load it once and stay below the second bound. A file NAME.yaml beside the source is its launch:
it tells the block sizes that the port relies on. Best is the most operations a cycle by the rows of
layouts/isa; where two are equal, of one block, and of the tile that the loop's own have, or the
smaller one.
"""
import argparse
import collections
import json
import math
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLANG = os.environ.get("CLANG", "clang++-22")
OBJDUMP = os.environ.get("OBJDUMP", "llvm-objdump-22")
FILTER = os.environ.get("CXXFILT", "llvm-cxxfilt-22")


def output_of(call, both=False):
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(call)}: {done.stderr.strip()[:600]}")
    return done.stdout + (done.stderr if both else "")


# --- Loops -------------------------------------------------------------------------------

Instruction = collections.namedtuple("Instruction", "text target falls_through labels")


def blocks_of(instructions):
    """(blocks as index ranges, successors) of a list of instructions with branch targets."""
    place = {label: i for i, ins in enumerate(instructions) for label in ins.labels}
    starts = {0}
    for i, ins in enumerate(instructions):
        if ins.target is not None or not ins.falls_through:
            starts.add(i + 1)
        if ins.target in place:
            starts.add(place[ins.target])
    starts = sorted(s for s in starts if s < len(instructions))
    ranges = list(zip(starts, starts[1:] + [len(instructions)]))
    at = {begin: n for n, (begin, _) in enumerate(ranges)}
    successors = []
    for n, (_, end) in enumerate(ranges):
        last, following = instructions[end - 1], []
        if last.target in place:
            following.append(at[place[last.target]])
        if last.falls_through and n + 1 < len(ranges):
            following.append(n + 1)
        successors.append(following)
    return ranges, successors


def dominators(successors):
    """For each block the set of blocks on every path to it (bits); unreachable: None."""
    sets, changed = [None] * len(successors), True
    sets[0] = 1
    while changed:
        changed = False
        for n, following in enumerate(successors):
            if sets[n] is None:
                continue
            for s in following:
                new = (sets[n] if sets[s] is None else sets[s] & sets[n]) | 1 << s
                changed |= new != sets[s]
                sets[s] = new
    return sets


def natural_loops(successors):
    """Blocks of each loop, by header; back edges to one header are one loop."""
    dominated = dominators(successors)
    before = collections.defaultdict(list)
    for n, following in enumerate(successors):
        for s in following:
            before[s].append(n)
    loops = collections.defaultdict(set)
    for n, following in enumerate(successors):
        for header in following:
            if dominated[n] is None or not dominated[n] >> header & 1:
                continue
            body, work = loops[header] | {header}, [n]
            while work:
                block = work.pop()
                if block not in body:
                    body.add(block)
                    work += before[block]
            loops[header] = body
    return list(loops.values())


def matrix_loop(instructions, is_matrix):
    """Instructions of the innermost loop with the most matrix instructions; all without one."""
    ranges, successors = blocks_of(instructions)

    def matrices(body):
        return sum(is_matrix(instructions[i].text) for b in body for i in range(*ranges[b]))

    loops = [body for body in natural_loops(successors) if matrices(body)]
    innermost = [body for body in loops if not any(other < body for other in loops)]
    if not innermost:
        return instructions, False
    best = max(innermost, key=matrices)
    return [instructions[i] for b in sorted(best) for i in range(*ranges[b])], True


# --- The source's bounds, from PTX -------------------------------------------------------

PTX_WIDTH = re.compile(r"ld\.shared(?:\.v(\d))?\.[a-z]*(\d+)")


def ptx_functions(text):
    """Entry name -> instructions."""
    functions, current, labels, begun = {}, None, [], ""
    for line in (raw.strip() for raw in text.splitlines()):
        # Inline asm keeps the author's line breaks: an instruction ends at its ';'.
        if begun or re.match(r"(mma|ldmatrix|stmatrix|cp)\.", line):
            begun = f"{begun} {line}".strip()
            if not line.endswith(";"):
                continue
            line, begun = begun, ""
        entry = re.search(r"\.entry\s+([\w$]+)", line)
        if entry:
            current = functions.setdefault(entry.group(1), [])
        label = re.fullmatch(r"(\$[\w$]+):.*", line)
        if label:
            labels.append(label.group(1))
        elif current is not None and line.endswith(";") and not line.startswith((".", "//")):
            branch = re.search(r"\bbra(?:\.uni)?\s+(\$[\w$]+)", line)
            leaves = re.match(r"(ret|exit|bra)\b", line) is not None
            target = branch.group(1) if branch else None
            current.append(Instruction(line, target, not leaves, labels))
            labels = []
    return functions


def ptx_bounds(path, flags):
    """Entry -> (mma types, sum of m n k, bytes read from shared memory, mmas) of its k-loop."""
    call = [CLANG, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_90", "-nocudainc"]
    call += ["-nocudalib", "--cuda-feature=+ptx80", "-std=c++17", "-O3", "-w", "-S", "-o", "-"]
    call += ["-isystem", f"{ROOT}/tool/share/cuda", "-include", "cuda_runtime.h", *flags, path]
    found = {}
    for name, instructions in ptx_functions(output_of(call)).items():
        loop, _ = matrix_loop(instructions, lambda text: "mma.sync" in text)
        types, work, read, mmas = None, 0, 0, 0
        for text in (i.text for i in loop):
            mma = re.search(r"mma\.sync\.aligned\.m(\d+)n(\d+)k(\d+)\.row\.col\S*?\.(\w+)\.(\w+)\.(\w+)(?:\s|$)", text)
            if mma:
                m, n, k = (int(x) for x in mma.group(1, 2, 3))
                blocks = 4 if (m, n, k) == (8, 8, 4) and mma.group(4) == "f16" else 1
                work, types, mmas = work + m * n * k * blocks, (mma.group(4), mma.group(5)), mmas + 1
            matrices = re.search(r"ldmatrix\S*\.x(\d)", text)
            if matrices:
                read += 128 * int(matrices.group(1))
            width = PTX_WIDTH.search(text)
            if width:
                read += 32 * int(width.group(1) or 1) * int(width.group(2)) // 8
        if types:
            found[plain_name(name)] = (types, work, read, mmas)
    return found


def mfma_rows():
    """Rows of layouts/isa/Mfma.inc: (m, n, k, blocks, type of A, cycles by chip)."""
    with open(f"{ROOT}/layouts/isa/Mfma.inc") as file:
        for line in file:
            if not line.startswith("MFMA("):
                continue
            cells = [c.strip(' "') for c in line[5:].split(",")]
            m, n, k, blocks = (int(c) for c in cells[2:6])
            cycles = dict(zip(("gfx908", "gfx90a", "gfx942", "gfx950"), map(int, cells[11:15])))
            yield m, n, k, blocks, cells[6], cycles


def sizes_of(instructions):
    """Rows of the tiles that a loop's MFMAs multiply."""
    found = (re.match(r"v_mfma\w*?_(\d+)x\d+x", i.text) for i in instructions)
    return {int(m.group(1)) for m in found if m}


def best_work(ptx_type, chip, sizes):
    """m n k of the instruction with the most operations a cycle, of several that of a size that is
    there; None without one."""
    kinds = {"f16": ["F16"], "bf16": ["BF16"], "s8": ["I8"], "u8": ["I8"], "f64": ["F64"]}
    kinds |= {"tf32": ["XF32", "F32"], "e4m3": ["FP8", "E4M3"], "e5m2": ["BF8", "E5M2"]}
    for kind in kinds.get(ptx_type, []):
        rows = [r for r in mfma_rows() if r[4].upper().startswith(kind) and r[5].get(chip)]
        if rows:
            m, n, k, b, _, _ = max(
                rows,
                key=lambda r: (r[0] * r[1] * r[2] * r[3] / r[5][chip], -r[3], {r[0]} == sizes, -r[0]),
            )
            return m * n * k * b
    return None


# --- The port's code object --------------------------------------------------------------


def compile_hip(path, chip, folder, flags):
    """(object, kernel -> resources by the compiler's own remarks)."""
    made = os.path.join(folder, f"{os.path.basename(path)}.{chip}.o")
    call = [CLANG, "-x", "hip", "-c", "-O3", "-w", "-nogpulib", "-nogpuinc", "-std=c++17"]
    call += ["-DLAYOUT_PORT_CHECK", f"--offload-arch={chip}", "--offload-device-only"]
    call += ["--no-gpu-bundle-output", "-Rpass-analysis=kernel-resource-usage", path, "-o", made]
    resources, name = collections.defaultdict(dict), ""
    for line in output_of(call + flags, both=True).splitlines():
        found = re.search(r"remark:.*?([A-Z][\w /\[\]]*): +(\S+) \[-Rpass", line)
        if not found:
            continue
        key, value = found.group(1).strip(), found.group(2)
        if key == "Function Name":
            name = value
        else:
            resources[name][key.split(" [")[0]] = value
    return made, resources


def machine_functions(made):
    """Function name -> instructions, from the disassembly."""
    functions, current = {}, None
    for line in output_of([OBJDUMP, "-d", "--no-show-raw-insn", made]).splitlines():
        head = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        if head:
            current, base = functions.setdefault(head.group(1), []), int(line.split()[0], 16)
            continue
        body = re.match(r"\s+(\S.*?)\s*// ([0-9A-F]{8,}):(?:.*<[^>+]+(?:\+0x([0-9a-f]+))?>)?", line)
        if current is None or not body:
            continue
        text, address, offset = body.groups()
        branch = text.startswith(("s_branch", "s_cbranch"))
        target = base + int(offset or "0", 16) if branch else None
        leaves = text.startswith(("s_branch", "s_endpgm", "s_setpc"))
        current.append(Instruction(text, target, not leaves, [int(address, 16)]))
    return functions


CROSS_LANE = re.compile(r"ds_(b?permute|swizzle)|v_permlane|v_readlane|v_writelane|_dpp\b")


def count(instructions):
    counts = collections.Counter()
    for text in (i.text for i in instructions):
        name = text.split()[0]
        if name.startswith(("v_mfma", "v_smfmac")):
            counts["mfma"] += 1
        elif CROSS_LANE.match(name) or name.endswith("_dpp"):
            counts["cross"] += 1
        elif name.startswith("ds_read"):
            pair = "read2" in name
            counts["reads"] += 1
            bits = 8 if name.endswith(("u8", "i8", "d16", "d16_hi")) and "8" in name else 16
            wide = re.search(r"_b(\d+)", name)
            counts[f"read{wide.group(1) if wide else bits}"] += 2 if pair else 1
        elif name.startswith("ds_write"):
            counts["write"] += 1
        elif name.startswith("scratch_"):
            counts["scratch"] += 1
        elif re.match(r"(global|flat|buffer)_store", name):
            dwords = re.search(r"dwordx(\d)", name)
            bits = 32 * int(dwords.group(1)) if dwords else 32 if "dword" in name else 16
            counts[f"store{bits}"] += 1
        elif name.startswith("v_"):
            counts["valu"] += 1
    return counts


# --- The tool ----------------------------------------------------------------------------


def port(tool, source, folder, chips, tier=""):
    """(path of the port, the worst tier of its mma, what is said of kernels not native)."""
    name = os.path.splitext(os.path.basename(source))[0]
    made = os.path.join(folder, f"{name}{'.' + tier if tier else ''}.hip")
    call = [tool, source, "-o", made, "--json", made + ".json", "--quiet", "--target", ",".join(chips)]
    call += [f"--max-tier={tier}"] if tier else []
    call += ["--launch", launch_of(source)] if launch_of(source) else []
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"port of {source}: {done.stderr.strip()[:300]}")
    with open(made + ".json") as file:
        report = json.load(file)
    tiers = [s["tier"] for s in report["sites"] if s["construct"].startswith("mma.")]
    order = ("native", "bridged", "emulated", "manual")
    refusals = [n for n in report["summary"]["notes"] if " is not native: " in n]
    return made, max(tiers, key=order.index, default="none"), refusals


def launch_of(source):
    launch = os.path.splitext(source)[0] + ".yaml"
    return launch if os.path.exists(launch) else ""


class Counts:
    """What a launch of source and port does on the SIMT machine, by kernel; nothing without one."""

    def __init__(self, options, source, made, chip):
        self.sides = {}
        with open(made) as file:
            self.has_rest = "lp::no_words" in file.read()
        if not options.passes or not launch_of(source):
            return
        found = made + f".{chip}.verify.json"
        call = [options.tool, "verify", source, made, "--launch", launch_of(source)]
        subprocess.run([*call, "--target", chip, "--json", found], capture_output=True, check=False)
        try:
            with open(found) as file:
                self.sides = json.load(file)["counts"]
        except (OSError, ValueError, KeyError):
            pass

    def of(self, side, kernel):
        counts = self.sides.get(side, {})
        same = lambda entry: plain_name(entry.get("kernel", "")) == plain_name(kernel)
        kernels = counts.get("kernels", [])
        return next((k for k in kernels if same(k)), {} if len(kernels) > 1 else counts)

    def passes(self, kernel):
        """'passes (bound)'"""
        entry = self.of("port", kernel)
        return f"{entry['shared_passes']} ({entry['shared_passes_bound']})" if "shared_passes" in entry else ""

    def trips(self, kernel, mmas, mfmas):
        """Trips of a warp's loop of so many mma.sync in one of a wave's loop of so many MFMAs."""
        source, port = (self.of(side, kernel).get("matrix") for side in ("source", "port"))
        trips = (source / mmas / 2) / (port / mfmas) if source and port and mmas and mfmas else 1
        # Steps that are left over at the end are multiplied behind the loop.
        return math.ceil(trips) if self.has_rest and trips > 1 else trips


def plain_name(name):
    """'void f<A, 2>(int)' -> 'f<A,2>'."""
    if name.startswith("_Z"):
        name = output_of([FILTER, name]).strip()
    return re.sub(r"\((?!anonymous).*", "", name).replace("void ", "").replace(" ", "")


COLUMNS = (
    "kernel", "chip", "tier", "MFMA", "LDS reads 128 / 64 / 32 / less", "cross-lane", "VALU",
    "LDS writes", "scratch", "stores 128 / 64 / 32 / 16", "VGPR + AGPR", "SGPR", "LDS", "stack",
    "waves a SIMD", "LDS passes",
)  # fmt: skip


def bound_text(value, bound):
    return f"{value}" if bound is None else f"{value} ({bound:.4g})"


# The GEMMs that the target stands for, and why some of them are over it in MFMAs or LDS reads.
GEMMS = (
    "hgemm_macros", "one_tile", "warps_2x4", "xor_swizzle", "padded", "rotated", "ring3", "f16_sums", "bf16",
    "int8_k32", "int8_k16", "tf32", "hand_built", "staged_epilogue", "quad_store", "dequant4", "template3",
    "helpers", "block_32x4", "tile_128x128", "hgemm",
)  # fmt: skip
MFMAS, READS = "MFMA", "LDS reads"
ALONE = "one n8 tile a warp, and rows of its own: half of the columns of any MFMA as deep are empty"
EIGHT_ROWS = "one m8n8 tile a warp, a fourth of an MFMA"
STEPS = "the loop over k ends anywhere: a step that fills no MFMA is multiplied behind it"
THREE = "three n8 tiles: two are one, the third is alone"
BY_COLUMN = "B lies along n: the elements of k that a lane wants of a column are in as many rows"
WHY_OVER = {
    "hgemm_macros: hgemmMacros": {MFMAS: ALONE, READS: ALONE},
    "one_tile: oneTile": {MFMAS: ALONE, READS: ALONE},
    "f16_sums: f16Sums": {READS: "A has one step of 16 k a turn, 8 bytes a lane, and " + BY_COLUMN},
    "f16_sums: f16Begun": {
        READS: BY_COLUMN + ", and sums that begin otherwise in odd columns keep their columns' order"
    },
    "int8_k16: imma": {MFMAS: STEPS},
    "int8_k16: immaOneTile": {MFMAS: EIGHT_ROWS, READS: EIGHT_ROWS},
    "int8_k16: immaDiagonal": {MFMAS: EIGHT_ROWS},
    "int8_k16: immaLooped": {MFMAS: STEPS},
    "tf32: tf32Gemm": {READS: BY_COLUMN},
    "quad_store: quadStore": {
        READS: BY_COLUMN + "; an MFMA of 32 x 32 so is cheaper than those of 16 x 16 with B read in twos"
    },
    "dequant4": {READS: "B is computed in registers, in the order of k that its packing has, and A follows it"},
    "template3: tiledGemm<Config<2,1,1,3>,1,1,3>": {MFMAS: THREE, READS: THREE},
    "helpers": {MFMAS: "a step of 16 k is a function's call of a function: no step waits for the next across both"},
    "hgemm": {READS: "B lies along n, read in twos; the port by hand reads as much"},
}


def over_target(row):
    """What of a row is over: counts above 1.05 of their bounds, moves, scratch."""
    bounds = ((MFMAS, "mfma", row.mfma_bound), (READS, "reads", row.read_bound))
    over = [what for what, key, bound in bounds if bound and row.counts[key] > 1.05 * bound]
    return over + [what for what, key in (("cross-lane", "cross"), ("scratch", "scratch")) if row.counts[key]]


def print_target(rows, missing):
    """The table of GEMMS; how many rows are over without a reason in WHY_OVER, or are not there."""
    untold = len(missing)
    print(TARGET_INTRODUCTION)
    print_row(("kernel", "chip", "MFMA", "LDS reads", "cross-lane", "scratch", "over", "because"))
    print("|" + "---|" * 8)
    for row in rows:
        over = over_target(row)
        reasons = [WHY_OVER.get(row.label, {}).get(what, "not told") for what in over]
        untold += "not told" in reasons
        print_row((
            row.label, row.chip, bound_text(row.counts["mfma"], row.mfma_bound),
            bound_text(row.counts["reads"], row.read_bound), row.counts["cross"], row.counts["scratch"],
            ", ".join(over), "; ".join(dict.fromkeys(reasons)),
        ))  # fmt: skip
    for label, chip in missing:
        print_row((label, chip, "", "", "", "", "not native", "not told"))
    return untold


Row = collections.namedtuple("Row", "cells label chip tier counts mfma_bound read_bound")


def rows_of(label, tier, made, chip, folder, flags, bounds, counts):
    """One Row a kernel with a matrix instruction."""
    objects, resources = compile_hip(made, chip, folder, flags)
    for name, instructions in machine_functions(objects).items():
        if name not in resources or not any(i.text.startswith("v_mfma") for i in instructions):
            continue
        loop, is_loop = matrix_loop(instructions, lambda text: text.startswith("v_mfma"))
        inside, whole, held = count(loop), count(instructions), resources[name]
        kernel = plain_name(name)
        types, work, read, mmas = bounds.get(kernel, (None, 0, 0, 0))
        trips = counts.trips(kernel, mmas, inside["mfma"]) if counts and tier == "native" else 1
        best = best_work(types[0], chip, sizes_of(loop)) if types else None
        reads = [inside["read128"], inside["read64"], inside["read32"]]
        reads.append(inside["read16"] + inside["read8"])
        used = min(4, max(i for i in range(4) if reads[i] or i == 0) + 1)
        shown = label if label == kernel else f"{label}: {kernel}"
        mfma_bound = trips * 2 * work / best if best else None
        read_bound = trips * 2 * read / 1024 if types and read else None
        cells = (
            shown + ("" if is_loop else " (no loop)"), chip, tier,
            bound_text(inside["mfma"], mfma_bound),
            bound_text(" / ".join(map(str, reads[:used])), read_bound),
            inside["cross"], inside["valu"], inside["write"], inside["scratch"],
            " / ".join(str(whole[f"store{b}"]) for b in (128, 64, 32, 16)),
            f"{held.get('VGPRs')} + {held.get('AGPRs')}", held.get("TotalSGPRs"),
            held.get("LDS Size"), held.get("ScratchSize"), held.get("Occupancy"),
            counts.passes(kernel) if counts else "",
        )  # fmt: skip
        yield Row(cells, shown, chip, tier, inside, mfma_bound, read_bound)


def with_exponential(path, folder):
    """The file, and the library's expf as clang has it for ports: a code object lacks its own."""
    made = os.path.join(folder, os.path.basename(path))
    with open(made, "w") as file:
        file.write(f'#include "{os.path.abspath(path)}"\n')
        file.write('extern "C" __device__ float __ocml_exp_f32(float x) { return __builtin_expf(x); }\n')
    return made


def table_for(source, options, folder, chips, refusals):
    label = os.path.splitext(os.path.basename(source))[0]
    own = [f"-I{os.path.dirname(os.path.abspath(source))}"]
    hip = ["-isystem", f"{ROOT}/tool/share/hip", *own]
    made, tier, refused = port(options.tool, source, folder, chips)
    refusals += [(label, *note.split(" is not native: ", 1)) for note in refused]
    versions = [(tier, made, hip)]
    if tier == "native":
        versions.append(("bridged", port(options.tool, source, folder, chips, "bridged")[0], hip))
    by_hand = os.path.splitext(source)[0] + "_native.hip"
    if os.path.exists(by_hand):
        versions.append(("by hand", with_exponential(by_hand, folder), own))
    bounds = ptx_bounds(source, own)
    for chip in chips:
        for tier, path, flags in versions:
            counts = Counts(options, source, path, chip)
            yield from rows_of(label, tier, path, chip, folder, flags, bounds, counts)


def composable_kernel(options, folder, chips):
    """CK's own GEMM; its release may not know every chip."""
    flags = [f"-I{options.ck}/include", "-isystem", f"{ROOT}/tool/share/hip"]
    for chip in chips:
        try:
            source = f"{ROOT}/tool/scripts/ck_gemm.hip"
            rows = rows_of("ck_gemm", "CK", source, chip, folder, flags, {}, None)
            yield from list(rows)
        except RuntimeError as error:
            said = re.search(r"error: (.*)", str(error))
            cells = ("ck_gemm", chip, "CK", f"does not compile: {said.group(1) if said else error}")
            yield Row(cells, "ck_gemm", chip, "CK", None, None, None)


def sources_of(arguments):
    chosen = arguments or [f"{ROOT}/test/kernels", f"{ROOT}/test/native"]
    for argument in chosen:
        if os.path.isdir(argument):
            files = sorted(f for f in os.listdir(argument) if f.endswith(".cu"))
            yield from (os.path.join(argument, f) for f in files)
        else:
            yield argument


INTRODUCTION = """# Quality of the ports

Regenerated by `tool/scripts/quality.py > docs/quality.md`; how each figure is found stands at
the head of that script. Counts are one trip of the k-loop for one wave of 64 lanes, from the
disassembly of the code object; bounds, derived from the shape, are in parentheses. Stores are
of the whole kernel. A bridged site holds two arms, the second for waves that are not whole:
its VALU and LDS counts include the arm not taken. LDS is in bytes, static; LDS passes are
those of a launch on the SIMT machine, all waves together, with their lower bound.

An MFMA is full where two warps share A, or two n8 tiles an A. The last of an odd number of tiles, the
only one, and tiles with an A each have no neighbour: of these, when the two warps have different rows,
each is multiplied twice; only another step of k could fill the rest (docs/native.md).
"""

TARGET_INTRODUCTION = """
## The target

The GEMMs among them, and what a port by hand is held to: in a trip of the k-loop nothing moves between
lanes, nothing goes to scratch, and there are at most 1.05 times as many MFMAs and LDS reads as the bound says.
A read is an instruction here: `ds_read2_b64` brings the 16 bytes a lane of a `ds_read_b128`.
"""


def print_row(row):
    print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=f"{ROOT}/build/bin/layout-port")
    parser.add_argument("--target", default="gfx90a,gfx942,gfx950")
    parser.add_argument("--no-passes", dest="passes", action="store_false")
    parser.add_argument("--ck", metavar="DIR", help="Composable Kernel's sources")
    parser.add_argument("sources", nargs="*", metavar="FILE|FOLDER")
    options = parser.parse_args()
    chips, failed, refusals, gemms, missing = options.target.split(","), [], [], [], []
    print(INTRODUCTION)
    print_row(COLUMNS)
    print("|" + "---|" * len(COLUMNS))
    with tempfile.TemporaryDirectory() as folder:
        for source in sources_of(options.sources):
            label = os.path.splitext(os.path.basename(source))[0]
            own = []
            try:
                for row in table_for(source, options, folder, chips, refusals):
                    print_row(row.cells)
                    own += [row] if row.tier == "native" else []
            except RuntimeError as error:
                failed.append(f"- {os.path.basename(source)}: {error}")
            if label in GEMMS:
                gemms += own
                missing += [(label, chip) for chip in chips if chip not in [row.chip for row in own]]
        for row in composable_kernel(options, folder, chips) if options.ck else []:
            print_row(row.cells)
    untold = print_target(gemms, missing) if gemms or missing else 0
    if refusals:
        print("\n## Why not native\n\n| file | kernel | reason |\n|---|---|---|")
        for refusal in refusals:
            print_row([re.sub(r" \(\S+?(\w+\.\w+:\d+)\)$", r" (\1)", r) for r in refusal])
    if failed:
        print("\nNot measured:\n\n" + "\n".join(failed))
    return 1 if failed or untold else 0


if __name__ == "__main__":
    sys.exit(main())
