"""Operands: how they lie in shared memory, how they get there, how they are read and multiplied."""
from words import filled, loop_plain

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


def b_in_pairs(g):
    """Two tiles of B with one ldmatrix.x4, row by row of lanes."""
    if g.trans or g.nt % 2:
        return operands_first(g)

    def step(kk):
        g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
        with g.w.block(f"for (int j = 0; j < {g.nt}; j += 2)"):
            row = g.via("row of B", f"wn + j * 8 + ({g.lane()}) / 16 * 8 + {g.lane()} % 8")
            at = g.atB(row, f"{kk} * 32 + ({g.lane()}) / 8 % 2 * 16")
            g.w.add(asm_ldmatrix(4, indexed(g.b("j"), 2) + indexed(g.b("(j + 1)"), 2), at))
        g.each(g.multiply)

    return step


def by_functions(g):
    """All products in a function of their own."""
    if g.tile("i", "j") != "c[i][j]":
        return operands_first(g)
    text = g.mma("c[i][j]", "a[i]", "b[j]").replace("\n", "\n      ")
    g.before.add(
        f"template <int M, int N>\n__device__ void multiply({g.type.sum} (&c)[M][N][4], uint32_t (&a)[M][4], uint32_t (&b)[N][2]) {{\n"
        f"  for (int i = 0; i < M; ++i)\n    for (int j = 0; j < N; ++j) {{\n      {text}\n    }}\n}}"
    )

    def step(kk):
        g.loop("loop over i", "i", g.mt, lambda i: g.loadA(kk, i))
        g.loop("loop over j", "j", g.nt, lambda j: g.loadB(kk, j))
        g.w.add("multiply(c, a, b);")

    return step


OPERANDS = (
    operands_first,
    b_in_pairs,
    by_functions,
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


def a_under_conditions(g, kk, i, to):
    """Some rows are other numbers; the registers of a row hang on one condition, in some order."""
    most = g.d.size("rows of A", (30, 5, 17))
    otherwise = g.d.size("other rows of A", ("0", "0x3c003c00u", "flag"))
    form = g.d.size("conditions on A", ("set before", "else", "nested", "declared between", "loop"))
    row = lambda r: f"wm + {i} * 16 + {g.lane()} / 4 + {8 * (r & 1)}"
    word = lambda r: f"*(const uint32_t *)&sA[stage][{g.swizzle(g, row(r), f'{kk} * 32 + {g.lane()} % 4 * 4 + {16 * (r >> 1)}', g.pitch)}]"
    if form == "loop":
        at = g.swizzle(g, "row", f"{kk} * 32 + {g.lane()} % 4 * 4 + r / 2 * 16", g.pitch)
        with g.w.block("for (int r = 0; r < 4; ++r)"):
            g.w.add(f"const int row = wm + {i} * 16 + {g.lane()} / 4 + r % 2 * 8;")
            g.w.add(f"{to}[r] = {otherwise};\nif (row < {most})\n  {to}[r] = *(const uint32_t *)&sA[stage][{at}];")
        return
    if form != "else":
        g.w.add("\n".join(f"{to}[{r}] = {otherwise};" for r in g.d.size("order of A", ((0, 1, 2, 3), (2, 0, 3, 1)))))
    for r in g.d.size("rows first", ((0, 1), (1, 0))):
        bound = str(most)
        if form == "declared between":
            bound = g.fresh("bound")
            g.w.add(f"const int {bound} = {most};")
        with g.w.block(f"if ({row(r)} < {bound})"):
            g.w.add(f"{to}[{r}] = {word(r)};")
            inner = f"{to}[{r + 2}] = {word(r + 2)};"
            g.w.add(f"if ({kk} + {g.lane()} != 3)\n  {inner}" if form == "nested" else inner)
        if form == "else":
            with g.w.block("else"):
                g.w.add(f"{to}[{r}] = {otherwise};\n{to}[{r + 2}] = {otherwise};")


LOADS_A = (a_by_x4, a_by_x4_address, a_by_pointer, a_by_walk, a_by_words, a_by_loop, a_swapped_rows, a_if_lane, a_hidden_names, a_later_names, a_by_lambda_walk, a_under_conditions)


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


def by_values(g, to, value, kinds):
    """Fills the two words by values that are shorter, in a loop or one by one."""
    bytes_, kind = kinds
    count, p = 8 // bytes_, g.fresh("p")
    g.w.add(f"{kind} *{p} = ({kind} *){to};")
    if g.d.size("values of B", ("loop", "one by one")) == "loop":
        g.w.add(f"for (int e = 0; e < {count}; ++e)\n  {p}[e] = {value('e')};")
    else:
        order = sorted(range(count), key=lambda e: (e * 5 + 3) % count)
        g.w.add("\n".join(f"{p}[{e}] = {value(str(e))};" for e in order))


def b_by_values(g, kk, j, to):
    size = g.type.bytes
    if size == 4:
        return b_by_words(g, kk, j, to)
    kind = {1: "int8_t", 2: "uint16_t"}[size]

    def value(e):
        part = 4 // size
        byte = f"{kk} * 32 + {g.lane()} % 4 * 4 + {e} % {part} * {size} + {e} / {part} * 16"
        return f"*(const {kind} *)&sB[stage][{g.swizzle(g, f'wn + {j} * 8 + {g.lane()} / 4', byte, g.pitch)}]"

    return by_values(g, to, value, (size, kind))


LOADS_B = (b_by_x2, b_by_x2_address, b_by_words, b_shifted, b_of_first_warp, b_with_offsets, b_x4_first_half, b_by_lambda_walk, b_of_outer_j, b_by_values)


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


def b_by_values_trans(g, kk, j, to):
    """Halves of a column, some of them under a condition."""
    least = g.d.size("halves of B", (0, 3))

    def value(e):
        row = f"({kk} * 16 + {g.lane()} % 4 * 2 + {e} % 2 + {e} / 2 * 8)"
        read = f"*(const uint16_t *)&sB[stage][{row} * {g.pitchB} + (wn + {j} * 8 + {g.lane()} / 4) * 2]"
        return f"{row} >= {least} ? {read} : uint16_t(0)" if least else read

    by_values(g, to, value, (2, "uint16_t"))


LOADS_B_TRANS = (b_by_x2_trans, b_by_halves, b_by_values_trans)
