// The engine `dense`: one large model on all cores.
#pragma once

#include "kernels/engine.hpp"

namespace hyseq::kernels {

[[nodiscard]] const Engine& dense_engine();

}  // namespace hyseq::kernels
