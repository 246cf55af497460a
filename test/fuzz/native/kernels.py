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
import re
from dataclasses import dataclass

from draws import Draws, Writer

TRIPS = 3  # of the loop over k


def filled(code, **values):
    """`code` with what $name stands for."""
    return re.sub(r"\$(\w+)", lambda found: str(values[found.group(1)]), code)


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
        if isTemplate:
            w.add(
                f"template __global__ void {self.launched}(const {self.type.spelled} *, const {self.type.spelled} *, {self.type.sum} *, "
                f"{self.type.sum} *, const {self.type.sum} *, int, int, int, int, int, {self.type.sum});"
            )

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
        self.operands = d.pick("operands", OPERANDS, 0.5)
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
        self.w.add(f"{self.d.pick('type of wm', ('const int', 'int', 'const unsigned', 'const auto'), 0.2)} wm = {m}, wn = {n};")

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
            self.operands(self)(kk)

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
        n = self.name
        data = {"f16": "f16", "bf16": "bf16", "tf32": "f32", "s8": "i8"}[self.type.name]
        out = "i32" if self.type.sum == "int" else "f32"
        count = TRIPS * self.bk
        return [
            f"  {n}A: {{type: {data}, count: {2 * self.bm * count}}}",
            f"  {n}B: {{type: {data}, count: {2 * self.bn * count}}}",
            f"  {n}C: {{type: {out}, count: {2 * self.bm * self.ld}, out: true}}",
            f"  {n}D: {{type: {out}, count: {7 * self.region}, out: true}}",
            f"  {n}bias: {{type: {out}, count: {2 * max(self.bm, self.bn)}}}",
        ]

    def launch(self):
        n, s = self.name, "i32" if self.type.sum == "int" else "f32"
        return (
            f'  - {{kernel: "{n}::{self.launched}", grid: [2, 2], block: [{self.threads}], args: [{n}A, {n}B, {n}C, {n}D, {n}bias, '
            f"{{i32: {2 * self.bm - 5}}}, {{i32: {2 * self.bn - 6}}}, {{i32: {TRIPS * self.bk}}}, {{i32: {self.ld}}}, "
            f"{{i32: 1}}, {{{s}: 3}}]}}"
        )


def file_of(kernels):
    return PRELUDE + "".join(k.text() for k in kernels)


def launch_of(kernels):
    buffers = [line for k in kernels for line in k.buffers()]
    return "\n".join(["buffers:"] + buffers + ["launches:"] + [k.launch() for k in kernels]) + "\n"


# ---- integers in other words ----


def as_it_is(g, x):
    return x


def parenthesized(g, x):
    return f"({x})"


def plus_zero(g, x):
    return f"({x} + 0)"


def times_flag(g, x):
    return f"(({x}) * flag)"


def by_macro(g, x):
    return f"SAME({x})"


def by_helper(g, x):
    return f"same({x})"


def by_comma(g, x):
    return f"((void)0, {x})"


def by_ternary(g, x):
    return f"(flag ? (int)({x}) : 0)"


def by_ternary_of_template(g, x):
    return f"(FLAG ? (int)({x}) : 7)"


def by_min(g, x):
    return f"min((int)({x}), 100000)"


def by_cast(g, x):
    return f"static_cast<int>({x})"


def by_short(g, x):
    return f"(int)(short)({x})"


def by_sign(g, x):
    return f"(({x}) - 512 < 0 ? ({x}) : 0)"


def by_division(g, x):
    return f"((({x}) - 512) / 2 * 2 + 512 + ({x}) % 2)"


def by_vector(g, x):
    return f"make_int2({x}, 0).x"


def by_statements(code, result):
    """`code` with $x for the expression and $v for a new name; `result` stands for the value."""

    def way(g, x):
        v = g.fresh("v")
        g.w.add(filled(code, x=x, v=v))
        return filled(result, x=x, v=v)

    way.__name__ = code.replace("\n", " ")
    return way


INLINE_WAYS = (
    as_it_is,
    parenthesized,
    plus_zero,
    times_flag,
    by_macro,
    by_helper,
    by_comma,
    by_ternary,
    by_ternary_of_template,
    by_min,
    by_cast,
    by_short,
    by_vector,
    by_sign,
    by_division,
)

WAYS = INLINE_WAYS + (
    by_statements("int $v = $x;", "$v"),
    by_statements("const int $v = $x;", "$v"),
    by_statements("const auto $v = $x;", "(int)$v"),
    by_statements("unsigned $v = $x;", "$v"),
    by_statements("short $v = $x;", "$v"),
    by_statements("uint8_t $v = $x;", "$v"),
    by_statements("int $v;\n$v = $x;", "$v"),
    by_statements("int $v = 0;\n$v += $x;", "$v"),
    by_statements("int $v = $x;\nint &ref_$v = $v;", "ref_$v"),
    by_statements("int $v = 0;\nint &ref_$v = $v;\nref_$v = $x;", "$v"),
    by_statements("int $v = $x;\nint *ptr_$v = &$v;", "*ptr_$v"),
    by_statements("int $v = 0;\nint *ptr_$v = &$v;\n*ptr_$v = $x;", "$v"),
    by_statements("struct { int x, y; } $v;\n$v.x = $x;", "$v.x"),
    by_statements("Pair $v = {0, (int)($x)};", "$v.second"),
    by_statements("Pair $v{(int)($x), 5};\n$v.second = 0;", "$v.first"),
    by_statements("int $v[2] = {0, (int)($x)};", "$v[1]"),
    by_statements("int $v[2];\n$v[0] = $x;\n$v[1] = 1;", "$v[0]"),
    by_statements("auto $v = [&] { return $x; };", "$v()"),
    by_statements("auto $v = [=](int x) { return x + (int)($x); };", "$v(0)"),
    by_statements("int $v = 0;\nif (flag)\n  $v = $x;", "$v"),
    by_statements("int $v = $x;\n{\n  int $v = 7;\n  (void)$v;\n}", "$v"),
    by_statements("int $v = $x;\nconst int then_$v = $v;\n$v = 3;", "then_$v"),
    by_statements("int $v = $x + 1;\n$v--;", "$v"),
    by_statements("int $v = $x;\n$v ^= 5;\n$v ^= 5;", "$v"),
    by_statements("volatile int $v = $x;", "$v"),
    by_statements("int $v;\nassign<int>($v, $x);", "$v"),
    by_statements("int $v;\nput<int>(&$v, $x);", "$v"),
    by_statements("int $v = 0;\nauto set_$v = [&] { $v = $x; };\nset_$v();", "$v"),
    by_statements("int $v, w_$v;\nw_$v = $v = $x;", "w_$v"),
    by_statements("int $v = $x;\nif (flag == 5)\n  $v = 0;", "$v"),
    by_statements("int $v = $x;\nfor (int t = 0; t < flag; ++t)\n  $v += t;", "$v"),
    by_statements("int $v;\nif (threadIdx.x < 32)\n  $v = $x;\nelse\n  $v = $x;", "$v"),
    by_statements("int $v;\nswitch (flag) {\ncase 1:\n  $v = $x;\n  break;\ndefault:\n  $v = 0;\n}", "$v"),
    by_statements("int2 $v = make_int2(1, $x);", "$v.y"),
    by_statements("union { int i; unsigned u; } $v;\n$v.i = $x;", "$v.u"),
    by_statements("float $v = $x;", "(int)($v / 4 * 4)"),
    by_statements("int n_$v = 2, $v = n_$v * 4 + ($x) - 8;\nint &n2_$v = n_$v;\nn2_$v = 5;", "$v"),
    by_statements("int $v = $x;\nint *ptr_$v = &$v;\n$v = 1;\n*ptr_$v = $x;", "$v"),
    by_statements("int $v = $x;\nauto set_$v = [&] { $v = $x; };\n$v = 1;\nset_$v();", "$v"),
    by_statements("int $v = 0;\nfor (int t = 0; t < 100; ++t) {\n  if (t > (int)($x))\n    break;\n  $v = t;\n}", "$v"),
    by_statements("int n$v = K;\nint $v = ($x) + n$v - K;\nn$v = 3;", "$v"),
    by_statements("Pair $v;\n$v = {1, (int)($x)};", "$v.second"),
    by_statements("const Pair $v = {(int)($x), 1}, &w_$v = $v;", "w_$v.first"),
    by_statements("const int2 $v{(int)($x), 4};", "$v.x"),
    by_statements("const int2 $v(make_int2(2, $x));", "$v.y"),
    by_statements("long long $v = $x;", "(int)$v"),
    by_statements("bool $v = ($x) > 0;", "($v ? (int)($x) : 0)"),
    by_statements("static_assert(sizeof(int) == 4, \"\"); const int $v \\\n  = /* here; */ $x; // }", "$v"),
)


# ---- loops with a known count ----


def loop_plain(g, var, count, body):
    with g.w.block(f"for (int {var} = 0; {var} < {count}; ++{var})"):
        body(var)


def loop_unrolled(g, var, count, body):
    g.w.add("#pragma unroll")
    loop_plain(g, var, count, body)


def loop_by_hand(g, var, count, body):
    for n in range(count):
        with g.w.block():
            body(str(n))


def loop_down(g, var, count, body):
    with g.w.block(f"for (int {var} = {count} - 1; {var} >= 0; --{var})"):
        body(var)


