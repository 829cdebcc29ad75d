// A program bound to parameter arrays: the buffers of one micro-batch and the lists run on them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/dense/context.hpp"
#include "kernels/dense/instruction_set.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels::dense {

/// Arrays of a model, [parameter][element].
template <class T>
using Arrays = std::vector<AlignedVector<T>>;

/// Arrays of zeros in the shapes of the program's parameters.
template <class T>
[[nodiscard]] Arrays<T> zero_arrays(const Program& program);
/// `values`, in the shapes of `arrays`, rounded to T.
template <class T>
void assign(const ParameterValues& values, Arrays<T>& arrays);
template <class T>
[[nodiscard]] ParameterValues to_values(const Arrays<T>& arrays);

/// Rows of one call. Spans: [batch, time], or empty.
struct Block {
  std::size_t batch = 1;
  std::size_t time = 1;
  std::span<const std::int32_t> tokens;
  std::span<const std::int32_t> segments = {};
  std::span<const std::int32_t> targets = {};
  std::int32_t valid_below = 0;
  std::int64_t valid = 0;     // targets that count in the whole batch of the step
  std::size_t first_row = 0;  // of the whole batch
  DropoutKey dropout;
};

template <class T>
class Session {
 public:
  /// Everything is borrowed. `gradients` may be null where nothing runs backward.
  Session(const Program& program, const InstructionSet& set, Pool& pool, const Arrays<T>& parameters,
          Arrays<T>* gradients);

  /// Takes the rows in hand. The block's spans must outlive the calls that follow. InputError where spans do not fit or
  /// a token lies outside the vocabulary.
  void place(const Block& block);

  /// Runs the forward list; keep: a backward pass will follow.
  void forward(bool keep);
  /// Loss and hits of the rows in hand, where they have targets. The sums of losses and of targets that count, not
  /// yet divided: [0] over rows. correct: [batch, time] or empty.
  struct LossSum {
    double sum = 0;
    std::int64_t valid = 0;
    std::int64_t correct = 0;

    void add(const LossSum& other);
    [[nodiscard]] LossResult mean() const;
  };
  [[nodiscard]] LossSum loss(std::span<std::uint8_t> correct = {});
  /// Runs the backward list; gradients of parameters accumulate.
  void backward();

  /// Columns of a buffer, [batch, time, view.width].
  [[nodiscard]] std::vector<double> values(const View& view) const;
  /// Buffers as the rows in hand have them, [buffer][batch, time, width].
  [[nodiscard]] ParameterValues buffers() const { return unpacked(program_.buffers, buffers_); }
  [[nodiscard]] ParameterValues gradient_buffers() const { return unpacked(program_.gradients, gradients_); }
  /// Fills buffers likewise, before a list runs; null: with NaN. InputError where sizes do not fit.
  void fill_buffers(const ParameterValues* values);
  void fill_gradient_buffers(const ParameterValues* values);

 private:
  using Buffers = std::vector<AlignedVector<T>>;

  [[nodiscard]] ParameterValues unpacked(const std::vector<BufferInfo>& infos, const Buffers& buffers) const;
  void fill(const std::vector<BufferInfo>& infos, const ParameterValues* values, Buffers& buffers);
  void reserve_gradients();

  const Program& program_;
  const Bodies<T>& bodies_;
  Buffers buffers_;
  Buffers gradients_;
  std::vector<std::size_t> strides_;
  std::vector<std::size_t> gradient_strides_;
  std::vector<Kept<T>> kept_;
  std::vector<T*> buffer_pointers_;
  std::vector<T*> gradient_pointers_;
  std::vector<const T*> parameter_pointers_;
  std::vector<T*> parameter_gradient_pointers_;
  std::vector<std::uint64_t> position_;
  std::vector<double> losses_;
  std::vector<std::uint8_t> correct_;
  Scratch<T> scratch_;
  Context<T> context_;
};

extern template class Session<float>;
extern template class Session<double>;

}  // namespace hyseq::kernels::dense
