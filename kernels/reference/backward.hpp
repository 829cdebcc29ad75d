// The backward list of a program on the reference engine, behind a session's forward pass.
//
// Every gradient is stored in Scalar and rounded once per call that reaches it; gradients of parameters sum up over all
// calls and rows in the accumulator. What rounding does to a value is taken as the identity when differentiating.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/reference/session.hpp"

namespace hyseq::kernels {

/// Answers of the rows of a forward pass.
struct BackwardTargets {
  std::span<const std::int32_t> targets;  // [batch, time]
  std::int32_t valid_below = 0;
  std::int64_t valid = 0;  // positions that the loss averages over: those of the whole batch where this is a part of it
};

/// Owns the gradients of one model. For float, double and the 16-bit formats.
template <class Scalar>
class ReferenceBackward {
 public:
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;

  /// All gradients of parameters zero.
  explicit ReferenceBackward(const Program& program);

  /// Parameter gradients to zero.
  void clear();

  /// Runs the backward list over what the session's last call, to Depth::logits and from fresh carries, has left.
  /// Gradients of parameters add up. InputError where a target that counts lies outside the vocabulary.
  void run(ReferenceSession<Scalar>& session, const BackwardTargets& targets);

  /// [buffer of Program::gradients][batch, time, width].
  [[nodiscard]] std::vector<std::vector<Scalar>>& buffers() { return buffers_; }
  /// [parameter][element].
  [[nodiscard]] std::vector<std::vector<Accumulator>>& parameter_gradients() { return parameter_gradients_; }
  /// The same, rounded to Scalar, as engines hand them out.
  [[nodiscard]] ParameterValues rounded_parameter_gradients() const;

 private:
  std::vector<std::vector<Scalar>> buffers_;
  std::vector<std::vector<Accumulator>> parameter_gradients_;
};

extern template class ReferenceBackward<double>;
extern template class ReferenceBackward<float>;
extern template class ReferenceBackward<numbers::BFloat16>;
extern template class ReferenceBackward<numbers::Half>;

}  // namespace hyseq::kernels
