// What the kernels of a training step move and compute, counted from the program, launch by launch.
//
// Counted is what a launch asks for in float, with every number of an array that it reads or writes counted once: that
// is the least that has to come from memory where nothing of it lies in a cache, and the most where the cache holds
// what a launch reads several times (rows of a norm, keys of an attention). Masked positions, idle lanes and columns of
// tiles beyond a head's width are counted as computed where the kernel computes them; rows without a target are counted
// as if they had one. Comparisons, changes of sign and whole numbers are free, as in models/cost.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/cuda/traffic/quantity.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels::cuda {

/// One launch, or one product of cuBLAS.
struct KernelTraffic {
  std::string kernel;   // kernel_name() of its type
  std::string purpose;  // "scan, backward"
  Quantity bytes;
  Quantity operations;  // additions and multiplications, one by one
  Quantity functions;   // exp, exp2, log, erf, sine, cosine, square root, division
  Quantity words;       // blocks of four random words
  Quantity products;    // additions and multiplications of a matrix product
};

/// What a GPU does in a second, at most.
struct Ceilings {
  double copy = 0;        // bytes, read and written ones both counted
  double operations = 0;  // of float, a multiply-add being two
  double functions = 0;
  double words = 0;     // blocks
  double products = 0;  // operations of matrix products
};

/// Seconds that a launch takes at least, and why.
struct Limit {
  double seconds = 0;
  const char* by = "";  // "copy", "operations", "functions", "words" or "products"
};
[[nodiscard]] Limit limit(const KernelTraffic& traffic, const Ceilings& ceilings);

struct StepSizes {
  std::size_t members = 1;
  std::size_t batch = 1;
  std::size_t time = 1;
  bool bfloat16 = false;  // factors of products
};

/// The launches of one training step in their order: gradients set to zero, forward list, loss, backward list, update.
/// Rows have no segments.
[[nodiscard]] std::vector<KernelTraffic> step_traffic(const Program& training, const StepSizes& sizes);

}  // namespace hyseq::kernels::cuda
