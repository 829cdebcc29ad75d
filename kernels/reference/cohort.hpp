// Cohorts on the reference engine: the members one after the other.
#pragma once

#include <memory>

#include "kernels/cohort.hpp"

namespace hyseq::kernels {

/// InputError where the request does not fit.
[[nodiscard]] std::unique_ptr<Cohort> make_reference_cohort(const CohortRequest& request);

}  // namespace hyseq::kernels
