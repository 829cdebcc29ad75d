#include "models/initialise.hpp"

#include <cmath>
#include <map>
#include <set>

#include "kernels/base/random.hpp"

namespace hyseq::models {
namespace {

/// FNV-1a: the same on every platform, unlike std::hash.
std::uint64_t hash(const std::string& name) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : name) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

/// The kernel width by parameter: a convolution's bias does not know it from its own shape.
std::map<kernels::ParameterId, int> kernel_widths(const kernels::Program& program) {
  std::map<kernels::ParameterId, int> widths;
  for (const kernels::Operation& operation : program.forward) {
    if (const auto* convolution = std::get_if<kernels::CausalConv>(&operation)) {
      widths[convolution->weight] = convolution->kernel;
      widths[convolution->bias] = convolution->kernel;
    }
  }
  return widths;
}

/// Biases whose softplus is the step size of a scan.
std::set<kernels::ParameterId> step_biases(const kernels::Program& program) {
  std::map<int, int> softplus_of;              // output buffer -> input buffer
  std::map<int, kernels::ParameterId> biases;  // output buffer of a linear map -> its bias
  std::set<kernels::ParameterId> found;
  for (const kernels::Operation& operation : program.forward) {
    if (const auto* linear = std::get_if<kernels::Linear>(&operation)) {
      if (linear->bias != kernels::kNoParameter) biases[linear->out.buffer] = linear->bias;
    } else if (const auto* active = std::get_if<kernels::Activate>(&operation)) {
      if (active->activation == kernels::Activation::softplus) softplus_of[active->out.buffer] = active->in.buffer;
    } else if (const auto* scan = std::get_if<kernels::SelectiveScan>(&operation)) {
      const auto raw = softplus_of.find(scan->step.buffer);
      if (raw == softplus_of.end()) continue;
      if (const auto bias = biases.find(raw->second); bias != biases.end()) found.insert(bias->second);
    }
  }
  return found;
}

double random_step_bias(double uniform) {
  constexpr double least = 0.001;
  constexpr double most = 0.1;
  const double step = least * std::pow(most / least, uniform);
  return step + std::log(-std::expm1(-step));  // log(exp(step) - 1)
}

}  // namespace

kernels::ParameterValues initialise(const kernels::Program& program, std::uint64_t seed,
                                    const InitialisationOptions& options) {
  const StreamKey key{seed, Purpose::initialisation};
  const auto widths = kernel_widths(program);
  const std::set<kernels::ParameterId> steps =
      options.random_step ? step_biases(program) : std::set<kernels::ParameterId>{};
  kernels::ParameterValues values;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const kernels::ParameterInfo& info = program.parameters[p];
    const std::uint64_t name = hash(info.name);
    std::vector<double> all(info.size());
    const bool is_step = steps.contains(static_cast<kernels::ParameterId>(p));
    for (std::size_t element = 0; element < all.size(); ++element) {
      switch (info.initialiser) {
        case kernels::Initialiser::normal:
          all[element] = options.scale * normal_real(key, name, element);
          break;
        case kernels::Initialiser::zeros:
          all[element] = is_step ? random_step_bias(uniform_real(key, name, element)) : 0;
          break;
        case kernels::Initialiser::ones:
          all[element] = 1;
          break;
        case kernels::Initialiser::convolution:
          all[element] = (2 * uniform_real(key, name, element) - 1) /
                         std::sqrt(static_cast<double>(widths.at(static_cast<kernels::ParameterId>(p))));
          break;
        case kernels::Initialiser::log_index:
          all[element] = std::log(static_cast<double>(element % info.shape.back() + 1));
          break;
      }
    }
    values.push_back(std::move(all));
  }
  return values;
}

}  // namespace hyseq::models
