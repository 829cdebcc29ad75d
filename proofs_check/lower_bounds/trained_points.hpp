// Trained machines beside the curve: small SSM stacks that the training engine teaches selective copying, on the spot,
// and then the states that they use, rounded to fewer and fewer bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proofs_check/controls.hpp"
#include "proofs_check/lower_bounds/machine_points.hpp"
#include "proofs_check/lower_bounds/request.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// Selective copying of `values` values over distances 1 .. `length`, by standard SSM blocks of one size.
struct TrainedSpec {
  std::string layers = "SSM";
  int values = 2;
  int length = 4;
  int width = 16;
  int inner_width = 8;
  int state_size = 2;
  int kernel = 4;
  std::int64_t steps = 2000;
  int seeds = 16;  // trained side by side; the one with the best held-out accuracy is kept, for all its points
};

/// One layer with and without a convolution, and two layers for three values and for six letters; about 12 s on two
/// cores.
[[nodiscard]] std::vector<TrainedSpec> trained_specs();

struct TrainedSeries {
  Stack stack;  // of the kept seed, unrounded
  CopyProbe probe;
  std::uint64_t seed = 0;     // the kept one
  int seeds = 0;              // trained
  double accuracy = 0;        // held-out, of the kept seed: the task's own rows, all positions with an answer
  double worst_accuracy = 0;  // .. and of the worst seed
  std::vector<int> bits;      // per carried number, 0 for unrounded; falling
  std::vector<MachinePoint> points;
};

/// 1 <= seeds. Trained in float by AdamW without dropout, on rows of length + 3 tokens; then all values^length inputs
/// are read in `request.number`, by the kept seed's model. Reproducible from (spec, request.seed) on any thread count.
[[nodiscard]] TrainedSeries trained_series(const TrainedSpec& spec, const LowerBoundRequest& request);

/// Passes if no point lies above the bound and every model, unrounded, is right more often than a guess (else there
/// would be nothing trained to speak of).
[[nodiscard]] results::Check trained_check(const std::vector<TrainedSeries>& series);

/// The most successful of the models, unrounded, which says that it uses half of its states.
[[nodiscard]] Control half_states_control(const std::vector<TrainedSeries>& series, NumberFormat format);

}  // namespace hyseq::proofs_check
