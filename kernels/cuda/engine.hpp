// The cuda engine on either kind of device.
#pragma once

#include "kernels/engine.hpp"

namespace hyseq::kernels {

/// The kernels on the emulated device: for tests on machines without a GPU, and far slower than any other engine.
[[nodiscard]] const Engine& emulated_cuda_engine();

}  // namespace hyseq::kernels
