// The bodies of LaneSession for one instruction set.
#if defined(HYSEQ_KERNELS_LANES_SESSION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LANES_SESSION_INL_HPP
#undef HYSEQ_KERNELS_LANES_SESSION_INL_HPP
#else
#define HYSEQ_KERNELS_LANES_SESSION_INL_HPP
#endif

#include <algorithm>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "kernels/adamw/lanes-inl.hpp"
#include "kernels/base/error.hpp"
#include "kernels/causal_conv/lanes-inl.hpp"
#include "kernels/dropout/lanes-inl.hpp"
#include "kernels/elementwise/lanes-inl.hpp"
#include "kernels/embedding/lanes-inl.hpp"
#include "kernels/lanes/session.hpp"
#include "kernels/layer_norm/lanes-inl.hpp"
#include "kernels/linear/lanes-inl.hpp"
#include "kernels/pairing.hpp"
#include "kernels/rms_norm/lanes-inl.hpp"
#include "kernels/rotary/lanes-inl.hpp"
#include "kernels/selective_scan/lanes-inl.hpp"
#include "kernels/softmax_cross_entropy/lanes-inl.hpp"
#include "kernels/window_attention/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

// Operations that say nothing else keep and derive nothing.
template <class Call>
std::size_t memory_size(const Call& /*call*/, const Program& /*program*/, std::size_t /*time*/) {
  return 0;
}
template <class Call>
std::size_t derived_size(const Call& /*call*/, const Program& /*program*/) {
  return 0;
}
template <class D, class Call>
void prepare(D /*d*/, const Call& /*call*/, const Program& /*program*/, const hn::TFromD<D>* const* /*parameters*/,
             hn::TFromD<D>* /*derived*/) {}

template <class D>
class TargetSession final : public LaneSession<hn::TFromD<D>> {
 public:
  using T = hn::TFromD<D>;
  static constexpr std::size_t kLanes = LaneContext<D>::kLanes;

  explicit TargetSession(const LaneSessionRequest& request)
      : program_(*request.program), plan_(request.plan), longest_(request.longest) {
    allocate_buffers(program_.buffers, plan_.buffer_rows, strides_, buffer_memory_, buffers_);
    rings_ = rings_of(plan_.buffer_rows, strides_, buffers_);
    std::vector<std::size_t> memory_at;
    std::vector<std::size_t> derived_at;
    std::size_t memory = 0;
    std::size_t derived = 0;
    for (const Operation& operation : program_.forward) {
      memory_at.push_back(memory);
      derived_at.push_back(derived);
      memory += std::visit([&](const auto& call) { return memory_size(call, program_, longest_); }, operation);
      derived += std::visit([&](const auto& call) { return derived_size(call, program_); }, operation);
    }
    memory_ = AlignedArray<T>(memory * kLanes);
    derived_ = AlignedArray<T>(derived * kLanes);
    for (const std::size_t at : memory_at) memories_.push_back(memory_.data() + at * kLanes);
    for (const std::size_t at : derived_at) deriveds_.push_back(derived_.data() + at * kLanes);
    memories_.push_back(nullptr);  // of backward calls without a forward call
    deriveds_.push_back(nullptr);
    for (const BackwardOperation& operation : program_.backward)
      forward_of_.push_back(forward_index(program_, operation));
    losses_ = AlignedArray<T>(longest_ * kLanes);
    hits_ = AlignedArray<T>(longest_ * kLanes);
    context_.program = &program_;
    context_.buffers = buffers_.data();
    context_.strides = strides_.data();
    context_.losses = losses_.data();
    context_.hits = hits_.data();
    context_.scratch = &scratch_;
  }

  [[nodiscard]] std::size_t lanes() const override { return kLanes; }

  void bind(const T* const* parameters) override {
    context_.parameters = parameters;
    for (std::size_t i = 0; i < program_.forward.size(); ++i) {
      std::visit([&](const auto& call) { prepare(D(), call, program_, parameters, deriveds_[i]); },
                 program_.forward[i]);
    }
  }

  void place(const SequenceLayout& layout) override {
    if (layout == layout_) return;
    layout_ = layout;
    context_.time = layout_.position.size();
    context_.position = layout_.position.data();
    context_.starts = layout_.starts.data();
    for (std::size_t i = 0; i < program_.forward.size(); ++i) {
      const auto* rotary = std::get_if<Rotary>(&program_.forward[i]);
      if (rotary == nullptr) continue;
      context_.memory = memories_[i];
      tabulate(D(), *rotary, context_);
    }
  }

  void reset() override {
    for (std::size_t i = 0; i < program_.forward.size(); ++i) {
      const auto* scan = std::get_if<SelectiveScan>(&program_.forward[i]);
      if (scan == nullptr) continue;
      const auto states = static_cast<std::size_t>(scan->u.width) * static_cast<std::size_t>(scan->input.width);
      std::fill_n(memories_[i], states * kLanes, T{0});
    }
  }

  void forward(const LaneSequence<T>& sequence) override {
    take(sequence);
    for (const CallGroup& group : plan_.forward) {
      for (std::size_t piece = 0; piece < pieces(group); ++piece) {
        set_range(group, piece);
        for (std::size_t i = group.first; i < group.last; ++i) {
          context_.memory = memories_[i];
          context_.derived = deriveds_[i];
          std::visit([&](const auto& call) { HWY_NAMESPACE::lanes(D(), call, context_); }, program_.forward[i]);
        }
      }
    }
  }

  void loss(const LaneSequence<T>& sequence) override {
    take(sequence);
    context_.begin = layout_.front;
    context_.end = context_.time;
    cross_entropy(D(), program_.logits, nullptr, context_);
  }

