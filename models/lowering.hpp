// From an architecture to the program that engines execute. The only place that knows what a block is made of.
#pragma once

#include "kernels/program.hpp"
#include "models/architecture.hpp"

namespace hyseq::models {

/// Parameters are named and shaped as in the model files (tests/golden/README.md); switched-off parts have none.
[[nodiscard]] kernels::Program lower(const Architecture& architecture);

}  // namespace hyseq::models
