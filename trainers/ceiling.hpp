// What no model of an architecture can exceed on a task, because it does not see far enough back.
#pragma once

#include <optional>

#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// The largest expected accuracy on the held-out rows of the run (its seed, longest training length): that of the best
/// predictor that sees the receptive field alone. Nothing where the model sees whole rows, and for runs for which the
/// best predictor is not known: tasks other than selective_copy, packed rows, data files, random targets.
[[nodiscard]] std::optional<double> accuracy_ceiling(const RunConfiguration& configuration);

}  // namespace hyseq::trainers
