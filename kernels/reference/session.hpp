// reference<Scalar>: one readable body per operation, the oracle of every other engine.
//
// Storage and the result of every operation are rounded to Scalar; inside an operation sums, exp and division run in
// the accumulator (double for double, float for the others) and are rounded once. No fused multiply-add, no
// flush-to-zero.
//
// A session binds a program to parameter values and owns the buffers. It is deterministic, and every cut of a sequence
// into pieces (handing the carry on) gives the same bits as the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/causal_conv/reference.hpp"
#include "kernels/dropout/reference.hpp"
#include "kernels/elementwise/reference.hpp"
#include "kernels/embedding/reference.hpp"
#include "kernels/layer_norm/reference.hpp"
#include "kernels/linear/reference.hpp"
#include "kernels/program.hpp"
#include "kernels/rms_norm/reference.hpp"
#include "kernels/rotary/reference.hpp"
#include "kernels/selective_scan/reference.hpp"
#include "kernels/softmax_cross_entropy/reference.hpp"
#include "kernels/window_attention/reference.hpp"

namespace hyseq::kernels {

/// Tokens of one call: [batch, time], with segment ids of the same shape where several examples are packed.
struct TokenBlock {
  std::span<const std::int32_t> tokens;
  std::size_t batch = 1;
  std::size_t time = 1;
  std::span<const std::int32_t> segments = {};
  DropoutKey dropout = {};
  std::uint64_t first_row = 0;  // of this block in the batch of the step: keys the dropout
};

/// How far a call runs. `carry` moves the carry and leaves out what only the output needs: the last attention stores
/// its keys and values without attending, and nothing runs behind it. `layers` leaves out the final norm and the output
/// head.
enum class Depth { carry, layers, logits };

template <class Scalar>
class ReferenceSession {
 public:
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;

  /// `longest`: the largest number of tokens any row will see (bounds the rings of full attention).
  ReferenceSession(const Program& program, const ParameterValues& values, std::uint64_t longest);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const CarryLayout& layout() const { return layout_; }

  /// The carry of `rows` fresh sequences.
  [[nodiscard]] Carry<Scalar> fresh(std::size_t rows) const {
    return Carry<Scalar>(rows, layout_.stride, Numeric::from_double(0));
  }

  /// Runs the program over the block and moves `carry` behind it. Token ids must lie in the vocabulary (InputError).
  void forward(const TokenBlock& block, Carry<Scalar>& carry, Depth depth = Depth::logits, Trace* trace = nullptr);

  /// The same in two steps, for callers that fill buffers by hand in between.
  void place(const TokenBlock& block, Carry<Scalar>& carry, Depth depth = Depth::logits);
  void run(Depth depth = Depth::logits, Trace* trace = nullptr);
  [[nodiscard]] std::vector<std::vector<Scalar>>& buffers() { return buffers_; }

  /// Goes on with other parameter values, already rounded to Scalar and of the same sizes.
  void bind(const std::vector<std::vector<Accumulator>>& values);

  /// What the last call's backward list sees.
  [[nodiscard]] Context<Scalar>& context() { return context_; }

  /// Fills the buffers of `rows` rows and the scratch memory with NaN, so that a test sees whatever a later call reads
  /// without having written it.
  void poison(std::size_t rows);

  /// Rows of the last call, which ran to Depth::logits: [batch, time, vocabulary].
  [[nodiscard]] std::span<const Scalar> logits() const {
    return {buffers_[static_cast<std::size_t>(program_.logits.buffer)].data(),
            context_.rows() * static_cast<std::size_t>(program_.vocabulary)};
  }
  [[nodiscard]] const Scalar* row(const View& view, std::size_t index) const { return context_.at(view, index); }

  /// Parameter values as the engine holds them, rounded to Scalar.
  [[nodiscard]] std::span<const Accumulator> parameter(ParameterId id) const {
    return parameters_[static_cast<std::size_t>(id)];
  }

 private:
  void derive();
  void call(const Operation& operation, std::size_t index);
  [[nodiscard]] std::size_t last_operation(Depth depth) const;

  Program program_;
  CarryLayout layout_;
  std::vector<std::vector<Accumulator>> parameters_;
  std::vector<std::optional<InputMajorMatrix<Accumulator>>> matrices_;  // per operation
  std::vector<std::vector<Accumulator>> rates_;                         // per operation
  std::vector<std::vector<Scalar>> buffers_;
  std::vector<Accumulator> scratch_;
  Context<Scalar> context_;
};

extern template class ReferenceSession<double>;
extern template class ReferenceSession<float>;
extern template class ReferenceSession<numbers::BFloat16>;
extern template class ReferenceSession<numbers::Half>;
extern template class ReferenceSession<numbers::Interval<double>>;
extern template class ReferenceSession<numbers::Interval<float>>;
extern template class ReferenceSession<numbers::Interval<numbers::BFloat16>>;
extern template class ReferenceSession<numbers::Interval<numbers::Half>>;
extern template class ReferenceSession<numbers::Interval<numbers::ExactReal>>;

}  // namespace hyseq::kernels
