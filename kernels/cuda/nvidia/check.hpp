// Errors of the CUDA runtime as the errors of hyseq.
#pragma once

#include <cuda_runtime.h>

namespace hyseq::kernels::cuda {
inline namespace nvidia {

/// EnvironmentError where a call failed: "the GPU cannot `what`: ...". Kernels run later than they are launched, so
/// that what went wrong in one may be told by a later call.
void check(cudaError_t status, const char* what);

}  // namespace nvidia
}  // namespace hyseq::kernels::cuda
