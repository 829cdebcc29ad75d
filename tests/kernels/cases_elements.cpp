#include "tests/kernels/cases.hpp"

namespace hyseq::kernels {
namespace {

constexpr std::size_t kWidths[] = {1, 3, 7, 13, 37};

template <class Call, class Backward>
std::vector<ProgramCase> gate_cases(const std::string& name) {
  std::vector<ProgramCase> cases;
  for (const std::size_t width : kWidths) {
    for (const BatchShape& shape : kShapes) {
      for (const auto& sinks : sink_choices(2)) {
        CaseBuilder builder(name + " of width " + std::to_string(width) + text(sinks), shape.batch, shape.time);
        const Call call{builder.input(width), builder.input(width), builder.output(width)};
        builder.forward(call);
        const View arriving = builder.arriving(call.out);
        const GradientView a = builder.leaving(call.a, sinks[0]);
        builder.backward(Backward{call, arriving, a, builder.leaving(call.b, sinks[1])});
        cases.push_back(std::move(builder.made()));
      }
    }
  }
  // Both operands are the same columns: the second gradient comes on top of the first.
  CaseBuilder builder(name + " of a number with itself", 2, 3);
  const View in = builder.input(5);
  const Call call{in, in, builder.output(5)};
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  const GradientView first = builder.leaving(in, Sink::overwrite);
  builder.backward(Backward{call, arriving, first, GradientView{first.view, GradientMode::accumulate}});
  cases.push_back(std::move(builder.made()));
  return cases;
}

}  // namespace

std::vector<ProgramCase> activation_cases() {
  std::vector<ProgramCase> cases;
  for (const Activation activation : {Activation::identity, Activation::silu, Activation::gelu, Activation::softplus}) {
    const std::string name = "activation " + std::to_string(static_cast<int>(activation));
    const auto add = [&](CaseBuilder& builder, const View& in, Sink sink) {
      const Activate call{in, builder.output(static_cast<std::size_t>(in.width)), activation};
      builder.forward(call);
      const View arriving = builder.arriving(call.out);
      builder.backward(ActivateBackward{call, arriving, builder.leaving(in, sink)});
      cases.push_back(std::move(builder.made()));
    };
    for (const std::size_t width : kWidths) {
      for (const BatchShape& shape : kShapes) {
        for (const auto& sinks : sink_choices(1)) {
          CaseBuilder builder(name + " of width " + std::to_string(width) + text(sinks), shape.batch, shape.time);
          // The complex erf cancels far out, so that its derivative is good near 0 alone.
          add(builder, builder.input(width, activation == Activation::gelu ? 1 : 3), sinks[0]);
        }
      }
    }
    const std::vector<double> far = {0, -0.0, 1e-6, -1e-6, 5, -5, 20, -20, 60, -60, 100, -100, 800, -800};
    CaseBuilder builder(name + " far out", 1, 1);
    builder.made().small = activation != Activation::gelu;
    add(builder, builder.input(far.size(), far), Sink::overwrite);
  }
  return cases;
}

std::vector<ProgramCase> add_cases() { return gate_cases<Add, AddBackward>("sum"); }
std::vector<ProgramCase> multiply_cases() { return gate_cases<Multiply, MultiplyBackward>("product"); }

std::vector<ProgramCase> dropout_cases() {
  std::vector<ProgramCase> cases;
  for (const DropoutPlace place : {DropoutPlace::embedding, DropoutPlace::attention, DropoutPlace::mlp}) {
    for (const double rate : {0.1, 0.5, 0.9}) {
      for (const std::size_t width : kWidths) {
        for (const BatchShape& shape : kShapes) {
          const auto sinks = sink_choices(1)[width % 3];
          CaseBuilder builder("dropout of " + std::to_string(rate) + " at place " +
                                  std::to_string(static_cast<int>(place)) + ", width " + std::to_string(width) +
                                  text(sinks),
                              shape.batch, shape.time);
          const Dropout call{builder.input(width), builder.output(width), {place, 5, rate}};
          builder.forward(call);
          const View arriving = builder.arriving(call.out);
          builder.backward(DropoutBackward{call, arriving, builder.leaving(call.in, sinks[0])});
          cases.push_back(std::move(builder.made()));
        }
      }
    }
  }
  return cases;
}

std::vector<ProgramCase> rotary_cases() {
  std::vector<ProgramCase> cases;
  for (const std::size_t heads : {1U, 3U}) {
    for (const int width : {2, 4, 6}) {
      for (const BatchShape& shape : {BatchShape{1, 1}, {1, 13}, {2, 9}}) {
        for (const bool packed : {false, true}) {
          CaseBuilder builder("rotary width " + std::to_string(width) + " of " + std::to_string(heads) + " heads",
                              shape.batch, shape.time);
          if (packed) builder.pack();
          const View data = builder.input(heads * 7, 1);
          const Rotary call{data, static_cast<int>(heads), width, rotary_turns(width, 10000, width)};
          builder.forward(call);
          const View gradient = builder.arriving(data);
          builder.made().inputs.push_back({data, {gradient, GradientMode::overwrite}});
          builder.backward(RotaryBackward{call, gradient});
          cases.push_back(std::move(builder.made()));
        }
      }
    }
  }
  return cases;
}

}  // namespace hyseq::kernels
