#include "trainers/sweep/settings.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "kernels/base/error.hpp"
#include "tasks/registry.hpp"
#include "trainers/sweep/table.hpp"

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;
using models::Activation;
using models::Norm;
using models::Positions;
using models::Residual;
using models::StepSize;

constexpr std::int64_t kLongest = 1 << 24;  // tokens of a row
constexpr double kLargest = 1e6;            // of rates and scales

std::string option_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.dump();
}

/// Fills in task, options and vocabulary.
void read_task(const Document& document, RunConfiguration& run) {
  Table table(document, "/task");
  run.data.task = table.text("name", "");
  if (run.data.task.empty()) table.refuse("name", "the name of a task; `hyseq tasks list` shows them");
  std::unique_ptr<tasks::Task> task;
  try {
    const tasks::TaskInfo& info = tasks::find_task(run.data.task);
    tasks::OptionMap given;
    for (const tasks::OptionInfo& option : info.options) {
      const Json* value = table.find(option.name);
      if (value == nullptr) continue;
      if (value->is_structured()) table.refuse(option.name, option.meaning);
      given[option.name] = option_text(*value);
    }
    run.data.options = complete_options(run.data.task, given);
    task = tasks::make_task(run.data.task, run.data.options);
  } catch (const InputError& error) {
    throw InputError(document.place("/task") + ": " + error.what());
  }
  table.finish();
  run.architecture.vocabulary = task->vocabulary().size();

  Table data(document, "/data");
  run.data.lengths = data.range("length", run.data.lengths, kLongest);
  run.data.context = static_cast<std::size_t>(data.integer("context", 0, 0, kLongest));
  run.data.random_targets = data.flag("random_targets", false);
  data.finish();
}

Norm read_norm(Table& table, const std::string& key, Norm fallback) {
  return table.choice<Norm>(key, fallback, {{"layer", Norm::layer}, {"rms", Norm::rms}, {"none", Norm::none}});
}

Activation read_activation(Table& table) {
  return table.choice<Activation>(
      "activation", Activation::silu,
      {{"silu", Activation::silu}, {"gelu", Activation::gelu}, {"identity", Activation::identity}});
}

int small(Table& table, const std::string& key, int fallback, std::int64_t least, std::int64_t most = 1 << 16) {
  return static_cast<int>(table.integer(key, fallback, least, most));
}

models::TransformerBlock read_transformer(const Document& document, int width, bool used) {
  Table table(document, "/tf");
  models::TransformerBlock block;
  block.norm = read_norm(table, "norm", block.norm);
  block.residual = table.choice<Residual>(
      "residual", block.residual,
      {{"parallel", Residual::parallel}, {"sequential", Residual::sequential}, {"none", Residual::none}});
  block.positions =
      table.choice<Positions>("positions", block.positions, {{"rotary", Positions::rotary}, {"none", Positions::none}});
  block.heads = small(table, "heads", block.heads, 1);
  if (const Json* window = table.find("window"); window != nullptr && *window != "full") {
    if (!window->is_number_integer() || *window < 1 || *window > block.window)
      table.refuse("window", "\"full\" or the number of tokens that a position sees, itself included");
    block.window = window->get<int>();
  }
  const double fraction = table.real("rotary_fraction", 0.25, 0, 1);
  const bool whole = table.choice<bool>("rotary_divisor", true, {{"rotated", true}, {"fraction", false}});
  block.rotary_base = table.real("rotary_base", block.rotary_base, 1, 1e12);
  block.mlp = table.flag("mlp", block.mlp);
  block.activation = read_activation(table);
  table.finish();
  if (!used) return block;
  if (width % block.heads != 0)
    table.refuse("heads", "a divisor of the model width, which is " + std::to_string(width));
  if (block.positions == Positions::rotary) {
    const int head = width / block.heads;
    try {
      block.rotary_width = models::rotary_width(fraction, head);
    } catch (const InputError& error) {
      throw InputError(table.place("rotary_fraction") + ": " + error.what());
    }
    const int floored = static_cast<int>(std::floor(fraction * head));
    block.rotary_divisor = whole || block.rotary_width == 0 || floored == block.rotary_width ? 0 : floored;
    if (!whole && block.rotary_width > 0 && floored == 0)
      table.refuse("rotary_divisor", "\"rotated\" where rotary_fraction times the head width is below 1");
  }
  return block;
}

