// What one finished training run leaves behind. Integer counts are the truth; accuracies and everything aggregated
// are always recomputed from them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hyseq::results {

/// Valid positions and how many of them the model got right (arg-max unique and equal to the target).
struct Counts {
  std::int64_t valid = 0;
  std::int64_t correct = 0;

  /// In [0, 1]; 0 where nothing was valid.
  [[nodiscard]] double accuracy() const {
    return valid > 0 ? static_cast<double>(correct) / static_cast<double>(valid) : 0;
  }
};

/// One slice of an evaluation: "distance" 5, "key count" 3, "number token" "#7".
struct Slice {
  std::string by;
  std::string value;
  Counts counts;
};

/// One evaluation on held-out rows.
struct Evaluation {
  std::string name;         // "final", "length 200", "calibration"
  std::int64_t step = 0;    // training steps done before it
  std::int64_t length = 0;  // tokens of a row
  std::int64_t rows = 0;
  double loss = 0;  // mean over the valid positions
  Counts positions;
  Counts sequences;  // rows with a valid position, and those with every one right
  std::vector<Slice> slices;
};

/// One point of the training curve, of the step with this number (from 0), before its update.
struct CurvePoint {
  std::int64_t step = 0;
  double learning_rate = 0;
  double loss = 0;
  double gradient_norm = 0;
  Counts positions;
};

/// `configuration` determines the outcome: it is JSON, complete, with every default filled in, and `id` is its hash (32
/// hexadecimal digits).
struct RunRecord {
  std::string id;
  nlohmann::ordered_json configuration;
  std::uint64_t seed = 0;
  std::int64_t parameters = 0;     // of the model
  std::int64_t steps = 0;          // done; fewer than configured only where the run diverged
  std::int64_t diverged_at = -1;   // step whose loss or gradient norm was not finite; -1: never
  std::int64_t empty_batches = 0;  // steps without a valid position
  std::vector<CurvePoint> curve;
  std::vector<Evaluation> evaluations;
  // Where and how, for the record; nothing of it changes the outcome.
  std::string version;       // of the program
  std::string instructions;  // "AVX-512"
  std::string machine;       // processor and its threads
  double seconds = 0;        // of the cohort, divided by its members
};

/// The evaluation of that name, or nullptr.
[[nodiscard]] const Evaluation* find_evaluation(const RunRecord& record, const std::string& name);

/// Strict JSON with all fields of an evaluation.
[[nodiscard]] nlohmann::ordered_json to_json(const Evaluation& evaluation);

/// Strict JSON with all fields of the record; losses that are not finite become null with a reason beside them.
[[nodiscard]] nlohmann::ordered_json to_json(const RunRecord& record);

/// The same without what only says where and how: equal for two runs exactly where their outcomes are equal.
[[nodiscard]] nlohmann::ordered_json outcome_json(const RunRecord& record);

}  // namespace hyseq::results
