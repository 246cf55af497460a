#!/usr/bin/env python3
"""Writes small GEMM kernels, each with its launch: the sweep of the matrix rules.

A case is a point of: type pair and mma shape x how each operand lies in shared memory and
is read (ldmatrix, ldmatrix.trans, plain loads) x tile layout (plain, padded, swizzled) x
tiles a warp (1..5 along m and n) x warps (1..8; along m, along n, in two dimensions).
The first three axes are taken in full; for each of their points a number of the last two
is dealt from one shuffled deck, so that every tile count and every arrangement of warps
meets every type. The deck's seed is fixed: the same cases come out every time.

  generate.py --list                      names, one a line
  generate.py --out DIR [--only PATTERN]  DIR/sweep_000.cu and .yaml ..., 10 kernels each
  generate.py --out DIR --sample 40       a seeded sample

Fragments: PTX ISA 9.7.14, "Matrix Fragments for mma". Every operand is made of 32-bit words
(64-bit for f64); word w of lane 4g + q is row g + 8 (w % mh), k = e (q + 4 (w / mh)), where
e elements are in a word and mh = m / 8; B likewise with n for the row and mh = 1.
"""
import argparse
import fnmatch
import os
import random
import sys
from dataclasses import dataclass

SEED = 20261121
KERNELS_A_FILE = 10
SHARED_LIMIT = 40 * 1024  # bytes; 48 KiB is what CUDA gives without asking
TRIPS = 3  # of the k loop
MMA_LIMIT = 32  # a block and k step: what the machine runs in a fraction of a second


@dataclass(frozen=True)
class Type:
    name: str  # in PTX
    bits: int  # an element takes in memory
    data: str  # in a launch file
    spelled: str  # in C++


TYPES = {
    t.name: t
    for t in (
        Type("f16", 16, "f16", "half"),
        Type("bf16", 16, "bf16", "__nv_bfloat16"),
        Type("tf32", 32, "f32", "float"),
        Type("f32", 32, "f32", "float"),
        Type("f64", 64, "f64", "double"),
        Type("s8", 8, "i8", "int8_t"),
        Type("u8", 8, "u8", "uint8_t"),
        Type("e4m3", 8, "e4m3", "uint8_t"),
        Type("e5m2", 8, "e5m2", "uint8_t"),
        Type("s32", 32, "i32", "int"),
    )
}


@dataclass(frozen=True)
class Mma:
    a: str
    b: str
    d: str
    m: int
    n: int
    k: int

    @property
    def shape(self):
        return f"m{self.m}n{self.n}k{self.k}"

    @property
    def mnemonic(self):
        return f"mma.sync.aligned.{self.shape}.row.col.{self.d}.{self.a}.{self.b}.{self.d}"

    def name(self):
        return "_".join([self.a if self.a == self.b else self.a + self.b, self.d, self.shape])


# Instruction, ways to read its operands, cases for each way and tile layout.
LDSM, TRANS, PLAIN, ROW = "ldsm", "trans", "plain", "row"
HALF_WAYS = ((LDSM, LDSM), (LDSM, TRANS), (TRANS, LDSM), (TRANS, TRANS), (PLAIN, PLAIN), (PLAIN, ROW))
WORD_WAYS = ((LDSM, LDSM), (PLAIN, PLAIN))
TF32_WAYS = ((LDSM, LDSM), (PLAIN, PLAIN), (PLAIN, ROW))
F64_WAYS = ((PLAIN, PLAIN), (PLAIN, ROW))
PLAN = (
    (Mma("f16", "f16", "f32", 16, 8, 16), HALF_WAYS, 9),
    (Mma("f16", "f16", "f16", 16, 8, 16), HALF_WAYS, 9),
    (Mma("bf16", "bf16", "f32", 16, 8, 16), HALF_WAYS, 9),
    (Mma("f16", "f16", "f32", 16, 8, 8), HALF_WAYS, 4),
    (Mma("f16", "f16", "f16", 16, 8, 8), HALF_WAYS, 4),
    (Mma("bf16", "bf16", "f32", 16, 8, 8), HALF_WAYS, 4),
    (Mma("tf32", "tf32", "f32", 16, 8, 8), TF32_WAYS, 4),
    (Mma("tf32", "tf32", "f32", 16, 8, 4), TF32_WAYS, 4),
    (Mma("s8", "s8", "s32", 16, 8, 32), WORD_WAYS, 4),
    (Mma("s8", "s8", "s32", 16, 8, 16), WORD_WAYS, 4),
    (Mma("s8", "s8", "s32", 8, 8, 16), WORD_WAYS, 4),
    (Mma("u8", "u8", "s32", 16, 8, 32), WORD_WAYS, 3),
    (Mma("u8", "s8", "s32", 16, 8, 32), WORD_WAYS, 3),
    (Mma("s8", "u8", "s32", 16, 8, 32), WORD_WAYS, 3),
    (Mma("e4m3", "e4m3", "f32", 16, 8, 32), WORD_WAYS, 3),
    (Mma("e4m3", "e5m2", "f32", 16, 8, 32), WORD_WAYS, 3),
    (Mma("f64", "f64", "f64", 8, 8, 4), F64_WAYS, 4),
)
LAYOUTS = ("plain", "padded", "swizzled")


