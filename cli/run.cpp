// hyseq run: one forward pass of a model file.
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "kernels/engine.hpp"
#include "models/lowering.hpp"
#include "models/model_file.hpp"
#include "models/state_file.hpp"

namespace hyseq::cli {
namespace {

CommandLine command_line() {
  CommandLine line{"hyseq run --model FILE --output FILE [options]",
                   "Runs a model file (HDF5, format in tests/golden/README.md) on its tokens and writes logits\n"
                   "[batch, length, vocabulary] and loss, the mean cross-entropy over the valid positions; with\n"
                   "--gradients its gradient by every parameter. With\n"
                   "--state-in and --state-out a sequence is run in pieces, bit for bit like the whole.",
                   {},
                   {}};
  line.options.add_options()("model", text(), "model file to run; required")(
      "output", text(), "HDF5 file to write; required")("engine", text("reference"),
                                                        "engine that executes it (see `hyseq info`)")(
      "number", text("double"), "number format: double, float, bfloat16 or half")(
      "input", text(),
      "HDF5 file whose dataset input, int [batch, length] (and target, segment if there) replaces the model's")(
      "state-in", text(), "state file to go on from; by default every row starts fresh")(
      "state-out", text(), "state file to write for the next piece")(
      "trace", po::bool_switch(), "adds group trace/: step sizes, states and attention probabilities of every layer")(
      "gradients", po::bool_switch(),
      "adds group grad/: the gradient of the loss by every parameter, under its name; needs targets and whole "
      "sequences")("json", text(), "write a summary as JSON to this file, - for standard output");
  return line;
}

struct Tokens {
  Array<std::int32_t> input;
  Array<std::int32_t> target;
  Array<std::int32_t> segment;
};

/// The tokens of --input, or the model's own.
Tokens find_tokens(const po::variables_map& values, const models::ModelFile& model) {
  if (!values.contains("input")) {
    if (!model.has_input()) {
      throw InputError("model file '" + required(values, "model") + "' has no dataset input; give tokens by --input");
    }
    return {model.input, model.target, {}};
  }
  const std::string path = required(values, "input");
  const Hdf5Reader file(path);
  Tokens tokens;
  tokens.input = file.read_integers("input");
  if (tokens.input.shape.size() != 2 || tokens.input.values.empty()) {
    throw InputError("file '" + path + "': dataset input must be [batch, length], neither of them 0");
  }
  const auto read_beside = [&](const char* name, Array<std::int32_t>& array) {
    if (!file.has_dataset(name)) return;
    array = file.read_integers(name);
    if (array.shape != tokens.input.shape) {
      throw InputError("file '" + path + "': dataset " + name + " has another shape than input");
    }
  };
  read_beside("target", tokens.target);
  read_beside("segment", tokens.segment);
  return tokens;
}

void write_output(const std::string& path, const kernels::Program& program, const kernels::ForwardResult& result,
                  bool has_loss) {
  Hdf5Writer file(path);
  file.attribute("format", "hyseq run");
  file.write("logits", result.logits);
  // Without valid positions there is no mean to speak of, and no dataset.
  if (has_loss) {
    file.attribute("valid_positions", result.loss.valid);
    if (result.loss.valid > 0) file.write("loss", Array<double>{{}, {result.loss.loss}});
  }
  for (const auto& [name, array] : result.trace) file.write("trace/" + name, array);
  for (std::size_t p = 0; p < result.gradients.size(); ++p) {
    const kernels::ParameterInfo& info = program.parameters[p];
    file.write("grad/" + info.name, Array<double>{info.shape, result.gradients[p]});
  }
  file.commit();
}

nlohmann::ordered_json loss_json(const kernels::LossResult& loss, bool has_targets) {
  nlohmann::ordered_json json;
  if (has_targets && loss.valid > 0) {
    json["loss"] = loss.loss;
  } else {
    json["loss"] = nullptr;
    json["loss_reason"] = has_targets ? "no target is valid" : "there are no targets";
  }
  json["valid_positions"] = loss.valid;
  json["correct_positions"] = loss.correct;
  return json;
}

}  // namespace

int run_model(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  const std::string path = required(*values, "model");
  const std::string output = required(*values, "output");
  for (const char* other : {"model", "input", "state-in", "state-out"}) refuse_same_file(*values, other, "output");
  refuse_same_file(*values, "model", "state-out");
  const kernels::Engine& engine = kernels::find_engine(required(*values, "engine"));
  const NumberFormat format = parse_number_format(required(*values, "number"));
  const models::ModelFile model = models::read_model_file(path);
  const kernels::Program program = models::lower(model.architecture);
  const Tokens tokens = find_tokens(*values, model);
  kernels::CarryState before;

  kernels::ForwardRequest request;
  request.program = &program;
  request.parameters = &model.parameters;
  request.format = format;
  request.batch = tokens.input.shape[0];
  request.time = tokens.input.shape[1];
  request.tokens = tokens.input.values;
  request.targets = tokens.target.values;
  request.segments = tokens.segment.values;
  request.valid_below = model.valid_below();
  request.carry_out = values->contains("state-out");
  request.trace = (*values)["trace"].as<bool>();
  request.gradients = (*values)["gradients"].as<bool>();
  if (request.gradients && tokens.target.values.empty())
    throw InputError("the file " + (values->contains("input") ? required(*values, "input") : path) +
                     " has no dataset target, which --gradients needs");
  if (values->contains("state-in")) {
    before = models::read_state_file(required(*values, "state-in"));
    request.carry_in = &before;
  }

  const auto start = std::chrono::steady_clock::now();
  const kernels::ForwardResult result = engine.forward(request);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const bool has_targets = !tokens.target.values.empty();
  write_output(output, program, result, has_targets);
  if (request.carry_out) models::write_state_file(required(*values, "state-out"), result.carry);

  nlohmann::ordered_json summary = {{"model", path},
                                    {"layers", models::layers_text(model.architecture)},
                                    {"parameters", program.parameter_count()},
                                    {"engine", engine.name()},
                                    {"number", name(format)},
                                    {"batch", request.batch},
                                    {"length", request.time}};
  summary.update(loss_json(result.loss, has_targets));
  summary["seconds"] = seconds;
  summary["output"] = output;
  if (values->contains("json")) {
    write_json(required(*values, "json"), summary);
    return kSuccess;
  }
  std::cout << models::layers_text(model.architecture) << ", " << program.parameter_count() << " parameters, engine "
            << engine.name() << " in " << name(format) << ": " << request.batch << " x " << request.time
            << " tokens in " << seconds << " s\n";
  if (has_targets && result.loss.valid > 0) {
    std::cout << "loss " << result.loss.loss << " over " << result.loss.valid << " valid positions, "
              << result.loss.correct << " of them right\n";
  }
  std::cout << "written to " << output << "\n";
  return kSuccess;
}

}  // namespace hyseq::cli