def loop_while(g, var, count, body):
    with g.w.block():
        g.w.add(f"int {var} = 0;")
        with g.w.block(f"while ({var} < {count})"):
            body(var)
            g.w.add(f"{var}++;")


def loop_do(g, var, count, body):
    with g.w.block():
        g.w.add(f"int {var} = 0;")
        with g.w.block("do", f" while (++{var} < {count});"):
            body(var)


def loop_unsigned(g, var, count, body):
    with g.w.block(f"for (unsigned {var} = 0u; {var} != {count}; {var} += 1)"):
        body(var)


def loop_shifted(g, var, count, body):
    with g.w.block(f"for (int {var} = 1; {var} <= {count}; ++{var})"):
        body(f"({var} - 1)")


def loop_renamed(g, var, count, body):
    other = g.fresh("n")
    with g.w.block(f"for (int {other} = 0; {other} < {count}; {other}++)"):
        g.w.add(f"const int {var} = {other};")
        body(var)


def loop_xored(g, var, count, body):
    if count & (count - 1):
        return loop_plain(g, var, count, body)
    other = g.fresh("n")
    with g.w.block(f"for (int {other} = 0; {other} < {count}; {other}++)"):
        g.w.add(f"const int {var} = {other} ^ {count - 1};")
        body(var)


def loop_comma(g, var, count, body):
    other = g.fresh("n")
    with g.w.block(f"for (int {var} = 0, {other} = {count}; {other} > 0; ++{var}, --{other})"):
        body(var)


def loop_bound_from_flag(g, var, count, body):
    with g.w.block(f"for (int {var} = 0; {var} < {count - 1} + flag; ++{var})"):
        body(var)


def loop_break(g, var, count, body):
    with g.w.block(f"for (int {var} = 0;; ++{var})"):
        g.w.add(f"if ({var} == {count})\n  break;")
        body(var)


def loop_twice_as_far(g, var, count, body):
    with g.w.block(f"for (int {var} = 0; {var} < {2 * count}; ++{var})"):
        g.w.add(f"if ({var} >= {count})\n  continue;")
        body(var)


def loop_two(g, var, count, body):
    if count < 2:
        return loop_plain(g, var, count, body)
    for begin, end in ((0, 1), (1, count)):
        with g.w.block(f"for (int {var} = {begin}; {var} < {end}; ++{var})"):
            body(var)


def loop_by_two(g, var, count, body):
    if count % 2:
        return loop_plain(g, var, count, body)
    with g.w.block(f"for (int {var} = 0; {var} < {count}; {var} += 2)"):
        with g.w.block():
            body(var)
        with g.w.block():
            body(f"({var} + 1)")


LOOPS = (
    loop_plain,
    loop_unrolled,
    loop_by_hand,
    loop_down,
    loop_while,
    loop_do,
    loop_unsigned,
    loop_shifted,
    loop_renamed,
    loop_xored,
    loop_comma,
    loop_bound_from_flag,
    loop_break,
    loop_twice_as_far,
    loop_two,
    loop_by_two,
)


# ---- lane and warp ----


def lines(code, name):
    def write(g):
        g.w.add(code.replace("D[", g.d_at(2)))
        return name

    write.__name__ = code.replace("\n", " ")
    return write


LANES = (
    lines("const int lane = threadIdx.x % 32;", "lane"),
    lines("int lane = threadIdx.x & 31;", "lane"),
    lines("const unsigned lane = threadIdx.x & 0x1f;", "lane"),
    lines("const int tid = threadIdx.x, lane = tid & (32 - 1);", "lane"),
    lines('uint32_t lane;\nasm("mov.u32 %0, %%laneid;" : "=r"(lane));', "lane"),
    lines('uint32_t lane;\nasm volatile("mov.u32 %0, %laneid;" : "=r"(lane));', "lane"),
    lines("const int lane = laneOf();", "lane"),
    lines("Pair who;\nwho.first = threadIdx.x % 32;", "who.first"),
    lines("int ids[2] = {(int)threadIdx.x % 32, (int)threadIdx.x / 32};", "ids[0]"),
    lines("#define LANE (threadIdx.x % 32)", "LANE"),
    lines("const int &lane = threadIdx.x % 32;", "lane"),
    lines("const uint8_t lane = threadIdx.x % 32;", "lane"),
    lines("short lane = threadIdx.x;\nlane %= 32;", "lane"),
    lines("int lane = threadIdx.x;\nwhile (lane >= 32)\n  lane -= 32;", "lane"),
    lines("int lane = threadIdx.x;\nif (lane >= 32)\n  lane = lane % 32;", "lane"),
    lines("const int lane = threadIdx.x - threadIdx.x / 32 * 32;", "lane"),
    lines("int lane = 0;\nlane |= threadIdx.x & 31;", "lane"),
    lines("const int group = threadIdx.x % 32 / 4, inGroup = threadIdx.x % 4, lane = group * 4 + inGroup;", "lane"),
    lines("auto lane_ = [] { return (int)(threadIdx.x % 32); };\nconst int lane = lane_();", "lane"),
    lines("volatile int lane = threadIdx.x % 32;", "lane"),
    lines("const dim3 t = threadIdx;\nconst int lane = t.x % 32;", "lane"),
    lines("const long long lane = threadIdx.x % 32;", "lane"),
    lines("const int lane = __popc(~(~0u << (threadIdx.x % 32)));", "lane"),
    lines("const int lane = (threadIdx.x % 32) ^ 1;", "lane ^ 1"),
    lines("const int lane = 31 - threadIdx.x % 32;", "(31 - lane)"),
)
WARPS = (
    lines("const int warp = threadIdx.x / 32;", "warp"),
    lines("int warp = threadIdx.x >> 5;", "warp"),
    lines("const unsigned warp = threadIdx.x / warpSize;", "warp"),
    lines("const int warp = __shfl_sync(~0u, (int)threadIdx.x / 32, 0);", "warp"),
    lines("int warp = 0;\nfor (int t = threadIdx.x; t >= 32; t -= 32)\n  ++warp;", "warp"),
    lines("int warp = threadIdx.x / 32;\nint &warpRef = warp;", "warpRef"),
    lines("Pair where = {(int)threadIdx.x / 32, 0};", "where.first"),
    lines("const int warp = threadIdx.x / 32 ^ 1;", "(warp ^ 1)"),
    lines("const int warp = (threadIdx.x + blockDim.x * threadIdx.y) / 32;", "warp"),
    lines("__shared__ int warps[8];\nwarps[threadIdx.x / 32] = threadIdx.x / 32;\n__syncthreads();\nconst int warp = warps[threadIdx.x / 32];", "warp"),
    lines("const uint8_t warp = threadIdx.x / 32;", "warp"),
    lines("int warp;\nif (threadIdx.x < 32)\n  warp = 0;\nelse\n  warp = threadIdx.x / 32;", "warp"),
    lines("const int warp = threadIdx.x < 32 ? 0 : threadIdx.x / 32;", "warp"),
    lines("const int wid = threadIdx.x / 32, warp = wid;", "warp"),
    lines("#define WARP (threadIdx.x / 32)", "WARP"),
)


# ---- shared memory ----


def plain_tile(g, row, byte, pitch):
    return f"({row}) * {pitch} + {byte}"


def xor_swizzle(g, row, byte, pitch):
    chunks = g.rowBytes // 16
    return f"({row}) * {pitch} + (({byte}) ^ ((({row}) & {chunks - 1}) * 16))"


def rotated(g, row, byte, pitch):
    return f"({row}) * {pitch} + (({byte}) + ({row}) * 16) % {g.rowBytes}"


def by_function(g, row, byte, pitch):
    if "placeOf" not in g.before.text():
        g.before.add(f"__device__ int placeOf(int row, int byte) {{\n  int at = row * {g.pitch};\n  at += byte;\n  return at;\n}}")
    return f"placeOf({row}, {byte})"


def by_local_macro(g, row, byte, pitch):
    if "PLACE_" not in g.before.text():
        g.before.add(f"#define PLACE_{g.name}(r, b) ((r) * {g.pitch} + (b))")
    return f"PLACE_{g.name}({row}, {byte})"


SWIZZLES = (plain_tile, xor_swizzle, rotated, by_function, by_local_macro)


def vectors_of(g, k, guard):
    """Each thread copies 16 bytes at a time, a row's pieces side by side."""
    e, w = 16 // g.type.bytes, g.w
    chunks = g.rowBytes // 16
    with w.block(f"for (int v = threadIdx.x; v < {g.bm * chunks}; v += {g.threads})"):
        w.add(f"const int row = v / {chunks}, byte = v % {chunks} * 16;")
        source = f"*(const uint4 *)(A + (blockIdx.y * {g.bm} + row) * K + {k} + v % {chunks} * {e})"
        target = f"*(uint4 *)&sA[stage][{g.swizzle(g, 'row', 'byte', g.pitch)}]"
        w.add(guard(target, source, f"blockIdx.y * {g.bm} + row < M"))
    if g.trans:
        chunks = g.bn // 8
        with w.block(f"for (int v = threadIdx.x; v < {g.bk * chunks}; v += {g.threads})"):
            w.add(f"const int row = v / {chunks}, byte = v % {chunks} * 16;")
            source = f"*(const uint4 *)(B + ({k} + row) * {g.ld} + blockIdx.x * {g.bn} + v % {chunks} * {e})"
            w.add(guard(f"*(uint4 *)&sB[stage][row * {g.pitchB} + byte]", source, "true"))
    else:
        with w.block(f"for (int v = threadIdx.x; v < {g.bn * chunks}; v += {g.threads})"):
            w.add(f"const int row = v / {chunks}, byte = v % {chunks} * 16;")
            source = f"*(const uint4 *)(B + (blockIdx.x * {g.bn} + row) * K + {k} + v % {chunks} * {e})"
            target = f"*(uint4 *)&sB[stage][{g.swizzle(g, 'row', 'byte', g.pitch)}]"
            w.add(guard(target, source, f"blockIdx.x * {g.bn} + row < N"))


