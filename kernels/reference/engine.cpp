#include "kernels/engine.hpp"

#include "kernels/reference/carry_state.hpp"
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

template <class Scalar>
ForwardResult run(const ForwardRequest& request) {
  using Numeric = numbers::Numeric<Scalar>;
  std::uint64_t longest = request.time;
  if (request.carry_in != nullptr) {
    if (request.carry_in->rows() != request.batch) {
      throw InputError("the carried state has " + std::to_string(request.carry_in->rows()) + " rows; the tokens have " +
                       std::to_string(request.batch));
    }
    for (const std::uint64_t position : request.carry_in->position) {
      longest = std::max(longest, position + request.time);
    }
  }
  const Program& program = *request.program;
  ReferenceSession<Scalar> session(program, *request.parameters, longest);
  Carry<Scalar> carry = request.carry_in != nullptr ? from_state<Scalar>(program, session.layout(), *request.carry_in)
                                                    : session.fresh(request.batch);
  Trace trace;
  session.forward({request.tokens, request.batch, request.time, request.segments}, carry, Depth::logits,
                  request.trace ? &trace : nullptr);

  ForwardResult result;
  const std::span<const Scalar> logits = session.logits();
  result.logits.shape = {request.batch, request.time, static_cast<std::size_t>(program.vocabulary)};
  result.logits.values.reserve(logits.size());
  for (const Scalar& logit : logits) result.logits.values.push_back(Numeric::to_double(logit));
  if (!request.targets.empty()) result.loss = cross_entropy<Scalar>(logits, request.targets, request.valid_below);
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
    if (!request.targets.empty() && request.targets.size() != rows) {
      throw InputError(std::to_string(request.targets.size()) + " targets do not fit " + std::to_string(rows) +
                       " tokens");
    }
    switch (request.format) {
      case NumberFormat::float64:
        return run<double>(request);
      case NumberFormat::float32:
        return run<float>(request);
      case NumberFormat::bfloat16:
        return run<numbers::BFloat16>(request);
      case NumberFormat::float16:
        return run<numbers::Half>(request);
    }
    throw InputError("unknown number format");
  }

  [[nodiscard]] ExecuteResult execute(const ExecuteRequest& /*request*/) const override { return {}; }
  [[nodiscard]] std::size_t cohort_size(NumberFormat /*format*/) const override { return 1; }
  [[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& /*request*/) const override { return nullptr; }
};

}  // namespace

const Engine& reference_engine() {
  static const ReferenceEngine engine;
  return engine;
}

}  // namespace hyseq::kernels
