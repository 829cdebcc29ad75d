// Times on a GPU. Defined in timing.cu, and in no_timing.cpp where there is no CUDA.
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/traffic/traffic.hpp"

namespace hyseq::benchmarks {

/// A launch of a training step.
struct TimedLaunch {
  std::string kernel;  // kernel_name()
  double seconds = 0;  // median over the rounds, less what an empty kernel takes
};

/// Runs `rounds` training steps of a model in float, whose launches are timed one by one. EnvironmentError where there
/// is no GPU, or no room on it.
[[nodiscard]] std::vector<TimedLaunch> time_launches(const kernels::Program& training,
                                                     const kernels::cuda::StepSizes& sizes, int rounds);

/// What this GPU does at most: copying 2 GiB, and square products of 8192 in bfloat16 and of 4096 in float, of random
/// numbers. operations, functions and words follow from multiprocessors and their clock.
struct MeasuredCeilings {
  double copy = 0;
  double products_bfloat16 = 0;
  double products_float = 0;
  double clock = 0;  // cycles a second, the most that the driver says
  int processors = 0;

  [[nodiscard]] kernels::cuda::Ceilings ceilings(bool bfloat16) const {
    const double cycles = clock * processors;
    return {.copy = copy,
            .operations = 256 * cycles,
            .functions = 16 * cycles,
            .words = 64 * cycles / 100,
            .products = bfloat16 ? products_bfloat16 : products_float};
  }
};
[[nodiscard]] MeasuredCeilings measure_ceilings();

}  // namespace hyseq::benchmarks
