#!/usr/bin/env bash
# cmake/check_cuda.sh   compiles the cuda engine and its tests for GPUs, with warnings as errors, and prints what the
#                       compiler says of every float kernel as a table for docs/cuda.md: registers of a thread, bytes that
#                       do not fit into them ("spills"), bytes of its stack. No GPU is needed.
#
# Kernels for double, which only the tests use, are counted in the last line. Works in build/check_cuda.
# Exit codes: 0 success, 1 it does not compile or a float kernel spills, 3 no CUDA compiler can be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly BUILD=build/check_cuda
toolkit="$(cmake/cuda_compiler.sh)"
export CUDACXX="$toolkit/bin/nvcc"
mkdir -p "$BUILD"

started=$SECONDS
cmake --preset cuda -B "$BUILD" -D HYSEQ_CUDA_REPORT=ON -D HYSEQ_BENCHMARKS=OFF >"$BUILD/configure.log" || {
  tail -n 20 "$BUILD/configure.log" >&2
  exit 1
}
# From the beginning, since what is not compiled again reports nothing.
cmake --build "$BUILD" --target clean >/dev/null
cmake --build "$BUILD" --target hyseq_cuda hyseq_cuda_tests --parallel "$(nproc)" >"$BUILD/build.log" 2>&1 || {
  grep -v '^ptxas info\|bytes stack frame' "$BUILD/build.log" | tail -n 60 >&2
  exit 1
}
seconds=$((SECONDS - started))

# One line for each kernel and architecture: name|architecture|registers|spilled bytes|stack.
c++filt <"$BUILD/build.log" | awk '
  /Building CUDA object/ { of_tests = / tests\// }
  of_tests { next }
  /Compiling entry function/ {
    split($0, quoted, "\x27"); name = quoted[2]; architecture = quoted[4]
    sub(/^void [a-z:]*run</, "", name); sub(/ ?>\(.*$/, "", name)
    gsub(/hyseq::kernels::|cuda::|nvidia::|\(anonymous namespace\)::/, "", name)
  }
  /bytes stack frame/ { stack = $1; spilled = $5 + $9 }
  /Used [0-9]+ registers/ { match($0, /Used [0-9]+/)
    print name "|" architecture "|" substr($0, RSTART + 5, RLENGTH - 5) "|" spilled "|" stack }' |
  sort -u >"$BUILD/kernels.txt"

echo "| kernel | registers (sm_80) | registers (sm_90) | spilled | stack |"
echo "|---|---|---|---|---|"
awk -F'|' -v seconds="$seconds" '
  $1 ~ /double/ { if (!seen[$1]++) doubles++; if ($4 > 0 && !bad[$1]++) spilling++; next }
  {
    if (!($1 in first)) { first[$1] = ++count; names[count] = $1 }
    registers[$1, $2] = $3
    if ($4 > spilled[$1]) spilled[$1] = $4
    if ($5 > stack[$1]) stack[$1] = $5
    if ($4 > 0) failed = 1
  }
  END {
    for (i = 1; i <= count; ++i) {
      n = names[i]
      printf "| `%s` | %s | %s | %d | %d |\n", n, registers[n, "sm_80"], registers[n, "sm_90"], spilled[n], stack[n]
    }
    printf "\n%d float kernels; %d more for double, of which %d spill. Compiled in %d s.\n", count, doubles, spilling, seconds
    if (failed) print "Float kernels must not spill."
    exit failed
  }' "$BUILD/kernels.txt"
