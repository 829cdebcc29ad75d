#include "proofs_check/stack_product/product_check.hpp"

#include <cmath>
#include <map>

#include "kernels/base/random.hpp"
#include "proofs_check/engines.hpp"
#include "proofs_check/stack_product/explore.hpp"

namespace hyseq::proofs_check {
namespace {

using Tokens = std::vector<std::int32_t>;

constexpr std::size_t kShown = 40;  // tokens of a counterexample that are printed

std::string text_of(const Tokens& tokens, const std::string& what) {
  std::string text;
  const std::size_t first = tokens.size() > kShown ? tokens.size() - kShown : 0;
  if (first > 0) text = "(" + std::to_string(first) + " tokens) ";
  for (std::size_t i = first; i < tokens.size(); ++i) text += (i == first ? "" : " ") + std::to_string(tokens[i]);
  return text + " -> " + what;
}

/// What the product machine puts out, in the bits of the whole model's hidden output and logits.
using Outputs = std::map<std::uint32_t, std::string>;

template <class Scalar>
Outputs product_outputs(const Stack& stack, const std::vector<LayerMachine>& layers, const ProductMachine& product) {
  Outputs outputs;
  std::vector<std::vector<double>> sends;
  for (const std::uint32_t symbol : product.table.output) {
    if (outputs.emplace(symbol, "").second) sends.push_back(layers.back().sends[symbol]);
  }
  // The order of first appearance is that of `sends`.
  std::size_t next = 0;
  const std::vector<std::string> bits = head_outputs<Scalar>(stack, sends);
  std::map<std::uint32_t, bool> seen;
  for (const std::uint32_t symbol : product.table.output) {
    if (seen.emplace(symbol, true).second) outputs[symbol] = bits[next++];
  }
  return outputs;
}

/// The bits that the whole model carries in a product state: the layers' one after another, in the program's order.
std::string carried_bits(const std::vector<LayerMachine>& layers, const std::vector<std::uint32_t>& state) {
  std::string bits;
  for (std::size_t layer = 0; layer < layers.size(); ++layer) bits += layers[layer].states[state[layer]];
  return bits;
}

/// Walks both machines together from their starts, token by token; every pair met must agree, and no state may be met
/// with two partners.
void compare_machines(const WholeMachine& whole, const ProductMachine& product, const std::vector<LayerMachine>& layers,
                      const Outputs& outputs, StackResult& result) {
  constexpr std::uint32_t kUnmet = 0xFFFFFFFF;
  struct Met {
    std::uint32_t whole;
    std::uint32_t product;
    std::uint32_t from;  // index into the list, for the counterexample
    std::int32_t token;
  };
  std::vector<Met> met{{0, 0, 0, -1}};
  std::vector<std::uint32_t> partner(whole.table.states, kUnmet);
  std::vector<std::uint32_t> back(product.table.states, kUnmet);
  partner[0] = 0;
  back[0] = 0;
  const auto fail = [&](std::size_t at, std::size_t token, const std::string& what) {
    Tokens tokens{static_cast<std::int32_t>(token)};
    for (; met[at].token >= 0; at = met[at].from) tokens.insert(tokens.begin(), met[at].token);
    result.counterexample = text_of(tokens, what);
  };
  for (std::size_t done = 0; done < met.size(); ++done) {
    const Met here = met[done];
    for (std::uint32_t token = 0; token < whole.table.inputs; ++token) {
      ++result.transitions;
      const std::size_t w = whole.table.at(here.whole, token);
      const std::size_t p = product.table.at(here.product, token);
      if (whole.outputs.text(whole.table.output[w]) != outputs.at(product.table.output[p])) {
        fail(done, token, "another output");
        return;
      }
      const std::uint32_t a = whole.table.next[w];
      const std::uint32_t b = product.table.next[p];
      if (partner[a] == b && back[b] == a) continue;
      if (partner[a] != kUnmet || back[b] != kUnmet) {
        fail(done, token, "a state that stands for two");
        return;
      }
      if (whole.states.text(a) != carried_bits(layers, product.states[b])) {
        fail(done, token, "another state");
        return;
      }
      partner[a] = b;
      back[b] = a;
      met.push_back({a, b, static_cast<std::uint32_t>(done), static_cast<std::int32_t>(token)});
    }
  }
  result.same_machine = met.size() == whole.table.states && met.size() == product.table.states;
}

/// The model through its engine beside the product machine's table, over one sequence.
template <class Scalar>
class Runner {
 public:
  Runner(const Stack& stack, const ProductMachine& product, const Outputs& outputs, StackResult& result)
      : session_(models::lower(stack.architecture), stack.values, 1),
        grid_(stack.grid),
        product_(product),
        outputs_(outputs),
        result_(result) {}

