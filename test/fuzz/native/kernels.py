"""Random kernels around mma.sync: real idioms, and what may be odd about each of them.

  prologue    how lane and warp are called; shared arrays; sums, and what they begin with
  loop        over k: copies to shared memory, operands from it, products, code in between
  epilogue    what becomes of the sums

A kernel is a function of its seed and of the choices that are taken back to the plain form
(draws.py). Whatever it computes, it is well defined: what it does is compared with what its
port does. Operands are addressed in bytes, so that the types share one grammar: register r of
A is the word (lane % 4) of row lane / 4 + 8 (r & 1), bytes 16 (r >> 1); of B, of column
lane / 4, bytes 16 r; register e of a result is row lane / 4 + 8 (e / 2), column
lane % 4 * 2 + e % 2. PTX ISA 9.7.14, "Matrix Fragments for mma".
"""
from dataclasses import dataclass

from control import AROUND, EARLY, K_LOOPS
from draws import Draws, Writer
from operands import COPIES, LOADS_A, LOADS_B, LOADS_B_TRANS, OPERANDS, SWIZZLES, WRAPPERS
from results import BEFORE_EPILOGUE, BEHIND, BETWEEN, CHAINS, CONTAINERS, EPILOGUES, FILLS
from results import no_chain, oneStruct, online
from words import INLINE_WAYS, LANES, LOOPS, NOISE, WARPS, WAYS

TRIPS = 3  # of the loop over k


@dataclass(frozen=True)
class Type:
    name: str  # in PTX
    spelled: str
    data: str  # in a launch file
    bytes: int
    shape: str
    result: str = "f32"
    sum: str = "float"


TYPES = (
    Type("f16", "half", "f16", 2, "m16n8k16"),
    Type("bf16", "__nv_bfloat16", "bf16", 2, "m16n8k16"),
    Type("tf32", "float", "f32", 4, "m16n8k8"),
    Type("s8", "int8_t", "i8", 1, "m16n8k32", "s32", "int"),
)

PRELUDE = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <string.h>

