#include "kernels/engine.hpp"

#include "kernels/base/error.hpp"
#include "kernels/cuda/engine.hpp"
#include "kernels/dense/engine.hpp"
#include "kernels/lanes/engine.hpp"

namespace hyseq::kernels {

const std::vector<const Engine*>& engines() {
  static const std::vector<const Engine*> all = {&lanes_engine(), &dense_engine(), &emulated_cuda_engine(), &reference_engine()};
  return all;
}

const Engine& find_engine(std::string_view name) {
  std::string present;
  for (const Engine* engine : engines()) {
    if (engine->name() == name) return *engine;
    present += (present.empty() ? "" : ", ") + std::string(engine->name());
  }
  const std::string asked = "engine '" + std::string(name) + "'";
  if (name == "cuda") {
    throw EnvironmentError(asked + " is not part of this build, which has: " + present);
  }
  throw InputError(asked + " is unknown; this build has: " + present);
}

}  // namespace hyseq::kernels
