#!/usr/bin/env bash
# golden.sh TOOL NAME FOLDER: ports Inputs/NAME.cu by the local tiers and compares the whole
# output with Inputs/NAME.hip, which is there to be read beside its source. The port compiles
# for three chips and the host, has no PTX left, and does what its source does on all three.
#
# After a change that means to change outputs:
#   for f in test/lit/golden/Inputs/*.cu; do
#     test/lit/golden/Inputs/golden.sh build/bin/layout-port $(basename $f .cu) $(mktemp -d) --write
#   done
set -euo pipefail
tool=$1 name=$2 folder=$3
inputs=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$tool" "$inputs/$name.cu" --max-tier=bridged --runtime=include --target gfx90a,gfx942,gfx950 \
  --quiet -o "$folder/$name.hip"
[[ ${4:-} != --write ]] || cp "$folder/$name.hip" "$inputs/$name.hip"
diff "$inputs/$name.hip" "$folder/$name.hip"
! grep -nE '^[^/]*asm *(volatile)? *[(]' "$folder/$name.hip"
for target in gfx90a gfx942 gfx950; do
  "$tool" verify "$inputs/$name.cu" "$folder/$name.hip" --launch "$inputs/$name.yaml" \
    --target "$target" | head -1 | grep -E "^(proved|tested): "
done
