// Along the sequence: convolution and scan.
#include "kernels/causal_conv/cuda.hpp"
#include "kernels/cuda/traffic/counter.hpp"
#include "kernels/selective_scan/cuda_plan.hpp"

namespace hyseq::kernels::cuda {
namespace {

ScanPlan plan_of(const SelectiveScan& call, const Counter& counter) {
  Context<float> context;
  context.members = counter.sizes.members;
  context.batch = counter.sizes.batch;
  context.time = counter.sizes.time;
  return scan_plan(call, context);
}

/// Sizes of a scan, by name.
struct Scan {
  ScanPlan plan;
  Quantity channels{"c", plan.channels};
  Quantity states{"N", plan.states};
  Quantity tiles{"u", plan.tiles};
  Quantity chunks{"C", plan.chunks};
  Quantity pieces{"P", plan.pieces};
  Quantity sequences;  // M B

  Scan(const SelectiveScan& call, const Counter& counter)
      : plan(plan_of(call, counter)), sequences(counter.members * counter.batch) {}

  /// States of a pass, and threads of a channel.
  struct Pass {
    Quantity states;
    Quantity threads;
    Quantity later;  // 1 behind the first one
    bool first;
  };
  template <class Visit>
  void for_passes(const Visit& visit) const {
    for_scan_passes(plan, [&](const ScanPass& pass) {
      const unsigned count = std::min(plan.states - pass.first, pass.warps * kScanStates);
      visit(Pass{{"n", count}, {"g", pass.warps}, {"i", pass.first == 0 ? 0 : 1}, pass.first == 0});
    });
  }

  /// What pieces do, and their combination.
  void count_pieces(const char* purpose, bool back, Counter& counter) const {
    if (plan.pieces < 2) return;
    const std::size_t covered = back ? plan.time - plan.piece : std::size_t{plan.piece} * (plan.pieces - 1);
    const Quantity tokens = sequences * Quantity("L'", covered);
    const Quantity groups("⌈N/4⌉", ceil_quotient(plan.states, kScanStates));
    const Quantity gaps("(P-1)", plan.pieces - 1);
    const Quantity summaries = 8 * sequences * gaps * states * channels;
    counter.add("ScanSummary", purpose,
                {.bytes = 4 * tokens * (2 * channels + states) + 4 * counter.members * states * channels + summaries +
                          4 * counter.batch * Quantity("L'", covered),
                 .operations = 5 * tokens * channels * states + (back ? Quantity(0) : tokens * channels * groups),
                 .functions = tokens * channels * states});
    counter.add("ScanCombine", purpose,
                {.bytes = summaries + 4 * sequences * pieces * states * channels,
                 .operations = 2 * sequences * gaps * states * channels});
  }
  /// What comes into the pieces, read by a pass.
  [[nodiscard]] Quantity incoming(const Pass& pass) const {
    return plan.pieces < 2 ? Quantity(0) : 4 * sequences * pieces * pass.states * channels;
  }
};

}  // namespace

void count(const CausalConv& call, Counter& counter) {
  const Quantity c("c", call.in.width);
  const Quantity k("k", call.kernel);
  counter.add("ConvForward", "convolution",
              {.bytes = 8 * counter.rows * c + 4 * counter.members * c * (k + 1) + 4 * counter.batch * counter.time,
               .operations = counter.rows * c * (2 * k + 1)});
}

void count(const CausalConvBackward& call, Counter& counter) {
  const char* purpose = "convolution, backward";
  const Quantity c("c", call.call.in.width);
  const Quantity k("k", call.call.kernel);
  const Quantity position = 4 * counter.batch * counter.time;
  if (call.in_gradient.wanted()) {
    const Quantity a = adds(call.in_gradient);
    counter.add("ConvBackward", purpose,
                {.bytes = 4 * counter.rows * c * (2 + a) + 4 * counter.members * c * k + position,
                 .operations = counter.rows * c * (2 * k + a)});
  }
  const Quantity slabs("S", ceil_quotient(counter.member_rows, kConvRows));
  const Quantity partials = 4 * counter.members * slabs * c * (k + 1);
  counter.add("ConvWeightGradient", purpose,
              {.bytes = 8 * counter.rows * c + partials + position, .operations = counter.rows * c * (2 * k + 1)});
  counter.add(
      "ConvCollect", purpose,
      {.bytes = partials + 8 * counter.members * c * (k + 1), .operations = counter.members * slabs * c * (k + 1)});
}

void count(const SelectiveScan& call, Counter& counter) {
  const Scan scan(call, counter);
  const Quantity& c = scan.channels;
  scan.count_pieces("scan", false, counter);
  scan.for_passes([&](const Scan::Pass& pass) {
    const Quantity& n = pass.states;
    counter.add("ScanForward", "scan",
                {.bytes = 4 * counter.rows * (c * (3 + pass.later) + 2 * n) + 4 * scan.sequences * scan.chunks * n * c +
                          4 * counter.members * c * (n + 1) + scan.incoming(pass) + 4 * counter.batch * counter.time,
                 .operations = counter.rows * c * (6 * n + 2 * pass.threads + 1),
                 .functions = counter.rows * c * n});
  });
}

void count(const SelectiveScanBackward& call, Counter& counter) {
  const char* purpose = "scan, backward";
  const Scan scan(call.call, counter);
  const Quantity& c = scan.channels;
  const Quantity parts = scan.sequences * scan.pieces;
  scan.count_pieces(purpose, true, counter);
  scan.for_passes([&](const Scan::Pass& pass) {
    const Quantity& n = pass.states;
    // The first launch of a call writes or adds as the call says, later ones add.
    GradientView u_gradient = call.u_gradient;
    GradientView step_gradient = call.step_gradient;
    if (!pass.first) u_gradient.mode = step_gradient.mode = GradientMode::accumulate;
    const Gradients gradients{u_gradient, step_gradient};
    const Quantity read = 4 * counter.rows * (3 * c + 2 * n) + 4 * scan.sequences * scan.chunks * n * c +
                          4 * counter.members * c * (n + 1) + scan.incoming(pass) + 4 * counter.batch * counter.time;
    Quantity write = 4 * counter.rows * c * (gradients.wanted + gradients.adds) + 8 * counter.rows * scan.tiles * n +
                     4 * parts * n * c;
    if (pass.first) write = write + 4 * parts * c;
    counter.add("ScanBackward", purpose,
                {.bytes = read + write,
                 .operations = counter.rows * c * (20 * n + 15 * pass.threads + 6),
                 .functions = 2 * counter.rows * c * n});
  });
  const Gradients gradients{call.input_gradient, call.output_gradient};
  counter.add("ScanCollectVectors", purpose,
              {.bytes = 4 * counter.rows * scan.states * (gradients.wanted * (scan.tiles + 1) + gradients.adds),
               .operations = gradients.wanted * counter.rows * scan.states * scan.tiles});
  counter.add("ScanCollectSums", purpose,
              {.bytes = 4 * parts * c * (scan.states + 1) + 8 * counter.members * c * (scan.states + 1),
               .operations = parts * c * (scan.states + 1)});
}

}  // namespace hyseq::kernels::cuda
