#!/usr/bin/env bash
# quickstart.sh run|test: everything from a bare Debian 12.
#   run   installs what is needed, builds, ports an example and shows its report
#   test  installs what is needed, builds with warnings as errors, runs all tests
set -euo pipefail
cd "$(dirname "$0")/../.."

# What a bare Debian 12 lacks. clang-22 and its kin come from Debian's own archive.
packages=(
  binutils ca-certificates cmake ninja-build patch python3 libgtest-dev libgmock-dev
  clang-22 clang-tools-22 lld-22 llvm-22 llvm-22-dev llvm-22-tools libclang-22-dev libclang-cpp22-dev
  libstdc++-12-dev zlib1g-dev libzstd-dev libcurl4-openssl-dev libedit-dev libxml2-dev
)

install_packages() {
  local missing=() name
  for name in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q "install ok installed" ||
      missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y --no-install-recommends \
    "${missing[@]}"
}

build() {
  cmake --preset "$1"
  cmake --build --preset "$1"
}

case "${1:-}" in
run)
  install_packages
  build default
  build/bin/layout-port test/kernels/hgemm_macros.cu -o build/hgemm_macros.hip
  echo "The ported kernel: build/hgemm_macros.hip"
  ;;
test)
  install_packages
  build ci
  ctest --test-dir build --output-on-failure -j"$(nproc)"
  ;;
*)
  echo "usage: $0 run|test" >&2
  exit 2
  ;;
esac
