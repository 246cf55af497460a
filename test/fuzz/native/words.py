"""One thing said in many ways: integers, loops, and who a thread is.

A way is a function of the kernel (kernels.Kernel) that writes the statements it needs, and returns
what stands for the value. The first of each list is the plain one.
"""
import re


def filled(code, **values):
    """`code` with what $name stands for."""
    return re.sub(r"\$(\w+)", lambda found: str(values[found.group(1)]), code)


def lines(code, name):
    def write(g):
        g.w.add(code.replace("D[", g.d_at(2)))
        return name

    write.__name__ = code.replace("\n", " ")
    return write


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
    return f"(FLAG ? (int)({x}) : same((int)({x})))"


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
    lines("const int lane = (threadIdx.x % 32) ^ 1;", "(lane ^ 1)"),
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
