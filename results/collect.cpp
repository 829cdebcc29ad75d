// Joins the runs of stores.
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "kernels/base/error.hpp"
#include "results/run_file.hpp"
#include "results/run_store.hpp"

namespace hyseq::results {
namespace {

using Json = nlohmann::ordered_json;

/// A value of the configuration as a table's cell; empty where there is none.
std::string cell(const Json& configuration, const char* pointer) {
  const Json::json_pointer place(pointer);
  if (!configuration.contains(place)) return "";
  const Json& value = configuration.at(place);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string layers(const Json& configuration) {
  std::string text;
  const Json::json_pointer place("/architecture/layers");
  if (!configuration.contains(place)) return text;
  for (const Json& layer : configuration.at(place))
    text += (text.empty() ? "" : "-") + layer.value("block", std::string("?"));
  return text;
}

/// Every digit that the number has.
std::string exact(double value) {
  std::string text(32, ' ');
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

/// Texts with a comma or a quotation mark need marks around them (RFC 4180).
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_lines(std::ostream& out, const RunRecord& record) {
  std::ostringstream start;
  start << record.id << ',' << layers(record.configuration);
  for (const char* pointer : {"/architecture/width", "/data/task"}) start << ',' << cell(record.configuration, pointer);
  start << ',' << record.parameters << ',' << record.seed;
  start << ',' << cell(record.configuration, "/optimiser/learning_rate") << ','
        << cell(record.configuration, "/engine");
  for (const char* pointer : {"/data/calibration", "/data/random_targets"})
    start << ',' << cell(record.configuration, pointer);
  start << ',' << record.steps << ',' << record.diverged_at << ',';
  for (const Evaluation& evaluation : record.evaluations) {
    std::ostringstream run;
    run << start.str() << quoted(evaluation.name) << ',' << evaluation.step << ',' << evaluation.length << ','
        << evaluation.rows << ',' << exact(evaluation.loss) << ',';
    const auto line = [&](const std::string& by, const std::string& value, const Counts& counts) {
      out << run.str() << quoted(by) << ',' << quoted(value) << ',' << counts.valid << ',' << counts.correct << ','
          << exact(counts.accuracy()) << '\n';
    };
    line("", "", evaluation.positions);
    line("sequence", "", evaluation.sequences);
    for (const Slice& slice : evaluation.slices) line(slice.by, slice.value, slice.counts);
  }
}

}  // namespace

std::size_t collect(const std::vector<std::string>& stores, const std::string& output, const std::string& csv) {
  std::map<std::string, RunRecord> runs;
  for (const std::string& store : stores)
    for (RunRecord& record : RunStore(store).load_all()) runs.try_emplace(record.id, std::move(record));

  Hdf5Writer file(output);
  file.attribute("format", "hyseq-runs");
  file.attribute("layout", 1);
  file.attribute("runs", runs.size());
  for (const auto& [id, record] : runs) write_run(file, "runs/" + id, record);
  file.commit();

  if (!csv.empty()) {
    std::ofstream table(csv);
    table << "id,layers,width,task,parameters,seed,learning_rate,engine,calibration,random_targets,steps,diverged_at,"
             "evaluation,step,length,rows,"
             "loss,slice_by,slice,valid,correct,accuracy\n";
    for (const auto& [id, record] : runs) write_lines(table, record);
    if (!table.flush()) throw EnvironmentError("the file '" + csv + "' cannot be written");
  }
  return runs.size();
}

}  // namespace hyseq::results
