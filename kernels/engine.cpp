#include "kernels/engine.hpp"

#include "kernels/base/error.hpp"
#include "kernels/cuda/engine.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/dense/engine.hpp"
#include "kernels/lanes/engine.hpp"

namespace hyseq::kernels {

const std::vector<const Engine*>& engines() {
  static const std::vector<const Engine*> all = [] {
    std::vector<const Engine*> present;
#if defined(HYSEQ_HAVE_CUDA)
    if (cuda::find_gpu().gpu) present.push_back(&cuda_engine());
#endif
    present.insert(present.end(), {&lanes_engine(), &dense_engine(), &emulated_cuda_engine(), &reference_engine()});
    return present;
  }();
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
    throw EnvironmentError(asked + " cannot run here, because " + cuda::find_gpu().reason + "; there are: " + present);
  }
  throw InputError(asked + " is unknown; this build has: " + present);
}

}  // namespace hyseq::kernels
