// Models from files: the same probe on trained weights.
#include <algorithm>

#include "models/lowering.hpp"
#include "proofs_check/receptive_field/checks.hpp"
#include "proofs_check/receptive_field/trained_models.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

/// Models with given weights, as a table.
class StoredTable {
 public:
  explicit StoredTable(std::uint64_t seed) : seed_(seed) {}

  /// Probes a model in double and returns its row.
  Json& add(const std::string& name, const models::ModelFile& model) {
    const StoredField stored = probe_stored(model, kernels::reference_engine(), NumberFormat::float64, seed_);
    if (stored.passed()) {
      ++passed_;
    } else if (counterexample_.empty()) {
      const std::string& found = stored.findings.counterexample;
      counterexample_ = name + ": " + (found.empty() ? "the edge token never showed" : found);
    }
    rows_.push_back({{"model", name},
                     {"layers", models::layers_text(model.architecture)},
                     {"receptive_field", stored.field.tokens},
                     {"unlimited", stored.field.unlimited},
                     {"total_window", stored.field.total_window},
                     {"distance", stored.distance},
                     {"outside_checked", stored.outside_checked},
                     {"outside_equal", stored.findings.outside_equal},
                     {"edge_seen", stored.findings.edge_seen},
                     {"contexts", stored.findings.contexts}});
    return rows_.back();
  }

  [[nodiscard]] Check finish(const std::string& what) {
    Check check;
    const std::size_t count = rows_.size();
    check.passed = count > 0 && passed_ == count;
    check.meaning = std::to_string(passed_) + " of " + std::to_string(count) + what + ".";
    if (!counterexample_.empty()) check.figures["counterexample"] = counterexample_;
    check.figures["models"] = std::move(rows_);
    return check;
  }

 private:
  std::uint64_t seed_;
  std::size_t passed_ = 0;
  std::string counterexample_;
  Json rows_ = Json::array();
};

}  // namespace

bool StoredField::passed() const {
  const bool outside = !outside_checked || findings.outside_equal;
  return findings.finite && findings.causal && outside && findings.edge_seen;
}

StoredField probe_stored(const models::ModelFile& model, const kernels::Engine& engine, NumberFormat format,
                         std::uint64_t seed) {
  constexpr std::uint64_t kBeyond = 8;  // tokens farther back than attention and convolutions reach
  StoredField stored;
  stored.field = receptive_field(model.architecture);
  const kernels::Program program = models::lower(model.architecture);
  ProbeRequest request;
  request.engine = &engine;
  request.format = format;
  request.seed = seed;
  request.claimed = std::min(kLongestProbe, stored.field.tokens + (stored.field.unlimited ? kBeyond : 0));
  stored.outside_checked = !stored.field.unlimited && stored.field.tokens <= kLongestProbe;
  if (!stored.outside_checked) request.outside = 0;
  stored.distance = request.claimed - 1;
  stored.length = static_cast<std::size_t>(request.claimed) + request.outside;
  stored.findings = probe(program, model.parameters, request);
  return stored;
}

Check stored_check(const ReceptiveFieldRequest& request) {
  StoredTable table(request.seed);
  for (const auto& [name, model] : request.stored) (void)table.add(name, model);
  return table.finish(" stored models see exactly as far as their layers reach");
}

Check trained_check(const ReceptiveFieldRequest& request) {
  constexpr int kSteps = 200;
  StoredTable table(request.seed);
  bool learned = true;
  for (const TrainedModel& trained : train_small_models(request.seed, kSteps, request.threads)) {
    Json& row = table.add(trained.name, trained.model);
    row["steps"] = kSteps;
    row["first_loss"] = trained.first_loss;
    row["last_loss"] = trained.last_loss;
    learned = learned && trained.last_loss < trained.first_loss;
  }
  Check check = table.finish(" models, trained for " + std::to_string(kSteps) +
                             " steps, see exactly as far as their layers reach");
  check.passed = check.passed && learned;
  return check;
}

}  // namespace hyseq::proofs_check
