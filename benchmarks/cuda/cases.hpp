// The models that the cuda engine is counted and measured on.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/cuda/traffic/traffic.hpp"
#include "models/lowering.hpp"

namespace hyseq::benchmarks {

/// Steps of `members` models with dropout 0.1 behind attention and MLP.
struct CudaCase {
  std::string name;
  std::string sizes;  // in words
  models::Architecture architecture;
  kernels::cuda::StepSizes step;
  models::DropoutRates dropout{0, 0, 0.1, 0.1};

  [[nodiscard]] kernels::Program training() const { return models::lower(architecture, dropout); }
};

inline models::Architecture cuda_architecture(const char* layers, int width, int head_width, int window,
                                              int vocabulary) {
  models::TransformerBlock transformer;
  transformer.heads = width / head_width;
  transformer.window = window;
  transformer.rotary_width = models::rotary_width(0.25, head_width);
  models::Architecture architecture;
  architecture.width = width;
  architecture.vocabulary = vocabulary;
  architecture.layers = models::parse_layers(layers, transformer, {});
  return architecture;
}

inline CudaCase cohort_case(std::size_t members = 256) {
  return {"cohort",
          std::to_string(members) +
              " members `SSM,TF`, width 8, vocabulary 34, window 20, 16 states, "
              "batch 8, length 100, float",
          cuda_architecture("SSM,TF", 8, 8, 20, 34),
          {members, 8, 100, false}};
}

inline CudaCase model_case() {
  return {"one model",
          "one model `(SSM,TF)*6`, width 768, 12 heads, vocabulary 1024, window 128, 16 states, batch 8, "
          "length 1024, products in bfloat16",
          cuda_architecture("(SSM,TF)*6", 768, 64, 128, 1024),
          {1, 8, 1024, true}};
}

/// What the two cases leave out, so that no kernel is without a formula: 24 states in two passes, a position code,
/// other norms and activations, dropout of probabilities and of the embedding.
inline CudaCase remaining_case() {
  models::SsmBlock ssm;
  ssm.norm = models::Norm::layer;
  ssm.activation = models::Activation::gelu;
  ssm.state_size = 24;
  models::TransformerBlock transformer;
  transformer.activation = models::Activation::gelu;
  models::Architecture architecture;
  architecture.width = 64;
  architecture.vocabulary = 34;
  architecture.layers = {ssm, transformer};
  architecture.position_codes = {{0, 8, 0}};
  return {"the rest", "", architecture, {1, 8, 1024, true}, {0.1, 0.1, 0.1, 0.1}};
}

/// A model of twelve layers with about that many parameters, vocabulary 1024: the nearest that a width gives.
inline CudaCase large_case(const char* layers, double parameters) {
  const int unit = parameters < 3e6 ? 16 : 32;
  CudaCase best;
  double nearest = -1;
  for (int width = unit; width <= 4096; width += unit) {
    const int head_width = width % 64 == 0 ? 64 : unit;
    models::Architecture architecture = cuda_architecture(layers, width, head_width, 128, 1024);
    const double found = static_cast<double>(models::lower(architecture).parameter_count());
    if (nearest >= 0 && std::abs(found - parameters) >= nearest) break;
    nearest = std::abs(found - parameters);
    best.architecture = std::move(architecture);
    best.sizes = std::string(layers) + ", width " + std::to_string(width) + ", " +
                 std::to_string(static_cast<std::int64_t>(found)) + " parameters";
  }
  best.name = best.sizes;
  best.step = {1, 8, 1024, true};
  return best;
}

/// Twelve layers of each kind near 1e6, 1e7 and 1e8 parameters.
inline std::vector<CudaCase> large_cases() {
  std::vector<CudaCase> cases;
  for (const double parameters : {1e6, 1e7, 1e8}) {
    for (const char* layers : {"TF*12", "SSM*12", "(SSM,TF)*6", "(TF,SSM)*6"}) {
      cases.push_back(large_case(layers, parameters));
    }
  }
  return cases;
}

}  // namespace hyseq::benchmarks