#define SAME(x) (x)
#define RUN(...) __VA_ARGS__
template <class T> __device__ T same(T x) { return x; }
template <class T> __device__ void assign(T &to, T from) { to = from; }
template <class T> __device__ void put(T *to, T from) { *to = from; }
struct Pair { int first, second; };
__device__ __forceinline__ int laneOf() { return threadIdx.x % 32; }
__device__ __forceinline__ uint32_t smem(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
"""


class Kernel:
    """One kernel and the functions around it, in a namespace of its own."""

    def __init__(self, name, seed, plain=()):
        self.name, self.seed, self.d, self.w = name, seed, Draws(seed, plain), Writer()
        self.before = Writer()  # functions that the kernel calls
        self.unique = 0
        d = self.d
        self.type = d.pick("type", TYPES, 0.3)
        self.mt, self.nt = d.size("m tiles", (1, 2, 1)), d.size("n tiles", (2, 4, 1, 3))
        self.wm, self.wn = d.size("warps", ((2, 1), (1, 2), (2, 2), (2, 1), (4, 1), (1, 4)))
        if d.pick("one warp", (False, True), 0.25):
            self.wm = self.wn = 1
        self.isPadded = False  # its blocks, by the port
        self.steps = d.size("k steps", (1, 2))  # of 32 bytes, in a turn of the loop
        self.bm, self.bn = self.wm * self.mt * 16, self.wn * self.nt * 8
        self.threads = 32 * self.wm * self.wn
        self.rowBytes = 32 * self.steps
        self.bk = self.rowBytes // self.type.bytes
        self.kt = 32 // self.type.bytes
        self.ld = 2 * self.bn
        self.region = max(4096, 2 * self.bm * max(self.ld, 32 * self.wn))
        self._write()

    # ---- small words ----

    def fresh(self, stem):
        self.unique += 1
        return f"{stem}{self.unique}"

    def via(self, name, expr, odd=0.25):
        """An integer expression in other words; statements that it needs are written here."""
        return self.d.pick(name, WAYS, odd)(self, expr)

    def inline(self, name, expr, odd=0.25):
        """The same inside of an expression."""
        return self.d.pick(name, INLINE_WAYS, odd)(self, expr)

    def loop(self, name, var, count, body, odd=0.3):
        """for var in 0 .. count - 1, in one of the ways it is said."""
        self.d.pick(name, LOOPS, odd)(self, var, count, body)

    def d_at(self, region):
        """Where in D one of the kernel's parts writes, so that no two write the same element."""
        return f"D[{region * self.region} + "

    def lane(self):
        return self.d.pick("lane's name", (self.laneName, "threadIdx.x % 32", "(threadIdx.x & 31)", "laneOf()"), 0.15)

    def warp(self):
        return self.d.pick("warp's name", (self.warpName, "(threadIdx.x / 32)", "(threadIdx.x >> 5)"), 0.15)

    # ---- the kernel ----

    def _write(self):
        w = self.w
        isTemplate = self.d.pick("template", (False, True), 0.15)
        self.wrappers = self.d.pick("wrappers", WRAPPERS, 0.5)
        self.container = self.d.pick("sums in", CONTAINERS, 0.5)
        self.wrappers(self)
        if isTemplate:
            w.add("template <int BK, int NT, bool FLAG>")
        bound = self.d.pick("bound", (f" __launch_bounds__({self.threads})", f" __launch_bounds__({self.threads}, 1)"), 0.2)
        with w.block(
            f"__global__ void{bound} kern_{self.name}(const {self.type.spelled} *A, const {self.type.spelled} *B,\n"
            f"    {self.type.sum} *C, {self.type.sum} *D, const {self.type.sum} *bias, int M, int N, int K, int ld,\n"
            f"    int flag, {self.type.sum} alpha)"
        ):
            if not isTemplate:
                w.add(f"constexpr int BK = {self.bk}, NT = {self.nt};\nconst bool FLAG = flag != 0;")
            w.add(f"constexpr int MT = {self.mt};\n(void)FLAG;")
            self._prologue()
            self.d.pick("k loop", K_LOOPS, 0.5)(self)
            self.d.pick("behind", BEHIND, 0.2)(self)
            self.chain(self, False)
            self._epilogue()
            self._leftovers()
        self.launched = f"kern_{self.name}<{self.bk}, {self.nt}, true>" if isTemplate else f"kern_{self.name}"
        self.launches = [self.launched]
        if isTemplate and self.d.pick("instances", (1, 2), 0.6) == 2:
            self.launches.append(self.launched.replace("true", "false"))
        if self.threads == 32:
            self._launchAll()
        for launched in self.launches if isTemplate else []:
            w.add(
                f"template __global__ void {launched}(const {self.type.spelled} *, const {self.type.spelled} *, {self.type.sum} *, "
                f"{self.type.sum} *, const {self.type.sum} *, int, int, int, int, int, {self.type.sum});"
            )

    def _launchAll(self):
        """Launches that are in view let blocks of one warp be padded."""
        data, sum = self.type.spelled, self.type.sum
        with self.w.block(f"void start(const {data} *A, const {data} *B, {sum} *C, {sum} *D, const {sum} *bias, int n)"):
            for launched in self.launches:
                self.w.add(f"{launched}<<<dim3(2, 2), 32>>>(A, B, C, D, bias, n, n, n, n, 1, 3);")

    def _prologue(self):
        w, d = self.w, self.d
        self.trans = self.type.bytes == 2 and d.pick("B lies along n", (False, True), 0.3)
        self.pitch = self.rowBytes + d.pick("padding", (0, 16), 0.5)
        self.pitchB = self.bn * 2 + d.pick("padding of B", (0, 16), 0.5) if self.trans else self.pitch
        self.swizzle = d.pick("swizzle", SWIZZLES, 0.4)
        rowsB = self.bk if self.trans else self.bn
        w.add(f"__shared__ __align__(16) unsigned char sA[2][{self.bm * self.pitch}], sB[2][{rowsB * self.pitchB}];")
        w.add("__shared__ int words[4];\nif (threadIdx.x < 4)\n  words[threadIdx.x] = threadIdx.x;")
        d.pick("early exit", EARLY, 0.15)(self)
        self.laneName = d.pick("lane", LANES, 0.5)(self)
        self.warpName = d.pick("warp", WARPS, 0.5)(self)
        self._warpTile()
        w.add("const uint32_t pa = smem(sA), pb = smem(sB);")
        self.container(self)
        d.pick("fill", FILLS, 0.5)(self)
        w.add("int stage = 0;\n(void)stage;")
        isChained = self.type.bytes == 2 and self.nt % 2 == 0
        self.chain = d.pick("second product", CHAINS, 0.25) if isChained else no_chain
        if self.chain is not no_chain:
            w.add("float o[MT][2][4] = {};\n__shared__ __align__(16) unsigned char sV[" + str(self.nt * 8 * 32) + "];")
            with w.block(f"for (int v = threadIdx.x; v < {self.nt * 16}; v += {self.threads})"):
                w.add("*(uint4 *)&sV[v * 16] = *(const uint4 *)(B + v * 8);")
        self.online = self.type.sum == "float" and d.pick("online softmax", (False, True), 0.2)
        if self.online:
            w.add("float top[MT][2], sum[MT][2];\nfor (int i = 0; i < MT; ++i) {")
            w.add("  top[i][0] = top[i][1] = -1e30f;\n  sum[i][0] = sum[i][1] = 0.f;\n}")
        self.step = d.pick("operands", OPERANDS, 0.5)(self)
        self.declaredOutside = d.pick("operands declared", (False, True), 0.4)
        if self.declaredOutside:
            self._declareOperands()

    def _warpTile(self):
        if self.wn == 1:
            m, n = self.warp(), "0"
        elif self.wm == 1:
            m, n = "0", self.warp()
        elif self.d.pick("warps go along", ("n", "m"), 0.4) == "n":
            m, n = f"{self.warp()} / {self.wn}", f"{self.warp()} % {self.wn}"
        else:
            m, n = f"{self.warp()} % {self.wm}", f"{self.warp()} / {self.wm}"
        m, n = self.via("row of the warp", f"{m} * {self.mt * 16}"), self.via("column of the warp", f"({n}) * {self.nt * 8}")
        for name, value in (("wm", m), ("wn", n)):
            spelled = self.d.pick(f"type of {name}", ("const int", "int", "const unsigned", "const auto"), 0.2)
            self.w.add(f"{spelled} {name} = {value};")

    def _declareOperands(self):
        if self.container is oneStruct:
            return
        self.w.add(f"uint32_t a[MT][4], b[NT][2];")

    def a(self, i):
        return f"f.a[{i}]" if self.container is oneStruct else f"a[{i}]"

    def b(self, j):
        return f"f.b[{j}]" if self.container is oneStruct else f"b[{j}]"

    # ---- a turn of the loop over k ----

    def turn(self, k):
        """Copies of the tiles at k, and the products with them."""
        w = self.w
        w.add("__syncthreads();")
        self.d.pick("copy", COPIES, 0.4)(self, k)
        w.add("__syncthreads();")
        self.d.pick("noise", NOISE, 0.2)(self)
        self.products(k)
        self.d.pick("in between", BETWEEN, 0.45)(self, k)
        if self.online:
            online(self)
        self.chain(self, True)

    def products(self, k):
        def step(kk):
            if not self.declaredOutside:
                self._declareOperands()
            self.step(kk)

        self.d.pick("around the products", AROUND, 0.2)(
            self, k, lambda: self.loop("loop over kk", "kk", self.steps, step)
        )

    def loadA(self, kk, i, to=None):
        to = to or self.a(i)
        self.d.pick("load of A", LOADS_A, 0.4)(self, kk, i, to)

    def loadB(self, kk, j, to=None):
        to = to or self.b(j)
        self.d.pick("load of B", LOADS_B_TRANS if self.trans else LOADS_B, 0.4)(self, kk, j, to)

    def atA(self, row, byte):
        return f"pa + stage * {self.bm * self.pitch} + {self.swizzle(self, row, byte, self.pitch)}"

    def atB(self, row, byte):
        pitch, rows = (self.pitchB, self.bk) if self.trans else (self.pitch, self.bn)
        at = f"({row}) * {pitch} + {byte}" if self.trans else self.swizzle(self, row, byte, pitch)
        return f"pb + stage * {rows * pitch} + {at}"

    def multiply(self, i, j, a=None, b=None):
        self.w.add(self.mma(self.tile(i, j), a or self.a(i), b or self.b(j)))

    # ---- the epilogue ----

    def rowOf(self, i, half=0):
        expr = f"blockIdx.y * {self.bm} + wm + {i} * 16 + {self.lane()} / 4"
        return expr + (" + 8" if half else "")

    def colOf(self, j):
        return f"blockIdx.x * {self.bn} + wn + {j} * 8 + {self.lane()} % 4 * 2"

    def _epilogue(self):
        self.d.pick("before the epilogue", BEFORE_EPILOGUE, 0.2)(self)
        self.d.pick("epilogue", EPILOGUES, 0.75)(self)

    def _leftovers(self):
        """Results of the second product and sums over rows."""
        if self.chain is not no_chain:
            self.loop("loop over i", "i", self.mt, lambda i: self.w.add(
                f"for (int j = 0; j < 2; ++j)\n  for (int e = 0; e < 4; ++e)\n"
                f"    {self.d_at(4)}({self.rowOf(i)} + e / 2 * 8) * {32 * self.wn} + (blockIdx.x * {self.wn} + wn / {self.nt * 8}) * 16 +\n"
                f"      j * 8 + {self.lane()} % 4 * 2 + e % 2] =\n"
                f"        o[{i}][j][e];"))
        if self.online:
            place = f"({self.rowOf('i')} + r * 8) * {2 * self.wn} + blockIdx.x * {self.wn} + wn / {self.nt * 8}"
            self.w.add(f"for (int i = 0; i < MT; ++i)\n  for (int r = 0; r < 2; ++r)\n    if ({self.lane()} % 4 == 0)")
            self.w.add(f"      {self.d_at(3)}{place}] = sum[i][r];")

    def each(self, body):
        """body(i, j) for each tile."""
        self.loop("loop over i", "i", self.mt, lambda i: self.loop("loop over j", "j", self.nt, lambda j: body(i, j)))

    # ---- the file ----

    def text(self):
        return f"namespace {self.name} {{\n{self.before.text()}{self.w.text()}}} // namespace {self.name}\n"

    def buffers(self):
        n, data = self.name, self.type.data
        out = "i32" if self.type.sum == "int" else "f32"
        count = TRIPS * self.bk
        lines = [
            f"  {n}A: {{type: {data}, count: {2 * self.bm * count}}}",
            f"  {n}B: {{type: {data}, count: {2 * self.bn * count}}}",
            f"  {n}bias: {{type: {out}, count: {2 * max(self.bm, self.bn)}}}",
        ]
        for i in range(len(self.launches)):
            lines.append(f"  {n}C{i}: {{type: {out}, count: {2 * self.bm * self.ld}, out: true}}")
            lines.append(f"  {n}D{i}: {{type: {out}, count: {7 * self.region}, out: true}}")
        return lines

    def launch(self):
        n, s = self.name, "i32" if self.type.sum == "int" else "f32"
        sizes = (2 * self.bm - 5, 2 * self.bn - 6, TRIPS * self.bk, self.ld, 1)
        block = f"[{self.threads}]" + (", block_hip: [64]" if self.isPadded else "")
        numbers = ", ".join(f"{{i32: {x}}}" for x in sizes)
        return "\n".join(
            f'  - {{kernel: "{n}::{kernel}", grid: [2, 2], block: {block}, '
            f"args: [{n}A, {n}B, {n}C{i}, {n}D{i}, {n}bias, {numbers}, {{{s}: 3}}]}}"
            for i, kernel in enumerate(self.launches)
        )


def file_of(kernels):
    return PRELUDE + "".join(k.text() for k in kernels)


def launch_of(kernels):
    buffers = [line for k in kernels for line in k.buffers()]
    return "\n".join(["buffers:"] + buffers + ["launches:"] + [k.launch() for k in kernels]) + "\n"
