// hyseq run, cost and info, end to end.
#include <nlohmann/json.hpp>

#include "kernels/base/hdf5_file.hpp"
#include "kernels/cuda/gpu.hpp"
#include "tests/cli/program.hpp"

namespace hyseq::cli {
namespace {

class RunCommand : public Program {
 protected:
  static std::string golden(const std::string& name) { return std::string(HYSEQ_GOLDEN_DIR) + "/" + name; }

  [[nodiscard]] std::string model() const { return golden("model_SSM-TF_d8_w7_h1.h5"); }

  /// Tokens [begin, end) of every row of the model's input, written as a file of their own.
  void write_piece(const std::string& name, std::size_t begin, std::size_t end) const {
    const Hdf5Reader source(model());
    Hdf5Writer writer(path(name));
    for (const char* dataset : {"input", "target"}) {
      const Array<std::int32_t> whole = source.read_integers(dataset);
      Array<std::int32_t> piece{{whole.shape[0], end - begin}, {}};
      for (std::size_t row = 0; row < whole.shape[0]; ++row) {
        for (std::size_t t = begin; t < end; ++t) piece.values.push_back(whole.values[row * whole.shape[1] + t]);
      }
      writer.write(dataset, piece);
    }
    writer.commit();
  }

  void expect_success(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.error;
  }
};

TEST_F(RunCommand, GoldenModelsGiveTheirLogitsAndLoss) {
  for (const char* name : {"model_SSM-TF_d8_w7_h1.h5", "model_TF-TF_d4_full_h1.h5", "model_SSM-SSM_d24_N1.h5"}) {
    const Outcome outcome = run("run --model '" + golden(name) + "' --output '" + path("out.h5") + "' --json -");
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const Hdf5Reader expected(golden(name));
    const Hdf5Reader found(path("out.h5"));
    const Array<double> a = expected.read_reals("logits");
    const Array<double> b = found.read_reals("logits");
    ASSERT_EQ(a.shape, b.shape);
    for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_NEAR(a.values[i], b.values[i], 1e-11);
    const double loss = expected.read_reals("loss").values[0];
    EXPECT_NEAR(found.read_reals("loss").values[0], loss, 1e-11);
    EXPECT_TRUE(found.read_reals("loss").shape.empty());
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_NEAR(json["loss"].get<double>(), loss, 1e-11);
    EXPECT_EQ(json["engine"], "reference");
    EXPECT_EQ(json["number"], "double");
    EXPECT_EQ(json["valid_positions"], expected.integer_attribute("valid_positions"));
  }
}

TEST_F(RunCommand, PiecesWithCarriedStateEqualTheWholeBitForBit) {
  for (const char* number : {"double", "float", "bfloat16", "half"}) {
    const std::string common = "run --model '" + model() + "' --number " + number + " ";
    expect_success(common + "--output '" + path("whole.h5") + "' --state-out '" + path("end.h5") + "'");
    const Array<double> whole = Hdf5Reader(path("whole.h5")).read_reals("logits");
    constexpr std::size_t cuts[] = {0, 1, 9, 24};
    for (std::size_t piece = 0; piece < 3; ++piece) {
      write_piece("piece.h5", cuts[piece], cuts[piece + 1]);
      const std::string before = piece == 0 ? "" : " --state-in '" + path("state.h5") + "'";
      expect_success(common + "--input '" + path("piece.h5") + "' --output '" + path("part.h5") + "' --state-out '" +
                     path("state.h5") + "'" + before);
      const Array<double> part = Hdf5Reader(path("part.h5")).read_reals("logits");
      const std::size_t length = cuts[piece + 1] - cuts[piece];
      ASSERT_EQ(part.shape, (std::vector<std::size_t>{3, length, 34}));
      for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t i = 0; i < length * 34; ++i) {
          ASSERT_EQ(part.values[row * length * 34 + i], whole.values[(row * 24 + cuts[piece]) * 34 + i]) << number;
        }
      }
    }
    const Hdf5Reader end(path("end.h5"));
    const Hdf5Reader state(path("state.h5"));
    ASSERT_EQ(end.datasets(), state.datasets());
    for (const std::string& name : end.datasets())
      EXPECT_EQ(end.read_reals(name).values, state.read_reals(name).values);
  }
}

