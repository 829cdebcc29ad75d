// Row by row: norms, linear maps, losses, and the sums over rows behind gradients of parameters.
#include "kernels/cuda/traffic/counter.hpp"

namespace hyseq::kernels::cuda {
namespace {

/// What the terms of a column sum read and compute; see column_sums.hpp.
struct Terms {
  const char* kernel;
  const char* purpose;
  int sums;
  int operations;  // of a row and column, those of the sums included
  int functions;
  int arrays;       // of [rows, width]
  int row_numbers;  // further numbers of each row
};

void count_column_sums(const Terms& terms, int width, Counter& counter) {
  constexpr std::size_t kSlab = 64;
  const std::size_t slab_count = ceil_quotient(counter.member_rows, kSlab);
  const Quantity slabs("S", slab_count);
  const Quantity w("w", width);
  const Quantity elements = counter.rows * w;
  const Quantity read = 4 * counter.rows * (terms.arrays * w + terms.row_numbers);
  const Quantity results = 8 * terms.sums * counter.members * w;
  const Quantity partials = 4 * terms.sums * counter.members * slabs * w;
  counter.add(terms.kernel, terms.purpose,
              {.bytes = read + (slab_count == 1 ? results : partials),
               .operations = terms.operations * elements,
               .functions = terms.functions * elements});
  if (slab_count == 1) return;
  counter.add("SlabTotals", terms.purpose,
              {.bytes = partials + results, .operations = terms.sums * counter.members * slabs * w});
}

Quantity factor_bytes(const Counter& counter) { return {"f", counter.sizes.bfloat16 ? 2 : 4}; }

/// Rounding of one factor of a product on a GPU: `rows` of a member, `columns` numbers each.
void count_rounding(const Quantity& rows, std::size_t columns, Counter& counter) {
  if (!counter.sizes.bfloat16) return;
  const Quantity padded("⌈k⌉8", ceil_quotient(columns, 8) * 8);
  counter.add("RoundFactor", "factor to bfloat16",
              {.bytes = counter.members * rows * (4 * Quantity("k", columns) + 2 * padded)});
}

/// Per member a product of [m, k] and [k, n]. `adding`: 1 where it is added to what is there.
struct Sizes {
  Quantity m;
  Quantity n;
  Quantity k;
};
void count_product(const char* purpose, const Sizes& s, const Quantity& adding, Counter& counter) {
  counter.add("Product", purpose,
              {.bytes = counter.members * (factor_bytes(counter) * s.k * (s.m + s.n) + 4 * s.m * s.n * (1 + adding)),
               .products = 2 * counter.members * s.m * s.n * s.k});
}

}  // namespace

void count(const LayerNorm& call, Counter& counter) {
  const Quantity w("w", call.in.width);
  counter.add("LayerNormRows", "layer norm",
              {.bytes = 8 * counter.rows * (w + 1) + 8 * counter.members * w,
               .operations = 7 * counter.rows * w,
               .functions = counter.rows * (w + 3)});
}

void count(const LayerNormBackward& call, Counter& counter) {
  const char* purpose = "layer norm, backward";
  count_column_sums({"LayerNormTerms", purpose, 2, 4, 1, 2, 2}, call.call.in.width, counter);
  if (!call.in_gradient.wanted()) return;
  const Quantity w("w", call.call.in.width);
  const Quantity a = adds(call.in_gradient);
  counter.add("LayerNormBackwardRows", purpose,
              {.bytes = 4 * counter.rows * (w * (3 + a) + 2) + 4 * counter.members * w,
               .operations = counter.rows * w * (10 + a),
               .functions = counter.rows * (3 * w + 2)});
}

void count(const RmsNorm& call, Counter& counter) {
  const Quantity w("w", call.in.width);
  counter.add("RmsNormRows", "rms norm",
              {.bytes = 4 * counter.rows * (2 * w + 1) + 4 * counter.members * w,
               .operations = 3 * counter.rows * w,
               .functions = counter.rows * (w + 2)});
}

void count(const RmsNormBackward& call, Counter& counter) {
  const char* purpose = "rms norm, backward";
  count_column_sums({"RmsNormTerms", purpose, 1, 2, 1, 2, 1}, call.call.in.width, counter);
  if (!call.in_gradient.wanted()) return;
  const Quantity w("w", call.call.in.width);
  const Quantity a = adds(call.in_gradient);
  counter.add("RmsNormBackwardRows", purpose,
              {.bytes = 4 * counter.rows * (w * (3 + a) + 1) + 4 * counter.members * w,
               .operations = counter.rows * w * (6 + a),
               .functions = counter.rows * (3 * w + 1)});
}

void count(const Linear& call, Counter& counter) {
  const auto inputs = static_cast<std::size_t>(call.in.width);
  const Quantity rows("m", counter.member_rows);
  const Quantity outputs("n", call.out.width);
  const bool biased = call.bias != kNoParameter;
  if (biased) {
    const Quantity w("w", call.out.width);
    counter.add("BiasGroup", "linear", {.bytes = 4 * counter.rows * w + 4 * counter.members * w});
  }
  count_rounding(rows, inputs, counter);
  count_rounding(outputs, inputs, counter);
  count_product("linear", {rows, outputs, {"k", inputs}}, {"a", biased ? 1 : 0}, counter);
}

void count(const LinearBackward& call, Counter& counter) {
  const auto inputs = static_cast<std::size_t>(call.call.in.width);
  const auto outputs = static_cast<std::size_t>(call.out_gradient.width);
  const Quantity inner("k", counter.member_rows);
  count_rounding(inner, outputs, counter);
  count_rounding(inner, inputs, counter);
  count_product("linear, gradient of weights", {{"m", outputs}, {"n", inputs}, inner}, {"a", 1}, counter);
  if (call.call.bias != kNoParameter) {
    count_column_sums({"BiasTerms", "linear, gradient of bias", 1, 1, 0, 1, 0}, call.out_gradient.width, counter);
  }
  if (!call.in_gradient.wanted()) return;
  const Quantity rows("m", counter.member_rows);
  count_rounding(rows, outputs, counter);
  count_rounding({"k", outputs}, inputs, counter);
  count_product("linear, gradient of inputs", {rows, {"n", inputs}, {"k", outputs}}, adds(call.in_gradient), counter);
}

void count_loss(const View& logits, Counter& counter) {
  const Quantity w("w", logits.width);
  counter.add(
      "CrossEntropyRows", "loss",
      {.bytes = counter.rows * (4 * w + 13), .operations = 2 * counter.rows * w, .functions = counter.rows * (w + 1)});
  counter.add("SumLosses", "loss", {.bytes = 9 * counter.rows + 32 * counter.members, .operations = counter.rows});
}

void count(const CrossEntropyBackward& call, Counter& counter) {
  const Quantity w("w", call.logits.width);
  counter.add("CrossEntropyBackwardRows", "loss, backward",
              {.bytes = counter.rows * (8 * w + 4),
               .operations = 5 * counter.rows * w,
               .functions = counter.rows * (2 * w + 1)});
}

}  // namespace hyseq::kernels::cuda
