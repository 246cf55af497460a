"""Which threads, turns and tiles come to the products: loops over k, jumps, conditions."""
from words import filled, lines

# ---- before all ----


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
    around("if (FLAG)"),
    around("if (!FLAG || $k > 0)"),
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
