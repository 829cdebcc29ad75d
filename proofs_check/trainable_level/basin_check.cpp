#include "proofs_check/trainable_level/basin_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"
#include "models/model_file.hpp"
#include "proofs_check/trainable_level/basin.hpp"
#include "proofs_check/trainable_level/subject.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Counts;
using results::Json;

/// A run is solved from 9,999 right answers in 10,000 on.
bool solved(const Counts& counts) { return counts.valid > 0 && 10000 * counts.correct >= 9999 * counts.valid; }

/// A file of its own that is removed with the object: training starts from files.
class ScratchModel {
 public:
  explicit ScratchModel(const models::ModelFile& model) {
    std::string pattern = (std::filesystem::temp_directory_path() / "hyseq-basin-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw EnvironmentError("cannot make a temporary folder " + pattern);
    folder_ = pattern;
    models::write_model_file(path(), model);
  }
  ~ScratchModel() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchModel(const ScratchModel&) = delete;
  ScratchModel& operator=(const ScratchModel&) = delete;
  [[nodiscard]] std::string path() const { return folder_ + "/model.h5"; }

 private:
  std::string folder_;
};

void validate(const BasinScale& scale) {
  if (scale.noises.empty() || scale.noises.front() != 0 || !std::ranges::is_sorted(scale.noises))
    throw InputError("the noises of the basin must ascend from 0");
  if (scale.rates.empty() || !std::ranges::is_sorted(scale.rates) || scale.rates.front() > scale.kept_rate)
    throw InputError("the rates of the basin must ascend, from " + plain_number(scale.kept_rate) + " or less on");
  if (scale.dropouts.empty() || scale.seeds < 1 || scale.steps < 1 || scale.rows < 1)
    throw InputError("the basin needs a dropout, a seed, a step and an evaluation row at least");
}

/// The published training of the task, but for its length.
trainers::RunConfiguration run_of(const constructions::TrainableCopySpec& spec, const TrainableRequest& request,
                                  double dropout) {
  trainers::RunConfiguration run;
  run.dropout = {0, 0, dropout, dropout};
  run.data.task = "selective_copy";
  run.data.options = task_options(spec, request.share);
  run.data.lengths = {length_of(spec, request), length_of(spec, request)};
  run.optimiser.steps = request.basin.steps;
  run.optimiser.warmup = std::min<std::int64_t>(run.optimiser.warmup, request.basin.steps);
  run.evaluation.rows = request.basin.rows;
  run.engine = trainers::resolve_engine("auto", spec.width, request.number);
  run.format = request.number;
  return run;
}

/// The runs of one start and rate, a point for each seed.
struct Cell {
  double dropout = 0;
  std::vector<BasinPoint> points;

  [[nodiscard]] bool drawn() const { return points.front().drawn; }
  [[nodiscard]] double noise() const { return points.front().noise; }
  [[nodiscard]] double rate() const { return points.front().rate; }
  [[nodiscard]] std::int64_t solved_seeds() const {
    return std::ranges::count_if(points, [](const BasinPoint& point) { return solved(point.after); });
  }
  [[nodiscard]] bool all_solved() const { return std::cmp_equal(solved_seeds(), points.size()); }
};

std::vector<Cell> train(const constructions::TrainableCopySpec& spec, const TrainableRequest& request) {
  const ScratchModel file(export_model(spec));
  const BasinScale& scale = request.basin;
  std::vector<Cell> cells;
  for (std::size_t d = 0; d < scale.dropouts.size(); ++d) {
    BasinRequest basin;
    basin.run = run_of(spec, request, scale.dropouts[d]);
    basin.model_file = file.path();
    basin.noises = scale.noises;
    basin.rates = scale.rates;
    for (int s = 0; s < scale.seeds; ++s) basin.seeds.push_back(request.seed + static_cast<std::uint64_t>(s));
    basin.threads = static_cast<std::size_t>(std::max(1, request.threads));
    if (request.progress) {
      basin.progress = [&request, d, all = static_cast<double>(scale.dropouts.size())](double fraction) {
        // The end is reported by who began the check.
        if (const double done = (static_cast<double>(d) + fraction) / all; done < 1) request.progress("basin", done);
      };
    }
    const std::vector<BasinPoint> points = measure_basin(basin);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (i % basin.seeds.size() == 0) cells.push_back({scale.dropouts[d], {}});
      cells.back().points.push_back(points[i]);
    }
  }
  return cells;
}

