// What details do to a model: the published setting beside settings in which one thing is different, all seeds of each,
// since a mean says little where seeds fall into two heaps. A function of finished runs alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/figures/accuracy.hpp"
#include "results/reproduction_words.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {

struct Variant {
  std::string name;  // "rotary_fraction 1.0"; of the first variant of a model "published"
  AccuracyPoint runs;
};

/// One model; the other variants are compared with the first.
struct AblatedModel {
  std::string layers;             // "TF,TF"
  int width = 0;                  // of the first variant
  std::int64_t parameters = 0;    // likewise
  std::vector<Variant> variants;  // at least one
};

struct Ablation {
  std::string figure;  // "fig4-ablation"
  std::string scale;   // "published" or "quick"
  std::string title;
  std::vector<AblatedModel> models;
  Bootstrap bootstrap;

  [[nodiscard]] std::int64_t missing() const;
};

/// Mean of a variant less that of the model's first one, with a bootstrap interval over the seeds of both; nothing
/// where either has no finished run.
struct MeanChange {
  double mean = 0;
  Interval interval;
};
[[nodiscard]] std::optional<MeanChange> change_of(const Ablation& ablation, const AblatedModel& model,
                                                  const Variant& variant);

[[nodiscard]] DistributionPlot plot_of(const Ablation& ablation);

/// One row per variant of a model.
[[nodiscard]] TextTable variants_table(const Ablation& ablation, const AblatedModel& model);

/// "TF,TF, 10,608 parameters".
[[nodiscard]] std::string model_words(const AblatedModel& model);

/// Strict JSON.
[[nodiscard]] nlohmann::ordered_json to_json(const Ablation& ablation);

}  // namespace hyseq::results