TEST_F(RunCommand, TraceHoldsEveryLayersInside) {
  expect_success("run --model '" + model() + "' --output '" + path("out.h5") + "' --trace");
  const Hdf5Reader file(path("out.h5"));
  EXPECT_EQ(file.datasets("trace"),
            (std::vector<std::string>{"layers.0.ssm.states", "layers.0.ssm.steps", "layers.1.tf.probabilities"}));
  EXPECT_EQ(file.read_reals("trace/layers.0.ssm.steps").shape, (std::vector<std::size_t>{3, 24, 16}));
  expect_success("run --model '" + model() + "' --output '" + path("plain.h5") + "'");
  EXPECT_TRUE(Hdf5Reader(path("plain.h5")).groups().empty());
}

TEST_F(RunCommand, WithoutValidTargetsTheLossIsNullWithAReason) {
  {
    Hdf5Writer writer(path("tokens.h5"));
    writer.write("input", Array<std::int32_t>{{1, 3}, {0, 1, 2}});
    writer.commit();
  }
  const std::string common =
      "run --model '" + model() + "' --input '" + path("tokens.h5") + "' --output '" + path("out.h5") + "' --json -";
  const auto json = nlohmann::json::parse(run(common).out);
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_EQ(json["loss_reason"], "there are no targets");
  EXPECT_FALSE(Hdf5Reader(path("out.h5")).has_dataset("loss"));
}

TEST_F(RunCommand, GradientsAreThoseOfTheGoldenFiles) {
  for (const char* name : {"model_SSM-TF_d8_w7_h1.h5", "model_TF-TF_d24_full_h4_rot100_seq.h5"}) {
    expect_success("run --model '" + golden(name) + "' --output '" + path("out.h5") + "' --gradients");
    const Hdf5Reader expected(golden(name));
    const Hdf5Reader found(path("out.h5"));
    ASSERT_EQ(expected.datasets("grad"), found.datasets("grad"));
    for (const std::string& parameter : expected.datasets("grad")) {
      const Array<double> a = expected.read_reals("grad/" + parameter);
      const Array<double> b = found.read_reals("grad/" + parameter);
      ASSERT_EQ(a.shape, b.shape) << parameter;
      for (std::size_t i = 0; i < a.values.size(); ++i) ASSERT_NEAR(a.values[i], b.values[i], 1e-11) << parameter;
    }
    expect_success("run --model '" + golden(name) + "' --output '" + path("plain.h5") + "'");
    EXPECT_TRUE(Hdf5Reader(path("plain.h5")).groups().empty());
  }
  {
    Hdf5Writer writer(path("tokens.h5"));
    writer.write("input", Array<std::int32_t>{{1, 3}, {0, 1, 2}});
    writer.commit();
  }
  expect_refused(
      "run --model '" + model() + "' --input '" + path("tokens.h5") + "' --output '" + path("out.h5") + "' --gradients",
      {"has no dataset target"});
}

TEST_F(RunCommand, RefusalsAreOneSentence) {
  const std::string common = "run --model '" + model() + "' --output '" + path("out.h5") + "' ";
  expect_success(common + "--state-out '" + path("state.h5") + "'");
  expect_refused("run --output x.h5", {"--model is missing"});
  expect_refused("run --model '" + model() + "'", {"--output is missing"});
  expect_refused("run --model /nonexistent.h5 --output x.h5", {"/nonexistent.h5"});
  expect_refused(common + "--number fp8", {"fp8", "double, float, bfloat16 or half"});
  expect_refused(common + "--engine fast", {"engine 'fast' is unknown", "reference"});
  if (!kernels::cuda::find_gpu().gpu)
    expect_refused(common + "--engine cuda", {"engine 'cuda' cannot run here, because "}, 3);
  expect_refused(common + "--gradients --state-in '" + path("state.h5") + "'", {"gradients need whole sequences"});
  expect_refused(common + "--state-in '" + model() + "'", {"position"});
  expect_refused("run --model '" + golden("tasks_needle_edge_L2.h5") + "' --output x.h5", {"tasks_needle_edge_L2.h5"});
  expect_refused("run --model '" + model() + "' --output /nonexistent/out.h5", {"--output is", "/nonexistent"});
  {
    Hdf5Writer writer(path("tokens.h5"));
    writer.write("input", Array<std::int32_t>{{1, 2}, {0, 34}});
    writer.commit();
  }
  expect_refused(common + "--input '" + path("tokens.h5") + "'", {"token 34", "0..33"});
}

