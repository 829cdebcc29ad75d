// Runs that start from a model file.
#include "trainers/initialisation.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "models/initialise.hpp"
#include "models/model_file.hpp"
#include "tests/trainers/small_run.hpp"
#include "trainers/member.hpp"
#include "trainers/train.hpp"

namespace hyseq::trainers {
namespace {

/// A model of the small run's architecture with float weights of seed 77, in `path`.
models::ModelFile write_start(const std::string& path) {
  models::ModelFile file;
  file.architecture = small_run().architecture;
  file.parameters = models::initialise(models::lower(file.architecture), 77, {});
  for (auto& values : file.parameters)
    for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  models::write_model_file(path, file);
  return file;
}

RunConfiguration run_from(const std::string& path, double noise = 0) {
  RunConfiguration run = small_run();
  run.initialisation = describe_initialisation(path).initialisation;
  run.initialisation.noise = noise;
  run.optimiser.learning_rate = 0;
  return run;
}

kernels::ParameterValues start_of(const RunConfiguration& run) {
  return initial_parameters(run, models::lower(run.architecture));
}

std::string refusal(const RunConfiguration& run) {
  try {
    (void)start_of(run);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Initialisation, of_a_run_is_the_file) {
  const TemporaryFolder folder;
  const models::ModelFile file = write_start(folder.path("start.h5"));
  const RunConfiguration run = run_from(folder.path("start.h5"));
  EXPECT_EQ(start_of(run), file.parameters);
  // A learning rate of zero keeps it, so what is written at the end is what training began with.
  TrainingOptions options;
  options.model_folder = folder.path("models");
  const auto records = train_cohort(std::vector{run}, options);
  const models::ModelFile end = models::read_model_file(run_file(options.model_folder, records.at(0).id));
  EXPECT_EQ(end.parameters, file.parameters);
}

TEST(Initialisation, has_noise_in_proportion_to_each_parameter) {
  const TemporaryFolder folder;
  const models::ModelFile file = write_start(folder.path("start.h5"));
  RunConfiguration run = run_from(folder.path("start.h5"), 0.25);
  const auto noisy = start_of(run);
  double squares = 0;
  double count = 0;
  for (std::size_t p = 0; p < noisy.size(); ++p) {
    for (std::size_t i = 0; i < noisy[p].size(); ++i) {
      const double moved = (noisy[p][i] - file.parameters[p][i]) / (std::abs(file.parameters[p][i]) + 0.02);
      squares += moved * moved;
      ++count;
    }
  }
  // The mean of n squares of normals of deviation 0.25 is 1/16 within five standard errors, sqrt(2/n) of it each.
  EXPECT_NEAR(squares / count, 0.0625, 5 * 0.0625 * std::sqrt(2 / count));
  EXPECT_EQ(start_of(run), noisy);
  run.seed = 2;
  EXPECT_NE(start_of(run), noisy);
}

TEST(Initialisation, belongs_to_the_identity_but_its_path_does_not) {
  const TemporaryFolder folder;
  write_start(folder.path("start.h5"));
  write_start(folder.path("copy.h5"));
  const RunConfiguration run = run_from(folder.path("start.h5"));
  EXPECT_EQ(identity(run), identity(run_from(folder.path("copy.h5"))));
  std::set<std::string> identities{identity(run), identity(run_from(folder.path("start.h5"), 0.5))};
  RunConfiguration drawn = run;
  drawn.initialisation = {};
  identities.insert(identity(drawn));
  EXPECT_EQ(identities.size(), 3U);
  EXPECT_FALSE(to_json(drawn)["initialisation"].contains("noise")) << "older runs would lose their identity";
  EXPECT_EQ(to_json(configuration_from_json(to_json(run))), to_json(run));
}

TEST(Initialisation, refuses_other_files) {
  const TemporaryFolder folder;
  models::ModelFile file = write_start(folder.path("start.h5"));
  RunConfiguration run = run_from(folder.path("start.h5"));
  file.parameters[0][0] += 1;
  models::write_model_file(folder.path("start.h5"), file);
  EXPECT_NE(refusal(run).find("is not the one"), std::string::npos) << refusal(run);
  run = run_from(folder.path("start.h5"));
  std::get<models::TransformerBlock>(run.architecture.layers[1]).window = 5;
  EXPECT_NE(refusal(run).find("another architecture"), std::string::npos) << refusal(run);
  run = small_run();
  run.initialisation.noise = 0.1;
  EXPECT_THROW(validate(run), InputError);
  run = small_run();
  run.initialisation.file = "somewhere.h5";
  EXPECT_THROW(validate(run), InputError);
}

}  // namespace
}  // namespace hyseq::trainers
