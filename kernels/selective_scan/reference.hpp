#pragma once

#include "kernels/reference/context.hpp"
#include "kernels/selective_scan/selective_scan.hpp"

namespace hyseq::kernels {

/// `rate` holds A = -exp(log_rate), computed once when the parameters are bound.
template <class Scalar>
void reference(const SelectiveScan& call, const std::vector<typename Context<Scalar>::Accumulator>& rate,
               const Context<Scalar>& context) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto channels = static_cast<std::size_t>(call.u.width);
  const auto states = static_cast<std::size_t>(call.input.width);
  const auto* skip = context.parameter(call.skip);
  std::vector<double>* record = nullptr;
  if (context.trace != nullptr) {
    record = &context.trace->values[context.program->carries[static_cast<std::size_t>(call.carry)].name + "s"];
  }
  for (std::size_t b = 0; b < context.batch; ++b) {
    Scalar* state = context.carried(call.carry, b);
    for (std::size_t t = 0; t < context.time; ++t) {
      const std::size_t row = b * context.time + t;
      if (context.starts[row] != 0) std::fill_n(state, channels * states, Numeric::from_double(0));
      const Scalar* u = context.at(call.u, row);
      const Scalar* step = context.at(call.step, row);
      const Scalar* input = context.at(call.input, row);
      const Scalar* output = context.at(call.output, row);
      Scalar* out = context.at(call.out, row);
      for (std::size_t c = 0; c < channels; ++c) {
        const Accumulator width = Numeric::widen(step[c]);
        const Accumulator value = Numeric::widen(u[c]);
        Accumulator sum{};
        if (is_exact_zero(width)) {
          // A step of zero decays by exp(0) = 1 and adds nothing: the state stays bit for bit.
          for (std::size_t n = 0; n < states; ++n) {
            sum = sum + Numeric::widen(state[c * states + n]) * Numeric::widen(output[n]);
          }
        } else {
          const Accumulator drive = width * value;
          for (std::size_t n = 0; n < states; ++n) {
            Scalar& s = state[c * states + n];
            s = Numeric::round(numbers::exp(width * rate[c * states + n]) * Numeric::widen(s) +
                               drive * Numeric::widen(input[n]));
            sum = sum + Numeric::widen(s) * Numeric::widen(output[n]);
          }
        }
        out[c] = Numeric::round(sum + skip[c] * value);
      }
      if (record != nullptr) {
        for (std::size_t i = 0; i < channels * states; ++i) record->push_back(Numeric::to_double(state[i]));
      }
    }
  }
}

/// One channel of one row walked forward, to have its states again, and then back. Sums over the channels grow in
/// `input_sums` and `output_sums`, [time][states].
template <class Scalar>
void walk_channel_back(const SelectiveScanBackward& call, const Context<Scalar>& context, std::size_t b, std::size_t c,
                       std::vector<typename Context<Scalar>::Accumulator>& input_sums,
                       std::vector<typename Context<Scalar>::Accumulator>& output_sums) {
  using Numeric = typename Context<Scalar>::Numeric;
  using Accumulator = typename Numeric::Accumulator;
  const auto states = static_cast<std::size_t>(call.call.input.width);
  const Accumulator* log_rate = context.parameter(call.call.log_rate) + c * states;
  const Accumulator skip = context.parameter(call.call.skip)[c];
  Accumulator* log_rate_gradient = context.parameter_gradient(call.call.log_rate) + c * states;
  Accumulator& skip_gradient = context.parameter_gradient(call.call.skip)[c];
  const auto widened = [&](const View& view, std::size_t t, std::size_t column) {
    return Numeric::widen(context.at(view, b * context.time + t)[column]);
  };
  const auto starts = [&](std::size_t t) { return context.starts[b * context.time + t] != 0; };

  std::vector<Accumulator> rate;
  for (std::size_t n = 0; n < states; ++n) rate.push_back(-numbers::exp(log_rate[n]));
  std::vector<Scalar> state(states * context.time, Numeric::from_double(0));  // [time][states]
  const auto before = [&](std::size_t t, std::size_t n) {
    return starts(t) ? Accumulator{} : Numeric::widen(state[(t - 1) * states + n]);
  };
  for (std::size_t t = 0; t < context.time; ++t) {
    const Accumulator step = widened(call.call.step, t, c);
    const Accumulator drive = step * widened(call.call.u, t, c);
    for (std::size_t n = 0; n < states; ++n) {
      state[t * states + n] =
          Numeric::round(numbers::exp(step * rate[n]) * before(t, n) + drive * widened(call.call.input, t, n));
    }
  }

  std::vector<Accumulator> later(states);  // the adjoint of the state that comes from later positions
  for (std::size_t t = context.time; t-- > 0;) {
    const std::size_t row = b * context.time + t;
    const Accumulator g = Numeric::widen(context.gradient_at(call.out_gradient, row)[c]);
    const Accumulator step = widened(call.call.step, t, c);
    const Accumulator u = widened(call.call.u, t, c);
    Accumulator driven{};
    Accumulator decayed{};
    for (std::size_t n = 0; n < states; ++n) {
      const Accumulator decay = numbers::exp(step * rate[n]);
      const Accumulator adjoint = g * widened(call.call.output, t, n) + later[n];
      const Accumulator through_decay = adjoint * before(t, n) * decay * rate[n];
      Accumulator& output_sum = output_sums[t * states + n];
      output_sum = output_sum + g * Numeric::widen(state[t * states + n]);
      Accumulator& input_sum = input_sums[t * states + n];
      input_sum = input_sum + step * u * adjoint;
      driven = driven + adjoint * widened(call.call.input, t, n);
      decayed = decayed + through_decay;
      log_rate_gradient[n] = log_rate_gradient[n] + through_decay * step;
      later[n] = starts(t) ? Accumulator{} : decay * adjoint;
    }
    skip_gradient = skip_gradient + g * u;
    if (call.u_gradient.wanted()) context.contribute(call.u_gradient, row, c, step * driven + skip * g);
    if (call.step_gradient.wanted()) context.contribute(call.step_gradient, row, c, u * driven + decayed);
  }
}

template <class Scalar>
void reference(const SelectiveScanBackward& call, const Context<Scalar>& context) {
  using Accumulator = typename Context<Scalar>::Accumulator;
  const auto channels = static_cast<std::size_t>(call.call.u.width);
  const auto states = static_cast<std::size_t>(call.call.input.width);
  for (std::size_t b = 0; b < context.batch; ++b) {
    std::vector<Accumulator> input_sums(context.time * states);
    std::vector<Accumulator> output_sums(context.time * states);
    for (std::size_t c = 0; c < channels; ++c) walk_channel_back(call, context, b, c, input_sums, output_sums);
    for (std::size_t t = 0; t < context.time; ++t) {
      const std::size_t row = b * context.time + t;
      for (std::size_t n = 0; n < states; ++n) {
        if (call.input_gradient.wanted()) context.contribute(call.input_gradient, row, n, input_sums[t * states + n]);
        if (call.output_gradient.wanted())
          context.contribute(call.output_gradient, row, n, output_sums[t * states + n]);
      }
    }
  }
}

}  // namespace hyseq::kernels
