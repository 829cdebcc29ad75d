// One sequence for a lanes body to work on: buffers, gradient buffers, parameters and the context that shows them.
#if defined(HYSEQ_TESTS_KERNELS_LANES_OPS_SEQUENCE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_TESTS_KERNELS_LANES_OPS_SEQUENCE_INL_HPP
#undef HYSEQ_TESTS_KERNELS_LANES_OPS_SEQUENCE_INL_HPP
#else
#define HYSEQ_TESTS_KERNELS_LANES_OPS_SEQUENCE_INL_HPP
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/base/random.hpp"
#include "kernels/lanes/context-inl.hpp"
#include "kernels/selective_scan/lanes-inl.hpp"
#include "kernels/window_attention/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

template <class D>
class Sequence {
 public:
  using T = hn::TFromD<D>;
  static constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  static constexpr std::size_t kRow = 3;  // keys of the dropout
  static constexpr std::size_t kStep = 5;

  /// Segments of these lengths, one behind the other.
  explicit Sequence(const std::vector<std::size_t>& segments) {
    for (const std::size_t length : segments) {
      for (std::size_t t = 0; t < length; ++t) {
        position_.push_back(t);
        starts_.push_back(t == 0 ? 1 : 0);
      }
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) seeds_.push_back(1000 + 17 * lane);
  }

  [[nodiscard]] std::size_t time() const { return position_.size(); }
  [[nodiscard]] std::uint64_t seed(std::size_t lane) const { return seeds_[lane]; }
  [[nodiscard]] std::size_t segment_start(std::size_t t) const { return t - position_[t]; }

  /// A buffer of normal numbers times `scale` (its own in every lane), with `padding` columns that nobody may touch.
  View buffer(int width, double scale = 1, int padding = 1) {
    buffers_.push_back(make(time() * static_cast<std::size_t>(width + padding), scale));
    strides_.push_back(static_cast<std::size_t>(width + padding));
    widths_.push_back(static_cast<std::size_t>(width));
    return {static_cast<int>(buffers_.size()) - 1, 0, width};
  }
  View gradient(int width, double scale = 1, int padding = 1) {
    gradients_.push_back(make(time() * static_cast<std::size_t>(width + padding), scale));
    gradient_strides_.push_back(static_cast<std::size_t>(width + padding));
    gradient_widths_.push_back(static_cast<std::size_t>(width));
    return {static_cast<int>(gradients_.size()) - 1, 0, width};
  }
  ParameterId parameter(int count, double scale = 1) {
    parameters_.push_back(make(static_cast<std::size_t>(count), scale));
    parameter_gradients_.push_back(make(static_cast<std::size_t>(count), 1));
    return static_cast<ParameterId>(parameters_.size()) - 1;
  }

  /// Numbers of a view, the parameter and its gradient.
  [[nodiscard]] T& at(const View& view, std::size_t t, std::size_t column, std::size_t lane) {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    return buffers_[buffer].data()[(t * strides_[buffer] + column) * kLanes + lane];
  }
  [[nodiscard]] T& gradient_at(const View& view, std::size_t t, std::size_t column, std::size_t lane) {
    const auto buffer = static_cast<std::size_t>(view.buffer);
    return gradients_[buffer].data()[(t * gradient_strides_[buffer] + column) * kLanes + lane];
  }
  [[nodiscard]] T& parameter_at(ParameterId id, std::size_t element, std::size_t lane) {
    return parameters_[static_cast<std::size_t>(id)].data()[element * kLanes + lane];
  }
  [[nodiscard]] T& parameter_gradient_at(ParameterId id, std::size_t element, std::size_t lane) {
    return parameter_gradients_[static_cast<std::size_t>(id)].data()[element * kLanes + lane];
  }
  [[nodiscard]] std::vector<AlignedArray<T>>& parameter_gradients() { return parameter_gradients_; }
  [[nodiscard]] Scratch<T>& scratch() { return scratch_; }

