// The engine `lanes`: cohorts of tiny models on a CPU, one member per vector lane (see README.md).
#pragma once

#include "kernels/engine.hpp"

namespace hyseq::kernels {

/// Float and double. Traces are left to the reference engine (InputError).
[[nodiscard]] const Engine& lanes_engine();

}  // namespace hyseq::kernels
