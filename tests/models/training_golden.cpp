#include "tests/models/training_golden.hpp"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "models/lowering.hpp"
#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

Architecture read_architecture(const Hdf5Reader& file) {
  const auto size = [&](const char* attribute) { return static_cast<int>(file.integer_attribute(attribute)); };
  TransformerBlock transformer;
  transformer.heads = size("heads");
  transformer.window = size("window");
  transformer.rotary_width = size("rotary_width");
  transformer.residual = size("parallel_residual") != 0 ? Residual::parallel : Residual::sequential;
  SsmBlock ssm;
  ssm.state_size = size("N");
  ssm.kernel = size("conv_width");
  Architecture architecture;
  architecture.width = size("d");
  architecture.vocabulary = size("V");
  architecture.layers = parse_layers(file.text_attribute("layers"), transformer, ssm);
  return architecture;
}

kernels::ParameterValues read_values(const Hdf5Reader& file, const kernels::Program& program,
                                     const std::string& group) {
  kernels::ParameterValues values;
  for (const kernels::ParameterInfo& info : program.parameters) {
    const Array<double> array = file.read_reals(group + "/" + info.name);
    EXPECT_EQ(array.shape, info.shape) << info.name;
    values.push_back(array.values);
  }
  // Nothing in the file is left out.
  EXPECT_EQ(file.datasets(group).size(), program.parameters.size()) << group;
  return values;
}

}  // namespace

std::vector<std::string> golden_trainings() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HYSEQ_GOLDEN_DIR)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("train_", 0) == 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TrainingGolden::TrainingGolden(const std::string& file) : name(file) {
  const Hdf5Reader reader(golden_path(file));
  program = lower(read_architecture(reader));
  optimiser.beta1 = reader.real_attribute("beta1");
  optimiser.beta2 = reader.real_attribute("beta2");
  optimiser.epsilon = reader.real_attribute("eps");
  optimiser.decay = reader.real_attribute("weight_decay");
  clip.limit = reader.real_attribute("clip_norm");
  clip.epsilon = reader.real_attribute("clip_eps");
  valid_below = static_cast<std::int32_t>(reader.integer_attribute("bos"));
  const Array<std::int32_t> tokens = reader.read_integers("input");
  steps = tokens.shape.at(0);
  rows = tokens.shape.at(1);
  length = tokens.shape.at(2);
  input = tokens.values;
  target = reader.read_integers("target").values;
  loss = reader.read_reals("loss").values;
  grad_norm = reader.read_reals("grad_norm").values;
  rates = reader.read_reals("lr").values;
  init = read_values(reader, program, "init");
  final = read_values(reader, program, "final");
}

TrainingTrace train(const TrainingGolden& golden, const kernels::Engine& engine, NumberFormat format,
                    std::size_t micro_batch) {
  kernels::CohortRequest request;
  request.training = &golden.program;
  request.evaluation = &golden.program;
  request.format = format;
  request.longest = golden.length;
  request.micro_batch = micro_batch;
  request.clip = golden.clip;
  request.optimiser = golden.optimiser;
  const auto cohort = engine.make_cohort(request);
  cohort->set_parameters(0, golden.init);
  TrainingTrace trace;
  for (std::size_t step = 0; step < golden.steps; ++step) {
    const std::uint64_t seed = 1;
    const kernels::CohortBatch batch{
        golden.rows, golden.length,     golden.batch(golden.input, step), golden.batch(golden.target, step),
        {},          golden.valid_below};
    kernels::MemberStep result;
    cohort->step({batch, step, {&seed, 1}, {&golden.rates[step], 1}}, {&result, 1});
    trace.steps.push_back(result);
  }
  trace.final = cohort->parameters(0);
  return trace;
}

}  // namespace hyseq::models
