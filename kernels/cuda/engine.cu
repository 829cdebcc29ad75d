#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/cuda/cohort.hpp"
#include "kernels/cuda/engine.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/session.hpp"

namespace hyseq::kernels {
namespace cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

/// One model's parameters on the device, a session of it, and what a call of the engine asks of both.
template <class T>
class Call {
 public:
  Call(const Program& program, const ParameterValues& values)
      : program_(program), layout_(program), parameters_(layout_.step), gradients_(layout_.step), sums_(1) {
    check_values(program, values);
    upload_member(layout_, values, 0, stream_, parameters_);
    zero(stream_, gradients_.span());
    zero(stream_, sums_.span());
    session_.emplace(program, layout_, stream_, 1, parameters_.span(), gradients_.span());
  }

  template <class Request>
  void place(const Request& request, std::span<const std::int32_t> tokens, bool backward) {
    session_->place({1, request.batch, request.time, tokens, request.segments, request.targets, request.valid_below},
                    backward);
    valid_ = count_valid(request.targets, request.valid_below);
    MemberStepValues member;
    member.seed = request.dropout.seed;
    member.loss_weight = valid_ > 0 ? 1 / static_cast<double>(valid_) : 0;
    StepValues step;
    step.step = request.dropout.step;
    session_->set_step(step, std::span(&member, 1));
  }

  [[nodiscard]] LossResult loss() {
    session_->loss(sums_.span());
    LossSums sums;
    sums_.download(stream_, std::span(&sums, 1));
    stream_.wait();
    return {valid_ > 0 ? sums.loss / static_cast<double>(valid_) : 0, valid_, static_cast<std::int64_t>(sums.correct)};
  }
  [[nodiscard]] ParameterValues gradients() { return download_member(program_, layout_, 0, stream_, gradients_); }
  [[nodiscard]] Session<T>& session() { return *session_; }

 private:
  const Program& program_;
  ParameterLayout layout_;
  Stream stream_;
  DeviceArray<T> parameters_;
  DeviceArray<T> gradients_;
  DeviceArray<LossSums> sums_;
  std::optional<Session<T>> session_;
  std::int64_t valid_ = 0;
};

template <class T>
ForwardResult run(const ForwardRequest& request) {
  const Program& program = *request.program;
  Call<T> call(program, *request.parameters);
  call.place(request, request.tokens, request.gradients);
  call.session().forward();
  ForwardResult result;
  result.logits.shape = {request.batch, request.time, static_cast<std::size_t>(program.vocabulary)};
  result.logits.values = call.session().values(program.logits);
  if (!request.targets.empty()) result.loss = call.loss();
  if (request.gradients) {
    call.session().backward();
    result.gradients = call.gradients();
  }
  return result;
}

template <class T>
ExecuteResult run(const ExecuteRequest& request) {
  Call<T> call(*request.program, *request.parameters);
  const std::vector<std::int32_t> no_tokens(request.tokens.empty() ? request.batch * request.time : 0, 0);
  call.place(request, request.tokens.empty() ? std::span<const std::int32_t>(no_tokens) : request.tokens,
             request.backward);
  call.session().fill_buffers(request.buffers);
  call.session().forward();
  ExecuteResult result;
  result.buffers = call.session().buffers();
  if (request.backward) {
    call.session().fill_gradient_buffers(request.gradients);
    call.session().backward();
    result.gradients = call.session().gradient_buffers();
    result.parameter_gradients = call.gradients();
  }
  return result;
}

template <class Request>
auto run_in_format(const Request& request) {
  if (request.batch == 0 || request.time == 0) throw InputError("a program runs on at least one token");
  switch (request.format) {
    case NumberFormat::float32:
      return run<float>(request);
    case NumberFormat::float64:
      return run<double>(request);
    default:
      refuse_format("cuda", "computes", "float or double", request.format);
  }
}

class CudaEngine final : public Engine {
 public:
  explicit CudaEngine(std::string_view name) : name_(name) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::vector<NumberFormat> formats() const override {
    return {NumberFormat::float32, NumberFormat::float64};
  }
  [[nodiscard]] std::string_view rounding() const override {
#if defined(__CUDACC__)
    return "to nearest, ties to even, with fused multiply-add; sums in one fixed order, that of its kernels and of "
           "cuBLAS";
#else
    return "to nearest, ties to even, no fused multiply-add; sums in one fixed order, that of its kernels and of Eigen";
#endif
  }
  [[nodiscard]] std::string_view subnormals() const override { return "kept (no flush to zero)"; }
  [[nodiscard]] std::string instructions() const override { return name_; }

  [[nodiscard]] ForwardResult forward(const ForwardRequest& request) const override {
    check_plain_forward(request, "cuda");
    return run_in_format(request);
  }

  [[nodiscard]] ExecuteResult execute(const ExecuteRequest& request) const override { return run_in_format(request); }

  [[nodiscard]] std::size_t cohort_size(NumberFormat format) const override {
    return format == NumberFormat::float16 ? 0 : kMostMembers;
  }
  [[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) const override {
    return cuda::cohort_bytes(request, rows);
  }
#if defined(__CUDACC__)
  [[nodiscard]] std::size_t free_bytes() const override {
    const GpuState state = find_gpu();
    return state.gpu ? state.gpu->free_memory : 0;
  }
#endif
  [[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) const override {
    return cuda::make_cohort(request);
  }

 private:
  std::string name_;
};

}  // namespace
}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace cuda

#if defined(__CUDACC__)
const Engine& cuda_engine() {
  static const cuda::CudaEngine engine("cuda");
  return engine;
}
#else
const Engine& emulated_cuda_engine() {
  static const cuda::CudaEngine engine("cuda-emulated");
  return engine;
}
#endif

}  // namespace hyseq::kernels
