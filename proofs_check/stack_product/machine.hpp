// Machines as tables: of a layer alone, of the product of layers as Lemma 3.5 defines it, and of a whole model through
// its engine. States, inputs and outputs are numbers in order of discovery; state 0 is the start.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace hyseq::proofs_check {

/// No set of states is explored beyond this.
inline constexpr std::size_t kMostStates = 200000;
/// No table is filled beyond this many (state, input) pairs.
inline constexpr std::size_t kMostTransitions = 5000000;

/// Numbers byte strings in order of their first appearance.
class Numbering {
 public:
  std::uint32_t number(const std::string& bytes) {
    const auto [entry, fresh] = numbers_.emplace(bytes, static_cast<std::uint32_t>(texts_.size()));
    if (fresh) texts_.push_back(&entry->first);
    return entry->second;
  }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] const std::string& text(std::uint32_t number) const { return *texts_[number]; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<const std::string*> texts_;  // nodes of the map do not move
};

/// next[state * inputs + input] and output[..] likewise.
struct Table {
  std::size_t states = 0;
  std::size_t inputs = 0;
  std::vector<std::uint32_t> next;
  std::vector<std::uint32_t> output;
  bool closed = false;  // every state's row is there; false where a limit ended the search

  [[nodiscard]] std::size_t at(std::uint32_t state, std::uint32_t input) const { return state * inputs + input; }
};

/// A layer alone under every input in its alphabet, whether or not the layers below ever send it in that state.
struct LayerMachine {
  Table table;
  std::vector<std::string> states;         // the bits of what is carried
  std::vector<std::vector<double>> sends;  // the vector that each output number stands for
};

/// The layers composed: a product state is one state per layer; layer 1 reads the token, every other layer the output
/// of the one below. Only reachable product states are listed. Outputs are those of the last layer.
struct ProductMachine {
  Table table;
  std::vector<std::vector<std::uint32_t>> states;  // one state number per layer
};

/// A whole model, token by token: the bits of everything that it carries, and of its hidden output and logits.
struct WholeMachine {
  Table table;
  Numbering states;
  Numbering outputs;
};

/// Faults for the negative controls.
enum class ProductFault {
  none,
  altered_transition,  // one transition of the product leads elsewhere
  dropped_layer,       // product states that differ in the last layer alone are taken for one
  dropped_tail,        // a layer's state without its convolution tail
  cut_wire,            // the last layer reads the same whatever the one below sends
  hidden_state,        // the first layer is said to have one state fewer
};

/// Every layer's table must be closed. Product states in order of discovery, breadth first.
[[nodiscard]] ProductMachine compose(const std::vector<LayerMachine>& layers, std::size_t tokens, ProductFault fault);

}  // namespace hyseq::proofs_check
