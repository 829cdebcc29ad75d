// Gadgets of the standard state space block, written channel by channel.
//
// Tokens come as a unit code along frame axes 1, 2, .., plus a 1 along axis 0; RMSNorm then multiplies all of them by
// one number. The block's step size is the same in all channels: `write_step` on tokens that write, and nearly or
// exactly 0 on all others, which therefore leave the states as they are.
#pragma once

#include <string>
#include <vector>

#include "constructions/trainable/frame.hpp"
#include "constructions/trainable/spherical_code.hpp"
#include "models/architecture.hpp"

namespace hyseq::constructions {

/// Step bias of the control in which states fade: a step of 0.05 on tokens that should keep them.
inline constexpr double kFadingBias = -3;

class SelectiveState {
 public:
  struct Settings {
    double write_step = 1;        // step size on tokens that write
    double step_bias = -110;      // in front of the softplus on tokens that do not
    double detected = 12;         // in front of a detector's silu on its own token
    double ignored = -12;         // in front of a detector's silu on the tokens it ignores, at most
    std::vector<double> mixture;  // [N], of the states
  };

  /// Sets what all channels share: the norm; A as training starts it, -1 .. -N in every channel; gates that are open by
  /// the same amount on every token; the last channel, which is constant and feeds B and C; the step sizes. What is
  /// shown of a channel is the sum of its states times the mixture, which B and C hold in equal parts.
  SelectiveState(WeightWriter& weights, const Frame& frame, const models::SsmBlock& block, std::string prefix,
                 const Settings& settings);

  /// Channels that are still free for the caller: 0 .. free_channels() - 1.
  [[nodiscard]] int free_channels() const { return inner_width_ - 1; }

  /// `channel` shows silu(detected) on the token of codes[token] and silu(ignored) or less in size on every other.
  void detect(int channel, const std::vector<Code>& codes, std::size_t token);
  /// The tokens that `channel` detects write to all channels: state n (from 1) -> exp(-write_step n) state, plus 1 in
  /// channels that detect the token.
  void writes(int channel);
  /// A of the last state of `channel` is -rate instead of -N.
  void decay(int channel, double rate);
  /// Adds the mixture of the states of `channel` times `factor` to `axis` of the residual.
  void show_states(int channel, int axis, double factor);

  /// Channels `channel` and `channel + 1` pass the component along `axis` of the token `delay` back on (silu(x) -
  /// silu(-x) = x), multiplied by `factor`, to `target` of the residual. Nothing before the start: 0.
  void pass(int channel, int axis, int delay, int target, double factor);
  /// Adds a constant to `axis` of the residual.
  void show_constant(int axis, double value);

 private:
  /// y of `channel` is its u, without any state.
  void show_input(int channel);

  WeightWriter& weights_;
  const Frame& frame_;
  std::string prefix_;
  int width_;
  int inner_width_;
  int rank_;
  int states_;
  int kernel_;
  double detected_;
  double ignored_;
  double unit_;  // what RMSNorm makes of a component of size 1
  double gate_;  // silu(z)
};

}  // namespace hyseq::constructions
