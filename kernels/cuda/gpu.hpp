// The GPU of this machine, or why the cuda engine has none. In builds without CUDA there never is one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace hyseq::kernels::cuda {

struct Gpu {
  std::string name;
  int capability_major = 0;
  int capability_minor = 0;
  int processors = 0;            // streaming multiprocessors
  std::size_t memory = 0;        // bytes
  std::size_t free_memory = 0;   // bytes, now
  std::size_t block_memory = 0;  // most bytes of shared memory that a block can ask for
  std::string driver;            // newest CUDA version that the driver knows, "13.0"
  std::string toolkit;           // CUDA version of this build
  std::string cublas;            // version of the library found
};

/// Either a GPU that can run the engine, or one sentence (no capital, no full stop) that says why there is none.
struct GpuState {
  std::optional<Gpu> gpu;
  std::string reason;
};

/// The first GPU that the driver shows (CUDA_VISIBLE_DEVICES decides which). Looks anew with every call; the first one
/// loads cuBLAS.
[[nodiscard]] GpuState find_gpu();

}  // namespace hyseq::kernels::cuda
