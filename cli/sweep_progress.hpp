// Runs a sweep the way a person at a terminal wants it: a progress line with rate and time left, and an end at once
// when asked.
#pragma once

#include <optional>
#include <string>

#include "cli/options.hpp"
#include "trainers/sweep/sweep.hpp"

namespace hyseq::cli {

/// "12 s", "7 min", "3 h 05 min", "unknown".
[[nodiscard]] std::string duration_text(double seconds);

/// --threads and --checkpoint-seconds, of every command that sweeps.
void add_sweep_options(po::options_description& options);
[[nodiscard]] trainers::SweepOptions sweep_options(const po::variables_map& values);

/// run_sweep with `stop` and `report` set. On standard error: one line that is rewritten on a terminal, elsewhere a
/// line every ten seconds. Nothing where Ctrl-C or SIGTERM ended it; what to do then is written to standard error.
[[nodiscard]] std::optional<trainers::SweepProgress> sweep_with_progress(const trainers::Preset& preset,
                                                                         const results::RunStore& store,
                                                                         trainers::SweepOptions options);

}  // namespace hyseq::cli
