// The golden training traces and ways to run them.
#pragma once

#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "models/architecture.hpp"

namespace hyseq::models {

/// Names of all train_*.h5, sorted.
[[nodiscard]] std::vector<std::string> golden_trainings();

/// Steps of an optimiser, no dropout.
struct TrainingGolden {
  std::string name;
  kernels::Program program;
  kernels::AdamW optimiser;
  kernels::Clip clip;
  std::int32_t valid_below = 0;
  std::size_t steps = 0;
  std::size_t rows = 0;
  std::size_t length = 0;
  std::vector<std::int32_t> input;   // [steps, rows, length]
  std::vector<std::int32_t> target;  // likewise
  std::vector<double> loss;          // [steps]
  std::vector<double> grad_norm;
  std::vector<double> rates;
  kernels::ParameterValues init;
  kernels::ParameterValues final;

  explicit TrainingGolden(const std::string& file);

  [[nodiscard]] std::span<const std::int32_t> batch(const std::vector<std::int32_t>& data, std::size_t step) const {
    return std::span(data).subspan(step * rows * length, rows * length);
  }
};

/// What a cohort of one member makes of it.
struct TrainingTrace {
  std::vector<kernels::MemberStep> steps;
  kernels::ParameterValues final;
};
[[nodiscard]] TrainingTrace train(const TrainingGolden& golden, const kernels::Engine& engine, NumberFormat format,
                                  std::size_t micro_batch = 0);

}  // namespace hyseq::models
