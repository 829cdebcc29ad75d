// Model files, state files and the JSON form of architectures: round trips and refusals.
#include "models/model_file.hpp"

#include <filesystem>
#include <functional>

#include <gtest/gtest.h>
#include <unistd.h>

#include "models/architecture_json.hpp"
#include "models/initialise.hpp"
#include "models/state_file.hpp"
#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

/// A path that is removed at the end of the test.
class TemporaryFile {
 public:
  TemporaryFile()
      : path_(std::filesystem::temp_directory_path() /
              ("hyseq-models-" + std::to_string(getpid()) + "-" + std::to_string(counter_++) + ".h5")) {}
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static inline int counter_ = 0;
  std::filesystem::path path_;
};

void expect_refused(const std::function<void()>& action, const std::string& expected) {
  try {
    action();
    FAIL() << "accepted, expected a refusal that says: " << expected;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

/// Every switch away from its default, two different blocks of each kind.
Architecture unusual() {
  Architecture architecture;
  architecture.width = 6;
  architecture.vocabulary = 9;
  architecture.final_norm = Norm::none;
  architecture.position_codes = {{0, 3, 0}, {3, 2, 4}};
  TransformerBlock bare;
  bare.norm = Norm::none;
  bare.residual = Residual::none;
  bare.heads = 3;
  bare.window = 5;
  bare.rotary_width = 2;
  bare.rotary_divisor = 7;
  bare.rotary_base = 123.456;
  bare.mlp = false;
  bare.activation = Activation::gelu;
  TransformerBlock sequential;
  sequential.norm = Norm::rms;
  sequential.residual = Residual::sequential;
  sequential.positions = Positions::none;
  SsmBlock plain;
  plain.norm = Norm::none;
  plain.residual = false;
  plain.state_size = 2;
  plain.kernel = 0;
  plain.gate = false;
  plain.activation = Activation::identity;
  plain.step = StepSize::identity;
  plain.step_rank = 3;
  plain.inner_width = 5;
  SsmBlock wide;
  wide.norm = Norm::layer;
  wide.kernel = 1;
  architecture.layers = {bare, plain, sequential, wide};
  return architecture;
}

TEST(ArchitectureJson, KeepsEverySwitch) {
  const Architecture architecture = unusual();
  const std::string text = to_json(architecture);
  const Architecture back = architecture_from_json(text);
  EXPECT_EQ(to_json(back), text);
  const auto& bare = std::get<TransformerBlock>(back.layers[0]);
  EXPECT_EQ(bare.residual, Residual::none);
  EXPECT_EQ(bare.rotary_base, 123.456);
  EXPECT_EQ(bare.window, 5);
  EXPECT_FALSE(bare.mlp);
  const auto& plain = std::get<SsmBlock>(back.layers[1]);
  EXPECT_EQ(plain.step, StepSize::identity);
  EXPECT_EQ(plain.inner_width, 5);
  EXPECT_FALSE(plain.gate);
  EXPECT_EQ(back.position_codes.at(1).delay, 4);
  EXPECT_EQ(back.final_norm, Norm::none);
}

TEST(ArchitectureJson, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::string& text, const std::string& expected) {
    expect_refused([&] { static_cast<void>(architecture_from_json(text)); }, expected);
  };
  refused("{", "not valid JSON");
  refused("[]", "must be an object");
  refused(R"({"width":4,"vocabulary":3,"layers":[{"block":"XX"}]})", "layers 0: block must be");
  refused(R"({"width":4,"vocabulary":3,"layers":[{"block":"TF","states":3}]})", "'states' is not a known field");
  refused(R"({"width":4,"vocabulary":3,"layers":[{"block":"TF","norm":"batch"}]})", "allowed are layer, rms, none");
  refused(R"({"width":"4","vocabulary":3,"layers":[{"block":"TF"}]})", "width must be an integer");
  refused(R"({"width":4,"vocabulary":3,"layers":[{"block":"TF","heads":3}]})", "divide the model width 4");
  refused(R"({"width":99999999999,"vocabulary":3,"layers":[]})", "width must be an integer");
}

TEST(ModelFile, GoldenFilesSurviveARoundTrip) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const TemporaryFile file;
    write_model_file(file.path(), golden.model);
    const ModelFile back = read_model_file(file.path());
    EXPECT_EQ(to_json(back.architecture), to_json(golden.model.architecture)) << name;
    EXPECT_EQ(back.parameters, golden.model.parameters) << name;
    EXPECT_EQ(back.input.values, golden.model.input.values) << name;
    EXPECT_EQ(back.target.values, golden.model.target.values) << name;
    EXPECT_EQ(back.valid_below(), golden.model.valid_below()) << name;
    // Uniform architectures keep the attributes of the golden format, so that they can be read without the JSON.
    const Hdf5Reader written(file.path());
    const Hdf5Reader original(golden_path(name));
    for (const char* attribute : {"d", "V", "conv_width", "expansion", "parameters"}) {
      EXPECT_EQ(written.integer_attribute(attribute), original.integer_attribute(attribute))
          << name << " " << attribute;
    }
  }
}

