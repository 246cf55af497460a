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
echo "XOR 16 of lanes that differ has no DPP before gfx950, so a sum of floats that begins with it keeps"
echo "one operation of the LDS pipe: any other order would round otherwise."
echo
tool/scripts/moves.py

# Needs -DLAYOUT_PORT_BENCHMARKS=ON.
if [[ -x build/bin/verify_machine_bench ]]; then
  echo
  tool/scripts/machine.py
fi

# WORKED_EXAMPLES: a folder of kernels with ports made by hand (NAME_native.hip);
# COMPOSABLE_KERNEL: a checkout of ROCm/composable_kernel.
tool/scripts/quality.py ${COMPOSABLE_KERNEL:+--ck "$COMPOSABLE_KERNEL"} \
  test/kernels test/native ${WORKED_EXAMPLES:-} > docs/quality.md
