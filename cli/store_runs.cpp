#include "cli/store_runs.hpp"

#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

namespace hyseq::cli {
namespace {

using results::Counts;
using results::Json;
using results::RunRecord;

std::string text_at(const RunRecord& run, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!run.configuration.contains(place)) return "?";
  const Json& value = run.configuration.at(place);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string layers(const RunRecord& run) {
  std::string text;
  const Json::json_pointer place("/architecture/layers");
  if (run.configuration.contains(place))
    for (const Json& layer : run.configuration.at(place))
      text += (text.empty() ? "" : ",") + layer.value("block", std::string("?"));
  return text;
}

std::string share(const Counts& counts) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(4) << counts.accuracy();
  return out.str();
}

void print_counts(const std::string& what, const Counts& counts) {
  std::cout << "    " << std::left << std::setw(24) << what << share(counts) << "  " << counts.correct << " of "
            << counts.valid << "\n";
}

}  // namespace

void list_runs(const std::vector<RunRecord>& runs) {
  const auto column = [](int size) { return std::setw(size + 2); };
  std::cout << std::left << column(32) << "id" << column(16) << "task" << column(12) << "layers" << column(6) << "width"
            << column(10) << "rate" << column(8) << "steps" << column(6) << "seed" << column(8) << "accuracy"
            << "\n";
  for (const RunRecord& run : runs) {
    std::string accuracy = run.evaluations.empty() ? "-" : share(run.evaluations.back().positions);
    if (run.diverged_at >= 0) accuracy += " diverged";
    const bool calibration = text_at(run, "/data/calibration") == "true";
    std::cout << std::left << column(32) << run.id << column(16) << text_at(run, "/data/task") << column(12)
              << layers(run) << column(6) << text_at(run, "/architecture/width") << column(10)
              << text_at(run, "/optimiser/learning_rate") << column(8) << run.steps << column(6) << run.seed
              << column(8) << accuracy << (calibration ? "calibration" : "") << "\n";
  }
  std::cout << runs.size() << (runs.size() == 1 ? " training run\n" : " training runs\n");
}

void show_run(const RunRecord& run) {
  std::cout << "training run " << run.id << ": " << layers(run) << " d=" << text_at(run, "/architecture/width")
            << " on " << text_at(run, "/data/task") << ", seed " << run.seed << "\n  parameters     " << run.parameters
            << "\n  steps          " << run.steps
            << (run.diverged_at >= 0 ? ", diverged at " + std::to_string(run.diverged_at) : std::string())
            << "\n  made by        hyseq " << run.version << ", " << run.instructions << ", " << run.machine
            << "\n  seconds        " << run.seconds << "\n  configuration  " << run.configuration.dump() << "\n";
  for (const results::Evaluation& evaluation : run.evaluations) {
    std::cout << "  " << evaluation.name << ": step " << evaluation.step << ", " << evaluation.rows << " rows of "
              << evaluation.length << " tokens, loss " << evaluation.loss << "\n";
    print_counts("positions", evaluation.positions);
    print_counts("sequences", evaluation.sequences);
    for (const results::Slice& slice : evaluation.slices) print_counts(slice.by + " " + slice.value, slice.counts);
  }
}

Json runs_json(const std::vector<RunRecord>& runs) {
  Json all = Json::array();
  for (const RunRecord& run : runs) all.push_back(results::to_json(run));
  return all;
}

}  // namespace hyseq::cli