@dataclass(frozen=True)
class Case:
    number: int
    mma: Mma
    ways: tuple
    layout: str
    tiles: tuple  # along m and n, a warp
    warps: tuple  # along m and n
    m_fast: bool  # neighbouring warps lie along m
    steps: int  # k steps a tile of shared memory

    @property
    def tag(self):
        return f"g{self.number:03}"

    @property
    def name(self):
        order = "m" if self.m_fast else "n"
        return (
            f"{self.tag}_{self.mma.name()}_{self.ways[0]}_{self.ways[1]}_{self.layout}"
            f"_t{self.tiles[0]}x{self.tiles[1]}_w{self.warps[0]}x{self.warps[1]}{order}"
        )

    @property
    def threads(self):
        return self.warps[0] * self.warps[1] * 32

    @property
    def block(self):
        return (
            self.warps[0] * self.tiles[0] * self.mma.m,
            self.warps[1] * self.tiles[1] * self.mma.n,
            self.mma.k * self.steps,
        )


def warp_arrangements():
    """(warps along m, warps along n, m fast) for 1 to 8 warps."""
    for warps in range(1, 9):
        for along_m in range(1, warps + 1):
            if warps % along_m:
                continue
            along_n = warps // along_m
            yield along_m, along_n, along_n == 1
            if along_m > 1 and along_n > 1:
                yield along_m, along_n, True


class Deck:
    """Deals every (tiles, warps, steps) once before any comes again."""

    def __init__(self):
        self.random = random.Random(SEED)
        self.cards = []

    def deal(self, fits):
        for _ in range(2):
            for i, card in enumerate(self.cards):
                if fits(card):
                    return self.cards.pop(i)
            self.cards += self._shuffled()
        raise ValueError("no card fits")

    def _shuffled(self):
        cards = [
            ((tm, tn), (wm, wn), m_fast)
            for tm in range(1, 6)
            for tn in range(1, 6)
            for wm, wn, m_fast in warp_arrangements()
            if tm * tn * wm * wn <= MMA_LIMIT
        ]
        self.random.shuffle(cards)
        return cards


