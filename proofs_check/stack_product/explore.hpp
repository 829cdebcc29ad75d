// Fills the tables of machine.hpp through the reference engine: breadth first from the fresh state, bit by bit.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "kernels/reference/session.hpp"
#include "models/lowering.hpp"
#include "proofs_check/stack_product/machine.hpp"
#include "proofs_check/stack_product/stack.hpp"

namespace hyseq::proofs_check {

template <class Scalar>
[[nodiscard]] std::string bits_of(const Scalar* values, std::size_t count) {
  std::string bytes(count * sizeof(Scalar), '\0');
  if (count > 0) std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}

/// Explores a program's carried states under the inputs 0 .. inputs-1. `output(row)` numbers what a row of the last
/// call put out, `key(carry, row)` gives the bits by which states are told apart.
template <class Scalar>
class Explorer {
 public:
  using Session = kernels::ReferenceSession<Scalar>;
  using Carry = kernels::Carry<Scalar>;

  Explorer(Session& session, std::size_t inputs, const StateGrid& grid, kernels::Depth depth)
      : session_(session), inputs_(inputs), grid_(grid), depth_(depth) {}

  template <class Key, class Output>
  Table run(Numbering& states, const Key& key, const Output& output) {
    Table table;
    table.inputs = inputs_;
    rows_ = session_.fresh(1);
    // Nothing here reads a position; position 0 alone is a segment's start, where states are set to zero again.
    rows_.position[0] = 1;
    states.number(key(rows_, 0));
    std::size_t done = 0;
    while (done < states.size() && states.size() <= kMostStates && states.size() * inputs_ <= kMostTransitions) {
      const std::size_t batch = std::min<std::size_t>(states.size() - done, kBatch);
      table.next.resize((done + batch) * inputs_);
      table.output.resize((done + batch) * inputs_);
      for (std::size_t input = 0; input < inputs_; ++input) {
        Carry moved(batch, rows_.stride, numbers::Numeric<Scalar>::from_double(0));
        for (std::size_t row = 0; row < batch; ++row) moved.copy_row(row, rows_, done + row);
        const std::vector<std::int32_t> tokens(batch, static_cast<std::int32_t>(input));
        session_.forward({tokens, batch, 1}, moved, depth_);
        grid_.round(moved);
        for (std::size_t row = 0; row < batch; ++row) {
          moved.position[row] = 1;
          const std::uint32_t number = states.number(key(moved, row));
          if (number == rows_.rows()) append(moved, row);
          table.next[(done + row) * inputs_ + input] = number;
          table.output[(done + row) * inputs_ + input] = output(row);
        }
      }
      done += batch;
    }
    table.states = states.size();
    table.closed = done == states.size();
    return table;
  }

 private:
  static constexpr std::size_t kBatch = 1024;

  void append(const Carry& from, std::size_t row) {
    rows_.data.insert(rows_.data.end(), from.row(row), from.row(row) + from.stride);
    rows_.position.push_back(1);
    rows_.segment.push_back(0);
  }

