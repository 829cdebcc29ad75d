// Lemma 3.5 on one stack: layer machines alone, their product, and the whole model compared bit by bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/base/number_format.hpp"
#include "proofs_check/stack_product/machine.hpp"
#include "proofs_check/stack_product/stack.hpp"

namespace hyseq::proofs_check {

struct SequenceEffort {
  std::uint64_t short_sequences = 4000;  // all sequences up to the longest length with no more than that many
  std::uint64_t long_sequences = 3;
  std::size_t long_length = 10000;
  std::uint64_t seed = 1;
};

struct StackResult {
  std::string name;
  std::vector<std::uint64_t> layer_states;  // of each layer alone
  std::vector<double> layer_bits;           // log2 of them
  double product_bound = 0;                 // their product
  std::uint64_t product_states = 0;         // reachable in the composed machine
  std::uint64_t whole_states = 0;           // reachable in the whole model, through its engine
  bool has_tails = false;                   // convolution tails are part of the states
  bool closed = false;
  bool within_product = false;  // product_states <= the product of the layers' states
  /// The pairs (whole state, product state) reachable together are a bijection that keeps states, hidden outputs and
  /// logits bit for bit: the two machines agree on sequences of every length.
  bool same_machine = false;
  std::uint64_t transitions = 0;  // compared for that
  std::uint64_t sequences = 0;    // run through both, token by token
  std::uint64_t tokens = 0;
  int short_length = 0;
  bool sequences_equal = false;
  std::string counterexample;  // the sequence after which the two differ, and in what

  [[nodiscard]] bool passed() const { return closed && within_product && same_machine && sequences_equal; }
};

[[nodiscard]] StackResult check_stack(const Stack& stack, NumberFormat format, const SequenceEffort& effort,
                                      ProductFault fault = ProductFault::none);

/// States of the whole stack that its engine can reach, each layer's tails and states together; InputError where they
/// are more than kMostStates.
[[nodiscard]] std::uint64_t reachable_states(const Stack& stack, NumberFormat format);

}  // namespace hyseq::proofs_check
