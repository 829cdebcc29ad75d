#include "trainers/initialisation.hpp"

#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"
#include "models/architecture_json.hpp"
#include "models/initialise.hpp"
#include "models/model_file.hpp"
#include "trainers/content_hash.hpp"

namespace hyseq::trainers {
namespace {

constexpr std::uint64_t kNoiseIndex = std::uint64_t{1} << 63;  // apart from the indices of drawn parameters

std::string parameter_hash(const models::ModelFile& file) {
  std::string hash = content_hash(models::to_json(file.architecture));
  for (const std::vector<double>& values : file.parameters)
    hash = content_hash(values.data(), values.size() * sizeof(double), hash);
  return hash;
}

}  // namespace

InitialisationDescription describe_initialisation(const std::string& path) {
  const models::ModelFile file = models::read_model_file(path);
  InitialisationDescription description;
  description.initialisation.file = path;
  description.initialisation.file_hash = parameter_hash(file);
  description.architecture = file.architecture;
  return description;
}

void add_noise(kernels::ParameterValues& values, double noise, std::uint64_t seed) {
  if (noise == 0) return;
  const double floor = models::InitialisationOptions{}.scale;
  for (std::size_t p = 0; p < values.size(); ++p) {
    for (std::size_t i = 0; i < values[p].size(); ++i) {
      double& value = values[p][i];
      value += noise * (std::abs(value) + floor) * normal_real({seed, Purpose::initialisation}, kNoiseIndex + p, i);
    }
  }
}

kernels::ParameterValues initial_parameters(const RunConfiguration& configuration, const kernels::Program& program) {
  const InitialisationConfiguration& start = configuration.initialisation;
  if (start.file.empty()) return models::initialise(program, configuration.seed, start);
  models::ModelFile file = models::read_model_file(start.file);
  if (models::to_json(file.architecture) != models::to_json(configuration.architecture))
    throw InputError("the model file " + start.file + " holds a model of another architecture than the run's");
  if (parameter_hash(file) != start.file_hash)
    throw InputError("the model file " + start.file + " is not the one that the run was described with");
  add_noise(file.parameters, start.noise, configuration.seed);
  return std::move(file.parameters);
}

}  // namespace hyseq::trainers