def copy_vectors(g, k):
    vectors_of(g, k, lambda to, of, inside: f"{to} = {of};")


def copy_guarded(g, k):
    vectors_of(g, k, lambda to, of, inside: f"if ({inside})\n  {to} = {of};\nelse\n  {to} = make_uint4(0, 0, 0, 0);")


def copy_chosen(g, k):
    vectors_of(g, k, lambda to, of, inside: f"{to} = {inside} ? {of} : make_uint4(0, 0, 0, 0);")


def copy_async(g, k):
    def copy(to, of, inside):
        return (
            'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::\n'
            f'             "r"(smem(&{to})), "l"(&{of}));'
        )

    vectors_of(g, k, copy)
    g.w.add('asm volatile("cp.async.commit_group;");\nasm volatile("cp.async.wait_group 0;");')


def copy_in_turns(g, k):
    g.w.add("stage ^= 1;")
    copy_vectors(g, k)


COPIES = (copy_vectors, copy_guarded, copy_chosen, copy_async, copy_in_turns)


# ---- wrappers around the instructions ----


def asm_ldmatrix(count, registers, at, trans=""):
    names = ", ".join(f"%{i}" for i in range(count))
    outs = ", ".join(f'"=r"({r})' for r in registers)
    return f'asm volatile("ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{names}}}, [%{count}];"\n             : {outs} : "r"({at}));'


def asm_mma(t, d, a, b, c=None):
    c = c or d
    text = f"mma.sync.aligned.{t.shape}.row.col.{t.result}.{t.name}.{t.name}.{t.result}"
    inout, letter = c == d, "r" if t.sum == "int" else "f"
    operands = "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, " + ("{%0,%1,%2,%3};" if inout else "{%10,%11,%12,%13};")
    outs = ", ".join(f'"{"+" if inout else "="}{letter}"({x})' for x in d)
    ins = ", ".join(f'"r"({x})' for x in a + b)
    if not inout:
        ins += ", " + ", ".join(f'"{letter}"({x})' for x in c)
    return f'asm volatile("{text} "\n             "{operands}"\n             : {outs}\n             : {ins});'


def indexed(name, count):
    return [f"{name}[{i}]" for i in range(count)]


def write_loads(g, register):
    for count in (2, 4):
        for suffix, trans in (("", ""), ("t", ".trans")):
            g.before.add(
                f"__device__ __forceinline__ void ldsm{count}{suffix}(uint32_t {register(count)}, uint32_t at) {{\n  "
                + asm_ldmatrix(count, indexed("r", count), "at", trans).replace("\n", "\n  ")
                + "\n}"
            )


def wrappers_of_references(g):
    write_loads(g, lambda n: f"(&r)[{n}]")
    g.before.add(
        f"__device__ __forceinline__ void mma({g.type.sum} (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {{\n  "
        + asm_mma(g.type, indexed("d", 4), indexed("a", 4), indexed("b", 2))
        + "\n}"
    )
    g.mma = lambda d, a, b: f"mma({d}, {a}, {b});"


def wrappers_of_pointers(g):
    write_loads(g, lambda n: "*r")
    g.before.add(
        f"__device__ void mma({g.type.sum} *d, const uint32_t *a, const uint32_t *b) {{\n  "
        + asm_mma(g.type, indexed("d", 4), indexed("a", 4), indexed("b", 2))
        + "\n}"
    )
    g.mma = lambda d, a, b: f"mma({d}, {a}, {b});"


def wrappers_of_four(g):
    write_loads(g, lambda n: "*r")
    g.before.add(
        f"__device__ void mma({g.type.sum} *d, const uint32_t *a, const uint32_t *b, const {g.type.sum} *c) {{\n  "
        + asm_mma(g.type, indexed("d", 4), indexed("a", 4), indexed("b", 2), indexed("c", 4))
        + "\n}"
    )
    g.mma = lambda d, a, b: f"mma({d}, {a}, {b}, {d});"


def wrappers_of_scalars(g):
    write_loads(g, lambda n: "*r")
    s = g.type.sum
    g.before.add(
        f"__device__ void mma({s} &d0, {s} &d1, {s} &d2, {s} &d3, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,\n"
        "                    uint32_t b0, uint32_t b1) {\n  "
        + asm_mma(g.type, ["d0", "d1", "d2", "d3"], ["a0", "a1", "a2", "a3"], ["b0", "b1"])
        + "\n}"
    )
    g.mma = lambda d, a, b: "mma(" + ", ".join(indexed(d, 4) + indexed(a, 4) + indexed(b, 2)) + ");"


def wrapper_is_macro(g):
    write_loads(g, lambda n: "*r")
    g.before.add(
        f"#define MMA_{g.name}(d, a, b) "
        + asm_mma(g.type, indexed("d", 4), indexed("a", 4), indexed("b", 2)).replace("\n", " \\\n").rstrip(";")
    )
    g.mma = lambda d, a, b: f"MMA_{g.name}({d}, {a}, {b});"


def asm_in_place(g):
    write_loads(g, lambda n: "*r")
    g.mma = lambda d, a, b: asm_mma(g.type, indexed(d, 4), indexed(a, 4), indexed(b, 2))


WRAPPERS = (wrappers_of_references, wrappers_of_pointers, wrappers_of_four, wrappers_of_scalars, wrapper_is_macro, asm_in_place)


# ---- where sums are kept ----


def nested(g):
    g.w.add(f"{g.type.sum} c[MT][NT][4];")
    g.tile = lambda i, j: f"c[{i}][{j}]"
    g.elem = lambda i, j, e: f"c[{i}][{j}][{e}]"
    g.all = "&c[0][0][0]"


def rows_of_tiles(g):
    g.w.add(f"{g.type.sum} c[MT * NT][4];")
    g.tile = lambda i, j: f"c[{i} * NT + {j}]"
    g.elem = lambda i, j, e: f"c[{i} * NT + {j}][{e}]"
    g.all = "&c[0][0]"


def one_array(g):
    if g.wrappers in (wrappers_of_references, wrappers_of_scalars, wrapper_is_macro, asm_in_place):
        return nested(g)
    g.w.add(f"{g.type.sum} c[MT * NT * 4];")
    g.tile = lambda i, j: f"&c[({i} * NT + {j}) * 4]"
    g.elem = lambda i, j, e: f"c[({i} * NT + {j}) * 4 + {e}]"
    g.all = "c"


def structs(g):
    g.before.add(f"struct Tile {{\n  {g.type.sum} x[4];\n}};")
    g.w.add("Tile c[MT][NT];")
    g.tile = lambda i, j: f"c[{i}][{j}].x"
    g.elem = lambda i, j, e: f"c[{i}][{j}].x[{e}]"
    g.all = "c[0][0].x"


def oneStruct(g):
    g.before.add(f"struct Fragments {{\n  {g.type.sum} c[{g.mt}][{g.nt}][4];\n  uint32_t a[{g.mt}][4], b[{g.nt}][2];\n}};")
    g.w.add("Fragments f;")
    g.tile = lambda i, j: f"f.c[{i}][{j}]"
    g.elem = lambda i, j, e: f"f.c[{i}][{j}][{e}]"
    g.all = "&f.c[0][0][0]"


def transposed_tiles(g):
    g.w.add(f"{g.type.sum} c[NT][MT][4];")
    g.tile = lambda i, j: f"c[{j}][{i}]"
    g.elem = lambda i, j, e: f"c[{j}][{i}][{e}]"
    g.all = "&c[0][0][0]"


CONTAINERS = (nested, rows_of_tiles, one_array, structs, oneStruct, transposed_tiles)


def fill_each(value):
    def fill(g):
        def tile(i, j):
            g.loop("loop over e", "e", 4, lambda e: g.w.add(f"{g.elem(i, j, e)} = {value(g, i, j, e)};"))

        g.each(tile)

    return fill


def named(name, function):
    function.__name__ = name
    return function


def fill_memset(g):
    g.w.add(f"memset({g.all}, 0, MT * NT * 16);")


def fill_by_pointer(g):
    g.w.add(f"for (int t = 0; t < MT * NT * 4; ++t)\n  ({g.all})[t] = 0;")


def fill_by_walk(g):
    p = g.fresh("p")
    g.w.add(f"{g.type.sum} *{p} = {g.all};\nfor (int t = 0; t < MT * NT * 4; ++t)\n  *{p}++ = 0;")


def fill_by_template(g):
    g.before.add(
        f"template <int N> __device__ void clear({g.type.sum} (&c)[N]) {{\n  for (int e = 0; e < N; ++e)\n    c[e] = 0;\n}}"
    )
    if g.container is one_array and g.tile("0", "0")[0] == "&":
        return fill_memset(g)
    g.each(lambda i, j: g.w.add(f"clear({g.tile(i, j)});"))


