// One program on one instruction set: buffers for one sequence of every member, and the coarse calls that engine and
// cohort make. The bodies are in session-inl.hpp, compiled once per instruction set; make_lane_session picks one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/lanes/plan.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels {

/// As wide as T, so that one vector holds the tokens of all members.
template <class T>
using LaneIndex = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Where the tokens of a sequence lie: the same for all members. `front` rows come before the first token; they hold
/// what a carry brings in.
struct SequenceLayout {
  std::size_t front = 0;
  std::vector<std::uint64_t> position;  // [front + time], in the segment
  std::vector<std::uint8_t> starts;     // [front + time], 1 at a segment's first token

  bool operator==(const SequenceLayout&) const = default;
};

/// One sequence of every member.
template <class T>
struct LaneSequence {
  std::size_t row = 0;                    // in the batch: keys dropout
  const LaneIndex<T>* tokens = nullptr;   // [front + time][lanes]
  const LaneIndex<T>* targets = nullptr;  // likewise, -1 where not valid; null: none
  const T* loss_weight = nullptr;         // [lanes], 1 / valid positions of the member's whole batch, 0 for none
  const std::uint64_t* seeds = nullptr;   // [lanes], of the dropout
  std::uint64_t step = 0;
  T* const* parameter_gradients = nullptr;  // [parameter] -> [element][lanes], which backward adds to
  bool keep = false;                        // backward will follow
};

/// The scalars of an update, computed in double and rounded once; those of a member are [lanes].
template <class T>
struct LaneUpdate {
  const T* active = nullptr;       // 1 where the member is updated, else 0
  const T* clip_factor = nullptr;  // of the gradients
  const T* rate = nullptr;
  const T* kept = nullptr;  // 1 - rate decay
  T beta1 = 0;
  T beta2 = 0;
  T fresh1 = 0;  // 1 - beta1
  T fresh2 = 0;
  T inverse_correction1 = 0;  // 1 / (1 - beta1^t)
  T inverse_correction2 = 0;
  T epsilon = 0;
};

template <class T>
class LaneSession {
 public:
  LaneSession() = default;
  LaneSession(const LaneSession&) = delete;
  LaneSession& operator=(const LaneSession&) = delete;
  virtual ~LaneSession() = default;

  /// Members in a vector.
  [[nodiscard]] virtual std::size_t lanes() const = 0;

  /// Before the first sequence and whenever parameters have changed. parameters: [parameter] -> [element][lanes].
  virtual void bind(const T* const* parameters) = 0;

  /// The layout of the sequences that follow; at most as many rows as the session was made for.
  virtual void place(const SequenceLayout& layout) = 0;

  /// forward() starts from the carried states that state() holds: zero unless they have been set since reset().
  virtual void reset() = 0;
  virtual void forward(const LaneSequence<T>& sequence) = 0;
  /// Losses and hits of the sequence that forward() has run, without a gradient.
  virtual void loss(const LaneSequence<T>& sequence) = 0;
  /// Losses, hits and gradients of the sequence that forward() has run.
  virtual void backward(const LaneSequence<T>& sequence) = 0;

  [[nodiscard]] virtual const T* losses() const = 0;  // [front + time][lanes], 0 where the target is not valid
  [[nodiscard]] virtual const T* hits() const = 0;    // likewise, 1 where the unique largest logit is the target's

  /// Row t of a forward or gradient buffer: [width][lanes].
  [[nodiscard]] virtual T* row(std::size_t buffer, std::size_t t) = 0;
  [[nodiscard]] virtual T* gradient_row(std::size_t buffer, std::size_t t) = 0;
  /// The state of the scan that is forward[operation]: [channels][states][lanes].
  [[nodiscard]] virtual T* state(std::size_t operation) = 0;

  /// NaN in all buffers, kept values and scratch memory.
  virtual void poison() = 0;

  /// sums[lane] += squares of count x lanes values.
  virtual void add_squares(const T* values, std::size_t count, double* sums) const = 0;
  /// Updates one parameter of `count` elements.
  virtual void update(const LaneUpdate<T>& update, bool decays, std::size_t count, const T* gradients, T* values,
                      T* first, T* second) const = 0;
};

struct LaneSessionRequest {
  const Program* program = nullptr;  // borrowed
  std::size_t longest = 1;           // rows of the longest layout
  LanePlan plan;
};

/// A session on the instruction set chosen at this moment (instruction_set.hpp).
[[nodiscard]] std::unique_ptr<LaneSession<float>> make_float_session(const LaneSessionRequest& request);
[[nodiscard]] std::unique_ptr<LaneSession<double>> make_double_session(const LaneSessionRequest& request);

template <class T>
[[nodiscard]] std::unique_ptr<LaneSession<T>> make_lane_session(const LaneSessionRequest& request) {
  if constexpr (std::is_same_v<T, float>) {
    return make_float_session(request);
  } else {
    return make_double_session(request);
  }
}

}  // namespace hyseq::kernels
