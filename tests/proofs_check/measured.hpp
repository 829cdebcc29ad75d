// What the weights really do: attention on the right position and the decoder's lead, measured through the engine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "proofs_check/engines.hpp"
#include "proofs_check/oracle.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {

struct Position {
  std::size_t at = 0;
  std::size_t source = 0;
  double mass = 0;                    // computed probability of the source
  double gap = 0;                     // its token's logit less the largest other one
  std::vector<double> probabilities;  // by age, 0 the position itself
};

/// Runs `tokens`, the first of which stands at position `start` of a longer sequence, and measures every answered
/// position from `first` on. A start other than 0 needs `first` >= the window, so that nothing before is in sight.
template <class Construction>
std::vector<Position> measure(const Construction& c, NumberFormat format, const Tokens& tokens, std::size_t first,
                              std::uint64_t start = 0) {
  auto promise = c.spec;
  promise.fault = Fault::none;
  const std::vector<std::int32_t> sources = Oracle(promise).sources(tokens);
  const std::string name = "layers." + std::to_string(c.architecture.layers.size() - 1) + ".tf.probabilities";
  return with_scalar(format, [&](auto scalar) {
    using Scalar = decltype(scalar);
    kernels::ReferenceSession<Scalar> session(c.program, c.values, std::numeric_limits<std::uint64_t>::max());
    auto carry = session.fresh(1);
    carry.position[0] = start;
    const auto vocabulary = static_cast<std::size_t>(c.program.vocabulary);
    if (first > 0) session.forward({std::span(tokens).first(first), 1, first}, carry, kernels::Depth::carry);
    std::vector<Position> result;
    for (std::size_t t = first; t < tokens.size(); ++t) {
      const bool answered = sources[t] >= 0;
      kernels::Trace trace;
      session.forward({std::span(tokens).subspan(t, 1), 1, 1}, carry,
                      answered ? kernels::Depth::logits : kernels::Depth::carry, answered ? &trace : nullptr);
      if (!answered) continue;
      Position position{t, static_cast<std::size_t>(sources[t]), 0, std::numeric_limits<double>::infinity(), {}};
      position.probabilities = trace.values.at(name);
      position.mass = position.probabilities[t - position.source];
      const auto target = static_cast<std::size_t>(tokens[position.source]);
      const auto logit = [&](std::size_t v) { return numbers::Numeric<Scalar>::to_double(session.logits()[v]); };
      for (std::size_t v = 0; v < vocabulary; ++v) {
        if (v != target) position.gap = std::min(position.gap, logit(target) - logit(v));
      }
      result.push_back(std::move(position));
    }
    return result;
  });
}

}  // namespace hyseq::proofs_check