def fill_halves(g):
    g.each(lambda i, j: g.w.add(f"{g.elem(i, j, 0)} = {g.elem(i, j, 1)} = 0;\n{g.elem(i, j, 2)} = {g.elem(i, j, 3)} = 1;"))


FILLS = (
    named("fill with 0", fill_each(lambda g, i, j, e: "0")),
    named("fill with 1", fill_each(lambda g, i, j, e: "1")),
    fill_memset,
    fill_by_pointer,
    fill_by_walk,
    fill_by_template,
    fill_halves,
    named("fill with alpha", fill_each(lambda g, i, j, e: "alpha")),
    named("fill by column", fill_each(lambda g, i, j, e: f"bias[{g.colOf(j)} + {e} % 2]")),
    named("fill by row", fill_each(lambda g, i, j, e: f"bias[{g.rowOf(i)} + {e} / 2 * 8]")),
    named("fill from C", fill_each(lambda g, i, j, e: f"C[({g.rowOf(i)} + {e} / 2 * 8) * ld + {g.colOf(j)} + {e} % 2]")),
    named("fill with e", fill_each(lambda g, i, j, e: f"{e}")),
    named("fill with e % 2", fill_each(lambda g, i, j, e: f"{e} % 2")),
    named("fill with j", fill_each(lambda g, i, j, e: f"{j}")),
    named("fill with lane", fill_each(lambda g, i, j, e: f"{g.lane()}")),
    named("fill with warp", fill_each(lambda g, i, j, e: f"{g.warp()}")),
    named("fill by flag", fill_each(lambda g, i, j, e: "flag ? 0 : 1")),
    named("fill by warp", fill_each(lambda g, i, j, e: f"{g.warp()} == 1 ? 2 : 0")),
)


def early_none(g):
    pass


EARLY = (
    early_none,
    lines("if (blockIdx.x * 1000 >= N * 1000)\n  return;", ""),
    lines("if (threadIdx.x >= K * 1000)\n  return;", ""),
    lines("if (threadIdx.x / 32 > flag * 100)\n  return;", ""),
    lines("if (blockIdx.y == 1 && blockIdx.x == 1)\n  return;", ""),
)


# ---- the loop over k ----


def k_for(g):
    with g.w.block("for (int k = 0; k < K; k += BK)"):
        g.turn("k")


def k_while(g):
    g.w.add("int k = 0;")
    with g.w.block("while (k < K)"):
        g.turn("k")
        g.w.add("k += BK;")


def k_do(g):
    g.w.add("int k = 0;")
    with g.w.block("do", " while (k < K);"):
        g.turn("k")
        g.w.add("k += BK;")


def k_tiles(g):
    with g.w.block("for (int t = 0; t < K / BK; ++t)"):
        g.turn("t * BK")


def k_tiles_named(g):
    with g.w.block("for (int t = 0; t < K / BK; ++t)"):
        g.w.add("const int k = t * BK;")
        g.turn("k")


def k_peeled(g):
    with g.w.block():
        g.turn("0")
    with g.w.block("for (int k = BK; k < K; k += BK)"):
        g.turn("k")


def k_two_loops(g):
    with g.w.block("for (int k = 0; k < 2 * BK; k += BK)"):
        g.turn("k")
    with g.w.block("for (int k = 2 * BK; k < K; k += BK)"):
        g.turn("k")


def k_forever(g):
    with g.w.block("for (int k = 0;; k += BK)"):
        g.w.add("if (k >= K)\n  break;")
        g.turn("k")


def k_down(g):
    with g.w.block("for (int k = K - BK; k >= 0; k -= BK)"):
        g.turn("k")


def k_short(g):
    with g.w.block("for (short k = 0; k < K; k += BK)"):
        g.turn("k")


def k_unrolled(g):
    g.w.add("#pragma unroll 2")
    k_for(g)


def k_skips(g):
    with g.w.block("for (int k = 0; k < K; k += BK)"):
        g.w.add("if (k == BK && flag)\n  continue;")
        g.turn("k")


def k_breaks(g):
    with g.w.block("for (int k = 0; k < K; k += BK)"):
        g.turn("k")
        g.w.add("if (k == BK && flag == 1)\n  break;")


def k_lambda(g):
    with g.w.block("auto turn = [&](int k)", ";"):
        g.turn("k")
    g.w.add("for (int k = 0; k < K; k += BK)\n  turn(k);")


def k_lambda_twice(g):
    with g.w.block("auto turn = [&](int k)", ";"):
        g.turn("k")
    g.w.add("turn(0);\nfor (int k = BK; k < K; k += BK)\n  turn(k);")


def k_goto(g):
    g.w.add("int k = 0;\nagain:")
    with g.w.block():
        g.turn("k")
    g.w.add("k += BK;\nif (k < K)\n  goto again;")


def k_pointer_walks(g):
    with g.w.block("for (int k = 0; k < K; k += BK, A += BK, B += BK)"):
        if g.trans:
            g.w.add("B -= BK;")
            g.turn("k")
            g.w.add("A -= BK;")
        else:
            g.turn("0")


K_LOOPS = (
    k_for,
    k_while,
    k_do,
    k_tiles,
    k_tiles_named,
    k_peeled,
    k_two_loops,
    k_forever,
    k_down,
    k_short,
    k_unrolled,
    k_skips,
    k_breaks,
    k_lambda,
    k_lambda_twice,
    k_goto,
    k_pointer_walks,
)


# ---- around the products: which warps, tiles and turns take part ----


def around_nothing(g, k, body):
    body()


def around(head, tail=""):
    def wrap(g, k, body):
        *before, last = filled(head, k=k, warp=g.warp(), lane=g.lane()).split("\n")
        for line in before:
            g.w.add(line)
        with g.w.block(last, tail):
            body()

    wrap.__name__ = head
    return wrap


AROUND = (
    around_nothing,
    around("if (flag)"),
    around("if ($warp == 0)"),
    around("if ($warp < 1 || $k > 0)"),
    around("if ($k != BK)"),
    around("if (blockIdx.x == 0)"),
    around("if (words[1] == 1)"),
    around("if (words[$warp & 3] != 7)"),
    around("do", " while (0);"),
    around("for (int rep = 0; rep < 2; ++rep)"),
    around("for (int rep = 0; rep <= $warp; ++rep)"),
    around("for (int rep = 0; rep < flag; ++rep)"),
    around("switch ($k / BK) case 1:"),
    around("switch ($k / BK) default:"),
    around("if (__any_sync(~0u, $lane == 3))"),
    around("if (__any_sync(~0u, $warp == 0))"),
    around("if (__syncthreads_or(threadIdx.x == 3))"),
    around("if (int once = flag; once)"),
    around("if (__shfl_sync(~0u, $warp, 0) == 0)"),
    around("if (bias[0] > 0 || bias[0] <= 0)"),
    around("[&]", "();"),
    around("int n = 0, m = 0;\nfor (int t = 0; t < 3; ++t) {\n  if (t == $warp)\n    break;\n  n = t + 1;\n}\nm = n;\nif (m)"),
    around("int n = 0;\nif ($warp && (n = 1))\n  ;\nif (n)"),
    around("int n = 0;\n$warp ? n = 1 : 0;\nif (n)"),
    around("int n = 0, m = 0;\nfor (int t = 0; t < 3; ++t) {\n  m = n;\n  n = m + $warp;\n}\nif (n < 5 && m)"),
)


# ---- operands ----


def operands_first(g):
    """All operands of a step, then all products."""

    def step(kk):
        g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
        g.loop("loop over j", "j", g.nt, lambda j: g.loadB(kk, j))
        g.d.pick("operands change", CHANGES, 0.15)(g)
        g.each(g.multiply)

    return step


def b_inside(g):
    """A of all tiles; B where it is wanted."""

    def step(kk):
        g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))

        def column(j):
            g.loadB(kk, j)
            g.loop("loop over i", "i", g.mt, lambda i: g.multiply(i, j))

        g.loop("loop over j", "j", g.nt, column)

    return step


def one_b(g):
    """One B in registers that are used again for each tile."""

    def step(kk):
        g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))

        def column(j):
            g.w.add("uint32_t bb[2];")
            g.loadB(kk, j, "bb")
            g.loop("loop over i", "i", g.mt, lambda i: g.multiply(i, j, b="bb"))

        g.loop("loop over j", "j", g.nt, column)

    return step


def a_again(g):
    """A is read again for each tile along n."""

    def step(kk):
        g.loop("loop over j", "j", g.nt, lambda j: g.loadB(kk, j))

        def tile(i, j):
            g.loadA(kk, i)
            g.multiply(i, j)

        g.each(tile)

    return step


def ahead(g):
    """B of the next tile is read before the product with this one."""

    def step(kk):
        g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
        g.w.add("uint32_t next[2][2];")
        g.loadB(kk, "0", "next[0]")

        def column(j):
            with g.w.block(f"if ({j} + 1 < NT)"):
                g.loadB(kk, f"({j} + 1)", f"next[({j} + 1) % 2]")
            g.loop("loop over i", "i", g.mt, lambda i: g.multiply(i, j, b=f"next[{j} % 2]"))

        loop_plain(g, "j", g.nt, column)

    return step


