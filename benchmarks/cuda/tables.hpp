// The tables of docs/cuda.md.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "benchmarks/cuda/cases.hpp"

#include "kernels/cuda/traffic/traffic.hpp"

namespace hyseq::benchmarks {

/// An H200: copy and bfloat16 products as measured on one; 67 TFLOP/s of float from the data sheet of the SXM module;
/// of that rate special functions have a sixteenth (16 against 128 multiply-adds a cycle and multiprocessor) and whole
/// numbers a quarter (64, not fused), by the CUDA C++ Programming Guide's table for compute capability 9.0. A block of
/// random words is 100 whole-number operations: ten rounds of four half products, four exclusive-ors and two additions.
[[nodiscard]] kernels::cuda::Ceilings h200(bool bfloat16);

/// Launches of one kernel for one purpose in a step, together.
struct KernelRow {
  std::string kernel;
  std::string purpose;
  std::size_t launches = 0;
  double bytes = 0;
  double operations = 0;  // those of products included
  double functions = 0;
  double words = 0;
  double seconds = 0;    // at least, by the ceilings
  std::string by{};      // what binds: that of the launch that takes longest
  double measured = -1;  // seconds; none where negative
};

/// In the order in which they come first. measured: seconds of every launch of `step`, or empty.
[[nodiscard]] std::vector<KernelRow> kernel_rows(const std::vector<kernels::cuda::KernelTraffic>& step,
                                                 const kernels::cuda::Ceilings& ceilings,
                                                 const std::vector<double>& measured = {});

/// "| kernel | for | launches | MB | ..", with a row of sums.
[[nodiscard]] std::string figures_table(const std::vector<KernelRow>& rows);

/// Every kernel once, with its formulas.
[[nodiscard]] std::string formulas_table(const std::vector<CudaCase>& cases);

/// All of it, as `bench_cuda --traffic` prints it and docs/cuda.md has it.
[[nodiscard]] std::string traffic_page();

}  // namespace hyseq::benchmarks
