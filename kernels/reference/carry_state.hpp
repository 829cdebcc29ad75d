// Between the reference engine's carry, a block of numbers per row, and the neutral CarryState with named arrays.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/base/numbers/numeric.hpp"
#include "kernels/engine.hpp"
#include "kernels/reference/carry.hpp"

namespace hyseq::kernels {

/// "layers.1.tf.attention" -> "layers.1.tf.keys".
[[nodiscard]] inline std::string sibling_name(const std::string& name, const std::string& last) {
  return name.substr(0, name.rfind('.') + 1) + last;
}

/// Positions before the next token that a window of `window` still sees.
[[nodiscard]] inline std::size_t positions_held(std::uint64_t position, int window) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(position, static_cast<std::uint64_t>(window) - 1));
}

namespace detail {

/// Calls visit(array element, ring element) for every key or value of `row` that is still seen.
template <class Visit>
void each_held(const CarryInfo& info, const CarryLayout::Entry& entry, std::uint64_t position, std::size_t held,
               std::size_t row, bool keys, const Visit& visit) {
  const auto channels = static_cast<std::size_t>(info.channels);
  const auto slots = static_cast<std::size_t>(entry.slots);
  const std::size_t mine = positions_held(position, info.depth);
  for (std::size_t j = held - mine; j < held; ++j) {
    const auto slot = static_cast<std::size_t>((position - (held - j)) % slots);
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t ring = keys ? c * slots + slot : channels * slots + slot * channels + c;
      visit((row * held + j) * channels + c, entry.offset + ring);
    }
  }
}

[[nodiscard]] inline std::vector<std::size_t> carried_shape(const CarryInfo& info, std::size_t rows, std::size_t held) {
  const auto channels = static_cast<std::size_t>(info.channels);
  const auto depth = static_cast<std::size_t>(info.depth);
  switch (info.kind) {
    case CarryKind::scan_state:
      return {rows, channels, depth};
    case CarryKind::conv_tail:
      return {rows, depth, channels};
    case CarryKind::attention:
      break;
  }
  return {rows, held, channels};
}

/// The array `name` of the state, after its shape has been checked.
[[nodiscard]] inline const Array<double>& find_carried(const CarryState& state, const std::string& name,
                                                       const std::vector<std::size_t>& shape) {
  const auto found = state.arrays.find(name);
  if (found == state.arrays.end()) throw InputError("the carried state has no array '" + name + "' for this model");
  if (found->second.shape == shape) return found->second;
  const auto text = [](const std::vector<std::size_t>& extents) {
    std::string result;
    for (const std::size_t extent : extents) result += (result.empty() ? "" : " x ") + std::to_string(extent);
    return result;
  };
  throw InputError("the carried array '" + name + "' is " + text(found->second.shape) + "; this model needs " +
                   text(shape));
}

[[nodiscard]] inline std::size_t most_held(const std::vector<std::uint64_t>& positions, int window) {
  std::size_t held = 0;
  for (const std::uint64_t position : positions) held = std::max(held, positions_held(position, window));
  return held;
}

}  // namespace detail

template <class Scalar>
[[nodiscard]] CarryState to_state(const Program& program, const CarryLayout& layout, const Carry<Scalar>& carry) {
  using Numeric = numbers::Numeric<Scalar>;
  CarryState state;
  state.position = carry.position;
  state.segment = carry.segment;
  const std::size_t rows = carry.rows();
  for (std::size_t i = 0; i < program.carries.size(); ++i) {
    const CarryInfo& info = program.carries[i];
    const CarryLayout::Entry& entry = layout.entries[i];
    const bool attention = info.kind == CarryKind::attention;
    const std::size_t held = attention ? detail::most_held(carry.position, info.depth) : 0;
    Array<double> blank{detail::carried_shape(info, rows, held), {}};
    blank.values.assign(rows * (attention ? held * static_cast<std::size_t>(info.channels) : entry.size), 0.0);
    if (!attention) {
      for (std::size_t row = 0; row < rows; ++row) {
        std::transform(carry.row(row) + entry.offset, carry.row(row) + entry.offset + entry.size,
                       blank.values.begin() + static_cast<std::ptrdiff_t>(row * entry.size), Numeric::to_double);
      }
      state.arrays.emplace(info.name, std::move(blank));
      continue;
    }
    for (const bool keys : {true, false}) {
      Array<double> array = blank;
      for (std::size_t row = 0; row < rows; ++row) {
        detail::each_held(info, entry, carry.position[row], held, row, keys, [&](std::size_t to, std::size_t from) {
          array.values[to] = Numeric::to_double(carry.row(row)[from]);
        });
      }
      state.arrays.emplace(sibling_name(info.name, keys ? "keys" : "values"), std::move(array));
    }
  }
  return state;
}

/// InputError where the state is that of another model. Everything is checked before any memory is taken, because the
/// state may come from a file.
template <class Scalar>
[[nodiscard]] Carry<Scalar> from_state(const Program& program, const CarryLayout& layout, const CarryState& state) {
  using Numeric = numbers::Numeric<Scalar>;
  const std::size_t rows = state.rows();
  struct Source {
    std::size_t carry;
    bool keys;
    std::size_t held;
    const Array<double>* array;
  };
  std::vector<Source> sources;
  for (std::size_t i = 0; i < program.carries.size(); ++i) {
    const CarryInfo& info = program.carries[i];
    if (info.kind == CarryKind::attention) {
      const std::size_t held = detail::most_held(state.position, info.depth);
      const auto shape = detail::carried_shape(info, rows, held);
      for (const bool keys : {true, false}) {
        const std::string name = sibling_name(info.name, keys ? "keys" : "values");
        sources.push_back({i, keys, held, &detail::find_carried(state, name, shape)});
      }
    } else {
      sources.push_back({i, false, 0, &detail::find_carried(state, info.name, detail::carried_shape(info, rows, 0))});
    }
  }
  if (sources.size() != state.arrays.size()) {
    throw InputError("the carried state holds " + std::to_string(state.arrays.size()) + " arrays; this model carries " +
                     std::to_string(sources.size()));
  }

  Carry<Scalar> carry(rows, layout.stride, Numeric::from_double(0));
  carry.position = state.position;
  carry.segment = state.segment;
  for (const Source& source : sources) {
    const CarryInfo& info = program.carries[source.carry];
    const CarryLayout::Entry& entry = layout.entries[source.carry];
    const std::vector<double>& values = source.array->values;
    for (std::size_t row = 0; row < rows; ++row) {
      Scalar* numbers = carry.row(row);
      if (info.kind != CarryKind::attention) {
        const auto* from = values.data() + row * entry.size;
        std::transform(from, from + entry.size, numbers + entry.offset, Numeric::from_double);
        continue;
      }
      detail::each_held(info, entry, state.position[row], source.held, row, source.keys,
                        [&](std::size_t from, std::size_t to) { numbers[to] = Numeric::from_double(values[from]); });
    }
  }
  return carry;
}

}  // namespace hyseq::kernels
