#include <cstring>
#include <stdexcept>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/nvidia/memory.hpp"
#include "kernels/cuda/nvidia/products.hpp"
#include "kernels/cuda/nvidia/stream.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

constexpr std::size_t kStaging = std::size_t{8} << 20;

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw EnvironmentError(std::string("the GPU cannot ") + what + ": " + cudaGetErrorString(status) + " (" +
                         cudaGetErrorName(status) + ")");
}

void check_range(std::size_t first, std::size_t count, std::size_t size) {
  if (first <= size && count <= size - first) return;
  throw std::logic_error("elements " + std::to_string(first) + " to " + std::to_string(first + count) +
                         " of a device array of " + std::to_string(size));
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = bytes == 0 ? cudaSuccess : cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();  // not one of those that stay
    std::size_t left = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&left, &all), "tell its free memory");
    throw EnvironmentError("the GPU has no room for " + std::to_string(bytes >> 20) + " MiB more: " +
                           std::to_string(left >> 20) + " of " + std::to_string(all >> 20) + " MiB are free");
  }
  check(status, "give memory");
  return memory;
}

void allow_shared_memory(const void* function, std::size_t bytes) {
  check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "give a kernel its shared memory");
}

Stream::Stream() {
  const GpuState state = find_gpu();
  if (!state.gpu) throw EnvironmentError("the cuda engine cannot run: " + state.reason);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "open a stream");
  stream_.reset(stream);
  void* staging = nullptr;
  check(cudaMallocHost(&staging, kStaging), "lock memory of the host");
  staging_.reset(static_cast<std::byte*>(staging));
  products_ = std::make_unique<Products>(stream);
}

Stream::~Stream() = default;

void Stream::begin_capture() {
  refuse_while_recording();
  // Relaxed: what the recording allocates on the side is not part of the graph.
  check(cudaStreamBeginCapture(handle(), cudaStreamCaptureModeRelaxed), "record");
  recording_ = true;
}

void Stream::abandon_capture() {
  recording_ = false;
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(handle(), &graph) == cudaSuccess) (void)cudaGraphDestroy(graph);
  (void)cudaGetLastError();
}

Graph Stream::end_capture() {
  recording_ = false;
  cudaGraph_t recorded = nullptr;
  check(cudaStreamEndCapture(handle(), &recorded), "record");
  const auto destroy = [](cudaGraph_t graph) { (void)cudaGraphDestroy(graph); };
  const std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, decltype(destroy)> owner(recorded, destroy);
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(recorded, nullptr, &nodes), "count what it recorded");
  Graph graph;
  if (nodes == 0) return graph;
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, recorded, 0), "prepare what it recorded");
  graph.executable_.reset(executable);
  return graph;
}

void Stream::replay(const Graph& graph) {
  refuse_while_recording();
  if (!graph.empty()) check(cudaGraphLaunch(graph.executable_.get(), handle()), "start recorded work");
}

void Stream::wait() {
  refuse_while_recording();
  check(cudaStreamSynchronize(handle()), "finish its work");
  staged_ = 0;
}

void Stream::upload(void* to, const void* from, std::size_t bytes) {
  refuse_while_recording();
  if (bytes == 0) return;
  if (bytes > kStaging) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, handle()), "take data");
    wait();
    return;
  }
  if (bytes > kStaging - staged_) wait();
  std::memcpy(staging_.get() + staged_, from, bytes);
  check(cudaMemcpyAsync(to, staging_.get() + staged_, bytes, cudaMemcpyHostToDevice, handle()), "take data");
  staged_ += bytes;
}

void Stream::download(void* to, const void* from, std::size_t bytes) {
  refuse_while_recording();
  if (bytes > 0) check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, handle()), "hand data back");
  wait();
}

void Stream::refuse_while_recording() const {
  if (recording_) throw std::logic_error("copies, waiting and replaying cannot be recorded");
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
