#include "trainers/sweep/expansion.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "models/cost.hpp"
#include "models/lowering.hpp"
#include "trainers/sweep/settings.hpp"
#include "trainers/sweep/table.hpp"

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kLargestSeed = std::numeric_limits<std::int64_t>::max();

std::vector<std::uint64_t> read_seeds(Table& table, const char* key) {
  const std::vector<std::int64_t> seeds = table.integers(key, 0, kLargestSeed);
  if (std::set(seeds.begin(), seeds.end()).size() != seeds.size()) table.refuse(key, "every seed once");
  return {seeds.begin(), seeds.end()};
}

/// A table of overrides holds sections of a run and nothing else.
void check_sections(const Document& document, const std::string& path) {
  Table table(document, path);
  for (const std::string_view section : kSections) table.find(std::string(section));
  table.finish();
}

/// Path of every value below a table that is not a table itself.
void collect_leaves(const Document& document, const std::string& path, std::vector<std::string>& leaves) {
  const Json& value = *document.find(path);
  if (!value.is_object()) return leaves.push_back(path);
  for (const auto& [key, inner] : value.items()) collect_leaves(document, Document::child(path, key), leaves);
}

/// A point together with the document that it was read from.
struct Draft {
  Document document;
  Point point;
};

class Expansion {
 public:
  explicit Expansion(Document document) : document_(std::move(document)) {}

  std::vector<Point> points() {
    Table root(document_, "");
    seeds_ = read_seeds(root, "seeds");
    if (seeds_.empty()) root.refuse("seeds", "at least one seed, like \"0..10\"");
    read_calibration();
    expand_grid();
    const std::size_t subjects = drafts_.size();
    for (std::size_t i = 0; i < size_of("/control"); ++i) add_control("/control/" + std::to_string(i), subjects);
    std::vector<Point> points;
    for (Draft& draft : drafts_) points.push_back(std::move(draft.point));
    return points;
  }

 private:
  std::size_t size_of(const std::string& path) const {
    const Json* list = document_.find(path);
    if (list == nullptr) return 0;
    if (!list->is_array() || !std::ranges::all_of(*list, [](const Json& entry) { return entry.is_object(); }))
      throw InputError(document_.place(path) + ": " + dotted(path) + " must be written as [[" + dotted(path) + "]]");
    return list->size();
  }

  void read_calibration() {
    if (document_.find("/calibration") == nullptr) return;
    Table table(document_, "/calibration");
    rates_ = table.reals("learning_rates", 1e-12, 1e6);
    if (rates_.empty() || std::set(rates_.begin(), rates_.end()).size() != rates_.size())
      table.refuse("learning_rates", "a list of different numbers");
    calibration_seeds_ = read_seeds(table, "seeds");
    if (calibration_seeds_.empty()) table.refuse("seeds", "at least one seed, like \"100..101\"");
    refuse_shared(table, seeds_);
    steps_ = table.integer("steps", 0, 1);
    (void)table.choice<int>("rule", 0, {{"accuracy, then loss", 0}});
    if (table.find("set") != nullptr) check_sections(document_, "/calibration/set");
    table.finish();
  }

  void refuse_shared(const Table& table, const std::vector<std::uint64_t>& seeds) const {
    for (const std::uint64_t seed : seeds)
      if (std::ranges::find(calibration_seeds_, seed) != calibration_seeds_.end())
        table.refuse("seeds", "without " + std::to_string(seed) +
                                  ": a seed may serve the calibration or the final runs, not both");
  }

  void expand_grid() {
    const std::size_t tables = size_of("/grid");
    if (tables == 0) {
      add_point(document_, Json::object());
      return;
    }
    for (std::size_t i = 0; i < tables; ++i) {
      const std::string grid = "/grid/" + std::to_string(i);
      check_sections(document_, grid);
      std::vector<std::string> axes;
      collect_leaves(document_, grid, axes);
      combine(document_, Json::object(), grid, axes, 0);
    }
  }

