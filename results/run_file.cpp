#include "results/run_file.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"

namespace hyseq::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "hyseq-run";
constexpr std::int64_t kLayout = 1;

std::string inside(const std::string& group, const std::string& name) {
  return group == "/" ? name : group + "/" + name;
}

/// One column of the curve.
template <class T, class Get>
Array<T> column(const std::vector<CurvePoint>& curve, const Get& get) {
  Array<T> values{{curve.size()}, {}};
  for (const CurvePoint& point : curve) values.values.push_back(get(point));
  return values;
}

void write_curve(Hdf5Writer& file, const std::string& group, const std::vector<CurvePoint>& curve) {
  using Point = CurvePoint;
  const auto integers = [&](const char* name, const auto& get) {
    file.write(inside(group, "curve/") + name, column<std::int64_t>(curve, get));
  };
  const auto reals = [&](const char* name, const auto& get) {
    file.write(inside(group, "curve/") + name, column<double>(curve, get));
  };
  integers("step", [](const Point& p) { return p.step; });
  integers("valid", [](const Point& p) { return p.positions.valid; });
  integers("correct", [](const Point& p) { return p.positions.correct; });
  reals("learning_rate", [](const Point& p) { return p.learning_rate; });
  reals("loss", [](const Point& p) { return p.loss; });
  reals("gradient_norm", [](const Point& p) { return p.gradient_norm; });
}

std::vector<double> read_column(const Hdf5Reader& file, const std::string& name, std::size_t size) {
  Array<double> column = file.read_reals(name);
  if (column.values.size() != size) throw InputError("dataset " + name + " has another length than its neighbours");
  return std::move(column.values);
}

/// Whole numbers up to 2^53 survive the way through double.
std::int64_t whole(double value) { return static_cast<std::int64_t>(std::llround(value)); }

std::vector<CurvePoint> read_curve(const Hdf5Reader& file, const std::string& group) {
  const std::string prefix = inside(group, "curve/");
  const std::vector<double> steps = file.read_reals(prefix + "step").values;
  const auto read = [&](const char* name) { return read_column(file, prefix + name, steps.size()); };
  const std::vector<double> valid = read("valid");
  const std::vector<double> correct = read("correct");
  const std::vector<double> rates = read("learning_rate");
  const std::vector<double> losses = read("loss");
  const std::vector<double> norms = read("gradient_norm");
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < steps.size(); ++i)
    curve.push_back({whole(steps[i]), rates[i], losses[i], norms[i], {whole(valid[i]), whole(correct[i])}});
  return curve;
}

void write_evaluation(Hdf5Writer& file, const std::string& group, const Evaluation& evaluation) {
  file.attribute("name", evaluation.name, group);
  file.attribute("step", evaluation.step, group);
  file.attribute("length", evaluation.length, group);
  file.attribute("rows", evaluation.rows, group);
  file.attribute("loss", evaluation.loss, group);
  file.attribute("valid", evaluation.positions.valid, group);
  file.attribute("correct", evaluation.positions.correct, group);
  file.attribute("valid_sequences", evaluation.sequences.valid, group);
  file.attribute("correct_sequences", evaluation.sequences.correct, group);
  Json labels = Json::array();
  Array<std::int64_t> counts{{evaluation.slices.size(), 2}, {}};
  for (const Slice& slice : evaluation.slices) {
    labels.push_back({slice.by, slice.value});
    counts.values.insert(counts.values.end(), {slice.counts.valid, slice.counts.correct});
  }
  file.write_text(group + "/slice_labels", labels.dump());
  file.write(group + "/slice_counts", counts);
}

Evaluation read_evaluation(const Hdf5Reader& file, const std::string& group) {
  const auto integer = [&](const char* name) { return file.integer_attribute(name, group); };
  Evaluation evaluation;
  evaluation.name = file.text_attribute("name", group);
  evaluation.step = integer("step");
  evaluation.length = integer("length");
  evaluation.rows = integer("rows");
  evaluation.loss = file.real_attribute("loss", group);
  evaluation.positions = {integer("valid"), integer("correct")};
  evaluation.sequences = {integer("valid_sequences"), integer("correct_sequences")};
  const Json labels = Json::parse(file.read_text(group + "/slice_labels"));
  const std::vector<double> counts = read_column(file, group + "/slice_counts", 2 * labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    evaluation.slices.push_back({labels[i].at(0).get<std::string>(),
                                 labels[i].at(1).get<std::string>(),
                                 {whole(counts[2 * i]), whole(counts[2 * i + 1])}});
  }
  return evaluation;
}

}  // namespace

void write_run(Hdf5Writer& file, const std::string& group, const RunRecord& record) {
  file.attribute("format", kFormat, group);
  file.attribute("layout", kLayout, group);
  file.attribute("id", record.id, group);
  file.attribute("seed", static_cast<std::int64_t>(record.seed), group);
  file.attribute("parameters", record.parameters, group);
  file.attribute("steps", record.steps, group);
  file.attribute("diverged_at", record.diverged_at, group);
  file.attribute("empty_batches", record.empty_batches, group);
  file.attribute("version", record.version, group);
  file.attribute("instructions", record.instructions, group);
  file.attribute("machine", record.machine, group);
  file.attribute("seconds", record.seconds, group);
  file.write_text(inside(group, "configuration"), record.configuration.dump());
  write_curve(file, group, record.curve);
  for (std::size_t i = 0; i < record.evaluations.size(); ++i) {
    // Four digits, so that the groups' alphabetical order is the evaluations' order.
    const std::string index = std::to_string(10000 + i).substr(1);
    write_evaluation(file, inside(group, "evaluations/" + index), record.evaluations[i]);
  }
}

RunRecord read_run(const Hdf5Reader& file, const std::string& group) {
  if (!file.has_attribute("format", group) || file.text_attribute("format", group) != kFormat)
    throw InputError("it is not a training run");
  const auto integer = [&](const char* name) { return file.integer_attribute(name, group); };
  if (const std::int64_t layout = integer("layout"); layout != kLayout)
    throw InputError("its layout is " + std::to_string(layout) + " and this program reads layout " +
                     std::to_string(kLayout));
  try {
    RunRecord record;
    record.id = file.text_attribute("id", group);
    record.configuration = Json::parse(file.read_text(inside(group, "configuration")));
    record.seed = static_cast<std::uint64_t>(integer("seed"));
    record.parameters = integer("parameters");
    record.steps = integer("steps");
    record.diverged_at = integer("diverged_at");
    record.empty_batches = integer("empty_batches");
    record.version = file.text_attribute("version", group);
    record.instructions = file.text_attribute("instructions", group);
    record.machine = file.text_attribute("machine", group);
    record.seconds = file.real_attribute("seconds", group);
    record.curve = read_curve(file, group);
    const std::vector<std::string> groups = file.groups(group);
    if (std::count(groups.begin(), groups.end(), "evaluations") > 0)
      for (const std::string& index : file.groups(inside(group, "evaluations")))
        record.evaluations.push_back(read_evaluation(file, inside(group, "evaluations/" + index)));
    return record;
  } catch (const Json::exception&) {
    throw InputError("a text in it is not the JSON of a training run");
  }
}

}  // namespace hyseq::results
