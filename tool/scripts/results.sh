#!/usr/bin/env bash
# results.sh: the tables of docs/results.md, from the built tool, on stdout; and
# docs/quality.md, by quality.py.
#   tool/scripts/results.sh [PUBLIC] > docs/results.md
# PUBLIC is a folder with clones of public repositories (results.py lists them; none
# is part of this one).
set -euo pipefail
cd "$(dirname "$0")/../.."
tool/scripts/results.py "${1:-}"

echo
echo "## Moves between lanes"
echo
echo "The kernels of \`test/kernels/warp/moves.cu\`, ported, beside the same by HIP's own shuffles."
echo
tool/scripts/moves.py

# The SIMT machine of `verify`; needs -DLAYOUT_PORT_BENCHMARKS=ON.
bench=build/bin/verify_machine_bench
if [[ -x $bench ]]; then
  echo
  echo "## The SIMT machine"
  echo
  echo "A GEMM through mma.sync (test/verify/kernels/gemm_f16.cu) and its port to gfx942, one run a"
  echo "seed with buffers placed. CPU ms is the thread's own time, wall ms what the clock said; both"
  echo "sides run at once."
  echo
  echo "| run | CPU ms | wall ms | million lane-operations a CPU second |"
  echo "|---|---|---|---|"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  "$bench" --benchmark_format=json --benchmark_min_time=1 2>/dev/null > "$work/bench.json"
  python3 - "$work/bench.json" <<'PY'
import json, sys
for b in json.load(open(sys.argv[1]))["benchmarks"]:
    name, cpu, wall = b["name"].split("/")[0], b["cpu_time"], b["real_time"]
    both = name.startswith("both")
    rate = "" if both else f"{b['lane_ops'] * wall / cpu / 1e6:.0f}"
    print(f"| {name} | {'' if both else f'{cpu:.1f}'} | {wall:.1f} | {rate} |")
PY
fi

# WORKED_EXAMPLES: a folder of kernels with ports made by hand (NAME_native.hip);
# COMPOSABLE_KERNEL: a checkout of ROCm/composable_kernel.
tool/scripts/quality.py ${COMPOSABLE_KERNEL:+--ck "$COMPOSABLE_KERNEL"} \
  test/kernels test/native ${WORKED_EXAMPLES:-} > docs/quality.md
