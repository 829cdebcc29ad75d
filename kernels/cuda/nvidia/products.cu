#include <algorithm>

#include <dlfcn.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/nvidia/products.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

// What cuBLAS takes for itself on the newest of the processors named here, where nobody gives it memory.
constexpr std::size_t kWorkspace = std::size_t{32} << 20;

constexpr const char* kLibrary = "libcublas.so." HYSEQ_CUBLAS_MAJOR;

/// By its name, where the system knows it, and else from the toolkit that this program was built with.
void* open_library() {
  constexpr int kHow = RTLD_NOW | RTLD_LOCAL;
  if (void* library = dlopen(kLibrary, kHow)) return library;
  const std::string folder = HYSEQ_CUBLAS_FOLDER "/";
  // The library asks for this one by name, which is only found once it is there.
  (void)dlopen((folder + "libcublasLt.so." HYSEQ_CUBLAS_MAJOR).c_str(), kHow);
  if (void* library = dlopen((folder + kLibrary).c_str(), kHow)) return library;
  throw EnvironmentError(std::string("the library ") + kLibrary + " of CUDA is neither on the library path nor in " +
                         HYSEQ_CUBLAS_FOLDER);
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) throw EnvironmentError(std::string("the library ") + kLibrary + " has no " + name);
}

Cublas load() {
  void* library = open_library();  // for as long as the program runs
  Cublas functions;
  find(library, "cublasCreate_v2", functions.create);
  find(library, "cublasDestroy_v2", functions.destroy);
  find(library, "cublasGetProperty", functions.property);
  find(library, "cublasGetStatusString", functions.status_string);
  find(library, "cublasSetStream_v2", functions.set_stream);
  find(library, "cublasSetWorkspace_v2", functions.set_workspace);
  find(library, "cublasSetMathMode", functions.set_math_mode);
  find(library, "cublasGemmStridedBatchedEx", functions.multiply);
  return functions;
}

void check_cublas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw EnvironmentError(std::string("cuBLAS cannot ") + what + ": " + cublas().status_string(status));
}

}  // namespace

std::string Cublas::version() const {
  std::string text;
  for (const libraryPropertyType part : {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL}) {
    int number = 0;
    check_cublas(property(part, &number), "tell its version");
    text += (text.empty() ? "" : ".") + std::to_string(number);
  }
  return text;
}

const Cublas& cublas() {
  static const Cublas functions = load();
  return functions;
}

Products::Products(cudaStream_t stream) : workspace_(kWorkspace) {
  check_cublas(cublas().create(&handle_), "start");
  // In this order: with a new stream cuBLAS returns to memory of its own.
  check_cublas(cublas().set_stream(handle_, stream), "take a stream");
  check_cublas(cublas().set_workspace(handle_, workspace_.span().data(), kWorkspace), "take memory");
  const auto mode = static_cast<int>(CUBLAS_DEFAULT_MATH) | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  check_cublas(cublas().set_math_mode(handle_, static_cast<cublasMath_t>(mode)), "take its precision");
}

Products::~Products() {
  if (handle_ != nullptr) (void)cublas().destroy(handle_);
}

Span<std::uint16_t> Products::room(std::size_t count) {
  if (rooms_.empty() || rooms_.back().size() < count) {
    const std::size_t held = rooms_.empty() ? 0 : rooms_.back().size();
    rooms_.emplace_back(std::max(count, 2 * held));
  }
  return rooms_.back().span();
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
