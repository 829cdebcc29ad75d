#include "kernels/engine.hpp"

#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/reference/backward.hpp"
#include "kernels/reference/carry_state.hpp"
#include "kernels/reference/cohort.hpp"
#include "kernels/reference/execute.hpp"
#include "kernels/reference/session.hpp"

namespace hyseq::kernels {
namespace {

using Arrays = std::map<std::string, Array<double>>;

/// The step sizes of every scan, read from the buffers of the last call, and the recorded values with their shapes.
template <class Scalar>
Arrays collect_trace(const ReferenceSession<Scalar>& session, Trace&& recorded, std::size_t batch, std::size_t time) {
  using Numeric = numbers::Numeric<Scalar>;
  const Program& program = session.program();
  Arrays arrays;
  for (const Operation& operation : program.forward) {
    const auto* scan = std::get_if<SelectiveScan>(&operation);
    if (scan == nullptr) continue;
    const std::string& state = program.carries[static_cast<std::size_t>(scan->carry)].name;
    const auto channels = static_cast<std::size_t>(scan->step.width);
    Array<double> steps{{batch, time, channels}, {}};
    for (std::size_t row = 0; row < batch * time; ++row) {
      const Scalar* step = session.row(scan->step, row);
      for (std::size_t c = 0; c < channels; ++c) steps.values.push_back(Numeric::to_double(step[c]));
    }
    arrays.emplace(sibling_name(state, "steps"), std::move(steps));
    auto& states = recorded.values[state + "s"];
    arrays.emplace(state + "s", Array<double>{{batch, time, channels, static_cast<std::size_t>(scan->input.width)},
                                              std::move(states)});
  }
  for (const Operation& operation : program.forward) {
    const auto* attention = std::get_if<WindowAttention>(&operation);
    if (attention == nullptr) continue;
    const auto index = static_cast<std::size_t>(attention->carry);
    const std::string name = sibling_name(program.carries[index].name, "probabilities");
    arrays.emplace(name, Array<double>{{batch, time, static_cast<std::size_t>(attention->heads),
                                        static_cast<std::size_t>(session.layout().entries[index].slots)},
                                       std::move(recorded.values[name])});
  }
  return arrays;
}

/// Calls visit with a value of the type in which a format is stored.
template <class Visit>
auto with_scalar(NumberFormat format, const Visit& visit) {
  switch (format) {
    case NumberFormat::float64:
      return visit(double{});
    case NumberFormat::float32:
      return visit(float{});
    case NumberFormat::bfloat16:
      return visit(numbers::BFloat16{});
    case NumberFormat::float16:
      return visit(numbers::Half{});
  }
  throw InputError("unknown number format");
}

template <class Scalar>
ForwardResult run(const ForwardRequest& request) {
  using Numeric = numbers::Numeric<Scalar>;
  std::uint64_t longest = request.time;
  if (request.carry_in != nullptr) {
    check_carried_rows(request);
    for (const std::uint64_t position : request.carry_in->position) {
      longest = std::max(longest, position + request.time);
    }
  }
  const Program& program = *request.program;
  ReferenceSession<Scalar> session(program, *request.parameters, longest);
  Carry<Scalar> carry = request.carry_in != nullptr ? from_state<Scalar>(program, session.layout(), *request.carry_in)
                                                    : session.fresh(request.batch);
  Trace trace;
  session.forward({request.tokens, request.batch, request.time, request.segments, request.dropout}, carry,
                  Depth::logits, request.trace ? &trace : nullptr);

  ForwardResult result;
  const std::span<const Scalar> logits = session.logits();
  result.logits.shape = {request.batch, request.time, static_cast<std::size_t>(program.vocabulary)};
  result.logits.values.reserve(logits.size());
  for (const Scalar& logit : logits) result.logits.values.push_back(Numeric::to_double(logit));
  if (!request.targets.empty()) result.loss = cross_entropy<Scalar>(logits, request.targets, request.valid_below);
  if (request.gradients) {
    ReferenceBackward<Scalar> backward(program);
    backward.run(session, {request.targets, request.valid_below, result.loss.valid});
    result.gradients = backward.rounded_parameter_gradients();
  }
  if (request.carry_out) result.carry = to_state(program, session.layout(), carry);
  if (request.trace) result.trace = collect_trace(session, std::move(trace), request.batch, request.time);
  return result;
}

class ReferenceEngine final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "reference"; }
  [[nodiscard]] std::vector<NumberFormat> formats() const override {
    return {NumberFormat::float64, NumberFormat::float32, NumberFormat::bfloat16, NumberFormat::float16};
  }
  [[nodiscard]] std::string_view rounding() const override {
    return "to nearest, ties to even; the result of every operation once, sums, exp and division in float (double for "
           "double), no fused multiply-add";
  }
  [[nodiscard]] std::string_view subnormals() const override { return "kept (no flush to zero)"; }

  [[nodiscard]] ForwardResult forward(const ForwardRequest& request) const override {
    if (request.batch == 0 || request.time == 0) throw InputError("a forward pass needs at least one token");
    const std::size_t rows = request.batch * request.time;
    if (!request.targets.empty()) check_size(request.targets.size(), rows, "targets");
    check_targets(request.targets, request.valid_below, request.program->vocabulary);
    check_gradients(request);
    return with_scalar(request.format, [&]<class Scalar>(Scalar) { return run<Scalar>(request); });
  }

  [[nodiscard]] ExecuteResult execute(const ExecuteRequest& request) const override {
    return with_scalar(request.format, [&]<class Scalar>(Scalar) { return kernels::execute<Scalar>(request); });
  }

  /// Members run one after the other, so that any number would do.
  [[nodiscard]] std::size_t cohort_size(NumberFormat /*format*/) const override { return 64; }
  [[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) const override {
    // One member's rows at a time, with sums in double.
    const std::size_t numbers = request.members * numbers_per_member(*request.training) +
                                rows * request.longest * numbers_per_token(*request.training, true);
    return numbers * sizeof(double);
  }
  [[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) const override {
    return make_reference_cohort(request);
  }
};

}  // namespace

const Engine& reference_engine() {
  static const ReferenceEngine engine;
  return engine;
}

}  // namespace hyseq::kernels
