#include "kernels/cuda/traffic/traffic.hpp"

#include <variant>

#include "kernels/adamw/cuda.hpp"
#include "kernels/cuda/traffic/counter.hpp"

namespace hyseq::kernels::cuda {

void count_update(Counter& counter) {
  const ParameterLayout layout(counter.program);
  const Quantity numbers = counter.members * Quantity("n", layout.step);
  const Quantity pieces = counter.members * Quantity("Q", update_pieces(layout, AdamW()).size());
  counter.add("SumSquares", "norm", {.bytes = 4 * numbers + 8 * pieces, .operations = 2 * numbers});
  counter.add("SumPieces", "norm", {.bytes = 8 * pieces + 8 * counter.members, .operations = pieces});
  counter.add("UpdateNumbers", "AdamW", {.bytes = 28 * numbers, .operations = 12 * numbers, .functions = 4 * numbers});
}

std::vector<KernelTraffic> step_traffic(const Program& training, const StepSizes& sizes) {
  Counter counter{training, sizes};
  const auto count_call = [&](const auto& call) { count(call, counter); };
  counter.add("Zero", "gradients of parameters",
              {.bytes = 4 * counter.members * Quantity("n", ParameterLayout(training).step)});
  counter.add("Zero", "sums of losses", {.bytes = 16 * counter.members});
  for (const Operation& operation : training.forward) std::visit(count_call, operation);
  count_loss(training.logits, counter);
  for (const BackwardOperation& operation : training.backward) std::visit(count_call, operation);
  count_update(counter);
  return counter.launches;
}

Limit limit(const KernelTraffic& traffic, const Ceilings& ceilings) {
  Limit most{0, "copy"};
  const auto consider = [&](const Quantity& work, double rate, const char* by) {
    if (work.value() / rate > most.seconds) most = {work.value() / rate, by};
  };
  consider(traffic.bytes, ceilings.copy, "copy");
  consider(traffic.operations, ceilings.operations, "operations");
  consider(traffic.functions, ceilings.functions, "functions");
  consider(traffic.words, ceilings.words, "words");
  consider(traffic.products, ceilings.products, "products");
  return most;
}

}  // namespace hyseq::kernels::cuda
