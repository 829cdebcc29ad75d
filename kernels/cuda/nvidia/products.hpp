// cuBLAS, loaded when it is first needed, and what a stream's products need of it. Loading it by hand lets the same
// program start on machines that have none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cublas_v2.h>

#include "kernels/cuda/nvidia/memory.hpp"
#include "kernels/cuda/nvidia/thread.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// The functions of the library that are used.
struct Cublas {
  decltype(&cublasCreate_v2) create = nullptr;
  decltype(&cublasDestroy_v2) destroy = nullptr;
  decltype(&cublasGetProperty) property = nullptr;
  decltype(&cublasGetStatusString) status_string = nullptr;
  decltype(&cublasSetStream_v2) set_stream = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace = nullptr;
  decltype(&cublasSetMathMode) set_math_mode = nullptr;
  // cublasGemmStridedBatchedEx, whose name the header gives to two functions.
  cublasStatus_t (*multiply)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k,
                             const void* alpha, const void* a, cudaDataType, int lda, long long stride_a, const void* b,
                             cudaDataType, int ldb, long long stride_b, const void* beta, void* c, cudaDataType,
                             int ldc, long long stride_c, int batch, cublasComputeType_t, cublasGemmAlgo_t) = nullptr;

  [[nodiscard]] std::string version() const;
};

/// EnvironmentError where the library cannot be loaded.
[[nodiscard]] const Cublas& cublas();

/// The products of one stream: a handle with memory of its own, so that equal products round equally, and room for
/// factors in bfloat16.
class Products {
 public:
  explicit Products(cudaStream_t stream);
  ~Products();
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  [[nodiscard]] cublasHandle_t handle() const { return handle_; }
  /// Memory for `count` numbers of 16 bits, until the next call. Grows where it is too small; what was handed out
  /// before stays valid, since recorded graphs hold on to it.
  [[nodiscard]] Span<std::uint16_t> room(std::size_t count);

 private:
  cublasHandle_t handle_ = nullptr;
  DeviceArray<std::byte> workspace_;
  std::vector<DeviceArray<std::uint16_t>> rooms_;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
