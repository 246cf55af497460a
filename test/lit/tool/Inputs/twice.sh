#!/usr/bin/env bash
# twice.sh TOOL FOLDER KERNEL [OPTIONS]: a port that is ported again stays as it is, byte for
# byte, and the second run ends as the first did: 0, or 1 where a person is still needed.
set -uo pipefail
tool=$1 folder=$2 kernel=$3
shift 3
once=$folder/$(basename "$kernel" .cu).hip
twice=$folder/$(basename "$kernel" .cu).twice.hip
mkdir -p "$folder"
"$tool" "$kernel" -o "$once" --quiet "$@" 2> /dev/null
first=$?
"$tool" "$once" -o "$twice" --quiet "$@" 2> /dev/null
second=$?
[[ $first -lt 2 ]] || { echo "$kernel: exit $first"; exit 1; }
cmp "$once" "$twice" || exit 1
[[ $first == "$second" ]] || { echo "$kernel: exit $first, then $second"; exit 1; }
"$tool" "$once" --check --quiet "$@" || { echo "$once: --check would change it"; exit 1; }