  void backward(const LaneSequence<T>& sequence) override {
    allocate_gradients();
    context_.gradients = gradients_.data();
    context_.gradient_strides = gradient_strides_.data();
    take(sequence);
    for (const CallGroup& group : plan_.backward) {
      for (std::size_t piece = pieces(group); piece-- > 0;) {
        set_range(group, piece);
        for (std::size_t i = group.first; i < group.last; ++i) {
          context_.memory = memories_[forward_of_[i]];
          context_.derived = deriveds_[forward_of_[i]];
          std::visit([&](const auto& call) { HWY_NAMESPACE::lanes(D(), call, context_); }, program_.backward[i]);
        }
      }
    }
  }

  [[nodiscard]] const T* losses() const override { return losses_.data(); }
  [[nodiscard]] const T* hits() const override { return hits_.data(); }
  [[nodiscard]] T* row(std::size_t buffer, std::size_t t) override {
    return buffers_[buffer] + t * strides_[buffer] * kLanes;
  }
  [[nodiscard]] T* gradient_row(std::size_t buffer, std::size_t t) override {
    allocate_gradients();
    return gradients_[buffer] + t * gradient_strides_[buffer] * kLanes;
  }
  [[nodiscard]] T* state(std::size_t operation) override { return memories_[operation]; }

  void poison() override {
    for (AlignedArray<T>* array : {&buffer_memory_, &gradient_memory_, &memory_, &losses_, &hits_}) array->poison();
    scratch_.poison();
    layout_ = {};  // so that the next one tabulates again
  }

  void add_squares(const T* values, std::size_t count, double* sums) const override {
    HWY_NAMESPACE::add_squares(D(), values, count, sums);
  }
  void update(const LaneUpdate<T>& update, bool decays, std::size_t count, const T* gradients, T* values, T* first,
              T* second) const override {
    adamw(D(), update, decays, count, gradients, values, first, second);
  }

 private:
  /// Rows of a power of two of bytes would all fall into the same few sets of the caches.
  static std::size_t stride_of(int width) {
    const auto columns = static_cast<std::size_t>(width);
    return columns * kLanes * sizeof(T) % 2048 == 0 ? columns + 1 : columns;
  }

  void allocate_buffers(const std::vector<BufferInfo>& infos, const std::vector<std::size_t>& rows,
                        std::vector<std::size_t>& strides, AlignedArray<T>& memory, std::vector<T*>& pointers) {
    std::vector<std::size_t> sizes;
    std::size_t sum = 0;
    for (std::size_t i = 0; i < infos.size(); ++i) {
      strides.push_back(stride_of(infos[i].width));
      sizes.push_back((rows[i] == 0 ? longest_ : rows[i]) * strides.back() * kLanes);
      sum += sizes.back();
    }
    memory = AlignedArray<T>(sum);
    T* next = memory.data();
    for (const std::size_t size : sizes) {
      pointers.push_back(next);
      next += size;
    }
  }

  void allocate_gradients() {
    if (!gradients_.empty()) return;
    allocate_buffers(program_.gradients, plan_.gradient_rows, gradient_strides_, gradient_memory_, gradients_);
    gradient_rings_ = rings_of(plan_.gradient_rows, gradient_strides_, gradients_);
  }

  /// A buffer with the rows of one group's tokens alone; its pointer moves with the tokens in hand.
  struct Ring {
    T** pointer;
    T* memory;
    std::size_t row;  // numbers
  };
  static std::vector<Ring> rings_of(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& strides,
                                    std::vector<T*>& pointers) {
    std::vector<Ring> rings;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != 0) rings.push_back({&pointers[i], pointers[i], strides[i] * kLanes});
    }
    return rings;
  }

  void take(const LaneSequence<T>& sequence) {
    context_.row = sequence.row;
    context_.tokens = sequence.tokens;
    context_.targets = sequence.targets;
    context_.loss_weight = sequence.loss_weight;
    context_.seeds = sequence.seeds;
    context_.step = sequence.step;
    context_.parameter_gradients = sequence.parameter_gradients;
    context_.keep = sequence.keep;
  }

  [[nodiscard]] std::size_t pieces(const CallGroup& group) const {
    return (context_.time - layout_.front + group.tokens - 1) / group.tokens;
  }
  void set_range(const CallGroup& group, std::size_t piece) {
    context_.begin = layout_.front + piece * group.tokens;
    context_.end = std::min(context_.begin + group.tokens, context_.time);
    // Row `begin` is the first of every ring.
    for (const std::vector<Ring>* rings : {&rings_, &gradient_rings_}) {
      for (const Ring& ring : *rings) *ring.pointer = ring.memory - context_.begin * ring.row;
    }
  }

  const Program& program_;
  LanePlan plan_;
  std::size_t longest_;
  std::vector<std::size_t> strides_;
  std::vector<std::size_t> gradient_strides_;
  AlignedArray<T> buffer_memory_;
  AlignedArray<T> gradient_memory_;
  std::vector<T*> buffers_;
  std::vector<T*> gradients_;
  std::vector<Ring> rings_;
  std::vector<Ring> gradient_rings_;
  AlignedArray<T> memory_;
  AlignedArray<T> derived_;
  std::vector<T*> memories_;  // per forward call
  std::vector<T*> deriveds_;
  std::vector<std::size_t> forward_of_;  // per backward call
  AlignedArray<T> losses_;
  AlignedArray<T> hits_;
  Scratch<T> scratch_;
  SequenceLayout layout_;
  LaneContext<D> context_;
};

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
