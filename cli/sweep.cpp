// hyseq sweep: trains what a preset asks for and the store does not have yet.
#include "trainers/sweep/sweep.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/sweep_progress.hpp"
#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "results/certificate.hpp"
#include "trainers/memory.hpp"
#include "trainers/sweep/points.hpp"

namespace hyseq::cli {
namespace {

using results::Json;
using trainers::Preset;
using trainers::SweepOptions;
using trainers::SweepProgress;

CommandLine command_line() {
  std::string names;
  for (const std::string& name : trainers::preset_names()) names += (names.empty() ? "" : ", ") + name;
  CommandLine line{"hyseq sweep PRESET|FILE.toml --store DIR [options]",
                   "Trains the runs of a preset (" + names +
                       ", or a file like those in trainers/presets/) that the\nstore does not have yet: per point of "
                       "the grid first the calibration of its learning rate, then the final\nruns. Ctrl-C or SIGTERM "
                       "ends at once; the same command goes on later, from checkpoints of what was in\nhand, and "
                       "several may work on one store at once.",
                   {},
                   {"preset"}};
  line.options.add_options()("store", text(), "folder of finished runs, made where it is missing; required")(
      "scale", text("published"), "version of the preset: published, quick or another that it has")(
      "shard", text(),
      "i/n, 1 <= i <= n: only the i-th of n shares of the points; give all n the same preset and scale")(
      "limit", text(), "train at most this many runs, 1 or more")(
      "dry-run", po::bool_switch(), "print runs, cohorts and estimated time, train nothing")(
      "json", text(), "write JSON to this file, - for standard output");
  add_sweep_options(line.options);
  return line;
}

void read_shard(const std::string& given, SweepOptions& options) {
  const std::size_t slash = given.find('/');
  constexpr std::int64_t most = 10000;
  if (slash == std::string::npos)
    throw InputError("--shard is '" + given + "', allowed is i/n with 1 <= i <= n, like 1/4");
  const std::int64_t shards = parse_integer("n of --shard i/n", given.substr(slash + 1), 1, most);
  options.shards = static_cast<std::size_t>(shards);
  options.shard = static_cast<std::size_t>(parse_integer("i of --shard i/n", given.substr(0, slash), 1, shards)) - 1;
}

/// Mean over the stored final runs, each recomputed from its counts; nothing without any.
Json mean(const Json& runs) {
  double sum = 0;
  int count = 0;
  for (const Json& run : runs)
    if (run.contains("accuracy")) sum += run["accuracy"].get<double>(), ++count;
  return count > 0 ? Json(sum / count) : Json(nullptr);
}

Json point_json(const trainers::PointSummary& summary, const results::RunStore& store) {
  Json json{
      {"layers", summary.point.layers},   {"width", summary.point.width}, {"parameters", summary.point.parameters},
      {"control", summary.point.control}, {"axes", summary.point.axes},   {"learning_rate", nullptr}};
  if (summary.choice) {
    json["learning_rate"] = summary.choice->rate;
    json["setting"] = trainers::setting_name(summary.point, summary.choice->setting);
  } else {
    json["learning_rate_reason"] = "runs of the calibration are missing";
  }
  json["calibration"] = Json::array();
  for (const trainers::ChoiceOutcome& outcome : summary.calibration)
    json["calibration"].push_back({{"learning_rate", outcome.choice.rate},
                                   {"setting", trainers::setting_name(summary.point, outcome.choice.setting)},
                                   {"runs", outcome.ids.size()},
                                   {"finished", outcome.finished},
                                   {"diverged", outcome.diverged},
                                   {"accuracy", outcome.accuracy},
                                   {"loss", outcome.loss}});
  json["runs"] = Json::array();
  for (const trainers::PointRun& run : summary.runs) {
    Json entry{{"seed", run.seed}, {"id", run.id}, {"stored", run.stored}};
    if (run.stored) {
      const results::RunRecord record = store.load(run.id);
      if (const results::Evaluation* evaluation = trainers::held_out(record))
        entry["accuracy"] = evaluation->positions.accuracy();
    }
    json["runs"].push_back(entry);
  }
  json["accuracy"] = mean(json["runs"]);
  if (json["accuracy"].is_null()) json["accuracy_reason"] = "no final run is stored";
  return json;
}

/// Of the cohort that takes most.
Json memory(const Preset& preset, const SweepOptions& options) {
  std::size_t largest = 0;
  std::string engine;
  for (const std::size_t index : trainers::shard_points(preset, options.shard, options.shards)) {
    const trainers::Point& point = preset.points[index];
    const std::size_t members = std::min(options.cohort_size(point.final_run), point.seeds.size());
    const std::size_t bytes = trainers::cohort_memory(point.final_run, members);
    if (bytes > largest) engine = point.final_run.engine;
    largest = std::max(largest, bytes);
  }
  if (engine.empty()) return {{"largest_cohort", 0}, {"free", nullptr}, {"free_reason", "the shard has no point"}};
  return {{"largest_cohort", largest}, {"engine", engine}, {"free", kernels::find_engine(engine).free_bytes()}};
}

Json describe(const Preset& preset, const results::RunStore& store, const SweepOptions& options,
              const SweepProgress& end, bool dry_run) {
  const trainers::BoardTotals& totals = end.totals;
  Json json{{"preset", preset.name},
            {"title", preset.title},
            {"scale", preset.scale},
            {"shard", {{"index", options.shard + 1}, {"of", options.shards}}},
            {"dry_run", dry_run},
            {"runs",
             {{"total", totals.runs},
              {"calibration", totals.calibration_runs},
              {"final", totals.runs - totals.calibration_runs},
              {"stored", totals.stored},
              {"trained", end.trained}}},
            {"cohorts_left", totals.cohorts},
            {"threads", options.threads},
            {"seconds", end.seconds},
            {"seconds_left", end.seconds_left},
            {"points", Json::array()}};
  if (dry_run) json["memory"] = memory(preset, options);
  const std::vector<trainers::PointSummary> summaries = trainers::summarise(preset, store);
  for (const std::size_t index : trainers::shard_points(preset, options.shard, options.shards))
    json["points"].push_back(point_json(summaries[index], store));
  return results::strict(json);
}

void print_points(const Json& points) {
  std::cout << std::left << std::setw(12) << "layers" << std::right << std::setw(6) << "width" << std::setw(12)
            << "parameters" << std::setw(12) << "rate" << std::setw(8) << "runs" << std::setw(10) << "accuracy"
            << "\n";
  for (const Json& point : points) {
    const auto stored = std::ranges::count_if(point["runs"], [](const Json& run) { return run["stored"].get<bool>(); });
    std::ostringstream rate;
    std::ostringstream accuracy;
    if (point["learning_rate"].is_number())
      rate << point["learning_rate"].get<double>();
    else
      rate << '-';
    if (!point["accuracy"].is_number())
      accuracy << '-';
    else
      accuracy << std::fixed << std::setprecision(4) << point["accuracy"].get<double>();
    std::cout << std::left << std::setw(12) << point["layers"].get<std::string>() << std::right << std::setw(6)
              << point["width"].get<int>() << std::setw(12) << point["parameters"].get<std::int64_t>() << std::setw(12)
              << rate.str() << std::setw(8) << std::to_string(stored) + "/" + std::to_string(point["runs"].size())
              << std::setw(10) << accuracy.str();
    for (const auto& [axis, value] : point["axes"].items())
      if (axis != "model.layers" && axis != "model.width") std::cout << "  " << axis << "=" << value.dump();
    if (const std::string setting = point.value("setting", ""); !setting.empty()) std::cout << "  setting: " << setting;
    if (const std::string control = point["control"]; !control.empty()) std::cout << "  control: " << control;
    std::cout << "\n";
  }
}

void print(const Json& json) {
  const Json& runs = json["runs"];
  std::cout << json["preset"].get<std::string>() << " (" << json["scale"].get<std::string>()
            << "): " << json["title"].get<std::string>() << "\n"
            << runs["total"] << " runs (" << runs["calibration"] << " calibration, " << runs["final"] << " final), "
            << runs["stored"] << " stored";
  if (!json["dry_run"].get<bool>())
    std::cout << ", " << runs["trained"] << " of them trained now in " << duration_text(json["seconds"]);
  std::cout << "\n";
  if (runs["stored"] != runs["total"])
    std::cout << json["cohorts_left"] << " cohorts left, about " << duration_text(json["seconds_left"]) << " on "
              << json["threads"] << (json["threads"] == 1 ? " thread\n" : " threads\n");
  if (json.contains("memory") && json["memory"].contains("engine"))
    std::cout << "the largest cohort takes about "
              << trainers::memory_text(json["memory"]["largest_cohort"].get<std::size_t>()) << " of memory, "
              << trainers::memory_text(json["memory"]["free"].get<std::size_t>()) << " are free\n";
  print_points(json["points"]);
}

}  // namespace

int run_sweep(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  if (!values->contains("preset")) throw InputError("the preset is missing, like `hyseq sweep fig4 --store DIR`");
  const Preset preset = trainers::load_preset(required(*values, "preset"), required(*values, "scale"));
  const results::RunStore store(required(*values, "store"));
  SweepOptions options = sweep_options(*values);
  if (values->contains("shard")) read_shard(required(*values, "shard"), options);
  if (values->contains("limit"))
    options.limit = static_cast<std::size_t>(integer_option(*values, "limit", 1, std::numeric_limits<int>::max()));
  const bool dry_run = (*values)["dry-run"].as<bool>();

  SweepProgress end;
  if (dry_run) {
    end = trainers::plan_sweep(preset, store, options);
  } else {
    const auto done = sweep_with_progress(preset, store, options);
    if (!done) return kInterrupted;
    end = *done;
  }
  const Json json = describe(preset, store, options, end, dry_run);
  if (values->contains("json"))
    write_json(required(*values, "json"), json);
  else
    print(json);
  return kSuccess;
}

}  // namespace hyseq::cli
