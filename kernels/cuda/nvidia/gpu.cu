#include <cuda_runtime.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/nvidia/products.hpp"

namespace hyseq::kernels::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

GpuState none(std::string reason) { return {std::nullopt, std::move(reason)}; }

}  // namespace

GpuState find_gpu() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    return none("no NVIDIA driver is installed (libcuda.so.1 is not found)");
  }
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found == cudaErrorInsufficientDriver) {
    return none("the NVIDIA driver knows CUDA " + version_text(driver) + " at most, and hyseq was built with CUDA " +
                version_text(CUDART_VERSION) + ": a newer driver is needed");
  }
  if (found == cudaErrorNoDevice || (found == cudaSuccess && count == 0)) {
    return none("the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES may hide it)");
  }
  if (found != cudaSuccess) return none(std::string("the NVIDIA driver fails: ") + cudaGetErrorString(found));

  Gpu gpu;
  cudaDeviceProp properties;
  std::size_t all = 0;
  cudaError_t status = cudaSetDevice(0);
  if (status == cudaSuccess) status = cudaGetDeviceProperties(&properties, 0);
  if (status == cudaSuccess) status = cudaMemGetInfo(&gpu.free_memory, &all);
  if (status != cudaSuccess) return none(std::string("the GPU cannot be used: ") + cudaGetErrorString(status));
  gpu.name = properties.name;
  gpu.capability_major = properties.major;
  gpu.capability_minor = properties.minor;
  gpu.processors = properties.multiProcessorCount;
  gpu.memory = properties.totalGlobalMem;
  gpu.block_memory = properties.sharedMemPerBlockOptin;
  gpu.driver = version_text(driver);
  gpu.toolkit = version_text(CUDART_VERSION);
  if (gpu.capability_major < 8) {
    return none("the GPU " + gpu.name + " has compute capability " + std::to_string(gpu.capability_major) + "." +
                std::to_string(gpu.capability_minor) + ", and 8.0 is the least that hyseq runs on");
  }
  try {
    gpu.cublas = cublas().version();
  } catch (const EnvironmentError& error) {
    return none(error.what());
  }
  return {gpu, ""};
}

}  // namespace hyseq::kernels::cuda
