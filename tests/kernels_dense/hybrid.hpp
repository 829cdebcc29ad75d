// Models and data of awkward sizes, and the requests to run them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/random.hpp"
#include "kernels/engine.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"

namespace hyseq::kernels::dense {

struct Sizes {
  int width = 12;
  int heads = 2;
  int window = 7;
  int states = 16;
  std::size_t rows = 2;
  std::size_t time = 37;
  std::vector<std::size_t> segments = {};  // lengths of packed examples, or none
  models::Activation activation = models::Activation::silu;
};

/// SSM,TF with every dropout site active. Parameters are four times the usual start, so that no gradient is tiny.
struct Hybrid {
  static constexpr int kVocabulary = 13;
  static constexpr std::int32_t kValidBelow = 10;

  Program training;
  Program evaluation;
  ParameterValues parameters;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::vector<std::int32_t> segments;
  std::size_t rows;
  std::size_t time;

  explicit Hybrid(const Sizes& sizes) : rows(sizes.rows), time(sizes.time) {
    models::TransformerBlock transformer;
    transformer.heads = sizes.heads;
    transformer.window = sizes.window;
    const int head_width = sizes.width / sizes.heads;
    transformer.rotary_width = head_width < 2 ? 0 : models::rotary_width(0.5, head_width);
    transformer.activation = sizes.activation;
    models::SsmBlock ssm;
    ssm.state_size = sizes.states;
    models::Architecture architecture;
    architecture.width = sizes.width;
    architecture.vocabulary = kVocabulary;
    architecture.layers = models::parse_layers("SSM,TF", transformer, ssm);
    training = models::lower(architecture, {0.1, 0.2, 0.1, 0.15});
    evaluation = models::lower(architecture);
    parameters = models::initialise(training, 5);
    for (auto& array : parameters) {
      for (double& value : array) value = static_cast<double>(static_cast<float>(4 * value));
    }
    const auto draw = [](std::uint64_t index, std::size_t i) {
      return static_cast<std::int32_t>(random_block({3, Purpose::verification}, index, i)[0] % kVocabulary);
    };
    for (std::size_t i = 0; i < rows * time; ++i) {
      tokens.push_back(draw(0, i));
      targets.push_back(draw(1, i));
    }
    for (std::size_t row = 0; row < rows && !sizes.segments.empty(); ++row) {
      for (std::size_t s = 0; s < sizes.segments.size(); ++s) {
        segments.insert(segments.end(), sizes.segments[s], static_cast<std::int32_t>(s));
      }
    }
  }

  [[nodiscard]] ForwardRequest request(NumberFormat format) const {
    ForwardRequest request;
    request.program = &training;
    request.parameters = &parameters;
    request.format = format;
    request.batch = rows;
    request.time = time;
    request.tokens = tokens;
    request.segments = segments;
    request.targets = targets;
    request.valid_below = kValidBelow;
    request.gradients = true;
    request.dropout = {77, 3};
    return request;
  }
  [[nodiscard]] CohortBatch batch() const { return {rows, time, tokens, targets, segments, kValidBelow}; }
};

}  // namespace hyseq::kernels::dense
