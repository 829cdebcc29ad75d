// The cuda engine on either kind of device.
#pragma once

#include "kernels/engine.hpp"

namespace hyseq::kernels {

/// The kernels on the emulated device: for tests on machines without a GPU, and far slower than any other engine.
[[nodiscard]] const Engine& emulated_cuda_engine();

#if defined(HYSEQ_HAVE_CUDA)
/// The kernels on the first GPU that the driver shows. find_gpu() says whether there is one.
[[nodiscard]] const Engine& cuda_engine();
#endif

}  // namespace hyseq::kernels
