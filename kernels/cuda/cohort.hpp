// Training on the device: members of a cohort side by side, steps recorded and replayed.
#pragma once

#include <memory>

#include "kernels/cohort.hpp"
#include "kernels/cuda/shape.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// Members that a cohort holds at most: enough that models of width 8 fill a large GPU.
inline constexpr std::size_t kMostMembers = 512;

/// In float32 and float64; in bfloat16 the factors of products alone are rounded to it, and parameters, moments and
/// everything else are float. InputError where the request does not fit.
[[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request);

/// See Engine::cohort_bytes.
[[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows);

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
