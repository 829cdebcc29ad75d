// Bodies of ReferenceSession, for the files that instantiate it: one per family of number types, so that they compile
// side by side. Everyone else includes session.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/reference/session.hpp"

namespace hyseq::kernels {

template <class Scalar>
ReferenceSession<Scalar>::ReferenceSession(const Program& program, const ParameterValues& values, std::uint64_t longest)
    : program_(program), layout_(program, longest) {
  if (values.size() != program.parameters.size()) {
    throw InputError("a program of " + std::to_string(program.parameters.size()) + " parameters got " +
                     std::to_string(values.size()) + " arrays of values");
  }
  for (std::size_t p = 0; p < values.size(); ++p) {
    const ParameterInfo& info = program.parameters[p];
    if (values[p].size() != info.size()) {
      throw InputError("parameter " + info.name + " has " + std::to_string(values[p].size()) +
                       " values; its shape needs " + std::to_string(info.size()));
    }
    std::vector<Accumulator> rounded;
    rounded.reserve(values[p].size());
    for (const double value : values[p]) {
      if (!std::isfinite(value)) throw InputError("parameter " + info.name + " holds a value that is not finite");
      rounded.push_back(Numeric::widen(Numeric::from_double(value)));
    }
    parameters_.push_back(std::move(rounded));
  }
  matrices_.resize(program_.forward.size());
  rates_.resize(program_.forward.size());
  derive();
  buffers_.resize(program_.buffers.size());
  context_.program = &program_;
  context_.buffers = &buffers_;
  context_.parameters = &parameters_;
  context_.layout = &layout_;
  context_.scratch = &scratch_;
}

template <class Scalar>
void ReferenceSession<Scalar>::derive() {
  for (std::size_t i = 0; i < program_.forward.size(); ++i) {
    if (const auto* linear = std::get_if<Linear>(&program_.forward[i])) {
      matrices_[i].emplace(parameters_[static_cast<std::size_t>(linear->weight)].data(),
                           static_cast<std::size_t>(linear->out.width), static_cast<std::size_t>(linear->in.width));
    } else if (const auto* scan = std::get_if<SelectiveScan>(&program_.forward[i])) {
      rates_[i].clear();
      for (const Accumulator& log_rate : parameters_[static_cast<std::size_t>(scan->log_rate)]) {
        rates_[i].push_back(-numbers::exp(log_rate));
      }
    }
  }
}

template <class Scalar>
void ReferenceSession<Scalar>::bind(const std::vector<std::vector<Accumulator>>& values) {
  parameters_ = values;
  derive();
}

template <class Scalar>
void ReferenceSession<Scalar>::place(const TokenBlock& block, Carry<Scalar>& carry, Depth depth) {
  const std::size_t rows = block.batch * block.time;
  if (block.tokens.size() != rows || (!block.segments.empty() && block.segments.size() != rows) ||
      carry.rows() != block.batch) {
    throw InputError("a block of " + std::to_string(block.batch) + " x " + std::to_string(block.time) +
                     " tokens needs as many token and segment ids and a carry of " + std::to_string(block.batch) +
                     " rows");
  }
  check_tokens(program_, block.tokens, block.time);
  context_.batch = block.batch;
  context_.time = block.time;
  context_.tokens = block.tokens;
  context_.dropout = block.dropout;
  context_.first_row = block.first_row;
  context_.carry = &carry;
  context_.position.resize(rows);
  context_.starts.resize(rows);
  for (std::size_t b = 0; b < block.batch; ++b) {
    for (std::size_t t = 0; t < block.time; ++t) {
      const std::size_t row = b * block.time + t;
      if (!block.segments.empty() && block.segments[row] != carry.segment[b]) {
        carry.segment[b] = block.segments[row];
        carry.position[b] = 0;
      }
      context_.starts[row] = carry.position[b] == 0 ? 1 : 0;
      context_.position[row] = carry.position[b]++;
    }
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    // A large vocabulary's logits take more than everything else together.
    if (depth != Depth::logits && static_cast<int>(i) == program_.logits.buffer) continue;
    const std::size_t needed = rows * static_cast<std::size_t>(program_.buffers[i].width);
    if (buffers_[i].size() < needed) buffers_[i].resize(needed, Numeric::from_double(0));
  }
}

template <class Scalar>
void ReferenceSession<Scalar>::call(const Operation& operation, std::size_t index) {
  std::visit(
      [&](const auto& given) {
        using Call = std::decay_t<decltype(given)>;
        if constexpr (std::is_same_v<Call, Linear>) {
          reference<Scalar>(given, *matrices_[index], context_);
        } else if constexpr (std::is_same_v<Call, SelectiveScan>) {
          reference<Scalar>(given, rates_[index], context_);
        } else {
          reference<Scalar>(given, context_);
        }
      },
      operation);
}

template <class Scalar>
std::size_t ReferenceSession<Scalar>::last_operation(Depth depth) const {
  if (depth == Depth::logits) return program_.forward.size();
  if (depth == Depth::layers) return program_.head_begin;
  std::size_t end = 0;
  for (std::size_t i = 0; i < program_.forward.size(); ++i) {
    std::visit(
        [&](const auto& call) {
          if constexpr (requires { call.carry; }) end = i + 1;
        },
        program_.forward[i]);
  }
  return end;
}

template <class Scalar>
void ReferenceSession<Scalar>::forward(const TokenBlock& block, Carry<Scalar>& carry, Depth depth, Trace* trace) {
  place(block, carry, depth);
  run(depth, trace);
}

template <class Scalar>
void ReferenceSession<Scalar>::run(Depth depth, Trace* trace) {
  context_.trace = trace;
  const std::size_t end = last_operation(depth);
  for (std::size_t i = 0; i < end; ++i) {
    context_.store_only = depth == Depth::carry && i + 1 == end;
    call(program_.forward[i], i);
  }
}

template <class Scalar>
void ReferenceSession<Scalar>::poison(std::size_t rows) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].assign(rows * static_cast<std::size_t>(program_.buffers[i].width), Numeric::from_double(nan));
  }
  const auto longest_row = static_cast<std::size_t>(program_.vocabulary);
  scratch_.assign(std::max(scratch_.size(), longest_row), constant<Accumulator>(nan));
}

}  // namespace hyseq::kernels
