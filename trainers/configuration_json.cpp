// The JSON form of a configuration, and what follows from it.
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"
#include "models/architecture_json.hpp"
#include "models/json_fields.hpp"
#include "tasks/registry.hpp"
#include "trainers/configuration.hpp"
#include "trainers/content_hash.hpp"

namespace hyseq::models {

template <>
const EnumNames<trainers::Decay>& enum_names() {
  static const EnumNames<trainers::Decay> all = {{trainers::Decay::linear, "linear"},
                                                 {trainers::Decay::cosine, "cosine"}};
  return all;
}
template <>
const EnumNames<trainers::DecayPolicy>& enum_names() {
  static const EnumNames<trainers::DecayPolicy> all = {{trainers::DecayPolicy::all, "all"},
                                                       {trainers::DecayPolicy::matrices, "matrices"}};
  return all;
}

}  // namespace hyseq::models

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;
using models::JsonReading;
using models::JsonWriting;

// One list of fields for both directions, so that neither can forget one.
template <class Direction, class Rates>
void dropout_fields(Direction& json, Rates& rates) {
  json.field("embedding", rates.embedding);
  json.field("probabilities", rates.probabilities);
  json.field("attention", rates.attention);
  json.field("mlp", rates.mlp);
}

template <class Direction, class Options>
void initialisation_fields(Direction& json, Options& options) {
  json.field("scale", options.scale);
  json.field("random_step", options.random_step);
}

template <class Direction, class Options>
void start_file_fields(Direction& json, Options& options) {
  json.field("file", options.file);
  json.field("file_hash", options.file_hash);
  json.field("noise", options.noise);
}

template <class Direction, class Options>
void data_fields(Direction& json, Options& options) {
  json.field("task", options.task);
  json.field("file", options.file);
  json.field("file_hash", options.file_hash);
  json.field("length_min", options.lengths.min);
  json.field("length_max", options.lengths.max);
  json.field("context", options.context);
  json.field("random_targets", options.random_targets);
  json.field("calibration", options.calibration);
}

template <class Direction, class Options>
void optimiser_fields(Direction& json, Options& options) {
  json.field("learning_rate", options.learning_rate);
  json.field("steps", options.steps);
  json.field("warmup", options.warmup);
  json.field("decay", options.decay);
  json.field("batch", options.batch);
  json.field("beta1", options.beta1);
  json.field("beta2", options.beta2);
  json.field("epsilon", options.epsilon);
  json.field("weight_decay", options.weight_decay);
  json.field("decay_policy", options.decay_policy);
  json.field("clip", options.clip);
}

template <class Direction, class Options>
void evaluation_fields(Direction& json, Options& options) {
  json.field("rows", options.rows);
  json.field("every", options.every);
}

template <class Direction, class Configuration>
void run_fields(Direction& json, Configuration& configuration) {
  json.field("curve_every", configuration.curve_every);
  json.field("seed", configuration.seed);
  json.field("engine", configuration.engine);
}

template <class Options, class Fields>
void read_part(JsonReading& reading, const char* key, Options& options, const Fields& fields) {
  const Json* found = reading.find(key);
  if (found == nullptr) return;
  JsonReading part(*found, std::string("configuration: ") + key);
  fields(part, options);
  part.finish();
}

template <class Options, class Fields>
void write_part(Json& root, const char* key, const Options& options, const Fields& fields) {
  root[key] = Json::object();
  JsonWriting part(root[key]);
  fields(part, options);
}

void read_options(JsonReading& reading, tasks::OptionMap& options) {
  const Json* found = reading.find("options");
  if (found == nullptr) return;
  if (!found->is_object()) reading.fail("options must be an object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) reading.fail("option " + name + " must be a text");
    options[name] = value.get<std::string>();
  }
}

void read_lengths(JsonReading& reading, std::vector<std::int64_t>& lengths) {
  const Json* found = reading.find("lengths");
  if (found == nullptr) return;
  if (!found->is_array()) reading.fail("lengths must be a list");
  for (const Json& length : *found) {
    if (!length.is_number_integer()) reading.fail("lengths must hold integers");
    lengths.push_back(length.get<std::int64_t>());
  }
}