  bool agrees(const Tokens& tokens) {
    auto carry = session_.fresh(1);
    std::uint32_t state = 0;
    ++result_.sequences;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      session_.forward({std::span(tokens).subspan(t, 1), 1, 1}, carry, kernels::Depth::logits);
      grid_.round(carry);
      ++result_.tokens;
      const std::size_t at = product_.table.at(state, static_cast<std::uint32_t>(tokens[t]));
      state = product_.table.next[at];
      if (output_bits(session_, 0) == outputs_.at(product_.table.output[at])) continue;
      if (result_.counterexample.empty()) {
        const Tokens prefix(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(t) + 1);
        result_.counterexample = text_of(prefix, "another output");
      }
      return false;
    }
    return true;
  }

 private:
  kernels::ReferenceSession<Scalar> session_;
  StateGrid grid_;
  const ProductMachine& product_;
  const Outputs& outputs_;
  StackResult& result_;
};

/// Every sequence of the longest length that stays below the limit (and with it every shorter one), and long random
/// ones.
template <class Scalar>
bool compare_sequences(Runner<Scalar>& runner, std::size_t vocabulary, const SequenceEffort& effort,
                       StackResult& result) {
  std::uint64_t count = 1;
  while (count * vocabulary <= effort.short_sequences) {
    count *= vocabulary;
    ++result.short_length;
    if (vocabulary < 2) break;
  }
  for (std::uint64_t index = 0; index < count; ++index) {
    Tokens tokens;
    std::uint64_t rest = index;
    for (int t = 0; t < result.short_length; ++t, rest /= vocabulary) {
      tokens.push_back(static_cast<std::int32_t>(rest % vocabulary));
    }
    if (!runner.agrees(tokens)) return false;
  }
  for (std::uint64_t index = 0; index < effort.long_sequences; ++index) {
    RandomStream random({effort.seed, Purpose::verification}, index);
    Tokens tokens;
    for (std::size_t t = 0; t < effort.long_length; ++t) {
      tokens.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vocabulary))));
    }
    if (!runner.agrees(tokens)) return false;
  }
  return true;
}

template <class Scalar>
StackResult check_stack_in(const Stack& stack, const SequenceEffort& effort, ProductFault fault) {
  StackResult result;
  result.name = stack.name;
  const std::vector<LayerMachine> layers = explore_layers<Scalar>(stack, fault != ProductFault::dropped_tail);
  result.product_bound = 1;
  for (const LayerMachine& layer : layers) {
    result.layer_states.push_back(layer.table.states);
    result.layer_bits.push_back(std::log2(static_cast<double>(layer.table.states)));
  }
  if (fault == ProductFault::hidden_state) result.layer_states[0] -= 1;
  for (const std::uint64_t states : result.layer_states) result.product_bound *= static_cast<double>(states);
  if (!layers.back().table.closed) return result;

  const auto vocabulary = static_cast<std::size_t>(stack.architecture.vocabulary);
  const ProductMachine product = compose(layers, vocabulary, fault);
  const WholeMachine whole = explore_whole<Scalar>(stack);
  result.product_states = product.table.states;
  result.whole_states = whole.table.states;
  result.closed = product.table.closed && whole.table.closed;
  if (!result.closed) return result;
  for (const kernels::CarryInfo& carry : models::lower(stack.architecture).carries) {
    result.has_tails = result.has_tails || carry.kind == kernels::CarryKind::conv_tail;
  }
  result.within_product = static_cast<double>(result.product_states) <= result.product_bound;
  const Outputs outputs = product_outputs<Scalar>(stack, layers, product);
  compare_machines(whole, product, layers, outputs, result);
  Runner<Scalar> runner(stack, product, outputs, result);
  result.sequences_equal = compare_sequences(runner, vocabulary, effort, result);
  return result;
}

}  // namespace

StackResult check_stack(const Stack& stack, NumberFormat format, const SequenceEffort& effort, ProductFault fault) {
  stack.validate();
  return with_scalar(format, [&](auto scalar) { return check_stack_in<decltype(scalar)>(stack, effort, fault); });
}

std::uint64_t reachable_states(const Stack& stack, NumberFormat format) {
  stack.validate();
  return with_scalar(format, [&](auto scalar) {
    const WholeMachine whole = explore_whole<decltype(scalar)>(stack);
    if (!whole.table.closed) {
      throw InputError("the stack '" + stack.name + "' reaches more states than can be listed (" +
                       std::to_string(kMostStates) + "); round its states to fewer bits");
    }
    return static_cast<std::uint64_t>(whole.table.states);
  });
}

}  // namespace hyseq::proofs_check
