// Small models trained on the spot, so that a certificate speaks of trained weights without any file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/model_file.hpp"

namespace hyseq::proofs_check {

struct TrainedModel {
  std::string name;
  models::ModelFile model;
  double first_loss = 0;  // of the first step's batch
  double last_loss = 0;   // mean over the last ten steps
};

/// Selective copying of three values, distances 1 to 3, `steps` >= 20 steps of AdamW on the reference engine in double,
/// standard initialisation: the same weights on every machine and thread count.
[[nodiscard]] std::vector<TrainedModel> train_small_models(std::uint64_t seed, int steps, int threads);

}  // namespace hyseq::proofs_check
