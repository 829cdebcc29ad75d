// Bodies of ReferenceBackward, for the files that instantiate it. Everyone else includes backward.hpp.
#pragma once

#include <algorithm>

#include "kernels/reference/backward.hpp"

namespace hyseq::kernels {

template <class Scalar>
ReferenceBackward<Scalar>::ReferenceBackward(const Program& program) : buffers_(program.gradients.size()) {
  for (const ParameterInfo& parameter : program.parameters) parameter_gradients_.emplace_back(parameter.size());
}

template <class Scalar>
void ReferenceBackward<Scalar>::clear() {
  for (auto& values : parameter_gradients_) std::fill(values.begin(), values.end(), Accumulator{});
}

template <class Scalar>
void ReferenceBackward<Scalar>::run(ReferenceSession<Scalar>& session, const BackwardTargets& targets) {
  Context<Scalar>& context = session.context();
  const Program& program = session.program();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const std::size_t needed = context.rows() * static_cast<std::size_t>(program.gradients[i].width);
    if (buffers_[i].size() < needed) buffers_[i].resize(needed, Numeric::from_double(0));
  }
  context.gradients = &buffers_;
  context.parameter_gradients = &parameter_gradients_;
  context.targets = targets.targets;
  context.valid_below = targets.valid_below;
  context.valid = targets.valid;
  check_targets(targets.targets, targets.valid_below, program.vocabulary);
  for (const BackwardOperation& operation : program.backward) {
    std::visit([&](const auto& call) { reference<Scalar>(call, context); }, operation);
  }
}

template <class Scalar>
ParameterValues ReferenceBackward<Scalar>::rounded_parameter_gradients() const {
  ParameterValues values;
  for (const auto& sums : parameter_gradients_) {
    auto& rounded = values.emplace_back();
    for (const Accumulator& sum : sums) rounded.push_back(Numeric::to_double(Numeric::round(sum)));
  }
  return values;
}

}  // namespace hyseq::kernels