def other_tile(text):
    def operands(g):
        def step(kk):
            g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
            g.loop("loop over j", "j", g.nt, lambda j: g.loadB(kk, j))
            g.each(lambda i, j: g.multiply(i, j, b=g.b(filled(text, j=j))))

        return step

    operands.__name__ = "b[" + text + "]"
    return operands


def into_other_sum(text):
    def operands(g):
        def step(kk):
            g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
            g.loop("loop over j", "j", g.nt, lambda j: g.loadB(kk, j))
            g.each(lambda i, j: g.w.add(g.mma(g.tile(i, filled(text, j=j, n=g.nt)), g.a(i), g.b(j))))

        return step

    operands.__name__ = "c[" + text + "]"
    return operands


def some_tiles(condition):
    def operands(g):
        def step(kk):
            g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
            g.loop("loop over j", "j", g.nt, lambda j: g.loadB(kk, j))

            def tile(i, j):
                with g.w.block("if (" + filled(condition, j=j, i=i, warp=g.warp()) + ")"):
                    g.multiply(i, j)

            g.each(tile)

        return step

    operands.__name__ = condition
    return operands


def twice(g):
    """The first product is repeated with an operand that was copied."""

    def step(kk):
        operands_first(g)(kk)
        g.w.add(f"uint32_t copied[4] = {{{', '.join(indexed(g.a('0'), 4))}}};")
        g.multiply("0", "0", a="copied")

    return step


OPERANDS = (
    operands_first,
    b_inside,
    one_b,
    a_again,
    ahead,
    other_tile("$j / 2"),
    other_tile("0"),
    other_tile("($j + 1) % NT"),
    other_tile("$j * flag"),
    into_other_sum("$n - 1 - $j"),
    into_other_sum("($j + 1) % NT"),
    into_other_sum("flag ? $j : 0"),
    some_tiles("$j != 1"),
    some_tiles("$j % 2 == 0"),
    some_tiles("$j <= $i"),
    some_tiles("$warp + $j != 1"),
    some_tiles("flag"),
    twice,
)


def change_none(g):
    pass


def change_a(statement):
    def change(g):
        g.w.add("for (int i = 0; i < MT; ++i) {\n  " + filled(statement, a=g.a("i")) + "\n}")

    change.__name__ = statement
    return change


CHANGES = (
    change_none,
    change_a("$a[0] ^= 0;"),
    change_a("const uint32_t was = $a[1]; $a[1] = $a[2]; $a[2] = was;"),
    change_a("for (int r = 0; r < 4; ++r) $a[r] ^= 0x80008000u;"),
    change_a("$a[3] = $a[0];"),
    change_a("if (flag) $a[1] = $a[0];"),
    change_a("if (threadIdx.x < 32) $a[1] = 0;"),
    change_a("uint32_t *p = $a; p[1] = 0;"),
)


def a_by_x4(g, kk, i, to):
    row = g.via("row of A", f"wm + {i} * 16 + {g.lane()} % 16")
    byte = g.via("byte of A", f"{kk} * 32 + ({g.lane()}) / 16 * 16")
    g.w.add(f"ldsm4({to}, {g.atA(row, byte)});")


def a_by_x4_address(g, kk, i, to):
    at = g.via("address of A", g.atA(f"wm + {i} * 16 + {g.lane()} % 16", f"{kk} * 32 + ({g.lane()}) / 16 * 16"), 0.8)
    g.w.add(f"ldsm4({to}, {at});")


def a_by_pointer(g, kk, i, to):
    row, byte = f"wm + {i} * 16 + {g.lane()} % 16", f"{kk} * 32 + ({g.lane()}) / 16 * 16"
    g.w.add(f"ldsm4({to}, smem(&sA[stage][{g.swizzle(g, row, byte, g.pitch)}]));")


def a_by_walk(g, kk, i, to):
    at = g.fresh("at")
    g.w.add(f"uint32_t {at} = {g.atA(f'wm + {g.lane()} % 16', '0')};")
    if g.swizzle in (xor_swizzle, rotated):
        return a_by_x4(g, kk, i, to)
    g.w.add(f"{at} += {i} * 16 * {g.pitch};\n{at} += {kk} * 32 + ({g.lane()}) / 16 * 16;\nldsm4({to}, {at});")


def a_by_words(g, kk, i, to):
    for r in range(4):
        row = f"wm + {i} * 16 + {g.lane()} / 4 + {8 * (r & 1)}"
        byte = f"{kk} * 32 + {g.lane()} % 4 * 4 + {16 * (r >> 1)}"
        g.w.add(f"{to}[{r}] = *(const uint32_t *)&sA[stage][{g.swizzle(g, row, byte, g.pitch)}];")


def a_by_loop(g, kk, i, to):
    row = f"wm + {i} * 16 + {g.lane()} / 4 + r % 2 * 8"
    byte = f"{kk} * 32 + {g.lane()} % 4 * 4 + r / 2 * 16"
    g.loop("loop over r", "r", 4, lambda r: g.w.add(
        f"{to}[{r}] = *(const uint32_t *)&sA[stage][{g.swizzle(g, row.replace('r %', f'{r} %'), byte.replace('r /', f'{r} /'), g.pitch)}];"))


def a_swapped_rows(g, kk, i, to):
    g.w.add(f"ldsm4({to}, {g.atA(f'wm + {i} * 16 + (({g.lane()}) ^ 8) % 16', f'{kk} * 32 + ({g.lane()}) / 16 * 16')});")


def a_if_lane(g, kk, i, to):
    at = g.fresh("at")
    g.w.add(f"uint32_t {at} = {g.atA(f'wm + {i} * 16 + {g.lane()} % 16', f'{kk} * 32')};")
    if g.swizzle in (xor_swizzle, rotated):
        return a_by_x4(g, kk, i, to)
    g.w.add(f"if (({g.lane()}) >= 16)\n  {at} += 16;\nldsm4({to}, {at});")


def a_hidden_names(g, kk, i, to):
    """What the row is made from has another meaning where the row is used."""
    n, row = g.fresh("n"), g.fresh("row")
    g.w.add(f"const int {n} = 16;\nconst int {row} = wm + {i} * {n} + {g.lane()} % {n};")
    with g.w.block():
        g.w.add(f"const int {n} = 7;\n(void){n};")
        g.w.add(f"ldsm4({to}, {g.atA(row, f'{kk} * 32 + ({g.lane()}) / 16 * 16')});")


def a_later_names(g, kk, i, to):
    n, row = g.fresh("n"), g.fresh("row")
    g.w.add(f"int {n} = 16;\nconst int {row} = wm + {i} * {n} + {g.lane()} % {n};\n{n} = 5;")
    g.w.add(f"ldsm4({to}, {g.atA(row, f'{kk} * 32 + ({g.lane()}) / 16 * 16')});")


def a_by_lambda_walk(g, kk, i, to):
    off, walk = g.fresh("off"), g.fresh("walk")
    g.w.add(f"int {off} = 0;\nauto {walk} = [&] {{ {off} += 16; }};\nfor (int t = 0; t < {i}; ++t)\n  {walk}();")
    g.w.add(f"ldsm4({to}, {g.atA(f'wm + {off} + {g.lane()} % 16', f'{kk} * 32 + ({g.lane()}) / 16 * 16')});")


LOADS_A = (a_by_x4, a_by_x4_address, a_by_pointer, a_by_walk, a_by_words, a_by_loop, a_swapped_rows, a_if_lane, a_hidden_names, a_later_names, a_by_lambda_walk)


def b_by_x2(g, kk, j, to):
    row = g.via("row of B", f"wn + {j} * 8 + {g.lane()} % 8")
    byte = g.via("byte of B", f"{kk} * 32 + ({g.lane()}) / 8 % 2 * 16")
    g.w.add(f"ldsm2({to}, {g.atB(row, byte)});")


def b_by_x2_address(g, kk, j, to):
    at = g.via("address of B", g.atB(f"wn + {j} * 8 + {g.lane()} % 8", f"{kk} * 32 + (({g.lane()}) & 8) * 2"), 0.8)
    g.w.add(f"ldsm2({to}, {at});")


def b_by_words(g, kk, j, to):
    for r in range(2):
        at = g.swizzle(g, f"wn + {j} * 8 + {g.lane()} / 4", f"{kk} * 32 + {g.lane()} % 4 * 4 + {16 * r}", g.pitch)
        g.w.add(f"{to}[{r}] = *(const uint32_t *)&sB[stage][{at}];")


def b_shifted(g, kk, j, to):
    g.w.add(f"ldsm2({to}, {g.atB(f'wn + ({j} + 1) % NT * 8 + {g.lane()} % 8', f'{kk} * 32 + ({g.lane()}) / 8 % 2 * 16')});")


def b_of_first_warp(g, kk, j, to):
    g.w.add(f"ldsm2({to}, {g.atB(f'{j} * 8 + {g.lane()} % 8', f'{kk} * 32 + ({g.lane()}) / 8 % 2 * 16')});")


def b_with_offsets(g, kk, j, to):
    off = g.fresh("off")
    g.w.add(f"int {off}[2];\n{off}[0] = {j} * 8;\n{off}[1] = {kk} * 32;")
    g.w.add(f"ldsm2({to}, {g.atB(f'wn + {off}[0] + {g.lane()} % 8', f'{off}[1] + ({g.lane()}) / 8 % 2 * 16')});")


