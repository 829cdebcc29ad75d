// Some models trained through the same steps on any engine, and how far two such trainings are apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {

/// One step: how many rows of how many tokens, and what the engine is told about it.
struct PlannedStep {
  std::size_t rows = 3;
  std::size_t time = 7;
  bool packed = false;       // examples of 1, 2, 3, ... tokens side by side
  std::uint64_t data = 0;    // index of the rows
  std::uint64_t number = 0;  // of the step
  std::uint64_t seed = 0;    // added to each member's own
  double rate = 1;           // times each member's own
};

/// Members by identity: parameters, data, seed and rate are functions of it alone.
struct Training {
  const SmallModel* training = nullptr;
  const SmallModel* evaluation = nullptr;
  std::vector<std::uint64_t> members;
  std::vector<PlannedStep> steps;
  std::size_t micro_batch = 0;
  kernels::Clip clip{0.5, 1e-6};
  std::uint64_t diverges = 0;  // the member whose rate is far too large from the third step on; 0: none
};

struct Trajectory {
  std::vector<std::vector<kernels::MemberStep>> steps;  // [step][member]
  std::vector<std::vector<double>> logits;              // [member], behind the last step, on rows of its own
  std::vector<kernels::LossResult> evaluation;          // [member], of the cohort on the same rows
  std::vector<kernels::ParameterValues> parameters;     // [member]
};

/// Trains in cohorts as large as the engine takes them.
[[nodiscard]] Trajectory train(const Training& training, const kernels::Engine& engine, NumberFormat format);

/// What `found` is away from `exact`, as a multiple of what `rounded` is: the largest such ratio of a loss (against the
/// largest difference of any member so far), and of the logits at the end. Infinity where something is not a number.
struct Distance {
  double losses = 0;
  double logits = 0;
};
[[nodiscard]] Distance distance(const Trajectory& found, const Trajectory& exact, const Trajectory& rounded);

/// The same without a yardstick.
[[nodiscard]] Distance distance(const Trajectory& found, const Trajectory& exact);

}  // namespace hyseq::models