Json without_place(const RunConfiguration& configuration) {
  Json json = to_json(configuration);
  json["data"].erase("file");
  json["initialisation"].erase("file");
  return json;
}

}  // namespace

tasks::OptionMap complete_options(const std::string& task, const tasks::OptionMap& given) {
  const tasks::TaskInfo& info = tasks::find_task(task);
  (void)tasks::OptionValues(info.name, info.options, given);  // refuses unknown names
  tasks::OptionMap complete;
  for (const tasks::OptionInfo& option : info.options) {
    const auto found = given.find(option.name);
    std::string text = found == given.end() ? option.default_value : found->second;
    std::int64_t integer = 0;
    double real = 0;
    if (parse_number(text, integer)) {
      text = std::to_string(integer);
    } else if (parse_number(text, real) && std::isfinite(real)) {
      text = Json(real).dump();
    }
    complete[option.name] = text;
  }
  return complete;
}

Json to_json(const RunConfiguration& configuration) {
  Json json;
  json["architecture"] = Json::parse(models::to_json(configuration.architecture));
  write_part(json, "dropout", configuration.dropout, [](auto& j, auto& o) { dropout_fields(j, o); });
  write_part(json, "initialisation", configuration.initialisation, [](auto& j, auto& o) {
    initialisation_fields(j, o);
    if (!o.file.empty()) start_file_fields(j, o);  // left out, so that other runs keep their identity
  });
  write_part(json, "data", configuration.data, [](auto& j, auto& o) { data_fields(j, o); });
  json["data"]["options"] = Json::object();
  if (!configuration.data.task.empty()) {
    for (const auto& [name, value] : complete_options(configuration.data.task, configuration.data.options))
      json["data"]["options"][name] = value;
  }
  write_part(json, "optimiser", configuration.optimiser, [](auto& j, auto& o) { optimiser_fields(j, o); });
  write_part(json, "evaluation", configuration.evaluation, [](auto& j, auto& o) { evaluation_fields(j, o); });
  json["evaluation"]["lengths"] = configuration.evaluation.lengths;
  JsonWriting writing(json);
  run_fields(writing, configuration);
  json["format"] = std::string(name(configuration.format));
  return json;
}

RunConfiguration configuration_from_json(const Json& json) {
  RunConfiguration configuration;
  JsonReading reading(json, "configuration");
  const Json* architecture = reading.find("architecture");
  if (architecture == nullptr) reading.fail("architecture is missing");
  configuration.architecture = models::architecture_from_json(architecture->dump());
  read_part(reading, "dropout", configuration.dropout, [](auto& j, auto& o) { dropout_fields(j, o); });
  read_part(reading, "initialisation", configuration.initialisation, [](auto& j, auto& o) {
    initialisation_fields(j, o);
    start_file_fields(j, o);
  });
  read_part(reading, "data", configuration.data, [](auto& j, auto& o) {
    data_fields(j, o);
    read_options(j, o.options);
  });
  read_part(reading, "optimiser", configuration.optimiser, [](auto& j, auto& o) { optimiser_fields(j, o); });
  read_part(reading, "evaluation", configuration.evaluation, [](auto& j, auto& o) {
    evaluation_fields(j, o);
    read_lengths(j, o.lengths);
  });
  run_fields(reading, configuration);
  std::string format(name(configuration.format));
  reading.field("format", format);
  configuration.format = parse_number_format(format);
  reading.finish();
  return configuration;
}

std::string identity(const RunConfiguration& configuration) {
  return content_hash(without_place(configuration).dump());
}

std::string cohort_key(const RunConfiguration& configuration) {
  Json json = without_place(configuration);
  json.erase("seed");
  json["optimiser"].erase("learning_rate");
  return json.dump();
}

}  // namespace hyseq::trainers
