// Everything that a run needs to go on bit for bit: one HDF5 file per run.
//
// Layout: attributes format = "hyseq-checkpoint", layout = 1, step; groups parameters/, first_moments/ and
// second_moments/ with one float64 dataset per parameter under its name; group record/ as in results/run_file.hpp: the
// curve and the evaluations so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/cohort.hpp"
#include "kernels/program.hpp"
#include "results/run_record.hpp"

namespace hyseq::trainers {

struct Checkpoint {
  std::int64_t step = 0;  // steps done
  kernels::ParameterValues parameters;
  kernels::Moments moments;
  results::RunRecord record;
};

/// The file appears whole or not at all. EnvironmentError where it cannot be written.
void save_checkpoint(const std::string& path, const kernels::Program& program, const Checkpoint& checkpoint);

/// Nothing where there is no such file; InputError naming it where it cannot be read or belongs to another model.
[[nodiscard]] std::optional<Checkpoint> load_checkpoint(const std::string& path, const kernels::Program& program);

}  // namespace hyseq::trainers
