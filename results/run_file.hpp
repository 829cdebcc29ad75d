// A run's record inside an HDF5 file.
//
// Layout below a group (the file's root for a finished run, runs/<id> in a collected file, `record` in a checkpoint):
//   attributes   format = "hyseq-run", layout = 1, id (text), seed (the bits of an unsigned number), parameters, steps,
//                diverged_at (-1: never), empty_batches, version, instructions, machine (text), seconds (real)
//   configuration                 text (bytes): the complete configuration as JSON
//   curve/step, valid, correct    int64 [points]
//   curve/learning_rate, loss, gradient_norm                float64 [points]
//   evaluations/0000, 0001 ...    one group per evaluation, in order, with
//     attributes   name (text), step, length, rows, loss (real), valid, correct, valid_sequences, correct_sequences
//     slice_labels text (bytes): JSON list of [by, value];  slice_counts int64 [slices, 2]: valid, correct
#pragma once

#include <string>

#include "kernels/base/hdf5_file.hpp"
#include "results/run_record.hpp"

namespace hyseq::results {

/// `group` is "/" or a path like "runs/<id>".
void write_run(Hdf5Writer& file, const std::string& group, const RunRecord& record);

/// InputError naming what is missing or wrong.
[[nodiscard]] RunRecord read_run(const Hdf5Reader& file, const std::string& group);

}  // namespace hyseq::results
