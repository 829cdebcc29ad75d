// find_gpu() of builds without CUDA.
#include "kernels/cuda/gpu.hpp"

namespace hyseq::kernels::cuda {

GpuState find_gpu() { return {std::nullopt, "this build of hyseq has no GPU engine (cmake --preset cuda builds it)"}; }

}  // namespace hyseq::kernels::cuda
