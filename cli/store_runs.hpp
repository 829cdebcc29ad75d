// The training runs of a store, for `hyseq store list` and `show`.
#pragma once

#include <vector>

#include "results/certificate.hpp"
#include "results/run_record.hpp"

namespace hyseq::cli {

/// One line each.
void list_runs(const std::vector<results::RunRecord>& runs);

/// Configuration, counts of every evaluation and its slices.
void show_run(const results::RunRecord& run);

[[nodiscard]] results::Json runs_json(const std::vector<results::RunRecord>& runs);

}  // namespace hyseq::cli