TEST(ModelFile, AnyArchitectureSurvivesARoundTripAndRuns) {
  ModelFile model;
  model.architecture = unusual();
  const kernels::Program program = lower(model.architecture);
  model.parameters = initialise(program, 3);
  model.input = {{1, 5}, {0, 1, 2, 3, 4}};
  const TemporaryFile file;
  write_model_file(file.path(), model);
  const ModelFile back = read_model_file(file.path());
  EXPECT_EQ(to_json(back.architecture), to_json(model.architecture));
  EXPECT_EQ(back.parameters, model.parameters);
  EXPECT_FALSE(back.has_target());
  EXPECT_EQ(back.valid_below(), 9);
  EXPECT_FALSE(Hdf5Reader(file.path()).has_attribute("conv_width"));

  const auto logits = [&](const ModelFile& each) {
    const kernels::Program lowered = lower(each.architecture);
    kernels::ForwardRequest request;
    request.program = &lowered;
    request.parameters = &each.parameters;
    request.time = 5;
    request.tokens = each.input.values;
    return kernels::reference_engine().forward(request).logits.values;
  };
  EXPECT_EQ(first_difference(logits(back), logits(model)), -1);
}

/// The golden model written with one thing changed.
void expect_file_refused(const std::string& expected, const std::string& skip, const std::string& add,
                         const Array<double>& data) {
  const Golden golden("model_TF-TF_d4_full_h1.h5");
  const TemporaryFile file;
  {
    Hdf5Writer writer(file.path());
    writer.write_text("architecture", to_json(golden.model.architecture));
    for (std::size_t p = 0; p < golden.program.parameters.size(); ++p) {
      const auto& info = golden.program.parameters[p];
      if (info.name != skip) writer.write(info.name, Array<double>{info.shape, golden.model.parameters[p]});
    }
    if (!add.empty()) writer.write(add, data);
    writer.commit();
  }
  expect_refused([&] { static_cast<void>(read_model_file(file.path())); }, expected);
}

TEST(ModelFile, RefusalsNameTheDataset) {
  const std::string qkv = "layers.0.tf.qkv.weight";
  expect_file_refused("parameter 'layers.0.tf.qkv.weight' [12, 4] is missing", qkv, "", {});
  expect_file_refused("parameter 'layers.0.tf.qkv.weight' has shape [2, 3], the model needs [12, 4]", qkv, qkv,
                      {{2, 3}, std::vector<double>(6)});
  expect_file_refused("dataset 'layers.0.tf.extra' is no parameter of the model TF,TF", "", "layers.0.tf.extra",
                      {{1}, {0.0}});
  std::vector<double> broken(48, 0.0);
  broken[5] = std::nan("");
  expect_file_refused("parameter 'layers.0.tf.qkv.weight' holds a value that is not finite", qkv, qkv,
                      {{12, 4}, broken});
  expect_file_refused("input", "", "input", {{1, 2}, {0.0, 1.0}});
  expect_refused([] { static_cast<void>(read_model_file("/nonexistent/model.h5")); }, "/nonexistent/model.h5");
}

TEST(ModelFile, AttributesThatAreMissingOrOutOfRangeAreNamed) {
  const TemporaryFile file;
  {
    Hdf5Writer writer(file.path());
    writer.attribute("layers", "TF");
    writer.attribute("V", 4);
    writer.commit();
  }
  expect_refused([&] { static_cast<void>(read_model_file(file.path())); }, "'d'");
  const TemporaryFile negative;
  {
    Hdf5Writer writer(negative.path());
    writer.attribute("layers", "TF");
    writer.attribute("d", -4);
    writer.commit();
  }
  expect_refused([&] { static_cast<void>(read_model_file(negative.path())); }, "attribute d is -4");
}

TEST(StateFile, SurvivesARoundTrip) {
  const Golden golden("model_SSM-TF_d8_w7_h1.h5");
  kernels::ForwardRequest request = golden.request(NumberFormat::float32);
  request.carry_out = true;
  const kernels::CarryState state = kernels::reference_engine().forward(request).carry;
  const TemporaryFile file;
  write_state_file(file.path(), state);
  const kernels::CarryState back = read_state_file(file.path());
  EXPECT_EQ(back.position, state.position);
  EXPECT_EQ(back.segment, state.segment);
  ASSERT_EQ(back.arrays.size(), state.arrays.size());
  for (const auto& [name, array] : state.arrays) {
    EXPECT_EQ(back.arrays.at(name).shape, array.shape) << name;
    EXPECT_EQ(first_difference(back.arrays.at(name).values, array.values), -1) << name;
  }
}

TEST(StateFile, RefusesPositionsThatAreNone) {
  for (const double position : {-1.0, 0.5, 1e300, std::nan("")}) {
    const TemporaryFile file;
    {
      Hdf5Writer writer(file.path());
      writer.write("position", Array<double>{{1}, {position}});
      writer.write("segment", Array<std::int32_t>{{1}, {0}});
      writer.commit();
    }
    expect_refused([&] { static_cast<void>(read_state_file(file.path())); }, "whole number");
  }
}

}  // namespace
}  // namespace hyseq::models