def b_x4_first_half(g, kk, j, to):
    """x4 whose other two matrices nobody wants."""
    wide = g.fresh("wide")
    g.w.add(f"uint32_t {wide}[4];\nldsm4({wide}, {g.atB(f'wn + {j} * 8 + {g.lane()} % 8', f'{kk} * 32 + ({g.lane()}) / 8 % 2 * 16')});")
    g.w.add(f"{to}[0] = {wide}[0];\n{to}[1] = {wide}[1];")


def b_by_lambda_walk(g, kk, j, to):
    """The offset of the tile is another variable's, which a lambda counts."""
    off, walk = g.fresh("off"), g.fresh("walk")
    g.w.add(f"int {off} = 0;\nauto {walk} = [&] {{ {off} += 8; }};\nfor (int t = 0; t < (int)({j}); ++t)\n  {walk}();")
    g.w.add(f"ldsm2({to}, {g.atB(f'wn + {off} + {g.lane()} % 8', f'{kk} * 32 + ({g.lane()}) / 8 % 2 * 16')});")


def b_of_outer_j(g, kk, j, to):
    """Another j is around the load, and the tile is the outer one's."""
    row, tile = g.fresh("row"), g.fresh("tile")
    g.w.add(f"const int {tile} = {j}, {row} = wn + {j} * 8 + {g.lane()} % 8;")
    with g.w.block("for (int j = 3; j < 4; ++j)"):
        to = to.replace(f"[{j}]", f"[{tile}]")
        g.w.add(f"ldsm2({to}, {g.atB(row, f'{kk} * 32 + ({g.lane()}) / 8 % 2 * 16')});")


LOADS_B = (b_by_x2, b_by_x2_address, b_by_words, b_shifted, b_of_first_warp, b_with_offsets, b_x4_first_half, b_by_lambda_walk, b_of_outer_j)


def b_by_x2_trans(g, kk, j, to):
    row = g.via("row of B", f"{kk} * 16 + {g.lane()} % 16")
    byte = g.via("byte of B", f"(wn + {j} * 8) * 2")
    g.w.add(f"ldsm2t({to}, {g.atB(row, byte)});")


def b_by_halves(g, kk, j, to):
    for r in range(2):
        row = f"{kk} * 16 + {g.lane()} % 4 * 2 + {8 * r}"
        col = f"(wn + {j} * 8 + {g.lane()} / 4) * 2"
        at = f"*(const uint16_t *)&sB[stage][({row} + $h) * {g.pitchB} + {col}]"
        g.w.add(f"{to}[{r}] = {at.replace('$h', '0')} |\n    (uint32_t){at.replace('$h', '1')} << 16;")


LOADS_B_TRANS = (b_by_x2_trans, b_by_halves)


# ---- statements that have nothing to do with the products ----


def no_noise(g):
    pass


NOISE = (
    no_noise,
    lines("__syncwarp();", ""),
    lines("if (threadIdx.x == 0)\n  D[4095] = K;", ""),
    lines("int noise = K;\nnoise += 3;\n(void)noise;", ""),
    lines("/* ldsm4(a, 0); } */ // __syncthreads(); \\\n   still a comment", ""),
    lines("#if 0\n  mma(c, a, b) }\n#endif", ""),
    lines("{\n  int lane = 3, warp = 2, wm = 1, wn = 0;\n  (void)lane; (void)warp; (void)wm; (void)wn;\n}", ""),
    lines("__threadfence_block();", ""),
    lines("enum { J = 2 };\ntypedef int word;\nword w2 = J;\n(void)w2;", ""),
)


# ---- code between the products ----


def between_none(g, k):
    pass


def on_each(code):
    """`code` for each register; $c is the register, $row and $col where it lies."""

    def between(g, k):
        def element(i, j, e):
            row = g.inline("row between", f"({g.rowOf(i)} + {e} / 2 * 8)") if "$row" in code else ""
            col = g.inline("column between", f"({g.colOf(j)} + {e} % 2)") if "$col" in code else ""
            g.w.add(filled(code.replace("D[", g.d_at(1)), c=g.elem(i, j, e), k=k, e=e, j=j, row=row, col=col, warp=g.warp(), lane=g.lane()))

        g.each(lambda i, j: g.loop("loop over e", "e", 4, lambda e: element(i, j, e)))

    between.__name__ = code.replace("\n", " ")
    return between


def on_tiles(code):
    """`code` for each tile; $0 .. $3 are its registers."""

    def between(g, k):
        def tile(i, j):
            registers = {str(e): g.elem(i, j, e) for e in range(4)}
            text = filled(
                code, k=k, j=j, warp=g.warp(), lane=g.lane(), row=g.rowOf(i), col=g.colOf(j), T=g.type.sum, **registers
            )
            with g.w.block():
                g.w.add(text)

        g.each(tile)

    between.__name__ = code.replace("\n", " ")
    return between


def row_sums_between(g, k):
    s = g.type.sum

    def row(i):
        g.w.add(f"{s} lo = 0, hi = 0;")

        def add(j):
            g.w.add(f"lo += {g.elem(i, j, 0)} + {g.elem(i, j, 1)};\nhi += {g.elem(i, j, 2)} + {g.elem(i, j, 3)};")

        g.loop("loop over j", "j", g.nt, add)
        for mask in g.d.pick("masks", ((1, 2), (2, 1), (1,), (1, 4), (4, 8)), 0.3):
            g.w.add(f"lo += __shfl_xor_sync(~0u, lo, {mask});\nhi += __shfl_xor_sync(~0u, hi, {mask});")
        low, high = g.d.pick("sums go to", (("lo", "hi"), ("hi", "lo"), ("lo", "lo")), 0.3)

        def use(j):
            g.w.add(f"{g.elem(i, j, 0)} += {low}; {g.elem(i, j, 1)} += {low};\n{g.elem(i, j, 2)} += {high}; {g.elem(i, j, 3)} += {high};")

        g.loop("loop over j", "j", g.nt, use)

    g.loop("loop over i", "i", g.mt, row)


def on_all_by_pointer(g, k):
    g.w.add(f"for (int t = 0; t < MT * NT * 4; ++t)\n  ({g.all})[t] *= 2;")


def on_some_by_pointer(g, k):
    g.w.add(f"for (int t = 0; t < MT * NT * 4; t += 2)\n  ({g.all})[t] *= 2;")


def tiles_trade_places(g, k):
    if g.nt > 1:
        for e in range(4):
            g.w.add(f"{{ const auto was = {g.elem('0', '0', e)}; {g.elem('0', '0', e)} = {g.elem('0', '1', e)}; {g.elem('0', '1', e)} = was; }}")


def online(g):
    """Each row is scaled by what its greatest element is, over all turns."""
    first, second = g.d.pick("quad", ((1, 2), (2, 1), (1, 4), (2, 8)), 0.2)
    scale = g.d.pick("scaled by", ("expf", "exp2f", "__expf"), 0.3)

    def row(i):
        with g.w.block("for (int r = 0; r < 2; ++r)"):
            g.w.add(f"float high = top[{i}][r];")
            g.loop("loop over j", "j", g.nt, lambda j: g.w.add(
                f"high = fmaxf(high, fmaxf({g.elem(i, j, '2 * r')}, {g.elem(i, j, '2 * r + 1')}));"))
            for mask in (first, second):
                g.w.add(f"high = fmaxf(high, __shfl_xor_sync(~0u, high, {mask}));")
            g.w.add(f"const float shrink = {scale}(top[{i}][r] - high);\ntop[{i}][r] = high;\nsum[{i}][r] *= shrink;")
            g.loop("loop over j", "j", g.nt, lambda j: g.w.add(
                f"{g.elem(i, j, '2 * r')} *= shrink;\n{g.elem(i, j, '2 * r + 1')} *= shrink;\n"
                f"sum[{i}][r] += {g.elem(i, j, '2 * r')} + {g.elem(i, j, '2 * r + 1')};"))

    g.loop("loop over i", "i", g.mt, row)


def no_chain(g, isInLoop):
    pass


