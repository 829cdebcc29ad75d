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

}  // namespace hyseq::kernels
