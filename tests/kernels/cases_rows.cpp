#include "tests/kernels/cases.hpp"

namespace hyseq::kernels {
namespace {

constexpr std::size_t kWidths[] = {1, 2, 3, 7, 13, 31};

std::vector<std::int32_t> cycle(std::size_t count, std::int32_t vocabulary) {
  std::vector<std::int32_t> tokens;
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(static_cast<std::int32_t>(i * i + 2 * i) % vocabulary);
  return tokens;
}

ProgramCase linear_case(const BatchShape& shape, std::size_t inputs, std::size_t outputs, bool bias, Sink sink) {
  CaseBuilder builder(
      "linear " + std::to_string(inputs) + " to " + std::to_string(outputs) + (bias ? " with bias" : "") + text({sink}),
      shape.batch, shape.time);
  Linear call;
  call.in = builder.input(inputs);
  call.out = builder.output(outputs);
  call.weight = builder.parameter({outputs, inputs});
  if (bias) call.bias = builder.parameter({outputs});
  builder.forward(call);
  const View arriving = builder.arriving(call.out);
  builder.backward(LinearBackward{call, arriving, builder.leaving(call.in, sink)});
  builder.made().small = inputs * outputs < 300;
  return std::move(builder.made());
}

}  // namespace

std::vector<ProgramCase> embedding_cases() {
  std::vector<ProgramCase> cases;
  for (const std::size_t width : kWidths) {
    for (const BatchShape& shape : kShapes) {
      CaseBuilder builder("embedding of width " + std::to_string(width), shape.batch, shape.time);
      const Embedding call{builder.parameter({5, width}), builder.output(width)};
      builder.made().program.vocabulary = 5;
      builder.made().tokens = cycle(shape.batch * shape.time, 5);
      builder.forward(call);
      builder.backward(EmbeddingBackward{call, builder.arriving(call.out)});
      cases.push_back(std::move(builder.made()));
    }
  }
  return cases;
}

std::vector<ProgramCase> position_code_cases() {
  std::vector<ProgramCase> cases;
  for (const int delay : {0, 1, 5}) {
    for (const std::size_t bits : {1U, 3U, 7U}) {
      for (const bool packed : {false, true}) {
        CaseBuilder builder("position code of " + std::to_string(bits) + " bits, delay " + std::to_string(delay), 2,
                            19);
        if (packed) builder.pack();
        builder.forward(PositionCode{builder.input(bits), delay});
        cases.push_back(std::move(builder.made()));
      }
    }
  }
  return cases;
}

std::vector<ProgramCase> linear_cases() {
  std::vector<ProgramCase> cases;
  for (const std::size_t inputs : {1U, 2U, 5U, 13U}) {
    for (const std::size_t outputs : {1U, 3U, 7U, 11U}) {
      for (const BatchShape& shape : kShapes) {
        for (const auto& sinks : sink_choices(1)) {
          cases.push_back(linear_case(shape, inputs, outputs, (inputs + outputs) % 3 != 0, sinks[0]));
        }
      }
    }
  }
  // Sizes on both sides of any block.
  for (const auto& [inputs, outputs, time] :
       {std::array<std::size_t, 3>{63, 65, 3}, {64, 6, 17}, {67, 101, 5}, {130, 31, 2}, {24, 34, 101}}) {
    cases.push_back(linear_case({2, time}, inputs, outputs, true, Sink::accumulate));
    cases.push_back(linear_case({1, time}, inputs, outputs, false, Sink::overwrite));
  }
  return cases;
}

std::vector<ProgramCase> norm_cases() {
  std::vector<ProgramCase> cases;
  for (const std::size_t width : {1U, 2U, 3U, 7U, 13U, 31U, 67U}) {
    for (const BatchShape& shape : kShapes) {
      for (const auto& sinks : sink_choices(1)) {
        const std::string what = " norm of width " + std::to_string(width) + text(sinks);
        CaseBuilder layer("layer" + what, shape.batch, shape.time);
        const LayerNorm a{layer.input(width, 3), layer.output(width), layer.parameter({width}),
                          layer.parameter({width})};
        layer.forward(a);
        const View a_arriving = layer.arriving(a.out);
        layer.backward(LayerNormBackward{a, a_arriving, layer.leaving(a.in, sinks[0])});
        cases.push_back(std::move(layer.made()));

        CaseBuilder rms("rms" + what, shape.batch, shape.time);
        const RmsNorm b{rms.input(width, 3), rms.output(width), rms.parameter({width})};
        rms.forward(b);
        const View b_arriving = rms.arriving(b.out);
        rms.backward(RmsNormBackward{b, b_arriving, rms.leaving(b.in, sinks[0])});
        cases.push_back(std::move(rms.made()));
      }
    }
  }
  return cases;
}

std::vector<ProgramCase> cross_entropy_cases() {
  std::vector<ProgramCase> cases;
  for (const std::int32_t vocabulary : {1, 2, 3, 11, 34, 101}) {
    for (const BatchShape& shape : {BatchShape{1, 1}, {1, 7}, {2, 5}, {3, 1}, {2, 17}}) {
      // All targets count, some do, none does.
      for (const std::int32_t special : {0, 1, vocabulary}) {
        CaseBuilder builder(
            "cross-entropy over " + std::to_string(vocabulary) + ", " + std::to_string(special) + " special tokens",
            shape.batch, shape.time);
        ProgramCase& made = builder.made();
        const View logits = builder.input(static_cast<std::size_t>(vocabulary), 2);
        made.program.vocabulary = vocabulary;
        made.program.logits = logits;
        made.targets = cycle(made.rows(), vocabulary);
        if (special == 1) made.targets[made.rows() / 2] = -1;
        made.valid_below = vocabulary - special;
        builder.backward(CrossEntropyBackward{logits, builder.leaving(logits, Sink::overwrite).view});
        cases.push_back(std::move(made));
      }
    }
  }
  return cases;
}

}  // namespace hyseq::kernels
