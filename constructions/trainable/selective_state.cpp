#include "constructions/trainable/selective_state.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "constructions/trainable/silu.hpp"

namespace hyseq::constructions {
namespace {

constexpr double kConstant = 2;    // in front of the silu of the constant channel
constexpr double kGate = 4;        // in front of the silu of every gate
constexpr double kNever = -110;    // a step of 0 in float
constexpr double kEpsilon = 1e-5;  // of RMSNorm

}  // namespace

SelectiveState::SelectiveState(WeightWriter& weights, const Frame& frame, const models::SsmBlock& block,
                               std::string prefix, const Settings& settings)
    : weights_(weights),
      frame_(frame),
      prefix_(std::move(prefix)),
      width_(frame.width()),
      inner_width_(models::inner_width(block, frame.width())),
      rank_(models::step_rank(block, frame.width())),
      states_(block.state_size),
      kernel_(block.kernel),
      detected_(settings.detected),
      ignored_(settings.ignored),
      unit_(1 / std::sqrt(2.0 / frame.width() + kEpsilon)),
      gate_(silu(kGate)) {
  weights_.fill(prefix_ + "norm.weight", 1);
  const double written = inverse_softplus(settings.write_step);
  for (int channel = 0; channel < inner_width_; ++channel) {
    for (int n = 0; n < states_; ++n) weights_.at(prefix_ + "A_log", channel, n) = std::log(n + 1.0);
    frame_.read(weights_, prefix_ + "in_proj.weight", inner_width_ + channel, 0, kGate / unit_);
    weights_.at(prefix_ + "dt_proj.weight", channel, 0) = written - settings.step_bias;
    weights_.at(prefix_ + "dt_proj.bias", channel) = settings.step_bias;
  }
  const int constant = inner_width_ - 1;
  weights_.at(prefix_ + "conv.bias", constant) = kConstant;
  for (int n = 0; n < states_; ++n) {
    const double share = settings.mixture[static_cast<std::size_t>(n)] / (settings.write_step * silu(detected_));
    if (share == 0) continue;  // never written, so that it stays 0
    // Equal parts in B and C: neither is so small that little noise drowns it.
    const double part = std::sqrt(std::abs(share)) / silu(kConstant);
    weights_.at(prefix_ + "x_proj.weight", rank_ + n, constant) = part;
    weights_.at(prefix_ + "x_proj.weight", rank_ + states_ + n, constant) = std::copysign(part, share);
  }
}

void SelectiveState::detect(int channel, const std::vector<Code>& codes, std::size_t token) {
  const Code& own = codes[token];
  double nearest = -1;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (i != token) nearest = std::max(nearest, std::inner_product(own.begin(), own.end(), codes[i].begin(), 0.0));
  }
  const double slope = (detected_ - ignored_) / (1 - nearest);
  for (std::size_t k = 0; k < own.size(); ++k) {
    frame_.read(weights_, prefix_ + "in_proj.weight", channel, 1 + static_cast<int>(k), slope * own[k] / unit_);
  }
  weights_.at(prefix_ + "conv.weight", channel, kernel_ - 1) = 1;
  weights_.at(prefix_ + "conv.bias", channel) = detected_ - slope;
}

void SelectiveState::writes(int channel) { weights_.at(prefix_ + "x_proj.weight", 0, channel) = 1 / silu(detected_); }

void SelectiveState::decay(int channel, double rate) {
  weights_.at(prefix_ + "A_log", channel, states_ - 1) = std::log(rate);
}

void SelectiveState::show_states(int channel, int axis, double factor) {
  frame_.write(weights_, prefix_ + "out_proj.weight", channel, axis, factor / gate_);
}

void SelectiveState::pass(int channel, int axis, int delay, int target, double factor) {
  for (const int side : {0, 1}) {
    const double sign = side == 0 ? 1 : -1;
    frame_.read(weights_, prefix_ + "in_proj.weight", channel + side, axis, sign / unit_);
    weights_.at(prefix_ + "conv.weight", channel + side, kernel_ - 1 - delay) = 1;
    show_input(channel + side);
    frame_.write(weights_, prefix_ + "out_proj.weight", channel + side, target, sign * factor / gate_);
  }
}

void SelectiveState::show_input(int channel) {
  weights_.at(prefix_ + "D", channel) = 1;
  weights_.at(prefix_ + "dt_proj.weight", channel, 0) = 0;
  weights_.at(prefix_ + "dt_proj.bias", channel) = kNever;
}

void SelectiveState::show_constant(int axis, double value) {
  const int constant = inner_width_ - 1;
  show_input(constant);
  frame_.write(weights_, prefix_ + "out_proj.weight", constant, axis, value / (silu(kConstant) * gate_));
}

}  // namespace hyseq::constructions
