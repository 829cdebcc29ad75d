#!/usr/bin/env bash
# cmake/cuda_compiler.sh   prints the folder of a CUDA toolkit: the one whose nvcc is on the path, or else one of its own,
#                          installed on the first call as Python packages. A GPU is not needed. `cmake --preset cuda`
#                          finds either by itself.
#
# Its own lies in $HYSEQ_CUDA_FOLDER, by default ~/.cache/hyseq/cuda, and takes 1 GB, most of it cuBLAS.
# Exit codes: 0 success, 3 it cannot be had.
set -euo pipefail

readonly FOLDER="${HYSEQ_CUDA_FOLDER:-${XDG_CACHE_HOME:-$HOME/.cache}/hyseq/cuda}"

# One release, since the parts have to fit each other.
readonly PACKAGES=(
  nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96
  nvidia-cublas==13.1.0.3
)

# stop SENTENCE
stop() {
  echo "cuda_compiler: $1" >&2
  exit 3
}

toolkit() {
  find "$FOLDER" -path '*/site-packages/nvidia/*/bin/nvcc' -printf '%h\n' 2>/dev/null | head -n 1 | sed 's|/bin$||'
}

install_toolkit() {
  local log
  log="$(mktemp)"
  python3 -m venv "$FOLDER" >"$log" 2>&1 ||
    stop "python3 cannot make a virtual environment in $FOLDER (Debian: python3-venv): $(tail -n 1 "$log")"
  "$FOLDER/bin/pip" install --quiet --disable-pip-version-check --no-deps "${PACKAGES[@]}" >"$log" 2>&1 ||
    stop "pip cannot install ${PACKAGES[*]}: $(tail -n 1 "$log")"
  rm -f "$log"
  # What a toolkit from other sources also has, and CMake looks for.
  local root
  root="$(toolkit)"
  ln -sfn lib "$root/lib64"
  ln -sfn "$(basename "$root"/lib/libcudart.so.*)" "$root/lib/libcudart.so"
  touch "$FOLDER/complete"
}

if compiler="$(command -v nvcc)"; then
  # The folder that nvcc itself names, since the program on the path may only call another.
  "$compiler" --dryrun -c -x cu /dev/null 2>&1 | sed -n 's|^#\$ TOP=||p' | xargs realpath
  exit 0
fi
[[ -e "$FOLDER/complete" ]] || install_toolkit
toolkit
