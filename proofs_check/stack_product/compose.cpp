#include <algorithm>

#include "proofs_check/stack_product/machine.hpp"

namespace hyseq::proofs_check {
namespace {

/// A tuple of state numbers as bytes.
std::string key_of(const std::vector<std::uint32_t>& tuple, std::size_t used) {
  std::string key;
  for (std::size_t layer = 0; layer < used; ++layer) {
    for (int byte = 0; byte < 4; ++byte) key += static_cast<char>(tuple[layer] >> (8 * byte) & 0xFFU);
  }
  return key;
}

/// The last reachable transition that can be bent moves to another state: the one after its own.
void alter_one_transition(Table& table) {
  if (table.states < 2 || table.next.empty()) return;
  std::uint32_t& last = table.next.back();
  last = static_cast<std::uint32_t>((last + 1) % table.states);
}

}  // namespace

ProductMachine compose(const std::vector<LayerMachine>& layers, std::size_t tokens, ProductFault fault) {
  ProductMachine product;
  product.table.inputs = tokens;
  const std::size_t told_apart = layers.size() - (fault == ProductFault::dropped_layer ? 1 : 0);
  Numbering numbering;
  const std::vector<std::uint32_t> start(layers.size(), 0);
  numbering.number(key_of(start, told_apart));
  product.states.push_back(start);
  for (std::size_t done = 0; done < product.states.size() && done < kMostStates; ++done) {
    for (std::size_t token = 0; token < tokens; ++token) {
      std::vector<std::uint32_t> tuple = product.states[done];
      auto symbol = static_cast<std::uint32_t>(token);
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        const Table& table = layers[layer].table;
        const bool cut = fault == ProductFault::cut_wire && layer > 0 && layer + 1 == layers.size();
        const std::size_t at = table.at(tuple[layer], cut ? 0 : symbol);
        tuple[layer] = table.next[at];
        symbol = table.output[at];
      }
      const std::uint32_t number = numbering.number(key_of(tuple, told_apart));
      if (number == product.states.size()) product.states.push_back(tuple);
      product.table.next.push_back(number);
      product.table.output.push_back(symbol);
    }
  }
  product.table.states = product.states.size();
  product.table.closed = product.table.next.size() == product.table.states * tokens;
  if (fault == ProductFault::altered_transition) alter_one_transition(product.table);
  return product;
}

}  // namespace hyseq::proofs_check
