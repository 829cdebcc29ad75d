// The state between two pieces of a sequence as an HDF5 file.
#pragma once

#include <string>

#include "kernels/engine.hpp"

namespace hyseq::models {

/// Datasets: `position` and `segment` [batch], and every array of the state under its name (see kernels/engine.hpp).
/// Positions are exact up to 2^53. EnvironmentError where the file cannot be written.
void write_state_file(const std::string& path, const kernels::CarryState& state);

/// InputError where a dataset is missing or a position is not a whole number of tokens. Whether the state fits a model
/// is checked by the engine that takes it.
[[nodiscard]] kernels::CarryState read_state_file(const std::string& path);

}  // namespace hyseq::models
