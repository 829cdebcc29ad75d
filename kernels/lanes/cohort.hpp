// Cohorts of the lanes engine.
#pragma once

#include <memory>

#include "kernels/cohort.hpp"

namespace hyseq::kernels {

/// Up to lane_count(request.format) members. Runs in the calling thread and holds the activations of one row at a time,
/// whatever `threads` and `micro_batch` say: cohorts, not rows, are spread over threads. InputError where the request
/// does not fit.
[[nodiscard]] std::unique_ptr<Cohort> make_lanes_cohort(const CohortRequest& request);

}  // namespace hyseq::kernels