  /// Whether no padding column of a buffer or gradient buffer differs from `other`'s.
  [[nodiscard]] bool padding_untouched(const Sequence& other) const {
    const auto same = [&](const auto& mine, const auto& theirs, const auto& strides, const auto& widths) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        for (std::size_t t = 0; t < time(); ++t) {
          const std::size_t at = (t * strides[i] + widths[i]) * kLanes;
          const std::size_t count = (strides[i] - widths[i]) * kLanes;
          if (!same_bits(mine[i].data() + at, theirs[i].data() + at, count)) return false;
        }
      }
      return true;
    };
    return same(buffers_, other.buffers_, strides_, widths_) &&
           same(gradients_, other.gradients_, gradient_strides_, gradient_widths_);
  }
  /// Whether rows [first, first + count) of all buffers have the bits of the rows of a shorter sequence.
  [[nodiscard]] bool rows_equal(const Sequence& other, std::size_t first, std::size_t count) const {
    const auto same = [&](const auto& mine, const auto& theirs, const auto& strides) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const std::size_t row = strides[i] * kLanes;
        if (!same_bits(mine[i].data() + first * row, theirs[i].data(), count * row)) return false;
      }
      return true;
    };
    return same(buffers_, other.buffers_, strides_) && same(gradients_, other.gradients_, gradient_strides_);
  }
  /// Takes over as many rows of all buffers of a longer sequence, from its row `first` on.
  void copy_rows(const Sequence& other, std::size_t first) {
    const auto copy = [&](auto& mine, const auto& theirs, const auto& strides) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        const std::size_t row = strides[i] * kLanes;
        std::copy_n(theirs[i].data() + first * row, time() * row, mine[i].data());
      }
    };
    copy(buffers_, other.buffers_, strides_);
    copy(gradients_, other.gradients_, gradient_strides_);
  }
  /// Whether one lane has the same bits everywhere, gradients of the parameters included.
  [[nodiscard]] bool lane_equal(const Sequence& other, std::size_t lane) const {
    const auto same = [&](const auto& mine, const auto& theirs) {
      for (std::size_t i = 0; i < mine.size(); ++i) {
        for (std::size_t at = lane; at < mine[i].size(); at += kLanes) {
          if (!same_bits(mine[i].data() + at, theirs[i].data() + at, 1)) return false;
        }
      }
      return true;
    };
    return same(buffers_, other.buffers_) && same(gradients_, other.gradients_) &&
           same(parameter_gradients_, other.parameter_gradients_);
  }

  /// Memory and derived vectors for a call, and its prepare() where it has one. `state` vectors of the memory are 0.
  template <class Call>
  void bind(D d, const Call& call, std::size_t state) {
    memory_ = AlignedArray<T>(memory_size(call, program_, time()) * kLanes);
    std::fill_n(memory_.data(), state * kLanes, T{});
    collect();
    if constexpr (requires { derived_size(call, program_); }) {
      derived_ = AlignedArray<T>(derived_size(call, program_) * kLanes);
      prepare(d, call, program_, const_parameter_pointers_.data(), derived_.data());
    }
  }

  /// The tokens [begin, end).
  [[nodiscard]] LaneContext<D> context(std::size_t begin, std::size_t end) {
    collect();
    LaneContext<D> result;
    result.program = &program_;
    result.time = time();
    result.begin = begin;
    result.end = end;
    result.row = kRow;
    result.buffers = buffer_pointers_.data();
    result.gradients = gradient_pointers_.data();
    result.strides = strides_.data();
    result.gradient_strides = gradient_strides_.data();
    result.parameters = const_parameter_pointers_.data();
    result.parameter_gradients = parameter_gradient_pointers_.data();
    result.position = position_.data();
    result.starts = starts_.data();
    result.seeds = seeds_.data();
    result.step = kStep;
    result.keep = true;
    result.memory = memory_.data();
    result.derived = derived_.data();
    result.scratch = &scratch_;
    return result;
  }

 private:
  static bool same_bits(const T* a, const T* b, std::size_t count) {
    using Bits = hwy::MakeUnsigned<T>;
    return std::equal(a, a + count, b, [](T x, T y) { return std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y); });
  }
  AlignedArray<T> make(std::size_t vectors, double scale) {
    AlignedArray<T> result(vectors * kLanes);
    const StreamKey key{++drawn_, Purpose::verification};
    for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = static_cast<T>(scale * normal_real(key, 0, i));
    return result;
  }
  void collect() {
    const auto pointers = [](std::vector<AlignedArray<T>>& arrays, auto& to) {
      to.clear();
      for (AlignedArray<T>& array : arrays) to.push_back(array.data());
    };
    pointers(buffers_, buffer_pointers_);
    pointers(gradients_, gradient_pointers_);
    pointers(parameters_, const_parameter_pointers_);
    pointers(parameter_gradients_, parameter_gradient_pointers_);
  }

  Program program_;
  std::uint64_t drawn_ = 0;
  std::vector<std::uint64_t> position_;
  std::vector<std::uint8_t> starts_;
  std::vector<std::uint64_t> seeds_;
  std::vector<AlignedArray<T>> buffers_;
  std::vector<AlignedArray<T>> gradients_;
  std::vector<AlignedArray<T>> parameters_;
  std::vector<AlignedArray<T>> parameter_gradients_;
  std::vector<std::size_t> strides_;
  std::vector<std::size_t> gradient_strides_;
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> gradient_widths_;
  std::vector<T*> buffer_pointers_;
  std::vector<T*> gradient_pointers_;
  std::vector<const T*> const_parameter_pointers_;
  std::vector<T*> parameter_gradient_pointers_;
  AlignedArray<T> memory_;
  AlignedArray<T> derived_;
  Scratch<T> scratch_;
};

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
