// An architecture with every switch of its blocks as JSON text, the form in which model files keep it.
#pragma once

#include <string>

#include "models/architecture.hpp"

namespace hyseq::models {

/// All fields are written:
///   {"width": 8, "vocabulary": 11, "final_norm": "layer", "position_codes": [{"offset", "bits", "delay"}],
///    "layers": [{"block": "TF", "norm", "residual", "positions", "heads", "window", "rotary_width", "rotary_divisor",
///                "rotary_base", "mlp", "activation"},
///               {"block": "SSM", "norm", "residual", "state_size", "kernel", "gate", "activation", "step",
///                "step_rank", "inner_width"}]}
[[nodiscard]] std::string to_json(const Architecture& architecture);

/// Fields left out take the defaults of architecture.hpp. InputError for text that is not JSON, an unknown field, a
/// value of the wrong kind, or sizes that do not fit together.
[[nodiscard]] Architecture architecture_from_json(const std::string& text);

}  // namespace hyseq::models