  Session& session_;
  std::size_t inputs_;
  const StateGrid& grid_;
  kernels::Depth depth_;
  Carry rows_;  // one per state
};

/// The grid of the layer with that prefix: its own steps out of the stack's, where every carried number has one.
[[nodiscard]] inline StateGrid grid_of(const Stack& stack, const kernels::Program& whole, const std::string& prefix) {
  const kernels::CarryLayout layout(whole, 1);
  std::size_t first = layout.stride;
  std::size_t count = 0;
  for (std::size_t i = 0; i < whole.carries.size(); ++i) {
    if (whole.carries[i].name.rfind(prefix, 0) != 0) continue;
    first = std::min(first, layout.entries[i].offset);
    count += layout.entries[i].size;
  }
  return stack.grid.part(first, count);
}

/// Layer `index` of the stack as a model of its own: the same lowering and weights, with the alphabet as the embedding.
template <class Scalar>
[[nodiscard]] LayerMachine explore_layer(const Stack& stack, std::size_t index,
                                         const std::vector<std::vector<double>>& alphabet, bool with_tail) {
  models::Architecture alone = stack.architecture;
  alone.layers = {stack.architecture.layers[index]};
  alone.vocabulary = static_cast<int>(alphabet.size());
  alone.final_norm = models::Norm::none;
  const kernels::Program program = models::lower(alone);
  const kernels::Program whole = models::lower(stack.architecture);
  const std::string prefix = "layers." + std::to_string(index) + ".";
  kernels::ParameterValues values;
  for (const kernels::ParameterInfo& info : program.parameters) {
    if (info.name == "embedding") {
      values.emplace_back();
      for (const auto& vector : alphabet) values.back().insert(values.back().end(), vector.begin(), vector.end());
      continue;
    }
    const std::string name = prefix + info.name.substr(std::string("layers.0.").size());
    const auto found = std::find_if(whole.parameters.begin(), whole.parameters.end(),
                                    [&](const auto& each) { return each.name == name; });
    values.push_back(stack.values[static_cast<std::size_t>(found - whole.parameters.begin())]);
  }
  kernels::ReferenceSession<Scalar> session(program, values, 1);

  LayerMachine machine;
  Numbering states;
  Numbering outputs;
  const auto key = [&](const kernels::Carry<Scalar>& carry, std::size_t row) {
    std::string bytes;
    for (std::size_t i = 0; i < program.carries.size(); ++i) {
      const auto& entry = session.layout().entries[i];
      if (!with_tail && program.carries[i].kind == kernels::CarryKind::conv_tail) continue;
      bytes += bits_of(carry.row(row) + entry.offset, entry.size);
    }
    return bytes;
  };
  const auto width = static_cast<std::size_t>(program.hidden.width);
  const auto output = [&](std::size_t row) {
    const Scalar* hidden = session.row(program.hidden, row);
    const std::uint32_t number = outputs.number(bits_of(hidden, width));
    if (number == machine.sends.size()) {
      machine.sends.emplace_back();
      for (std::size_t i = 0; i < width; ++i) {
        machine.sends.back().push_back(numbers::Numeric<Scalar>::to_double(hidden[i]));
      }
    }
    return number;
  };
  const StateGrid grid = grid_of(stack, whole, prefix);
  machine.table = Explorer<Scalar>(session, alphabet.size(), grid, kernels::Depth::layers).run(states, key, output);
  for (std::uint32_t i = 0; i < states.size(); ++i) machine.states.push_back(states.text(i));
  return machine;
}

/// The embedding's rows: what layer 1 reads.
template <class Scalar>
[[nodiscard]] std::vector<std::vector<double>> token_vectors(const Stack& stack) {
  const auto width = static_cast<std::size_t>(stack.architecture.width);
  std::vector<std::vector<double>> rows;
  for (std::size_t token = 0; token < static_cast<std::size_t>(stack.architecture.vocabulary); ++token) {
    rows.emplace_back();
    for (std::size_t i = 0; i < width; ++i) {
      using Numeric = numbers::Numeric<Scalar>;
      rows.back().push_back(Numeric::to_double(Numeric::from_double(stack.values[0][token * width + i])));
    }
  }
  return rows;
}

/// Every layer alone, from the first up: a layer's alphabet is everything that the layer below can send.
template <class Scalar>
[[nodiscard]] std::vector<LayerMachine> explore_layers(const Stack& stack, bool with_tail) {
  std::vector<LayerMachine> layers;
  std::vector<std::vector<double>> alphabet = token_vectors<Scalar>(stack);
  for (std::size_t index = 0; index < stack.architecture.layers.size(); ++index) {
    layers.push_back(explore_layer<Scalar>(stack, index, alphabet, with_tail));
    if (!layers.back().table.closed) break;
    alphabet = layers.back().sends;
  }
  return layers;
}

/// The bits of the hidden output and the logits of a row of the last call, which ran to Depth::logits.
template <class Scalar>
[[nodiscard]] std::string output_bits(const kernels::ReferenceSession<Scalar>& session, std::size_t row) {
  const kernels::Program& program = session.program();
  return bits_of(session.row(program.hidden, row), static_cast<std::size_t>(program.hidden.width)) +
         bits_of(session.row(program.logits, row), static_cast<std::size_t>(program.logits.width));
}

/// The whole model through its engine.
template <class Scalar>
[[nodiscard]] WholeMachine explore_whole(const Stack& stack) {
  kernels::ReferenceSession<Scalar> session(models::lower(stack.architecture), stack.values, 1);
  WholeMachine machine;
  const auto key = [&](const kernels::Carry<Scalar>& carry, std::size_t row) {
    return bits_of(carry.row(row), carry.stride);
  };
  const auto output = [&](std::size_t row) { return machine.outputs.number(output_bits(session, row)); };
  machine.table = Explorer<Scalar>(session, static_cast<std::size_t>(stack.architecture.vocabulary), stack.grid,
                                   kernels::Depth::logits)
                      .run(machine.states, key, output);
  return machine;
}

/// Hidden output and logits, in bits, for every vector that the last layer can send: the head alone.
template <class Scalar>
[[nodiscard]] std::vector<std::string> head_outputs(const Stack& stack, const std::vector<std::vector<double>>& sends) {
  kernels::Program program = models::lower(stack.architecture);
  std::vector<kernels::Operation> head(program.forward.begin() + static_cast<std::ptrdiff_t>(program.head_begin),
                                       program.forward.end());
  kernels::ParameterValues values = stack.values;
  const auto table = static_cast<kernels::ParameterId>(program.parameters.size());
  program.parameters.push_back(
      {"sends", {sends.size(), static_cast<std::size_t>(program.hidden.width)}, kernels::Initialiser::normal});
  values.emplace_back();
  for (const auto& vector : sends) values.back().insert(values.back().end(), vector.begin(), vector.end());
  program.forward = {kernels::Operation(kernels::Embedding{table, program.hidden})};
  program.head_begin = 1;
  program.forward.insert(program.forward.end(), head.begin(), head.end());
  program.vocabulary = static_cast<int>(sends.size());
  kernels::ReferenceSession<Scalar> session(program, values, 1);
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i < sends.size(); ++i) {
    auto carry = session.fresh(1);
    const std::vector<std::int32_t> token{static_cast<std::int32_t>(i)};
    session.forward({token, 1, 1}, carry, kernels::Depth::logits);
    outputs.push_back(output_bits(session, 0));
  }
  return outputs;
}

}  // namespace hyseq::proofs_check