models::SsmBlock read_ssm(const Document& document) {
  Table table(document, "/ssm");
  models::SsmBlock block;
  block.norm = read_norm(table, "norm", block.norm);
  block.residual = table.flag("residual", block.residual);
  block.state_size = small(table, "state", block.state_size, 1);
  block.kernel = small(table, "kernel", block.kernel, 0);
  block.gate = table.flag("gate", block.gate);
  block.activation = read_activation(table);
  block.step = table.choice<StepSize>("step_size", block.step,
                                      {{"softplus", StepSize::softplus}, {"identity", StepSize::identity}});
  block.step_rank = small(table, "step_rank", block.step_rank, 0);
  block.inner_width = small(table, "inner_width", block.inner_width, 0);
  table.finish();
  return block;
}

void read_model(const Document& document, RunConfiguration& run) {
  Table table(document, "/model");
  models::Architecture& architecture = run.architecture;
  const std::string layers = table.text("layers", "");
  if (layers.empty()) table.refuse("layers", "the blocks of the model, like \"SSM,TF\"");
  architecture.width = small(table, "width", 0, 1);
  if (architecture.width == 0) table.refuse("width", "an integer from 1 to 65536");
  architecture.final_norm = read_norm(table, "final_norm", architecture.final_norm);
  table.finish();
  const bool attends = layers.find("TF") != std::string::npos;
  const models::TransformerBlock transformer = read_transformer(document, architecture.width, attends);
  const models::SsmBlock ssm = read_ssm(document);
  try {
    architecture.layers = models::parse_layers(layers, transformer, ssm);
    models::validate(architecture);
  } catch (const InputError& error) {
    throw InputError(table.place("layers") + ": " + error.what());
  }

  Table dropout(document, "/dropout");
  const auto rate = [&](const char* key, double& value) { value = dropout.real(key, value, 0, 0.999); };
  rate("embedding", run.dropout.embedding);
  rate("probabilities", run.dropout.probabilities);
  rate("attention", run.dropout.attention);
  rate("mlp", run.dropout.mlp);
  dropout.finish();

  Table initialisation(document, "/initialisation");
  run.initialisation.scale = initialisation.real("scale", run.initialisation.scale, 0, kLargest);
  run.initialisation.random_step = initialisation.flag("random_step", run.initialisation.random_step);
  initialisation.finish();
}

void read_optimiser(const Document& document, OptimiserConfiguration& optimiser) {
  Table table(document, "/optimiser");
  constexpr std::int64_t most = 1'000'000'000;
  optimiser.learning_rate = table.real("learning_rate", optimiser.learning_rate, 0, kLargest);
  optimiser.steps = table.integer("steps", optimiser.steps, 1, most);
  optimiser.warmup = table.integer("warmup", optimiser.warmup, 0, most);
  optimiser.decay =
      table.choice<Decay>("decay", optimiser.decay, {{"linear", Decay::linear}, {"cosine", Decay::cosine}});
  optimiser.batch = table.integer("batch", optimiser.batch, 1, 1 << 20);
  optimiser.beta1 = table.real("beta1", optimiser.beta1, 0, 1);
  optimiser.beta2 = table.real("beta2", optimiser.beta2, 0, 1);
  optimiser.epsilon = table.real("epsilon", optimiser.epsilon, 0, 1);
  optimiser.weight_decay = table.real("weight_decay", optimiser.weight_decay, 0, kLargest);
  optimiser.decay_policy = table.choice<DecayPolicy>("decay_policy", optimiser.decay_policy,
                                                     {{"all", DecayPolicy::all}, {"matrices", DecayPolicy::matrices}});
  optimiser.clip = table.real("clip", optimiser.clip, 0, kLargest);
  table.finish();
}

void read_rest(const Document& document, RunConfiguration& run) {
  Table evaluation(document, "/evaluation");
  run.evaluation.rows = evaluation.integer("rows", run.evaluation.rows, 1);
  run.evaluation.lengths = evaluation.integers("lengths", 1, kLongest);
  run.evaluation.every = evaluation.integer("every", 0, 0);
  evaluation.finish();

  Table table(document, "/run");
  run.curve_every = table.integer("curve_every", run.curve_every, 1);
  run.engine = table.text("engine", run.engine);
  run.format = table.choice<NumberFormat>("format", run.format,
                                          {{"float", NumberFormat::float32},
                                           {"double", NumberFormat::float64},
                                           {"bfloat16", NumberFormat::bfloat16},
                                           {"half", NumberFormat::float16}});
  table.finish();
  run.engine = resolve_engine(run.engine, run.architecture.width, run.format);
}

}  // namespace

RunConfiguration read_settings(const Document& document) {
  RunConfiguration run;
  read_task(document, run);
  read_model(document, run);
  read_optimiser(document, run.optimiser);
  read_rest(document, run);
  return run;
}

}  // namespace hyseq::trainers
