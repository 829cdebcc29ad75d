#include "models/initialise.hpp"

#include <cmath>
#include <map>

#include "kernels/base/random.hpp"

namespace hyseq::models {
namespace {

constexpr double kDeviation = 0.02;

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

}  // namespace

kernels::ParameterValues initialise(const kernels::Program& program, std::uint64_t seed) {
  const StreamKey key{seed, Purpose::initialisation};
  const auto widths = kernel_widths(program);
  kernels::ParameterValues values;
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    const kernels::ParameterInfo& info = program.parameters[p];
    const std::uint64_t name = hash(info.name);
    std::vector<double> all(info.size());
    for (std::size_t element = 0; element < all.size(); ++element) {
      switch (info.initialiser) {
        case kernels::Initialiser::normal:
          all[element] = kDeviation * normal_real(key, name, element);
          break;
        case kernels::Initialiser::zeros:
          all[element] = 0;
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