def chained(g, order):
    """o += c * V: results are the first operand of another product."""
    pack = "__floats2half2_rn" if g.type.name == "f16" else "__floats2bfloat162_rn"
    if "uint32_t pack(" not in g.before.text():
        g.before.add(f"__device__ uint32_t pack(float x, float y) {{\n  auto two = {pack}(x, y);\n  return *(uint32_t *)&two;\n}}")

    def step(i, k):
        elements = [g.elem(i, f"(2 * {k} + {t})", e) for t in range(2) for e in range(4)]
        words = [f"pack({elements[2 * q]}, {elements[2 * q + 1]})" for q in order]
        g.w.add(f"const uint32_t p[4] = {{{', '.join(words)}}};\nuint32_t v[2];")
        with g.w.block("for (int j = 0; j < 2; ++j)"):
            g.w.add(f"ldsm2t(v, smem(sV) + ({k} * 16 + {g.lane()} % 16) * 32 + j * 16);\n{g.mma(f'o[{i}][j]', 'p', 'v')}")

    g.loop("loop over i", "i", g.mt, lambda i: g.loop("loop over k of V", "kv", g.nt // 2, lambda k: step(i, k)))


def chain(order, inLoop):
    def run(g, isInLoop):
        if isInLoop == inLoop:
            chained(g, order)

    run.__name__ = f"words {order} {'in' if inLoop else 'behind'} the loop"
    return run


CHAINS = (
    no_chain,
    chain((0, 1, 2, 3), True),
    chain((0, 1, 2, 3), False),
    chain((0, 1, 2, 3), True),
    chain((1, 0, 3, 2), True),
    chain((2, 3, 0, 1), True),
    chain((0, 2, 1, 3), False),
    chain((0, 0, 2, 3), True),
)

BETWEEN = (
    between_none,
    on_each("$c *= 2;"),
    on_each("$c *= alpha;"),
    on_each("$c = $c > 0 ? $c : 0;"),
    on_each("$c = max($c, ($c - $c));"),
    on_each("$c += bias[$col];"),
    on_each("$c += bias[$row];"),
    on_each("if ($col > $row)\n  $c = 0;"),
    on_each("if ($col >= N)\n  $c = 0;"),
    on_each("$c = $row < M ? $c : 0;"),
    on_each("$c = ($lane & 1) ? $c : -$c;"),
    on_each("$c *= $warp + 1;"),
    on_each("if ($warp == 1)\n  $c *= 2;"),
    on_each("$c += $e;"),
    on_each("$c += $e % 2;"),
    on_each("$c += $e / 2;"),
    on_each("$c += $k;"),
    on_each("$c *= $j + 1;"),
    on_each("if ($k == BK)\n  $c = 0;"),
    on_each("$c += words[2];"),
    on_each("D[((blockIdx.y * 2 + blockIdx.x) * blockDim.x + threadIdx.x) * 4 + $e] = $c;"),
    on_each("$c += threadIdx.x;"),
    on_each("$c += __shfl_xor_sync(~0u, $c, 4);"),
    on_each("$c += __shfl_xor_sync(~0u, $c, 1);"),
    on_each("atomicAdd(&D[8], $c);"),
    on_each("$c *= blockIdx.x + 1;"),
    on_each("$c += -1 % ($lane + 1);"),
    on_each("$c += ($lane - 40) / 3;"),
    on_each("$c += (($lane - 40u) >> 28);"),
    on_tiles("$0 *= 2; $1 *= 2;"),
    on_tiles("$2 += 1; $3 += 1;"),
    on_tiles("const $T was = $0; $0 = $1; $1 = was;"),
    on_tiles("const $T was = $0; $0 = $2; $2 = was;"),
    on_tiles("$0 += $2;"),
    on_tiles("$0 += $1; $2 += $3;"),
    on_tiles("const $T x = bias[$row], y = bias[$row + 8];\n$0 *= x; $1 *= x; $2 *= y; $3 *= y;"),
    on_tiles("const int row = $row, col = $col;\nif (col > row) $0 = 0;\nif (col + 1 > row) $1 = 0;\nif (col > row + 8) $2 = 0;\nif (col + 1 > row + 8) $3 = 0;"),
    on_tiles("const $T old[4] = {$0, $1, $2, $3};\n$0 = old[1]; $1 = old[0]; $2 = old[3]; $3 = old[2];"),
    on_tiles("if (flag) { $0 = 0; $1 = 0; $2 = 0; $3 = 0; }"),
    on_tiles("if ($j == 1) { $0 *= 2; $1 *= 2; $2 *= 2; $3 *= 2; }"),
    on_tiles("$T *p = &$0;\np[0] *= 3; p[1] *= 3; p[2] *= 3; p[3] *= 3;"),
    on_tiles("$T &x = $2;\nx += 5;"),
    on_tiles("const int row = $row;\nif (row >= M) continue;\n$0 += 1; $1 += 1; $2 += 1; $3 += 1;"),
    on_tiles("float2 *p = (float2 *)&$0;\np[0].x *= 2; p[1].x *= 2;"),
    row_sums_between,
    on_all_by_pointer,
    on_some_by_pointer,
    tiles_trade_places,
)


# ---- behind the loop ----


def behind_nothing(g):
    pass


def again_with_other_sums(g):
    """The sums are stored, cleared, and used once more."""
    g.each(lambda i, j: g.w.add("\n".join(
        f"{g.d_at(5)}({g.rowOf(i, e // 2)}) * ld + {g.colOf(j)} + {e % 2}] = {g.elem(i, j, e)};\n{g.elem(i, j, e)} = 0;" for e in range(4))))
    with g.w.block("for (int k = BK; k < K; k += BK)"):
        g.turn("k")


def again_on_top(g):
    with g.w.block("for (int k = 0; k < BK; k += BK)"):
        g.turn("k")


def on_sums(between):
    def behind(g):
        between(g, "K")

    behind.__name__ = between.__name__
    return behind


BEHIND = (behind_nothing, again_with_other_sums, again_on_top) + tuple(
    on_sums(b) for b in BETWEEN[1:] if "continue" not in b.__name__
)

BEFORE_EPILOGUE = (
    behind_nothing,
    lines("__syncthreads();", ""),
    lines("ld = ld * flag;", ""),
    lines("C += 0;", ""),
    lines("if (flag > 3)\n  return;", ""),
    lines("if (blockIdx.x > 5)\n  return;", ""),
    lines("K = threadIdx.x;", ""),
    lines("const int wn_ = wn;\n{\n  const int wm = wn_;\n  (void)wm;\n}", ""),
)


# ---- epilogues ----


def stores(code):
    """`code` for each tile; $0..$3 its registers, $row, $col where they lie."""

    def epilogue(g):
        def tile(i, j):
            row, col = g.via("row", g.rowOf(i)), g.via("column", g.colOf(j))
            g.w.add(f"const int row = {row}, col = {col};")
            registers = {str(e): g.elem(i, j, e) for e in range(4)}
            pair = "int2" if g.type.sum == "int" else "float2"
            g.w.add(filled(code.replace("D[", g.d_at(0)), T=g.type.sum, V=pair, warp=g.warp(), lane=g.lane(), **registers))

        g.each(tile)

    epilogue.__name__ = code.replace("\n", " ")
    return epilogue


def by_register(code):
    """`code` for each register $c, number $e."""

    def epilogue(g):
        def element(i, j, e):
            row, col = g.via("row", f"{g.rowOf(i)} + {e} / 2 * 8"), g.via("column", f"{g.colOf(j)} + {e} % 2")
            g.w.add(f"const int row = {row}, col = {col};")
            thread = "((blockIdx.y * 2 + blockIdx.x) * blockDim.x + threadIdx.x)"
            g.w.add(filled(code.replace("D[", g.d_at(0)), c=g.elem(i, j, e), e=e, j=j, T=g.type.sum, warp=g.warp(), lane=g.lane(), thread=thread, rows=2 * g.bm))

        g.each(lambda i, j: g.loop("loop over e", "e", 4, lambda e: element(i, j, e)))

    epilogue.__name__ = code.replace("\n", " ")
    return epilogue


def staged(g):
    """Through shared memory, then row by row."""
    g.w.add(f"__shared__ {g.type.sum} tile[{g.bm}][{g.bn + 2}];")

    def tile(i, j):
        for e in range(4):
            g.w.add(f"tile[wm + {i} * 16 + {g.lane()} / 4 + {e // 2 * 8}][wn + {j} * 8 + {g.lane()} % 4 * 2 + {e % 2}] = {g.elem(i, j, e)};")

    g.each(tile)
    g.w.add("__syncthreads();")
    with g.w.block(f"for (int t = threadIdx.x; t < {g.bm * g.bn}; t += {g.threads})"):
        g.w.add(f"C[(blockIdx.y * {g.bm} + t / {g.bn}) * ld + blockIdx.x * {g.bn} + t % {g.bn}] = tile[t / {g.bn}][t % {g.bn}];")


def row_sums(g):
    s = g.type.sum

    def row(i):
        g.w.add(f"{s} lo = 0, hi = 0;")

        def add(j):
            g.w.add(f"lo += {g.elem(i, j, 0)} + {g.elem(i, j, 1)};\nhi += {g.elem(i, j, 2)} + {g.elem(i, j, 3)};")

        g.loop("loop over j", "j", g.nt, add)
        for mask in g.d.pick("masks", ((1, 2), (2, 1), (1,), (1, 4), (4, 8)), 0.3):
            g.w.add(f"lo += __shfl_xor_sync(~0u, lo, {mask});\nhi += __shfl_xor_sync(~0u, hi, {mask});")
        where = f"{g.d_at(6)}({g.rowOf(i)}$) * {2 * g.wn} + blockIdx.x * {g.wn} + wn / {g.nt * 8}]"
        with g.w.block(f"if ({g.lane()} % 4 == 0)"):
            g.w.add(f"{where.replace('$', '')} = lo;\n{where.replace('$', ' + 8')} = hi;")

    g.loop("loop over i", "i", g.mt, row)
    stores("C[row * ld + col] = $0;\nC[(row + 8) * ld + col + 1] = $3;")(g)


def walking(g):
    p = g.fresh("p")
    g.w.add(f"{g.type.sum} *{p} = C + ({g.rowOf(0)}) * ld + {g.colOf(0)};")
    for i in range(g.mt):
        for j in range(g.nt):
            e = [g.elem(i, j, e) for e in range(4)]
            g.w.add(f"{p}[0] = {e[0]};\n{p}[1] = {e[1]};\n{p}[8 * ld] = {e[2]};\n{p}[8 * ld + 1] = {e[3]};")
            g.w.add(f"{p} += 8;" if j + 1 < g.nt else f"{p} += 16 * ld - {8 * (g.nt - 1)};")


def by_own_function(g):
    s = g.type.sum
    g.before.add(
        f"__device__ void store({s} *C, const {s} *c, int row, int col, int ld) {{\n"
        "  for (int e = 0; e < 4; ++e)\n    C[(row + e / 2 * 8) * ld + col + e % 2] = c[e];\n}"
    )
    g.each(lambda i, j: g.w.add(f"store(C, &{g.elem(i, j, 0)}, {g.rowOf(i)}, {g.colOf(j)}, ld);"))


def by_copy(g):
    g.w.add(f"{g.type.sum} out[MT][NT][4];")
    g.each(lambda i, j: g.loop("loop over e", "e", 4, lambda e: g.w.add(f"out[{i}][{j}][{e}] = {g.elem(i, j, f'3 - {e}')};")))
    g.elem = lambda i, j, e: f"out[{i}][{j}][{e}]"
    EPILOGUES[0](g)


PLAIN = "C[row * ld + col] = $0;\nC[row * ld + col + 1] = $1;\nC[(row + 8) * ld + col] = $2;\nC[(row + 8) * ld + col + 1] = $3;"
EPILOGUES = (
    stores(PLAIN),
    by_register("C[row * ld + col] = $c;"),
    stores("*($V *)&C[row * ld + col] = {$0, $1};\n*($V *)&C[(row + 8) * ld + col] = {$2, $3};"),
    stores("*($V *)&C[row * ld + col] = *($V *)&$0;\n*($V *)&C[(row + 8) * ld + col] = *($V *)&$2;"),
    stores("if (row < M && col < N) {\n  C[row * ld + col] = $0;\n  if (col + 1 < N)\n    C[row * ld + col + 1] = $1;\n}\nif (row + 8 < M && col < N) {\n  C[(row + 8) * ld + col] = $2;\n  if (col + 1 < N)\n    C[(row + 8) * ld + col + 1] = $3;\n}"),
    stores("if (row < M) {\n  C[row * ld + col] = $0;\n  C[row * ld + col + 1] = $1;\n  if (row + 8 < M) {\n    C[(row + 8) * ld + col] = $2;\n    C[(row + 8) * ld + col + 1] = $3;\n  }\n}"),
    stores("if (row >= M)\n  continue;\n" + PLAIN),
    stores("if (row >= M)\n  return;\n" + PLAIN),
    stores("if (col >= N)\n  break;\n" + PLAIN),
    by_register("if (row < M && col < N)\n  C[row * ld + col] = $c;"),
    by_register("if (row >= M || col >= N)\n  continue;\nC[row * ld + col] = alpha * $c;"),
    by_register("C[row * ld + col] = alpha * $c + 2 * C[row * ld + col];"),
    by_register("C[row * ld + col] = $c + bias[col];"),
    by_register("C[row * ld + col] = $c + bias[row];"),
    by_register("C[row * ld + col] = $c > 0 ? $c : 0;"),
    by_register("C[row * ld + col] = row > col ? $c : -$c;"),
    by_register("D[$thread] += $c;"),
    by_register("D[$thread] = $c;"),
    by_register("D[$thread * 4 + $e] += $c;"),
    by_register("D[$thread * 2 + $e / 2] = $c;"),
    by_register("D[$thread * 8 + $j] = D[$thread * 8 + $j] * 2 + $c;"),
    by_register("atomicAdd(&C[row * ld + col], $c);"),
    by_register("atomicAdd(&D[col], $c);"),
    by_register("D[col * $rows + row] = $c;"),
    by_register("C[row * ld + col] = $warp == 0 ? $c : 2 * $c;"),
    by_register("C[row * ld + col] = $c + $lane;"),
    by_register("C[row * ld + col] = $c + threadIdx.x;"),
    by_register("C[row * ld + (col ^ 1)] = $c;"),
    by_register("C[(row ^ 8) * ld + col] = $c;"),
    by_register("$T x = $c;\nx *= 2;\nC[row * ld + col] = x;"),
    by_register("$T *x = &$c;\n*x += 1;\nC[row * ld + col] = *x;"),
    by_register("C[row * ld + col] = $c;\nif ($e == 0)\n  D[row * ld + col] = $c;"),
    by_register("if ($e & 1)\n  C[row * ld + col] = $c;\nelse\n  C[row * ld + col] = -$c;"),
    by_register("switch ($e) {\ncase 0:\ncase 3:\n  C[row * ld + col] = $c;\n  break;\ndefault:\n  C[row * ld + col] = 5;\n}"),
    by_register("auto at = &C[row * ld];\nat += col;\n*at = $c;"),
    by_register("C[row * ld + col] = $c + C[(row & ~15) * ld + col] * 0;"),
    stores("C[row * ld + col] = $0 + $2;\nC[row * ld + col + 1] = $1 - $3;"),
    stores("C[row * ld + col] = $0;\nC[row * ld + col] = $1;\nC[(row + 8) * ld + col] = $2;\nC[(row + 8) * ld + col] = $3;"),
    stores("C[(row + 8) * ld + col + 1] = $3;\nC[(row + 8) * ld + col] = $2;\nC[row * ld + col + 1] = $1;\nC[row * ld + col] = $0;"),
    stores("C[row * ld + col] = $2;\nC[row * ld + col + 1] = $3;\nC[(row + 8) * ld + col] = $0;\nC[(row + 8) * ld + col + 1] = $1;"),
    stores("C[row * ld + col] = $0;\nC[row * ld + col + 1] = $1;"),
    stores("C[row * ld + col] = $3;"),
    stores("$T x = $0, y = $2;\nx += $1;\ny += $3;\nC[row * ld + col] = x;\nC[(row + 8) * ld + col] = y;"),
    stores("$T &x = $0;\nC[row * ld + col] = x;\nC[row * ld + col + 1] = (&x)[1];\nC[(row + 8) * ld + col] = (&x)[2];"),
    stores("$T *p = C + row * ld + col;\np[0] = $0;\np[1] = $1;\np += 8 * ld;\np[0] = $2;\np[1] = $3;"),
    stores("int at = row * ld + col;\nC[at] = $0;\nC[at + 1] = $1;\nat += 8 * ld;\nC[at++] = $2;\nC[at] = $3;"),
    stores("const $T r0 = max($0, $1), r1 = max($2, $3);\nC[row * ld + col] = r0;\nC[(row + 8) * ld + col] = r1;"),
    stores("if ($lane % 4 == 0)\n  C[row * ld + col] = $0;\nC[(row + 8) * ld + col] = $2;"),
    stores("if ($warp == 0) {\n  C[row * ld + col] = $0;\n  C[(row + 8) * ld + col] = $2;\n}"),
    stores("const $T other = __shfl_xor_sync(~0u, $0, 1);\nC[row * ld + col] = other;\nC[(row + 8) * ld + col] = $2;"),
    stores("const $T other = __shfl_xor_sync(~0u, $lane & 1 ? $0 : $2, 1);\nC[(row + ($lane & 1 ? 8 : 0)) * ld + col] = other;"),
    stores("const $T scale = row < 8 ? 2 : 3;\nC[row * ld + col] = $0 * scale;\nC[row * ld + col + 1] = $1 * scale;\nC[(row + 8) * ld + col] = $2 * scale;\nC[(row + 8) * ld + col + 1] = $3 * scale;"),
    stores("const $T s0 = bias[row], s1 = bias[row + 8];\nC[row * ld + col] = $0 * s0;\nC[row * ld + col + 1] = $1 * s0;\nC[(row + 8) * ld + col] = $2 * s1;\nC[(row + 8) * ld + col + 1] = $3 * s1;"),
    stores("const $T s0 = bias[row], s1 = bias[row + 8];\nC[row * ld + col] = $0 * s0;\nC[row * ld + col + 1] = $1 * s0;\nC[(row + 8) * ld + col] = $2 * s0;\nC[(row + 8) * ld + col + 1] = $3 * s1;"),
    stores("if ((row + col) % 3 == 0) {\n  " + PLAIN.replace("\n", "\n  ") + "\n} else\n  C[row * ld + col] = 1;"),
    stores("for (int half = 0; half < 2; ++half) {\n  const int r = row + half * 8;\n  if (r >= M)\n    continue;\n  C[r * ld + col] = half ? $2 : $0;\n  C[r * ld + col + 1] = half ? $3 : $1;\n}"),
    stores("C[row * ld + col] = $0;\nD[row * ld + col] = C[row * ld + col] + 1;\nC[(row + 8) * ld + col] = $2;\nD[(row + 8) * ld + col] = C[(row + 8) * ld + col] + 1;"),
    stores("{\n  const int row = 3;\n  (void)row;\n}\n" + PLAIN),
    stores("int lower = 8;\n" + PLAIN.replace("+ 8", "+ lower")),
    stores("const int v = 1, h = 2, j_ = 3;\nC[row * ld + col] = $0 + v;\nC[(row + 8) * ld + col] = $2 + h + j_;"),
    stores("auto put2 = [&](int r, $T x, $T y) {\n  C[r * ld + col] = x;\n  C[r * ld + col + 1] = y;\n};\nput2(row, $0, $1);\nput2(row + 8, $2, $3);"),
    staged,
    row_sums,
    walking,
    by_own_function,
    by_copy,
)
