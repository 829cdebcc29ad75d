#include "kernels/dense/engine.hpp"

#include <cmath>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/dense/cohort.hpp"
#include "kernels/dense/session.hpp"

namespace hyseq::kernels {
namespace {

using dense::Arrays;
using dense::Pool;
using dense::Session;

std::size_t all_cores() { return std::max(1U, std::thread::hardware_concurrency()); }

template <class T>
Arrays<T> rounded(const Program& program, const ParameterValues& values) {
  check_values(program, values);
  Arrays<T> arrays = dense::zero_arrays<T>(program);
  dense::assign(values, arrays);
  return arrays;
}

template <class T>
ForwardResult run(const ForwardRequest& request) {
  const Program& program = *request.program;
  const Arrays<T> parameters = rounded<T>(program, *request.parameters);
  Arrays<T> gradients;
  if (request.gradients) gradients = dense::zero_arrays<T>(program);
  Pool pool(all_cores());
  Session<T> session(program, dense::instruction_set(), pool, parameters, &gradients);
  session.place({request.batch, request.time, request.tokens, request.segments, request.targets, request.valid_below,
                 count_valid(request.targets, request.valid_below), 0, request.dropout});
  session.forward(request.gradients);
  ForwardResult result;
  result.logits.shape = {request.batch, request.time, static_cast<std::size_t>(program.vocabulary)};
  result.logits.values = session.values(program.logits);
  if (!request.targets.empty()) result.loss = session.loss().mean();
  if (request.gradients) {
    session.backward();
    result.gradients = dense::to_values(gradients);
  }
  return result;
}

template <class T>
ExecuteResult run(const ExecuteRequest& request) {
  const Program& program = *request.program;
  const std::size_t rows = request.batch * request.time;
  const Arrays<T> parameters = rounded<T>(program, *request.parameters);
  Arrays<T> gradients = dense::zero_arrays<T>(program);
  Pool pool(all_cores());
  Session<T> session(program, dense::instruction_set(), pool, parameters, &gradients);
  const std::vector<std::int32_t> no_tokens(request.tokens.empty() ? rows : 0, 0);
  session.place({request.batch, request.time,
                 request.tokens.empty() ? std::span<const std::int32_t>(no_tokens) : request.tokens, request.segments,
                 request.targets, request.valid_below, count_valid(request.targets, request.valid_below), 0,
                 request.dropout});
  session.fill_buffers(request.buffers);
  session.forward(request.backward);
  ExecuteResult result;
  result.buffers = session.buffers();
  if (request.backward) {
    session.fill_gradient_buffers(request.gradients);
    session.backward();
    result.gradients = session.gradient_buffers();
    result.parameter_gradients = dense::to_values(gradients);
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
      refuse_format("dense", "computes", "float or double", request.format);
  }
}

class DenseEngine final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "dense"; }
  [[nodiscard]] std::vector<NumberFormat> formats() const override {
    return {NumberFormat::float32, NumberFormat::float64};
  }
  [[nodiscard]] std::string_view rounding() const override {
    return "to nearest, ties to even; sums in the order of blocked products, with fused multiply-add where the "
           "instruction set has it; the same for every number of threads";
  }
  [[nodiscard]] std::string instructions() const override { return dense::instruction_set().name; }
  [[nodiscard]] std::string_view subnormals() const override { return "flushed to zero, operands and results"; }

  [[nodiscard]] ForwardResult forward(const ForwardRequest& request) const override {
    check_plain_forward(request, "dense");
    return run_in_format(request);
  }

  [[nodiscard]] ExecuteResult execute(const ExecuteRequest& request) const override { return run_in_format(request); }

  [[nodiscard]] std::size_t cohort_size(NumberFormat format) const override {
    return format == NumberFormat::float32 || format == NumberFormat::float64 ? 1 : 0;
  }
  [[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) const override {
    return dense::cohort_bytes(request, rows);
  }
  [[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) const override {
    return dense::make_cohort(request);
  }
};

}  // namespace

const Engine& dense_engine() {
  static const DenseEngine engine;
  return engine;
}

}  // namespace hyseq::kernels
