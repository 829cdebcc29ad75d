// Memory of a training before it starts: what it will take, and whether that is there.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/cohort.hpp"
#include "kernels/engine.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// Bytes that a cohort of `members` such runs takes, estimated from its shapes. EnvironmentError where this build lacks
/// the engine.
[[nodiscard]] std::size_t cohort_memory(const RunConfiguration& run, std::size_t members);

/// EnvironmentError, saying how much is needed and what would need less, where a cohort that steps `rows` rows does not
/// fit into what is free on its engine.
void check_memory(const kernels::Engine& engine, const kernels::CohortRequest& request, std::size_t rows);

/// "3.4 GB", "120 MB": two digits or three.
[[nodiscard]] std::string memory_text(std::size_t bytes);

}  // namespace hyseq::trainers
