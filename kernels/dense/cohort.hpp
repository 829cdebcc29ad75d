// The cohort of one large model.
#pragma once

#include <memory>

#include "kernels/cohort.hpp"

namespace hyseq::kernels::dense {

/// InputError where the request does not fit.
[[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request);

}  // namespace hyseq::kernels::dense
