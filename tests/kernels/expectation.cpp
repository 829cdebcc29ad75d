// Defined before any reference body is seen, which look its functions up where they stand.
#include "tests/kernels/tracked.hpp"

// Not part of the sorted includes, on purpose.
#include <cmath>

#include "kernels/reference/backward_body.hpp"
#include "kernels/reference/execute.hpp"
#include "kernels/reference/session_body.hpp"
#include "tests/kernels/comparator.hpp"
#include "tests/kernels/expectation.hpp"

namespace hyseq::kernels {
namespace {

using numbers::Complex;
using numbers::Tracked;

constexpr double kStep = 0x1p-100;  // nothing is subtracted, so that it may be as small as it likes

template <class Scalar>
ReferenceSession<Scalar> make_session(const ProgramCase& values) {
  return ReferenceSession<Scalar>(values.program, values.parameters, values.time);
}

template <class Scalar>
void place(const ProgramCase& values, const std::vector<std::int32_t>& tokens, ReferenceSession<Scalar>& session,
           Carry<Scalar>& carry) {
  session.place({tokens, values.batch, values.time, values.segments, values.dropout}, carry);
}

std::vector<std::int32_t> tokens_of(const ProgramCase& values) {
  return values.tokens.empty() ? std::vector<std::int32_t>(values.rows(), 0) : values.tokens;
}

/// Columns of a view in buffers of rows: calls visit(row, column, element of the buffer).
template <class Visit>
void each_element(const std::vector<BufferInfo>& infos, const View& view, std::size_t rows, const Visit& visit) {
  const auto stride = static_cast<std::size_t>(infos[static_cast<std::size_t>(view.buffer)].width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(view.width); ++c) {
      visit(row, c, row * stride + static_cast<std::size_t>(view.offset) + c);
    }
  }
}

/// Evaluates the function that backward differentiates, at complex arguments.
class Objective {
 public:
  explicit Objective(const ProgramCase& values)
      : values_(values), tokens_(tokens_of(values)), session_(make_session<Complex>(values)) {
    fill_buffers(values.program.buffers, &values.buffers, values.rows(), buffers);
    for (const auto& array : values.parameters) parameters.emplace_back(array.begin(), array.end());
  }

  std::vector<std::vector<Complex>> buffers;
  std::vector<std::vector<Complex>> parameters;

  Complex operator()() {
    Carry<Complex> carry = session_.fresh(values_.batch);
    place(values_, tokens_, session_, carry);
    session_.bind(parameters);
    session_.buffers() = buffers;
    session_.run();
    return values_.targets.empty() ? weighted_outputs() : mean_cross_entropy();
  }

 private:
  Complex weighted_outputs() {
    Complex sum = 0;
    for (const ProgramCase::Link& link : values_.outputs) {
      const auto& out = session_.buffers()[static_cast<std::size_t>(link.forward.buffer)];
      std::vector<double> weights;
      each_element(values_.program.gradients, link.gradient, values_.rows(),
                   [&](std::size_t, std::size_t, std::size_t i) {
                     weights.push_back(values_.gradients[static_cast<std::size_t>(link.gradient.buffer)][i]);
                   });
      std::size_t next = 0;
      each_element(values_.program.buffers, link.forward, values_.rows(),
                   [&](std::size_t, std::size_t, std::size_t i) { sum += weights[next++] * out[i]; });
    }
    return sum;
  }

  Complex mean_cross_entropy() {
    const View& logits = values_.program.logits;
    std::vector<Complex> sums(values_.rows());
    std::vector<Complex> answers(values_.rows());
    each_element(values_.program.buffers, logits, values_.rows(), [&](std::size_t row, std::size_t v, std::size_t i) {
      const Complex x = session_.buffers()[static_cast<std::size_t>(logits.buffer)][i];
      sums[row] += std::exp(x);
      if (static_cast<std::int32_t>(v) == values_.targets[row]) answers[row] = x;
    });
    Complex total = 0;
    double valid = 0;
    for (std::size_t row = 0; row < values_.rows(); ++row) {
      if (values_.targets[row] < 0 || values_.targets[row] >= values_.valid_below) continue;
      total += std::log(sums[row]) - answers[row];
      ++valid;
    }
    return valid > 0 ? total / valid : 0;
  }

  const ProgramCase& values_;
  std::vector<std::int32_t> tokens_;
  ReferenceSession<Complex> session_;
};

Expectation::Values bounded(const std::vector<Tracked>& tracked) {
  Expectation::Values values;
  for (const Tracked& x : tracked) {
    values.expected.push_back(x.value);
    values.tolerance.push_back(x.error);
  }
  return values;
}

}  // namespace

