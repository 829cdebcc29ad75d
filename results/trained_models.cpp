#include "results/trained_models.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"
#include "models/architecture_json.hpp"
#include "models/cost.hpp"
#include "models/lowering.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
T member(const Json& json, const char* key, T otherwise) {
  const auto found = json.find(key);
  return found == json.end() ? std::move(otherwise) : found->get<T>();
}

/// Options are texts; InputError where one is missing or no number.
template <class T>
T option(const Json& options, const char* key, const std::string& task) {
  const auto found = options.find(key);
  T value{};
  if (found == options.end() || !found->is_string() || !parse_number(found->get<std::string>(), value))
    throw InputError("a stored run of the task " + task + " has no number as its option \"" + key + "\"");
  return value;
}

/// Nothing for runs that do not belong here.
std::optional<TaskSizes> sizes_of(const Json& configuration) {
  const Json& data = configuration.at("data");
  TaskSizes sizes;
  sizes.task = member<std::string>(data, "task", "");
  sizes.length = member<std::int64_t>(data, "length_max", 0);
  if (member(data, "calibration", false) || member(data, "random_targets", false) ||
      member<std::int64_t>(data, "context", 0) != 0 || member<std::int64_t>(data, "length_min", 0) != sizes.length)
    return std::nullopt;
  const Json options = member(data, "options", Json::object());
  if (sizes.task == "selective_copy") {
    sizes.values = option<double>(options, "values", sizes.task);
    sizes.nearest = option<int>(options, "distance-min", sizes.task);
    sizes.distances = option<int>(options, "distance-count", sizes.task);
    sizes.number_share = option<double>(options, "number-share", sizes.task);
  } else if (sizes.task == "decode_recall" || sizes.task == "decode_recall_last") {
    sizes.values = std::exp2(option<int>(options, "bits", sizes.task));
  } else {
    return std::nullopt;
  }
  return sizes;
}

void add_memory(TrainedModel& model, const models::Architecture& architecture, NumberFormat format) {
  const auto length = static_cast<std::uint64_t>(model.sizes.length);
  for (const kernels::CarryInfo& carry : models::lower(architecture).carries) {
    const auto bits = static_cast<double>(models::working_memory_bits(carry, length, format));
    model.memory_bits += bits;
    if (carry.kind == kernels::CarryKind::attention) {
      model.window += static_cast<double>(std::min<std::int64_t>(carry.depth, model.sizes.length));
    } else {
      model.state_bits += bits;
    }
  }
}

auto order_of(const TrainedModel& m) {
  const TaskSizes& s = m.sizes;
  return std::tie(s.task, s.values, s.nearest, s.distances, s.number_share, s.length, m.layers, m.memory_bits,
                  m.parameters);
}

}  // namespace

double TrainedModel::accuracy() const { return seeds.empty() ? 0 : summarise(seeds).mean; }

std::vector<TrainedModel> trained_models(const std::vector<RunRecord>& runs) {
  std::map<std::string, TrainedModel> models;  // by configuration without its seed
  for (const RunRecord& run : runs) {
    try {
      const std::optional<TaskSizes> sizes = sizes_of(run.configuration);
      if (!sizes) continue;
      Json rest = run.configuration;
      rest.erase("seed");
      const auto [entry, fresh] = models.try_emplace(rest.dump());
      TrainedModel& model = entry->second;
      if (fresh) {
        const models::Architecture architecture =
            models::architecture_from_json(run.configuration.at("architecture").dump());
        model.sizes = *sizes;
        model.layers = models::layers_text(architecture);
        model.width = architecture.width;
        model.parameters = run.parameters;
        add_memory(model, architecture, parse_number_format(run.configuration.at("format").get<std::string>()));
      }
      const Evaluation* evaluation = find_evaluation(run, "final");
      model.seeds.push_back(evaluation != nullptr ? evaluation->positions : Counts{});
    } catch (const nlohmann::json::exception& error) {
      throw InputError("the configuration of the stored run " + run.id + " cannot be read: " + error.what());
    }
  }
  std::vector<TrainedModel> list;
  for (auto& [key, model] : models) list.push_back(std::move(model));
  std::stable_sort(list.begin(), list.end(), [](const TrainedModel& a, const TrainedModel& b) {
    return order_of(a) != order_of(b) ? order_of(a) < order_of(b) : a.accuracy() > b.accuracy();
  });
  const auto last = std::unique(list.begin(), list.end(), [](const TrainedModel& a, const TrainedModel& b) {
    return order_of(a) == order_of(b);
  });
  list.erase(last, list.end());
  return list;
}

}  // namespace hyseq::results