class Tile:
    """One operand's tile in shared memory: rows of `width` elements, and where (r, c) is."""

    def __init__(self, bits, rows, width, layout):
        self.bits, self.rows, self.width, self.layout = bits, rows, width, layout
        self.vector = 128 // bits  # elements in 16 bytes
        self.pitch = width
        if layout == "padded":
            self.pitch = width + self.vector
        elif layout == "swizzled":
            chunks = max(width // self.vector, 4)
            self.pitch = (1 << (chunks - 1).bit_length()) * self.vector

    @property
    def size(self):
        return self.rows * self.pitch

    def address(self):
        """Element number of row r, column c, as C++."""
        if self.layout != "swizzled":
            return f"r * {self.pitch} + c"
        v, chunks = self.vector, self.pitch // self.vector
        row = "r" if chunks >= 8 else f"r / {8 // chunks}"
        return f"r * {self.pitch} + ((c / {v} ^ {row} % {min(chunks, 8)}) * {v} + c % {v})"


def operand_tiles(case):
    m, n, k = case.block
    a, b = TYPES[case.mma.a].bits, TYPES[case.mma.b].bits
    tile_a = Tile(a, k, m, case.layout) if case.ways[0] == TRANS else Tile(a, m, k, case.layout)
    by_rows = case.ways[1] in (TRANS, ROW)
    tile_b = Tile(b, k, n, case.layout) if by_rows else Tile(b, n, k, case.layout)
    return tile_a, tile_b


def shared_bytes(case):
    return sum(t.size * t.bits // 8 for t in operand_tiles(case))


def cases():
    deck, number = Deck(), 0
    for mma, ways_list, count in PLAN:
        for ways in ways_list:
            for layout in LAYOUTS:
                for _ in range(count):

                    def made(card, steps):
                        return Case(number, mma, ways, layout, *card, steps)

                    steps = 1 + number % 2
                    card = deck.deal(lambda c: shared_bytes(made(c, steps)) <= SHARED_LIMIT)
                    yield made(card, steps)
                    number += 1


class Writer:
    """The kernel of one case as CUDA."""

    SPELLINGS = (
        ("threadIdx.x % 32", "threadIdx.x / 32", "lane / 4", "lane % 4"),
        ("threadIdx.x & 31", "threadIdx.x >> 5", "lane >> 2", "lane & 3"),
        ("threadIdx.x & 0x1f", "threadIdx.x / 32", "lane >> 2", "lane % 4"),
    )

    def __init__(self, case):
        self.c = case
        self.mma = case.mma
        self.a, self.b, self.d = (TYPES[t] for t in (case.mma.a, case.mma.b, case.mma.d))
        self.tile_a, self.tile_b = operand_tiles(case)
        self.m_words = case.mma.m // 8
        self.k_words = max(1, case.mma.k * self.a.bits // 128) if self.a.bits < 64 else 1
        self.sums = self.m_words * (1 if case.mma.d == "f16" else 2)

    def text(self):
        c = self.c
        lane, warp, g, q = self.SPELLINGS[c.number % len(self.SPELLINGS)]
        m, n, k = c.block
        wn = c.warps[1] if not c.m_fast else c.warps[0]
        first, second = (f"warp / {wn}", f"warp % {wn}") if not c.m_fast else (f"warp % {wn}", f"warp / {wn}")
        tm, tn = c.tiles
        word = "double" if self.a.bits == 64 else "uint32_t"
        return f"""
// {self.mma.mnemonic}: {tm}x{tn} tiles, {c.warps[0]}x{c.warps[1]} warps, A {c.ways[0]}, B {c.ways[1]}, {c.layout}
__device__ __forceinline__ int {c.tag}_atA(int r, int c) {{ return {self.tile_a.address()}; }}
__device__ __forceinline__ int {c.tag}_atB(int r, int c) {{ return {self.tile_b.address()}; }}
__global__ void __launch_bounds__({c.threads})
{c.name}(const {self.a.spelled} *A, const {self.b.spelled} *B, {self.d.spelled} *C, int M, int N, int K) {{
  __shared__ __align__(16) {self.a.spelled} sA[{self.tile_a.size}];
  __shared__ __align__(16) {self.b.spelled} sB[{self.tile_b.size}];
  const int lane = {lane}, warp = {warp}, g = {g}, q = {q};
  const int wm = {first} * {tm * self.mma.m}, wn = {second} * {tn * self.mma.n};
  const int bm = blockIdx.y * {m}, bn = blockIdx.x * {n};
  {self.sum_type()} acc[{tm}][{tn}][{self.sums}] = {{}};
  for (int k0 = 0; k0 < K; k0 += {k}) {{
{self.copy("A", self.tile_a, "bm", "M", c.ways[0] == TRANS)}
{self.copy("B", self.tile_b, "bn", "N", c.ways[1] in (TRANS, ROW))}
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < {k}; kk += {self.mma.k}) {{
      {word} a[{tm}][{self.m_words * self.k_words}], b[{tn}][{self.k_words}];
#pragma unroll
      for (int i = 0; i < {tm}; i++) {{
{self.load_a()}
      }}
#pragma unroll
      for (int j = 0; j < {tn}; j++) {{
{self.load_b()}
      }}
#pragma unroll
      for (int i = 0; i < {tm}; i++)
#pragma unroll
        for (int j = 0; j < {tn}; j++)
{self.multiply()}
    }}
    __syncthreads();
  }}
#pragma unroll
  for (int i = 0; i < {tm}; i++)
#pragma unroll
    for (int j = 0; j < {tn}; j++) {{
{self.store()}
    }}
}}
"""

    def host(self):
        """A launch in view, without which no block is padded."""
        c, (x, y) = self.c, grid_of(self.c)
        return f"""
void launch_{c.tag}(const {self.a.spelled} *A, const {self.b.spelled} *B, {self.d.spelled} *C, int M, int N, int K) {{
  {c.name}<<<dim3({x}, {y}), {c.threads}>>>(A, B, C, M, N, K);
}}
"""

    def sum_type(self):
        return {"f16": "uint32_t", "f32": "float", "s32": "int", "f64": "double"}[self.mma.d]

    def copy(self, operand, tile, origin, extent, k_rows):
        """The whole block copies 16 bytes a thread and turn."""
        chunks = tile.width // tile.vector
        c, at = self.c, f"{self.c.tag}_at{operand}"
        row = f"v / {chunks}" if chunks > 1 else "v"
        col = f"v % {chunks} * {tile.vector}" if chunks > 1 else "0"
        if k_rows:
            source = f"(k0 + {row}) * {extent} + {origin} + {col}"
        else:
            source = f"({origin} + {row}) * K + k0 + {col}"
        return f"""    for (int v = threadIdx.x; v < {tile.rows * chunks}; v += {c.threads})
      *(int4 *)&s{operand}[{at}({row}, {col})] = *(const int4 *)&{operand}[{source}];"""

    def ldmatrix(self, registers, pointer, trans):
        count = len(registers)
        outputs = ", ".join(f'"=r"({r})' for r in registers)
        places = ", ".join(f"%{i}" for i in range(count))
        dot_trans = ".trans" if trans else ""
        return f"""        asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{dot_trans}.shared.b16 {{{places}}}, [%{count}];"
                     : {outputs}
                     : "r"((uint32_t)__cvta_generic_to_shared(&{pointer})));"""

    def load_a(self):
        words = self.m_words * self.k_words
        registers = [f"a[i][{w}]" for w in range(words)]
        row, at = f"wm + i * {self.mma.m}", f"sA[{self.c.tag}_atA"
        matrix = f"lane / 8 % {words}" if words < 4 else "lane / 8"
        m_half = f" + {matrix} % {self.m_words} * 8" if self.m_words > 1 else ""
        k_half = f"{matrix} / {self.m_words}" if self.k_words > 1 else ""
        if self.c.ways[0] == LDSM:
            step = f" + {k_half} * {self.tile_a.vector}" if k_half else ""
            return self.ldmatrix(registers, f"{at}({row} + lane % 8{m_half}, kk{step})]", False)
        if self.c.ways[0] == TRANS:
            step = f" + {k_half} * 8" if k_half else ""
            return self.ldmatrix(registers, f"{at}(kk{step} + lane % 8, {row}{m_half})]", True)
        lines = []
        for w, register in enumerate(registers):
            place = f"{at}({row} + g + {w % self.m_words * 8}, {self.word_k(w // self.m_words)})]"
            lines.append(f"        {register} = {self.plain(place)};")
        return "\n".join(lines)

    def load_b(self):
        registers = [f"b[j][{w}]" for w in range(self.k_words)]
        col, at = f"wn + j * {self.mma.n}", f"sB[{self.c.tag}_atB"
        matrix = f"lane / 8 % {self.k_words}"
        if self.c.ways[1] == LDSM:
            step = f" + {matrix} * {self.tile_b.vector}" if self.k_words > 1 else ""
            return self.ldmatrix(registers, f"{at}({col} + lane % 8, kk{step})]", False)
        if self.c.ways[1] == TRANS:
            step = f" + {matrix} * 8" if self.k_words > 1 else ""
            return self.ldmatrix(registers, f"{at}(kk{step} + lane % 8, {col})]", True)
        lines = []
        for w, register in enumerate(registers):
            k = self.word_k(w)
            if self.c.ways[1] == PLAIN:
                value = self.plain(f"{at}({col} + g, {k})]")
            elif self.b.bits >= 32:
                value = self.plain(f"{at}({k}, {col} + g)]")
            else:
                low, high = (f"*(const uint16_t *)&{at}({k} + {i}, {col} + g)]" for i in (0, 1))
                value = f"(uint32_t){low} | (uint32_t){high} << 16"
            lines.append(f"        {register} = {value};")
        return "\n".join(lines)

    def word_k(self, k_word):
        elements = max(1, 32 // self.a.bits)
        q = "q" if elements == 1 else f"q * {elements}"
        return f"kk + {k_word * 4 * elements} + {q}"

    def plain(self, place):
        if self.a.bits == 64:
            return place
        if self.mma.a == "tf32":
            return f"to_tf32({place})"
        return f"*(const uint32_t *)&{place}"

    def multiply(self):
        letter = {"f16": "r", "f32": "f", "s32": "r", "f64": "d"}[self.mma.d]
        operand = "d" if self.a.bits == 64 else "r"
        words_a, words_b = self.m_words * self.k_words, self.k_words
        numbers = iter(range(64))
        group = lambda count: "{" + ", ".join(f"%{next(numbers)}" for _ in range(count)) + "}"
        d, a, b = group(self.sums), group(words_a), group(words_b)
        outputs = ", ".join(f'"+{letter}"(acc[i][j][{r}])' for r in range(self.sums))
        inputs = ", ".join(
            [f'"{operand}"(a[i][{w}])' for w in range(words_a)]
            + [f'"{operand}"(b[j][{w}])' for w in range(words_b)]
        )
        return f"""          asm volatile("{self.mma.mnemonic} {d}, {a}, {b}, {d};"
                       : {outputs}
                       : {inputs});"""

    def store(self):
        m, n = self.mma.m, self.mma.n
        lines = [f"      {self.d.spelled} *c = C + (bm + wm + i * {m} + g) * N + bn + wn + j * {n} + q * 2;"]
        if self.mma.d == "f16":
            lines += [f"      *(uint32_t *)(c + {8 * r} * N) = acc[i][j][{r}];" for r in range(self.sums)]
        elif self.mma.d == "f32" and self.c.number % 2:
            lines += [
                f"      *(float2 *)(c + {4 * r} * N) = make_float2(acc[i][j][{r}], acc[i][j][{r + 1}]);"
                for r in range(0, self.sums, 2)
            ]
        else:
            lines += [f"      c[{r // 2 * 8} * N + {r % 2}] = acc[i][j][{r}];" for r in range(self.sums)]
        return "\n".join(lines)


HEAD = """// Generated by test/native/sweep/generate.py.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
"""
TO_TF32 = """
__device__ __forceinline__ uint32_t to_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
"""


def grid_of(case):
    return [(2, 1), (1, 2)][case.number % 2]


def padded_block(case):
    """What --warp-blocks=pad makes of a block of an odd number of warps."""
    return f" block_hip: [{case.threads + 32}]," if case.threads % 64 else ""


def launch_lines(case):
    """Buffers and the launch of one case."""
    m, n, k = case.block
    grid = grid_of(case)
    sizes = (m * grid[1], n * grid[0], k * TRIPS)
    t = case.tag[1:]
    data = [TYPES[x].data for x in (case.mma.a, case.mma.b, case.mma.d)]
    buffers = [
        f"  A{t}: {{type: {data[0]}, count: {sizes[0] * sizes[2]}}}",
        f"  B{t}: {{type: {data[1]}, count: {sizes[1] * sizes[2]}}}",
        f"  C{t}: {{type: {data[2]}, count: {sizes[0] * sizes[1]}, init: zero, out: true}}",
    ]
    args = ", ".join([f"A{t}", f"B{t}", f"C{t}"] + [f"{{i32: {s}}}" for s in sizes])
    launch = (
        f"  - {{kernel: {case.name}, grid: [{grid[0]}, {grid[1]}], block: [{case.threads}],"
        f"{padded_block(case)}\n"
        f"     args: [{args}]}}"
    )
    return buffers, launch


def source_of(group):
    """CUDA text of a group of cases, and for each case the lines it spans."""
    text = HEAD
    if any(c.mma.a == "tf32" and PLAIN in c.ways for c in group):
        text += TO_TF32
    spans = {}
    for case in group:
        begin = text.count("\n") + 1
        text += Writer(case).text()
        if case.threads % 64:
            text += Writer(case).host()
        spans[case.name] = (begin, text.count("\n") + 1)
    return text, spans


def launch_of(group):
    parts = [launch_lines(case) for case in group]
    lines = ["buffers:"] + [b for buffers, _ in parts for b in buffers]
    return "\n".join(lines + ["launches:"] + [launch for _, launch in parts]) + "\n"


def chosen(only="*", sample=0):
    found = [c for c in cases() if fnmatch.fnmatch(c.name, only)]
    if sample and sample < len(found):
        found = sorted(random.Random(SEED).sample(found, sample), key=lambda c: c.number)
    return found


def verdict_class(case):
    """Whole numbers are tested, 8-bit floats have a small field of their own: not in one file."""
    if case.mma.d == "s32":
        return "integers"
    return "small floats" if TYPES[case.mma.a].bits == 8 else "floats"


def groups(found, size=KERNELS_A_FILE):
    """Cases that share a file, and so a verdict."""
    for kind in ("floats", "integers", "small floats"):
        same = [c for c in found if verdict_class(c) == kind]
        for i in range(0, len(same), size):
            yield same[i : i + size]


def write(folder, name, group):
    text, spans = source_of(group)
    with open(os.path.join(folder, name + ".cu"), "w") as out:
        out.write(text)
    with open(os.path.join(folder, name + ".yaml"), "w") as out:
        out.write(launch_of(group))
    return spans


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--out", metavar="DIR", help="write the files here")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names, with * and ?")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N cases, seeded")
    options = parser.parse_args()
    if not options.list and not options.out:
        parser.error("give --list or --out DIR")
    found = chosen(options.only, options.sample)
    if options.list:
        print("\n".join(c.name for c in found))
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        for i, group in enumerate(groups(found)):
            write(options.out, f"sweep_{i:03}", group)
    return 0


if __name__ == "__main__":
    sys.exit(main())
