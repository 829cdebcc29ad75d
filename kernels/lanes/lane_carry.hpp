// Between a session that runs one row in every lane and the neutral CarryState.
//
// What a carry brings in of keys, values and convolution inputs goes into buffer rows in front of the first token,
// where the bodies find it as they find the rows of earlier tokens; the state of a scan goes into the session's.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/engine.hpp"
#include "kernels/lanes/session.hpp"
#include "kernels/reference/carry_state.hpp"

namespace hyseq::kernels {

/// Calls visit(carry's name, view, rows held) for every array of a carry that consists of earlier rows of a buffer.
template <class Visit>
void for_each_carried_view(const Program& program, const Visit& visit) {
  for (const Operation& operation : program.forward) {
    if (const auto* conv = std::get_if<CausalConv>(&operation)) {
      const CarryInfo& info = program.carries[static_cast<std::size_t>(conv->carry)];
      visit(info.name, info, conv->in);
    } else if (const auto* attention = std::get_if<WindowAttention>(&operation)) {
      const CarryInfo& info = program.carries[static_cast<std::size_t>(attention->carry)];
      visit(sibling_name(info.name, "keys"), info, attention->k);
      visit(sibling_name(info.name, "values"), info, attention->v);
    }
  }
}

/// Rows of a carried view that a row at `position` still sees.
[[nodiscard]] inline std::size_t rows_held(const CarryInfo& info, std::uint64_t position) {
  if (info.kind == CarryKind::attention) return positions_held(position, info.depth);
  return static_cast<std::size_t>(std::min<std::uint64_t>(position, static_cast<std::uint64_t>(info.depth)));
}

/// Rows that the carry of any row needs in front of the tokens.
[[nodiscard]] inline std::size_t front_rows(const Program& program, const CarryState& state) {
  std::size_t front = 0;
  for_each_carried_view(program, [&](const std::string& /*name*/, const CarryInfo& info, const View& /*view*/) {
    for (const std::uint64_t position : state.position) front = std::max(front, rows_held(info, position));
  });
  return front;
}

/// InputError where the state is that of another model.
inline void check_carry(const Program& program, const CarryState& state) {
  const std::size_t rows = state.rows();
  std::size_t known = 0;
  for (const CarryInfo& info : program.carries) {
    if (info.kind == CarryKind::attention) {
      const auto shape = detail::carried_shape(info, rows, detail::most_held(state.position, info.depth));
      for (const char* array : {"keys", "values"}) {
        (void)detail::find_carried(state, sibling_name(info.name, array), shape);
        ++known;
      }
    } else {
      (void)detail::find_carried(state, info.name, detail::carried_shape(info, rows, 0));
      ++known;
    }
  }
  if (known != state.arrays.size()) {
    throw InputError("the carried state holds " + std::to_string(state.arrays.size()) + " arrays; this model carries " +
                     std::to_string(known));
  }
}

namespace detail {

template <class T>
void spread(double value, std::size_t lanes, T* to) {
  std::fill_n(to, lanes, static_cast<T>(value));
}

}  // namespace detail

/// Batch row `row` of the state into the session, whose layout has `front` rows in front.
template <class T>
void load_carry(LaneSession<T>& session, const Program& program, const CarryState& state, std::size_t row,
                std::size_t front) {
  const std::size_t lanes = session.lanes();
  for_each_carried_view(program, [&](const std::string& name, const CarryInfo& info, const View& view) {
    const Array<double>& array = state.arrays.at(name);
    const std::size_t stored = array.shape[1];
    const auto channels = static_cast<std::size_t>(view.width);
    const std::size_t held = rows_held(info, state.position[row]);
    for (std::size_t j = 0; j < held; ++j) {  // the newest last
      const double* from = array.values.data() + (row * stored + stored - held + j) * channels;
      T* to = session.row(static_cast<std::size_t>(view.buffer), front - held + j) +
              static_cast<std::size_t>(view.offset) * lanes;
      for (std::size_t c = 0; c < channels; ++c) detail::spread(from[c], lanes, to + c * lanes);
    }
  });
  for (std::size_t i = 0; i < program.forward.size(); ++i) {
    const auto* scan = std::get_if<SelectiveScan>(&program.forward[i]);
    if (scan == nullptr) continue;
    const Array<double>& array = state.arrays.at(program.carries[static_cast<std::size_t>(scan->carry)].name);
    const std::size_t size = array.shape[1] * array.shape[2];
    for (std::size_t e = 0; e < size; ++e) {
      detail::spread(array.values[row * size + e], lanes, session.state(i) + e * lanes);
    }
  }
}

/// A state of rows at the given positions, all of it zero.
[[nodiscard]] inline CarryState blank_carry(const Program& program, const std::vector<std::uint64_t>& position,
                                            const std::vector<std::int32_t>& segment) {
  CarryState state;
  state.position = position;
  state.segment = segment;
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& shape) {
    state.arrays[name] = {shape, std::vector<double>(shape[0] * shape[1] * shape[2], 0.0)};
  };
  for (const CarryInfo& info : program.carries) {
    const auto shape =
        detail::carried_shape(info, position.size(), detail::most_held(position, std::max(info.depth, 1)));
    if (info.kind == CarryKind::attention) {
      add(sibling_name(info.name, "keys"), shape);
      add(sibling_name(info.name, "values"), shape);
    } else {
      add(info.name, shape);
    }
  }
  return state;
}

/// What the session's rows up to `end` leave behind, from lane `lane`, into batch row `row` of a blank state.
template <class T>
void store_carry(LaneSession<T>& session, const Program& program, std::size_t end, std::size_t lane, std::size_t row,
                 CarryState& state) {
  const std::size_t lanes = session.lanes();
  for_each_carried_view(program, [&](const std::string& name, const CarryInfo& info, const View& view) {
    Array<double>& array = state.arrays.at(name);
    const std::size_t stored = array.shape[1];
    const auto channels = static_cast<std::size_t>(view.width);
    const std::size_t held = rows_held(info, state.position[row]);
    for (std::size_t j = 0; j < held; ++j) {
      const T* from = session.row(static_cast<std::size_t>(view.buffer), end - held + j) +
                      static_cast<std::size_t>(view.offset) * lanes;
      double* to = array.values.data() + (row * stored + stored - held + j) * channels;
      for (std::size_t c = 0; c < channels; ++c) to[c] = static_cast<double>(from[c * lanes + lane]);
    }
  });
  for (std::size_t i = 0; i < program.forward.size(); ++i) {
    const auto* scan = std::get_if<SelectiveScan>(&program.forward[i]);
    if (scan == nullptr) continue;
    Array<double>& array = state.arrays.at(program.carries[static_cast<std::size_t>(scan->carry)].name);
    const std::size_t size = array.shape[1] * array.shape[2];
    for (std::size_t e = 0; e < size; ++e) {
      array.values[row * size + e] = static_cast<double>(session.state(i)[e * lanes + lane]);
    }
  }
}

}  // namespace hyseq::kernels
