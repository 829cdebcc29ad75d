#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/adamw/update.hpp"
#include "kernels/cuda/context.hpp"
#include "kernels/cuda/groups.hpp"
#include "kernels/cuda/members.hpp"
#include "kernels/cuda/reduce.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

/// A run of a member's numbers in groups of four, the work of one block: all of them decay, or none.
struct UpdatePiece {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t decays = 0;
};

/// A member's numbers in pieces, which depend on the layout and the policy alone. What lies between two parameters
/// goes with the first: zeros stay zeros.
[[nodiscard]] inline std::vector<UpdatePiece> update_pieces(const ParameterLayout& layout, const AdamW& optimiser) {
  constexpr std::size_t kPiece = 2048;
  std::vector<UpdatePiece> pieces;
  for (std::size_t p = 0; p < layout.offsets.size(); ++p) {
    const std::uint32_t decays = optimiser.decays.empty() || optimiser.decays[p] != 0 ? 1 : 0;
    const std::size_t last = (p + 1 < layout.offsets.size() ? layout.offsets[p + 1] : layout.step) / kGroup;
    for (std::size_t first = layout.offsets[p] / kGroup; first < last;) {
      const std::size_t end = std::min(last, (first / kPiece + 1) * kPiece);
      const auto count = static_cast<std::uint32_t>(end - first);
      if (!pieces.empty() && pieces.back().decays == decays && first % kPiece != 0) {
        pieces.back().count += count;
      } else {
        pieces.push_back({static_cast<std::uint32_t>(first), count, decays});
      }
      first = end;
    }
  }
  return pieces;
}

/// The numbers that a cohort trains, [members][layout.step] each.
template <class T>
struct TrainedNumbers {
  Span<T> values;
  Span<const T> gradients;
  Span<T> first;  // moments
  Span<T> second;
};

/// The squares of a piece of a member's gradient, in double: those of floats may overflow. Block (piece, member).
template <class T>
struct SumSquares {
  static constexpr bool kCooperative = true;
  Span<const UpdatePiece> pieces;
  Groups<const T> gradients;
  Span<double> partials;  // [members, pieces]

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t member = thread.block().y;
    const UpdatePiece piece = pieces[thread.block().x];
    double sum = 0;
    for (unsigned i = thread.index(); i < piece.count; i += thread.count()) {
      const Group<T> g = gradients.load(member, piece.first + i);
      for (unsigned k = 0; k < kGroup; ++k) sum += numbers::square(static_cast<double>(g[k]));
    }
    sum = block_sum(thread, sum, thread.template shared<double>(0, kWarp));
    if (thread.index() == 0) partials[member * pieces.size() + thread.block().x] = sum;
  }
};

/// squares[member] = the sum over its pieces. A block per member.
struct SumPieces {
  static constexpr bool kCooperative = true;
  std::size_t pieces;
  Span<const double> partials;
  Span<double> squares;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t member = thread.block().x;
    double sum = 0;
    for (std::size_t i = thread.index(); i < pieces; i += thread.count()) sum += partials[member * pieces + i];
    sum = block_sum(thread, sum, thread.shared<double>(0, kWarp));
    if (thread.index() == 0) squares[member] = sum;
  }
};

/// Clipping and update of a piece, unless the member's loss or norm is not finite. Block (piece, member).
template <class T>
struct UpdateNumbers {
  static constexpr bool kCooperative = false;
  Span<const UpdatePiece> pieces;
  Groups<T> values;
  Groups<const T> gradients;
  Groups<T> first;
  Groups<T> second;
  Span<const double> squares;
  Span<const LossSums> losses;
  Span<const StepValues> step;
  Span<const MemberStepValues> member_steps;
  AdamWNumbers common;
  Clip clip;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t member = thread.block().y;
    const UpdatePiece piece = pieces[thread.block().x];
    const double norm = std::sqrt(squares[member]);
    if (!std::isfinite(norm) || !std::isfinite(losses[member].loss)) return;
    AdamWNumbers own = common;
    if (piece.decays == 0) own.decay = 0;
    own.correction1 = step[0].correction1;
    own.correction2 = step[0].correction2;
    own.rate = member_steps[member].rate;
    own.clip_factor = clip_factor(clip, norm);
    const AdamWUpdate<T> update(own);
    for (unsigned i = thread.index(); i < piece.count; i += thread.count()) {
      const unsigned group = piece.first + i;
      const Group<T> g = gradients.load(member, group);
      Group<T> value = values.load(member, group);
      Group<T> m = first.load(member, group);
      Group<T> v = second.load(member, group);
      for (unsigned k = 0; k < kGroup; ++k) value[k] = update.step(value[k], g[k], m[k], v[k]);
      values.store(member, group, value);
      first.store(member, group, m);
      second.store(member, group, v);
    }
  }
};

/// The end of a step for the members of a cohort. Its memory is there from the start, so that a step can be recorded.
template <class T>
class Optimiser {
 public:
  Optimiser(const ParameterLayout& layout, std::size_t members, const AdamW& optimiser, const Clip& clip,
            Stream& stream)
      : members_(members), clip_(clip), step_(layout.step), squares_(members) {
    common_.beta1 = optimiser.beta1;
    common_.beta2 = optimiser.beta2;
    common_.epsilon = optimiser.epsilon;
    common_.decay = optimiser.decay;
    const std::vector<UpdatePiece> pieces = update_pieces(layout, optimiser);
    pieces_ = DeviceArray<UpdatePiece>(pieces.size());
    pieces_.upload(stream, pieces);
    partials_ = DeviceArray<double>(members * pieces.size());
  }

  /// The squared norm of each member's gradient into squares(), and the update of all members whose losses and norms
  /// are finite. losses, member_steps: [members]; step: [1].
  void update(Stream& stream, const TrainedNumbers<T>& numbers, Span<const LossSums> losses,
              Span<const StepValues> step, Span<const MemberStepValues> member_steps) {
    if (pieces_.size() == 0) {
      zero(stream, squares_.span());
      return;
    }
    const Shape shape{
        {static_cast<unsigned>(pieces_.size()), static_cast<unsigned>(members_), 1}, 256, block_sum_bytes<double>()};
    const Groups<const T> gradients = rows(numbers.gradients);
    launch(stream, shape, SumSquares<T>{pieces_.span(), gradients, partials_.span()});
    launch(stream, {{static_cast<unsigned>(members_), 1, 1}, 256, block_sum_bytes<double>()},
           SumPieces{pieces_.size(), partials_.span(), squares_.span()});
    launch(stream, {shape.grid, shape.threads, 0},
           UpdateNumbers<T>{pieces_.span(), rows(numbers.values), gradients, rows(numbers.first), rows(numbers.second),
                            squares_.span(), losses, step, member_steps, common_, clip_});
  }

  /// The squared norms of the last step, [members].
  [[nodiscard]] const DeviceArray<double>& squares() const { return squares_; }

 private:
  template <class U>
  [[nodiscard]] Groups<U> rows(Span<U> numbers) const {
    return Groups<U>({numbers, step_, static_cast<unsigned>(step_)});
  }

  std::size_t members_;
  Clip clip_;
  AdamWNumbers common_;
  std::size_t step_;
  DeviceArray<UpdatePiece> pieces_;
  DeviceArray<double> partials_;  // [members, pieces]
  DeviceArray<double> squares_;
};

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