  /// All combinations of the values of axes[next ...], the last axis fastest.
  void combine(const Document& chosen, const Json& values, const std::string& grid,
               const std::vector<std::string>& axes, std::size_t next) {
    if (next == axes.size()) return add_point(chosen, values);
    const std::string& axis = axes[next];
    const std::string target = axis.substr(grid.size());
    const Json& list = *document_.find(axis);
    const std::size_t count = list.is_array() ? list.size() : 1;
    if (count == 0) throw InputError(document_.place(axis) + ": the axis " + dotted(target) + " has no values");
    for (std::size_t i = 0; i < count; ++i) {
      const std::string source = list.is_array() ? Document::child(axis, std::to_string(i)) : axis;
      Document with = chosen;
      with.overlay(source, target);
      Json extended = values;
      extended[dotted(target)] = *document_.find(source);
      combine(with, extended, grid, axes, next + 1);
    }
  }

  void add_point(const Document& document, const Json& axes) {
    Point point;
    point.axes = axes;
    point.rates = rates_;
    point.seeds = seeds_;
    point.calibration_seeds = calibration_seeds_;
    point.calibrated_by = drafts_.size();
    if (!rates_.empty() && document.find("/optimiser/learning_rate") != nullptr)
      throw InputError(document.place("/optimiser/learning_rate") +
                       ": optimiser.learning_rate is given and calibrated as well; leave out one of the two");
    fill(document, point);
    if (!rates_.empty()) {
      Document calibrated = document;
      calibrated.overlay("/calibration/set", "");
      point.calibration_run = read_settings(calibrated);
      point.calibration_run.data.calibration = true;
      if (steps_ > 0) point.calibration_run.optimiser.steps = steps_;
      check(document, point, point.calibration(rates_.front(), calibration_seeds_.front()));
    }
    // Tables of the grid may overlap.
    if (known_.insert(identity(point.final_run)).second) drafts_.push_back({document, std::move(point)});
  }

  void fill(const Document& document, Point& point) const {
    point.final_run = read_settings(document);
    point.layers = models::layers_text(point.final_run.architecture);
    point.width = point.final_run.architecture.width;
    const models::Cost cost = models::cost(models::lower(point.final_run.architecture), 1, point.final_run.format);
    point.parameters = static_cast<std::int64_t>(cost.total.parameters);
    check(document, point, point.final_run);
  }

  static void check(const Document& document, const Point& point, const RunConfiguration& run) {
    try {
      validate(run);
    } catch (const InputError& error) {
      throw InputError(document.file() + ", point " + label(point) + ": " + error.what());
    }
  }

  void add_control(const std::string& path, std::size_t subjects) {
    Table table(document_, path);
    const std::string name = table.text("name", "");
    if (name.empty()) table.refuse("name", "a text that says what is controlled");
    std::vector<std::uint64_t> seeds = read_seeds(table, "seeds");
    if (seeds.empty()) seeds = seeds_;
    refuse_shared(table, seeds);
    if (table.find("set") == nullptr) table.refuse("set", "a table of what the control changes");
    check_sections(document_, table.path("set"));
    std::vector<std::string> conditions;
    if (table.find("where") != nullptr) {
      check_sections(document_, table.path("where"));
      collect_leaves(document_, table.path("where"), conditions);
    }
    table.finish();
    bool matched = false;
    for (std::size_t i = 0; i < subjects; ++i) {
      const bool match = std::ranges::all_of(conditions, [&](const std::string& condition) {
        const Json* value = drafts_[i].document.find(condition.substr(table.path("where").size()));
        return value != nullptr && *value == *document_.find(condition);
      });
      if (!match) continue;
      matched = true;
      Draft draft{drafts_[i].document, drafts_[i].point};
      draft.document.overlay(table.path("set"), "");
      draft.point.control = name;
      draft.point.seeds = seeds;
      fill(draft.document, draft.point);
      drafts_.push_back(std::move(draft));
    }
    if (!matched) table.refuse("where", "what holds for at least one point of the grid");
  }

  Document document_;
  std::vector<std::uint64_t> seeds_;
  std::vector<std::uint64_t> calibration_seeds_;
  std::vector<double> rates_;
  std::int64_t steps_ = 0;
  std::vector<Draft> drafts_;
  std::set<std::string> known_;
};

}  // namespace

std::vector<Point> expand(const Document& document) { return Expansion(document).points(); }

}  // namespace hyseq::trainers
