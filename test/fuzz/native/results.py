"""Results: where sums are kept, what they begin with, what is done to them between the products
and behind the loop.
"""
from operands import asm_in_place, wrapper_is_macro, wrappers_of_references, wrappers_of_scalars
from words import filled, lines

def named(name, function):
    function.__name__ = name
    return function


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
    on_each("if (FLAG)\n  $c *= 3;"),
    on_each("$c = FLAG ? $c : -$c;"),
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
