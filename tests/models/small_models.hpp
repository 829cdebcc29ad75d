// Small random models and data for the tests of gradients and training.
#pragma once

#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "models/architecture.hpp"
#include "models/lowering.hpp"

namespace hyseq::models {

/// Tokens, targets and segments of one batch.
struct SmallData {
  std::size_t batch = 1;
  std::size_t time = 1;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::vector<std::int32_t> segments;
  std::int32_t valid_below = 0;
};

/// Random tokens below `vocabulary`; the last three ids are special, so that some targets do not count.
[[nodiscard]] SmallData small_data(int vocabulary, std::size_t batch, std::size_t time, std::uint64_t seed = 1);

struct SmallModel {
  std::string name;
  kernels::Program program;
  kernels::ParameterValues parameters;

  /// Parameters are normal numbers large enough for every path to matter.
  SmallModel(std::string title, const Architecture& architecture, const DropoutRates& dropout = {},
             std::uint64_t seed = 5);

  [[nodiscard]] kernels::ForwardRequest request(const SmallData& data, NumberFormat format) const;
};

/// "SSM,TF" of width 6 over 9 tokens with window 4 and two heads.
[[nodiscard]] Architecture small_architecture(const std::string& layers = "SSM,TF");

/// One architecture for every setting of every switch of a block, with the setting in words.
[[nodiscard]] std::vector<std::pair<std::string, Architecture>> all_switches();

/// Engines that offer a format; with `training`, those that have cohorts in it.
[[nodiscard]] std::vector<const kernels::Engine*> engines_with(NumberFormat format, bool training = false);

}  // namespace hyseq::models