Derivatives complex_step(const ProgramCase& values) {
  Derivatives result;
  result.gradients = values.gradients;
  Objective objective(values);
  const auto derivative = [&](Complex& argument) {
    const Complex before = argument;
    argument += Complex(0, kStep);
    const double slope = objective().imag() / kStep;
    argument = before;
    return slope;
  };
  for (const ProgramCase::Input& input : values.inputs) {
    std::vector<double> slopes;
    each_element(values.program.buffers, input.forward, values.rows(), [&](std::size_t, std::size_t, std::size_t i) {
      slopes.push_back(derivative(objective.buffers[static_cast<std::size_t>(input.forward.buffer)][i]));
    });
    auto& gradient = result.gradients[static_cast<std::size_t>(input.gradient.view.buffer)];
    const bool overwrite = input.gradient.mode == GradientMode::overwrite;
    std::size_t next = 0;
    each_element(
        values.program.gradients, input.gradient.view, values.rows(),
        [&](std::size_t, std::size_t, std::size_t i) { gradient[i] = (overwrite ? 0 : gradient[i]) + slopes[next++]; });
  }
  for (auto& parameter : objective.parameters) {
    auto& slopes = result.parameters.emplace_back();
    for (Complex& argument : parameter) slopes.push_back(derivative(argument));
  }
  return result;
}

Expectation expectation(const ProgramCase& values, NumberFormat format) {
  Tracked::select(format);
  const std::vector<std::int32_t> tokens = tokens_of(values);
  auto session = make_session<Tracked>(values);
  Carry<Tracked> carry = session.fresh(values.batch);
  place(values, tokens, session, carry);
  fill_buffers(values.program.buffers, &values.buffers, values.rows(), session.buffers());
  session.run();
  Expectation result;
  for (const auto& buffer : session.buffers()) result.buffers.push_back(bounded(buffer));
  if (!values.has_backward()) return result;

  ReferenceBackward<Tracked> backward(values.program);
  fill_buffers(values.program.gradients, &values.gradients, values.rows(), backward.buffers());
  backward.run(session, {values.targets, values.valid_below, count_valid(values.targets, values.valid_below)});
  for (const auto& buffer : backward.buffers()) result.gradients.push_back(bounded(buffer));
  for (auto& sums : backward.parameter_gradients()) {
    for (Tracked& sum : sums) sum = numbers::Numeric<Tracked>::round(sum);
    result.parameter_gradients.push_back(bounded(sums));
  }
  if (values.small) {
    Derivatives derivatives = complex_step(values);
    for (std::size_t i = 0; i < result.gradients.size(); ++i) {
      result.gradients[i].expected = std::move(derivatives.gradients[i]);
    }
    for (std::size_t p = 0; p < result.parameter_gradients.size(); ++p) {
      result.parameter_gradients[p].expected = std::move(derivatives.parameters[p]);
    }
  }
  return result;
}

std::string compare(const ExecuteResult& found, const ProgramCase& values, NumberFormat format,
                    const Expectation& expected, bool flushes) {
  // Orders of summation and formulas of functions differ between engines, each as good as the other; complex steps
  // have rounding errors of their own.
  constexpr double slack = 4;
  // Engines but the reference may flush subnormal numbers to zero, which here costs a few hundred of the smallest
  // normal numbers at the most.
  const double flushed = !flushes ? 0 : format == NumberFormat::float64 ? 0x1p-1010 : 0x1p-114;
  const auto agree = [&](const char* what, const std::vector<std::vector<double>>& arrays,
                         const std::vector<Expectation::Values>& wanted) -> std::string {
    if (arrays.size() != wanted.size()) {
      return std::string(what) + ": " + std::to_string(arrays.size()) + " arrays instead of " +
             std::to_string(wanted.size());
    }
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      std::vector<double> tolerance = wanted[i].tolerance;
      for (double& bound : tolerance) {
        if (bound > 0) bound = slack * bound + flushed;
      }
      const std::string difference = disagreement(wanted[i].expected, arrays[i], tolerance);
      if (!difference.empty()) {
        return values.name + ", " + what + " " + std::to_string(i) + ", " + difference;
      }
    }
    return {};
  };
  std::string difference = agree("buffer", found.buffers, expected.buffers);
  if (difference.empty()) difference = agree("gradient", found.gradients, expected.gradients);
  if (difference.empty()) {
    difference = agree("parameter gradient", found.parameter_gradients, expected.parameter_gradients);
  }
  return difference;
}

std::string check(const Engine& engine, const ProgramCase& values, NumberFormat format, const Expectation& expected) {
  return compare(engine.execute(values.request(format)), values, format, expected, engine.name() != "reference");
}

}  // namespace hyseq::kernels
