// Element by element: embedding, activations, gates, dropout, rotations.
#include "kernels/cuda/traffic/counter.hpp"
#include "kernels/embedding/cuda.hpp"
#include "kernels/rotary/cuda.hpp"

namespace hyseq::kernels::cuda {
namespace {

Quantity width(const View& view) { return {"w", view.width}; }

struct ActivationWork {
  const char* name;
  int operations;
  int functions;
  int slope_operations;
  int slope_functions;
};

ActivationWork work_of(Activation activation) {
  switch (activation) {
    case Activation::silu:
      return {"silu", 2, 2, 6, 2};
    case Activation::gelu:
      return {"gelu", 4, 1, 9, 2};
    case Activation::softplus:
      return {"softplus", 1, 2, 2, 2};
    case Activation::identity:
      break;
  }
  return {"identity", 0, 0, 1, 0};
}

/// Two operands make one.
void count_gate(const char* name, const View& out, Counter& counter) {
  const Quantity w = width(out);
  counter.add("GateGroup", name, {.bytes = 12 * counter.rows * w, .operations = counter.rows * w});
}

template <class Call>
void count_gate_backward(const char* name, bool multiplies, const Call& call, Counter& counter) {
  const Quantity w = width(call.out_gradient);
  const Gradients gradients{call.a_gradient, call.b_gradient};
  if (gradients.wanted == 0) return;
  const int factors = multiplies ? gradients.wanted : 0;
  counter.add("GateBackwardGroup", name,
              {.bytes = 4 * counter.rows * w * (1 + gradients.wanted + factors + gradients.adds),
               .operations = counter.rows * w * (factors + gradients.adds)});
}

void count_rotation(const Rotary& call, const char* purpose, Counter& counter) {
  const std::size_t half = call.turns.size();
  for (std::size_t first = 0; first < half; first += kRotaryTurns) {
    const Quantity turns("f", std::min<std::size_t>(kRotaryTurns, half - first));
    counter.add("RotaryTable", purpose,
                {.bytes = 8 * counter.time * turns,
                 .operations = 2 * counter.time * turns,
                 .functions = 2 * counter.time * turns});
  }
  if (half == 0) return;
  const Quantity pairs = Quantity("H", call.heads) * Quantity("f", half);
  counter.add(
      "Rotate", purpose,
      {.bytes = 16 * counter.rows * pairs + 8 * counter.time * Quantity("f", half) + 4 * counter.batch * counter.time,
       .operations = 6 * counter.rows * pairs});
}

}  // namespace

void count(const Embedding& call, Counter& counter) {
  const Quantity w = width(call.out);
  const Quantity tokens(
      "v", std::min<std::size_t>(static_cast<std::size_t>(counter.program.vocabulary), counter.member_rows));
  counter.add("EmbeddingGroup", "embedding", {.bytes = 4 * counter.rows * (w + 1) + 4 * counter.members * tokens * w});
}

void count(const EmbeddingBackward& call, Counter& counter) {
  const Quantity w = width(call.out_gradient);
  const std::size_t slab_count = ceil_quotient(counter.member_rows, kTokenSlab);
  const Quantity slabs("S", slab_count);
  const auto vocabulary = static_cast<std::size_t>(counter.program.vocabulary);
  const Quantity tokens("v", std::min(vocabulary, counter.member_rows));
  const Quantity read = 4 * counter.rows * (w + 2) + 4 * counter.members * Quantity("V", vocabulary);
  const Quantity table = 8 * counter.members * tokens * w;
  if (slab_count == 1) {
    counter.add("SumTokenSlabs", "embedding, backward", {.bytes = read + table, .operations = counter.rows * w});
    return;
  }
  // Where tokens begin and end depends on the data; each slab has two of those that go on elsewhere at most.
  const Quantity sums = counter.members * slabs * w;
  counter.add("SumTokenSlabs", "embedding, backward",
              {.bytes = read + table + 8 * sums, .operations = counter.rows * w});
  counter.add("SumTokenPartials", "embedding, backward", {.bytes = 16 * sums, .operations = 2 * sums});
}

void count(const PositionCode& call, Counter& counter) {
  const Quantity w = width(call.out);
  counter.add("PositionCodeGroup", "position code",
              {.bytes = 8 * counter.rows * w + 4 * counter.batch * counter.time, .operations = counter.rows * w});
}

void count(const Activate& call, Counter& counter) {
  const ActivationWork work = work_of(call.activation);
  const Quantity elements = counter.rows * width(call.out);
  counter.add(
      "ActivateGroup", work.name,
      {.bytes = 8 * elements, .operations = work.operations * elements, .functions = work.functions * elements});
}

void count(const ActivateBackward& call, Counter& counter) {
  if (!call.in_gradient.wanted()) return;
  const ActivationWork work = work_of(call.call.activation);
  const Quantity elements = counter.rows * width(call.out_gradient);
  const Quantity a = adds(call.in_gradient);
  counter.add("ActivateBackwardGroup", std::string(work.name) + ", backward",
              {.bytes = 4 * elements * (3 + a),
               .operations = elements * (work.slope_operations + a),
               .functions = work.slope_functions * elements});
}

void count(const Add& call, Counter& counter) { count_gate("add", call.out, counter); }
void count(const Multiply& call, Counter& counter) { count_gate("multiply", call.out, counter); }
void count(const AddBackward& call, Counter& counter) { count_gate_backward("add, backward", false, call, counter); }
void count(const MultiplyBackward& call, Counter& counter) {
  count_gate_backward("multiply, backward", true, call, counter);
}

void count(const Dropout& call, Counter& counter) {
  const Quantity elements = counter.rows * width(call.out);
  counter.add("DropGroup", "dropout",
              {.bytes = 8 * elements,
               .operations = elements,
               .words = counter.rows * Quantity("⌈w/4⌉", ceil_quotient(static_cast<std::size_t>(call.out.width), 4))});
}

void count(const DropoutBackward& call, Counter& counter) {
  if (!call.in_gradient.wanted()) return;
  const auto columns = static_cast<std::size_t>(call.out_gradient.width);
  const Quantity elements = counter.rows * width(call.out_gradient);
  const Quantity a = adds(call.in_gradient);
  counter.add("DropGroup", "dropout, backward",
              {.bytes = 4 * elements * (2 + a),
               .operations = elements * (1 + a),
               .words = counter.rows * Quantity("⌈w/4⌉", ceil_quotient(columns, 4))});
}

void count(const Rotary& call, Counter& counter) { count_rotation(call, "rotary", counter); }
void count(const RotaryBackward& call, Counter& counter) { count_rotation(call.call, "rotary, backward", counter); }

}  // namespace hyseq::kernels::cuda
