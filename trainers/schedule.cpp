#include "trainers/schedule.hpp"

#include <cmath>
#include <numbers>

namespace hyseq::trainers {

double learning_rate(const OptimiserConfiguration& options, std::int64_t step) {
  const auto s = static_cast<double>(step);
  const auto warmup = static_cast<double>(options.warmup);
  const auto total = static_cast<double>(options.steps);
  if (step < options.warmup) return options.learning_rate * s / warmup;
  if (step == options.warmup) return options.learning_rate;  // also where nothing is left to fall over
  if (options.decay == Decay::linear) return options.learning_rate * (total - s) / (total - warmup);
  return options.learning_rate * (1 + std::cos(std::numbers::pi * (s - warmup) / (total - warmup))) / 2;
}

}  // namespace hyseq::trainers
