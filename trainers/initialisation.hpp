// Where the parameters of a run start: drawn from its seed, or taken from a model file.
#pragma once

#include <string>

#include "kernels/program.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// A model file as a configuration names it, hash filled in, and the architecture that a run has to have to start
/// there.
struct InitialisationDescription {
  InitialisationConfiguration initialisation;
  models::Architecture architecture;
};

/// InputError where the file cannot be read.
[[nodiscard]] InitialisationDescription describe_initialisation(const std::string& path);

/// The parameters in front of the first step; `program` is that of the configuration's architecture. InputError where
/// the file cannot be read, is not the one with this hash, or holds a model of another architecture.
[[nodiscard]] kernels::ParameterValues initial_parameters(const RunConfiguration& configuration,
                                                          const kernels::Program& program);

/// Adds noise as InitialisationConfiguration::noise says, a function of (seed, parameter, element).
void add_noise(kernels::ParameterValues& values, double noise, std::uint64_t seed);

}  // namespace hyseq::trainers
