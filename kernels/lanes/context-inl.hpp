// What the lanes bodies see: one sequence of every member, the member in the vector lane.
//
// Every tensor is [row][column][lane]; "a vector" is the `lanes` numbers of one element. A body handles the tokens
// [begin, end) of the sequence in hand: forward calls come in ascending ranges, backward calls in descending ones, and
// together they cover [0, time). Rows before `begin` (forward) hold what earlier calls wrote. In backward the forward
// buffers hold the whole sequence, while of the gradient buffers only rows [begin, end) may be read or written: other
// rows belong to other calls that share the buffer. What an operation hands from one range to the next, or from its
// forward to its backward body, lives in its `memory` (see README.md).
#if defined(HYSEQ_KERNELS_LANES_CONTEXT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LANES_CONTEXT_INL_HPP
#undef HYSEQ_KERNELS_LANES_CONTEXT_INL_HPP
#else
#define HYSEQ_KERNELS_LANES_CONTEXT_INL_HPP
#endif

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/lanes/scratch.hpp"
#include "kernels/lanes/targets.hpp"
#include "kernels/program.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
struct LaneContext {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  using Index = hwy::MakeSigned<T>;  // as wide as T, so that one vector holds all members' tokens
  static constexpr std::size_t kLanes = hn::MaxLanes(D());

  const Program* program = nullptr;
  std::size_t time = 0;   // tokens of the sequence
  std::size_t begin = 0;  // those of this call
  std::size_t end = 0;
  std::size_t row = 0;             // index of the sequence in the batch: keys dropout
  std::size_t first_position = 0;  // position in the row of token 0: not 0 behind a carry

  T* const* buffers = nullptr;                    // [buffer] -> [time][stride][lanes]
  T* const* gradients = nullptr;                  // likewise, of Program::gradients
  const std::size_t* strides = nullptr;           // [buffer], columns from row to row
  const std::size_t* gradient_strides = nullptr;  // [gradient buffer]
  const T* const* parameters = nullptr;           // [parameter] -> [element][lanes]
  T* const* parameter_gradients = nullptr;        // likewise; accumulate

  const std::uint64_t* position = nullptr;  // [time], in the segment
  const std::uint8_t* starts = nullptr;     // [time], 1 at a segment's first token
  const Index* tokens = nullptr;            // [time][lanes]
  const Index* targets = nullptr;           // [time][lanes], -1 where not valid
  const T* loss_weight = nullptr;           // [lanes], 1 / valid positions of the member's whole batch; 0 for none
  T* losses = nullptr;                      // [time][lanes], written where targets are given
  T* hits = nullptr;                        // [time][lanes], 1 where the largest logit is the target's
  const std::uint64_t* seeds = nullptr;     // [lanes], of the dropout
  std::uint64_t step = 0;
  bool keep = false;  // a backward pass follows, for which a body may keep what it has at hand in its `memory`

  /// Of the operation in hand; a backward call gets those of its forward call.
  T* memory = nullptr;         // as many vectors as memory_size(call, program, time), kept through a sequence
  const T* derived = nullptr;  // as many vectors as derived_size(call), filled by prepare() once a step
  Scratch<T>* scratch = nullptr;

  [[nodiscard]] std::size_t stride(const View& view) const { return strides[static_cast<std::size_t>(view.buffer)]; }
  [[nodiscard]] std::size_t gradient_stride(const View& view) const {
    return gradient_strides[static_cast<std::size_t>(view.buffer)];
  }
  /// First number of row t; column c is kLanes * c further.
  [[nodiscard]] T* at(const View& view, std::size_t t) const {
    return buffers[static_cast<std::size_t>(view.buffer)] +
           (t * stride(view) + static_cast<std::size_t>(view.offset)) * kLanes;
  }
  [[nodiscard]] T* gradient_at(const View& view, std::size_t t) const {
    return gradients[static_cast<std::size_t>(view.buffer)] +
           (t * gradient_stride(view) + static_cast<std::size_t>(view.offset)) * kLanes;
  }
  [[nodiscard]] const T* parameter(ParameterId id) const {
    return id == kNoParameter ? nullptr : parameters[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] T* parameter_gradient(ParameterId id) const {
    return id == kNoParameter ? nullptr : parameter_gradients[static_cast<std::size_t>(id)];
  }
};

/// to[0, lanes) = or += value.
template <class D>
HWY_INLINE void put(D d, GradientMode mode, hn::Vec<D> value, hn::TFromD<D>* HWY_RESTRICT to) {
  if (mode == GradientMode::accumulate) value = hn::Add(hn::Load(d, to), value);
  hn::Store(value, d, to);
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
