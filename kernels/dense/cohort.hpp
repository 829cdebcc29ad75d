// The cohort of one large model.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/cohort.hpp"

namespace hyseq::kernels::dense {

/// InputError where the request does not fit.
[[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request);

/// See Engine::cohort_bytes.
[[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows);

}  // namespace hyseq::kernels::dense
