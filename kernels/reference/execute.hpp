// Engine::execute on the reference engine.
#pragma once

#include <limits>
#include <string>

#include "kernels/checks.hpp"
#include "kernels/engine.hpp"
#include "kernels/reference/backward.hpp"
#include "kernels/reference/session.hpp"

namespace hyseq::kernels {

/// `values` rounded into buffers of these widths; NaN where there are none.
template <class Scalar>
void fill_buffers(const std::vector<BufferInfo>& infos, const std::vector<std::vector<double>>* values,
                  std::size_t rows, std::vector<std::vector<Scalar>>& buffers) {
  using Numeric = numbers::Numeric<Scalar>;
  check_buffer_values(infos, values, rows);
  buffers.resize(infos.size());
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const std::size_t size = rows * static_cast<std::size_t>(infos[i].width);
    buffers[i].assign(size, Numeric::from_double(std::numeric_limits<double>::quiet_NaN()));
    for (std::size_t j = 0; values != nullptr && j < size; ++j) buffers[i][j] = Numeric::from_double((*values)[i][j]);
  }
}

template <class Scalar>
[[nodiscard]] std::vector<std::vector<double>> to_doubles(const std::vector<std::vector<Scalar>>& buffers) {
  std::vector<std::vector<double>> values;
  for (const auto& buffer : buffers) {
    auto& row = values.emplace_back();
    for (const Scalar& value : buffer) row.push_back(numbers::Numeric<Scalar>::to_double(value));
  }
  return values;
}

template <class Scalar>
[[nodiscard]] ExecuteResult execute(const ExecuteRequest& request) {
  const Program& program = *request.program;
  const std::size_t rows = request.batch * request.time;
  if (rows == 0) throw InputError("a program runs on at least one token");
  if (!request.targets.empty()) check_size(request.targets.size(), rows, "targets");
  ReferenceSession<Scalar> session(program, *request.parameters, request.time);
  Carry<Scalar> carry = session.fresh(request.batch);
  const std::vector<std::int32_t> no_tokens(request.tokens.empty() ? rows : 0, 0);
  session.place({request.tokens.empty() ? std::span<const std::int32_t>(no_tokens) : request.tokens, request.batch,
                 request.time, request.segments, request.dropout},
                carry);
  fill_buffers(program.buffers, request.buffers, rows, session.buffers());
  session.run();
  ExecuteResult result;
  result.buffers = to_doubles(session.buffers());
  if (request.backward) {
    ReferenceBackward<Scalar> backward(program);
    fill_buffers(program.gradients, request.gradients, rows, backward.buffers());
    backward.run(session, {request.targets, request.valid_below, count_valid(request.targets, request.valid_below)});
    result.gradients = to_doubles(backward.buffers());
    result.parameter_gradients = backward.rounded_parameter_gradients();
  }
  return result;
}

}  // namespace hyseq::kernels
