// Held-out evaluation of all members of a cohort, in integer counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/cohort.hpp"
#include "results/run_record.hpp"
#include "trainers/data.hpp"

namespace hyseq::trainers {

/// Thrown where a run was asked to stop; nothing of the runs in hand is kept but their last checkpoints.
class Interrupted {};

struct EvaluationRequest {
  std::string name;       // "final", "length 200", "step 500"
  std::int64_t step = 0;  // training steps done
  std::size_t length = 1;
  std::size_t rows = 1;
};

/// One evaluation per member, on rows 0 .. rows-1 of the evaluation stream of its seed; slices as in slices.hpp, those
/// without a valid position left out. Rows go through the cohort in chunks of a fixed size, so that the counts and the
/// loss do not depend on threads or neighbours. `stop` (or nullptr) is checked between chunks: throws Interrupted.
[[nodiscard]] std::vector<results::Evaluation> evaluate(kernels::Cohort& cohort, const DataSource& data,
                                                        std::span<const std::uint64_t> seeds,
                                                        const EvaluationRequest& request,
                                                        const std::atomic<bool>* stop);

}  // namespace hyseq::trainers