using CostCommand = Program;

TEST_F(CostCommand, JsonHasTheFixedFields) {
  const Outcome outcome =
      run("cost SSM,TF --width 8 --vocabulary 34 --state 16 --heads 1 --window 7 --length 24 --format fp32 --json -");
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["parameters"], 2192);
  EXPECT_EQ(json["state_bytes"], 4 * (2 * 8 * 7 + 16 * 16 + 16 * 3));
  EXPECT_EQ(json["working_memory_bits"], 32 * (2 * 8 * 6 + 16 * 16 + 16 * 3));
  ASSERT_EQ(json["per_layer"].size(), 2U);
  EXPECT_EQ(json["per_layer"][0]["block"], "SSM");
  double forward = json["embedding"]["flops_per_token_forward"].get<double>() +
                   json["head"]["flops_per_token_forward"].get<double>();
  for (const auto& layer : json["per_layer"]) forward += layer["flops_per_token_forward"].get<double>();
  EXPECT_NEAR(json["flops_per_token_forward"].get<double>(), forward, 1e-6);
  EXPECT_NEAR(json["flops_per_token_training"].get<double>(), 3 * forward, 1e-6);
}

TEST_F(CostCommand, EveryOptionChangesSomething) {
  const std::string common = "cost SSM,TF --width 8 --vocabulary 34 --json - ";
  const std::string plain = run(common).out;
  ASSERT_FALSE(plain.empty());
  for (const char* option :
       {"--state 3", "--kernel 2", "--heads 2", "--window 5", "--length 7", "--format bf16", "--rotary-fraction 1"}) {
    const Outcome outcome = run(common + option);
    EXPECT_EQ(outcome.code, 0) << option << outcome.error;
    EXPECT_NE(outcome.out, plain) << option;
  }
  EXPECT_EQ(run(common + "--format bfloat16").out, run(common + "--format bf16").out);
}

TEST_F(CostCommand, RepeatedGroupsAreUnderstood) {
  const auto json = nlohmann::json::parse(run("cost '(SSM*5,TF)*4' --width 8 --vocabulary 11 --json -").out);
  EXPECT_EQ(json["per_layer"].size(), 24U);
  EXPECT_EQ(run("cost TF*12 --width 8 --vocabulary 11").code, 0);
}

TEST_F(CostCommand, RefusalsAreOneSentence) {
  expect_refused("cost --width 8 --vocabulary 11", {"architecture is missing"});
  expect_refused("cost SSM,XX --width 8 --vocabulary 11", {"XX"});
  expect_refused("cost TF --vocabulary 11", {"--width is missing"});
  expect_refused("cost TF --width 0 --vocabulary 11", {"--width is '0'"});
  expect_refused("cost TF --width 8 --vocabulary 11 --heads 3", {"heads 3", "8"});
  expect_refused("cost TF --width 4 --vocabulary 11 --heads 4", {"rotary fraction"});
  expect_refused("cost TF --width 8 --vocabulary 11 --format fp8", {"fp8", "bf16"});
  expect_refused("cost TF --width 8 --vocabulary 11 --length 0", {"--length is '0'"});
  expect_refused("cost TF --width 8 --vocabulary 11 --rotary-fraction 2", {"--rotary-fraction is '2'"});
}

using InfoCommand = Program;

TEST_F(InfoCommand, NamesEnginesAndLibraries) {
  const auto json = nlohmann::json::parse(run("info --json -").out);
  ASSERT_FALSE(json["engines"].empty());
  EXPECT_EQ(json["engines"].back()["name"], "reference");
  EXPECT_EQ(json["engines"].back()["numbers"].size(), 4U);
  EXPECT_NE(json["engines"].back()["subnormals"].get<std::string>().find("no flush"), std::string::npos);
  EXPECT_TRUE(json["gpu"].is_null());
  EXPECT_TRUE(json["libraries"].contains("HDF5"));
  const Outcome text = run("info");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("reference"), std::string::npos);
}

}  // namespace
}  // namespace hyseq::cli
