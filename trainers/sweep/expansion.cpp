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

/// A point together with the documents that it and its alternatives were read from.
struct Draft {
  Document document;
  std::vector<Document> alternatives;
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
    for (std::size_t i = 0; i < size_of("/calibration/setting"); ++i)
      add_setting("/calibration/setting/" + std::to_string(i));
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
    table.find("setting");
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
    point.seeds = seeds_;
    point.calibrated_by = drafts_.size();
    if (!rates_.empty() && document_.find("/optimiser/learning_rate") != nullptr)
      throw InputError(document_.place("/optimiser/learning_rate") +
                       ": optimiser.learning_rate is given and calibrated as well; leave out one of the two");
    fill(document, point);
    // An axis of learning rates says the rate itself.
    if (document.find("/optimiser/learning_rate") == nullptr && !rates_.empty()) {
      point.rates = rates_;
      point.calibration_seeds = calibration_seeds_;
      point.calibration_run = calibration_run(document);
      check(document, point, point.calibration({rates_.front()}, calibration_seeds_.front()));
    }
    // Tables of the grid may overlap. A calibrated point is not the one with the rate that its configuration has so
    // far.
    if (known_.insert(identity(point.final_run) + (point.rates.empty() ? "" : " calibrated")).second)
      drafts_.push_back({document, {}, std::move(point)});
  }

  [[nodiscard]] RunConfiguration calibration_run(const Document& document) const {
    Document calibrated = document;
    calibrated.overlay("/calibration/set", "");
    RunConfiguration run = read_settings(calibrated);
    run.data.calibration = true;
    if (steps_ > 0) run.optimiser.steps = steps_;
    return run;
  }

  /// Gives every calibrated point that the setting applies to one more alternative. A setting that changes nothing of a
  /// point (an option of attention, for a model without) is none.
  void add_setting(const std::string& path) {
    const Override setting = read_override(path, "a text that says what the setting is");
    setting.table.finish();
    for (Draft& draft : drafts_) {
      Point& point = draft.point;
      if (point.rates.empty() || !setting.applies(draft.document)) continue;
      Document document = draft.document;
      document.overlay(setting.table.path("set"), "");
      Point changed = point;
      fill(document, changed);
      if (changed.parameters != point.parameters)
        setting.table.refuse("set", "what leaves the number of parameters alone; it makes " +
                                        std::to_string(changed.parameters) + " of the " +
                                        std::to_string(point.parameters) + " of " + label(point));
      const auto same = [&](const RunConfiguration& run) { return identity(run) == identity(changed.final_run); };
      if (same(point.final_run) || std::ranges::any_of(point.alternatives, same, &Alternative::final_run)) continue;
      point.alternatives.push_back({setting.name, calibration_run(document), changed.final_run});
      draft.alternatives.push_back(std::move(document));
    }
  }

  /// A table with `name`, `where` and `set`, as controls and settings are written.
  struct Override {
    Table table;
    std::string name;
    std::vector<std::string> conditions;  // paths
    const Document& from;

    [[nodiscard]] bool applies(const Document& document) const {
      return std::ranges::all_of(conditions, [&](const std::string& condition) {
        const Json* value = document.find(condition.substr(table.path("where").size()));
        const Json& wanted = *from.find(condition);
        if (value == nullptr) return false;
        return *value == wanted || (wanted.is_array() && std::ranges::find(wanted, *value) != wanted.end());
      });
    }
  };

  [[nodiscard]] Override read_override(const std::string& path, const char* name_is) const {
    Override read{Table(document_, path), "", {}, document_};
    read.name = read.table.text("name", "");
    if (read.name.empty()) read.table.refuse("name", name_is);
    if (read.table.find("set") == nullptr) read.table.refuse("set", "a table of what changes");
    check_sections(document_, read.table.path("set"));
    if (read.table.find("where") != nullptr) {
      check_sections(document_, read.table.path("where"));
      collect_leaves(document_, read.table.path("where"), read.conditions);
    }
    if (std::ranges::none_of(drafts_, [&](const Draft& draft) { return read.applies(draft.document); }))
      read.table.refuse("where", "what holds for at least one point of the grid");
    return read;
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
    Override control = read_override(path, "a text that says what is controlled");
    std::vector<std::uint64_t> seeds = read_seeds(control.table, "seeds");
    if (seeds.empty()) seeds = seeds_;
    refuse_shared(control.table, seeds);
    control.table.finish();
    const std::string set = control.table.path("set");
    for (std::size_t i = 0; i < subjects; ++i) {
      if (!control.applies(drafts_[i].document)) continue;
      Draft draft = drafts_[i];
      draft.document.overlay(set, "");
      draft.point.control = control.name;
      draft.point.seeds = seeds;
      fill(draft.document, draft.point);
      for (std::size_t k = 0; k < draft.alternatives.size(); ++k) {
        draft.alternatives[k].overlay(set, "");
        draft.point.alternatives[k].final_run = read_settings(draft.alternatives[k]);
      }
      drafts_.push_back(std::move(draft));
    }
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