Json series_of(const std::vector<Cell>& cells) {
  Json series = Json::array();
  for (const Cell& cell : cells) {
    Json entry{{"dropout", cell.dropout}, {"start", cell.drawn() ? "drawn" : "construction"}};
    if (!cell.drawn()) entry["noise"] = cell.noise();
    entry["rate"] = cell.rate();
    entry["solved"] = cell.solved_seeds();
    for (const char* key : {"valid", "correct_before", "correct_after"}) entry[key] = Json::array();
    int diverged = 0;
    for (const BasinPoint& point : cell.points) {
      entry["valid"].push_back(point.after.valid);
      entry["correct_before"].push_back(point.before.correct);
      entry["correct_after"].push_back(point.after.correct);
      if (point.diverged) ++diverged;
    }
    entry["diverged"] = diverged;
    series.push_back(entry);
  }
  return series;
}

/// For each dropout and rate: the noise up to which every seed ends solved, and from which on none does.
Json returns_of(const std::vector<Cell>& cells, const BasinScale& scale) {
  Json table = Json::array();
  for (const double dropout : scale.dropouts) {
    for (const double rate : scale.rates) {
      Json all = nullptr, none = nullptr, drawn = nullptr;
      bool unbroken = true;
      for (const Cell& cell : cells) {
        if (cell.dropout != dropout || cell.rate() != rate) continue;
        const std::int64_t count = cell.solved_seeds();
        if (cell.drawn()) {
          drawn = count;
          continue;
        }
        unbroken = unbroken && cell.all_solved();
        if (unbroken) all = cell.noise();
        if (count > 0) none = nullptr;
        if (count == 0 && none.is_null()) none = cell.noise();
      }
      table.push_back({{"dropout", dropout},
                       {"rate", rate},
                       {"every_seed_returns_up_to", all},
                       {"no_seed_returns_from", none},
                       {"drawn_seeds_solved", drawn}});
    }
  }
  return table;
}

}  // namespace

Check basin_check(const constructions::TrainableCopySpec& spec, const TrainableRequest& request) {
  const BasinScale& scale = request.basin;
  validate(scale);
  const std::vector<Cell> cells = train(spec, request);
  std::int64_t claimed = 0, kept = 0, drawn = 0;
  for (const Cell& cell : cells) {
    if (cell.rate() > scale.kept_rate) continue;
    if (cell.drawn()) drawn += cell.solved_seeds();
    if (cell.drawn() || cell.noise() != 0) continue;
    claimed += scale.seeds;
    kept += cell.solved_seeds();
  }
  Check check;
  check.passed = kept == claimed && drawn < claimed;
  check.figures["steps"] = scale.steps;
  check.figures["length"] = length_of(spec, request);
  check.figures["evaluation_rows"] = scale.rows;
  check.figures["seeds"] = scale.seeds;
  check.figures["first_seed"] = request.seed;
  check.figures["solved_from"] = 0.9999;
  check.figures["kept_rate"] = scale.kept_rate;
  check.figures["runs_without_noise"] = claimed;
  check.figures["runs_that_stay_solved"] = kept;
  check.figures["drawn_runs_solved"] = drawn;
  check.figures["returns"] = returns_of(cells, scale);
  check.figures["series"] = series_of(cells);
  const std::string of_all = " of " + std::to_string(claimed);
  check.meaning = "After " + std::to_string(scale.steps) +
                  " steps from the construction itself, at learning rates up to " + plain_number(scale.kept_rate) +
                  ", " + std::to_string(kept) + of_all +
                  " runs answer at least 99.99% of held-out positions; from drawn weights, at the same rates, " +
                  std::to_string(drawn) + of_all + " do. What noise on the weights changes is measured, not claimed.";
  return check;
}

}  // namespace hyseq::proofs_check
