#include "proofs_check/trainable_level/states.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "kernels/engine.hpp"

namespace hyseq::proofs_check {
namespace {

using State = std::vector<double>;  // holds every number format exactly

const std::string kState = "layers.0.ssm.state";

/// Whether the convolution reads the present token alone.
bool reads_one_token(const constructions::Construction& construction) {
  const auto& parameters = construction.program.parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].name != "layers.0.ssm.conv.weight") continue;
    const std::size_t kernel = parameters[p].shape[1];
    for (std::size_t i = 0; i < construction.values[p].size(); ++i) {
      if (i % kernel != kernel - 1 && construction.values[p][i] != 0) return false;
    }
  }
  return true;
}

class Walk {
 public:
  Walk(const constructions::TrainableCopyConstruction& construction, NumberFormat format)
      : construction_(construction) {
    request_.program = &construction.program;
    request_.parameters = &construction.values;
    request_.format = format;
    request_.carry_out = true;
  }

  StateResult run() {
    const auto& spec = construction_.spec;
    StateResult result;
    result.promised_states = static_cast<std::uint64_t>(spec.distances) + 1;
    if (!reads_one_token(construction_)) {
      result.failure = "the convolution reads earlier tokens";
      return result;
    }
    result.closed = true;
    State start(static_cast<std::size_t>(2 * spec.width * spec.state_size), 0.0);
    std::vector<State> states{start};
    std::vector<kernels::CarryState> carries(1);  // none in front of the first token
    std::map<std::int32_t, State> of_number;
    for (std::size_t s = 0; s < states.size(); ++s) {
      for (std::int32_t token = 0; token < spec.answers(); ++token) {
        kernels::CarryState carry = step(s == 0 ? nullptr : &carries[s], token);
        State next = carry.arrays.at(kState).values;
        for (double& x : next) x += 0.0;  // -0 is 0
        ++result.transitions;
        const bool number = token >= spec.values;
        const State& intended = number ? of_number.try_emplace(token, next).first->second : states[s];
        if (next != intended && result.failure.empty()) {
          result.failure =
              "state " + std::to_string(s) + " under " + construction_.token_labels[static_cast<std::size_t>(token)];
        }
        if (std::find(states.begin(), states.end(), next) != states.end()) continue;
        if (states.size() >= result.promised_states) {
          result.closed = false;
          continue;
        }
        states.push_back(std::move(next));
        carries.push_back(std::move(carry));
      }
    }
    result.reachable_states = states.size();
    return result;
  }

 private:
  kernels::CarryState step(const kernels::CarryState* before, std::int32_t token) {
    request_.tokens = std::span(&token, 1);
    request_.carry_in = before;
    return kernels::reference_engine().forward(request_).carry;
  }

  const constructions::TrainableCopyConstruction& construction_;
  kernels::ForwardRequest request_;
};

}  // namespace

StateResult check_states(const constructions::TrainableCopyConstruction& construction, NumberFormat format) {
  return Walk(construction, format).run();
}

}  // namespace hyseq::proofs_check
