// The formulas of models/cost.hpp against the operations that the reference bodies really do.
#include <gtest/gtest.h>

#include "tests/models/counted.hpp"
// The bodies come after the type that they are to count with.
#include "kernels/causal_conv/reference.hpp"
#include "kernels/elementwise/reference.hpp"
#include "kernels/embedding/reference.hpp"
#include "kernels/layer_norm/reference.hpp"
#include "kernels/linear/reference.hpp"
#include "kernels/rms_norm/reference.hpp"
#include "kernels/rotary/reference.hpp"
#include "kernels/selective_scan/reference.hpp"
#include "kernels/window_attention/reference.hpp"
#include "models/cost.hpp"
#include "tests/kernels/bench.hpp"

namespace hyseq::models {
namespace {

using kernels::Bench;
using kernels::View;
using numbers::Counted;

constexpr std::size_t kTime = 3;
constexpr std::size_t kWindow = 4;

class Counter {
 public:
  Counter() : bench_(1, kTime) {
    // Late positions, so that every query sees its whole window.
    for (std::size_t t = 0; t < kTime; ++t) bench_.set_position(t, kWindow + t);
    bench_.set_tokens({0, 1, 2});
  }
  Bench<Counted>& bench() { return bench_; }
  View input(std::size_t width) {
    std::vector<double> values;
    for (std::size_t i = 0; i < kTime * width; ++i) values.push_back(0.5 + 0.01 * static_cast<double>(i));
    return bench_.buffer(width, values);
  }
  View output(std::size_t width) { return bench_.output(width); }
  kernels::ParameterId parameter(std::size_t count) { return bench_.parameter(std::vector<double>(count, 0.25)); }

  /// `extra` stands between call and context: the matrix of a linear map, the rates of a scan.
  template <class Call, class... Extra>
  void expect_formula(const Call& call, const Extra&... extra) {
    const auto& context = bench_.context();
    Counted::operations = 0;
    kernels::reference<Counted>(call, extra..., context);
    EXPECT_EQ(static_cast<double>(Counted::operations), static_cast<double>(kTime) * operation_flops(call, kKeys));
  }

 private:
  // A ring has no more slots than the longest sequence has positions.
  static constexpr auto kKeys = static_cast<double>(std::min(kWindow, kTime));
  Bench<Counted> bench_;
};

TEST(CostCounter, FormulasAreWhatTheBodiesDo) {
  for (const std::size_t width : {2U, 6U, 10U}) {
    Counter counter;
    const View x = counter.input(width);
    const View y = counter.output(width);
    using kernels::Activation;
    counter.expect_formula(kernels::Embedding{counter.parameter(3 * width), y});
    counter.expect_formula(kernels::PositionCode{x, 1});
    counter.expect_formula(kernels::LayerNorm{x, y, counter.parameter(width), counter.parameter(width)});
    counter.expect_formula(kernels::RmsNorm{x, y, counter.parameter(width)});
    counter.expect_formula(kernels::Add{x, x, y});
    counter.expect_formula(kernels::Multiply{x, x, y});
    for (const Activation activation :
         {Activation::identity, Activation::silu, Activation::gelu, Activation::softplus}) {
      counter.expect_formula(kernels::Activate{x, y, activation});
    }
    counter.expect_formula(kernels::Rotary{counter.input(width), 1, 2, {1}});
    counter.expect_formula(kernels::Rotary{counter.input(width), 2, 2, {}});
  }
}

TEST(CostCounter, ProductsToo) {
  for (const std::size_t inputs : {1U, 5U}) {
    for (const std::size_t outputs : {1U, 7U}) {
      Counter counter;
      const auto weight = counter.parameter(inputs * outputs);
      const kernels::InputMajorMatrix matrix(counter.bench().parameter_values(weight).data(), outputs, inputs);
      const View in = counter.input(inputs);
      const View out = counter.output(outputs);
      counter.expect_formula(kernels::Linear{in, out, weight, kernels::kNoParameter}, matrix);
      counter.expect_formula(kernels::Linear{in, out, weight, counter.parameter(outputs)}, matrix);
    }
  }
}

TEST(CostCounter, StatefulOperationsToo) {
  for (const std::size_t kernel : {1U, 2U, 4U}) {
    Counter counter;
    const auto tail = counter.bench().carry(kernels::CarryKind::conv_tail, 5, kernel - 1);
    counter.expect_formula(kernels::CausalConv{counter.input(5), counter.output(5), counter.parameter(5 * kernel),
                                               counter.parameter(5), static_cast<int>(kernel), tail});
  }
  for (const std::size_t states : {1U, 3U, 16U}) {
    Counter counter;
    const auto state = counter.bench().carry(kernels::CarryKind::scan_state, 5, states);
    const kernels::SelectiveScan scan{counter.input(5),      counter.input(5),
                                      counter.input(states), counter.input(states),
                                      counter.output(5),     counter.parameter(5 * states),
                                      counter.parameter(5),  state};
    counter.expect_formula(scan, counter.bench().parameter_values(scan.log_rate));
  }
  for (const int heads : {1, 2, 3}) {
    Counter counter;
    const auto ring = counter.bench().carry(kernels::CarryKind::attention, 6, kWindow);
    counter.expect_formula(kernels::WindowAttention{counter.input(6), counter.input(6), counter.input(6),
                                                    counter.output(6), heads, static_cast<int>(kWindow), ring});
  }
}

}  // namespace
}  // namespace hyseq::models
