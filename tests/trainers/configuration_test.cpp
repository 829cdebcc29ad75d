#include "trainers/configuration.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/engine.hpp"
#include "tests/trainers/small_run.hpp"

namespace hyseq::trainers {
namespace {

using Json = nlohmann::ordered_json;
using Change = std::function<void(RunConfiguration&)>;

/// Every setting once, changed to something else.
const std::vector<std::pair<const char*, Change>>& changes() {
  using Run = RunConfiguration;
  static const std::vector<std::pair<const char*, Change>> all = {
      {"width", [](Run& r) { r.architecture.width = 6; }},
      {"heads", [](Run& r) { std::get<models::TransformerBlock>(r.architecture.layers[1]).heads = 2; }},
      {"dropout embedding", [](Run& r) { r.dropout.embedding = 0.25; }},
      {"dropout probabilities", [](Run& r) { r.dropout.probabilities = 0.25; }},
      {"dropout attention", [](Run& r) { r.dropout.attention = 0.25; }},
      {"dropout mlp", [](Run& r) { r.dropout.mlp = 0.25; }},
      {"scale", [](Run& r) { r.initialisation.scale = 0.1; }},
      {"random step", [](Run& r) { r.initialisation.random_step = true; }},
      {"task option", [](Run& r) { r.data.options["number-share"] = "0.3"; }},
      {"shortest", [](Run& r) { r.data.lengths.min = 8; }},
      {"longest", [](Run& r) { r.data.lengths.max = 10; }},
      {"context", [](Run& r) { r.data.context = 40; }},
      {"random targets", [](Run& r) { r.data.random_targets = true; }},
      {"calibration", [](Run& r) { r.data.calibration = true; }},
      {"learning rate", [](Run& r) { r.optimiser.learning_rate = 0.1; }},
      {"steps", [](Run& r) { r.optimiser.steps = 13; }},
      {"warmup", [](Run& r) { r.optimiser.warmup = 4; }},
      {"decay", [](Run& r) { r.optimiser.decay = Decay::cosine; }},
      {"batch", [](Run& r) { r.optimiser.batch = 3; }},
      {"beta1", [](Run& r) { r.optimiser.beta1 = 0.8; }},
      {"beta2", [](Run& r) { r.optimiser.beta2 = 0.99; }},
      {"epsilon", [](Run& r) { r.optimiser.epsilon = 1e-6; }},
      {"weight decay", [](Run& r) { r.optimiser.weight_decay = 0.2; }},
      {"decay policy", [](Run& r) { r.optimiser.decay_policy = DecayPolicy::matrices; }},
      {"clip", [](Run& r) { r.optimiser.clip = 0; }},
      {"evaluation rows", [](Run& r) { r.evaluation.rows = 71; }},
      {"evaluation lengths",
       [](Run& r) {
         r.evaluation.lengths = {13, 14};
       }},
      {"evaluation every", [](Run& r) { r.evaluation.every = 6; }},
      {"curve every", [](Run& r) { r.curve_every = 5; }},
      {"seed", [](Run& r) { r.seed = std::numeric_limits<std::uint64_t>::max(); }},
      {"engine", [](Run& r) { r.engine = "cuda"; }},
      {"format", [](Run& r) { r.format = NumberFormat::float64; }},
  };
  return all;
}

TEST(Configuration, EverySettingSurvivesJsonAndChangesTheIdentity) {
  const RunConfiguration plain = small_run();
  std::set<std::string> identities = {identity(plain)};
  EXPECT_EQ(identity(plain).size(), 32u);
  EXPECT_EQ(identity(plain).find_first_not_of("0123456789abcdef"), std::string::npos);
  for (const auto& [name, change] : changes()) {
    RunConfiguration changed = plain;
    change(changed);
    EXPECT_NO_THROW(validate(changed)) << name;
    EXPECT_TRUE(identities.insert(identity(changed)).second) << name << " does not change the identity";
    const RunConfiguration back = configuration_from_json(Json::parse(to_json(changed).dump()));
    EXPECT_EQ(to_json(back), to_json(changed)) << name;
    EXPECT_EQ(identity(back), identity(changed)) << name;
    const bool same_cohort = std::string(name) == "seed" || std::string(name) == "learning rate";
    EXPECT_EQ(cohort_key(changed) == cohort_key(plain), same_cohort) << name;
  }
}

TEST(Configuration, TheIdentityIsThatOfThisVersion) {
  // A change of this value orphans every stored run.
  RunConfiguration run = small_run();
  run.engine = "lanes";
  EXPECT_EQ(identity(run), "f1202e0a228a542dae8c66e8d8b943e2");
}

TEST(Configuration, OneSettingHasOneIdentity) {
  RunConfiguration run = small_run();
  const std::string id = identity(run);
  run.data.options["number-share"] = "0.40";
  EXPECT_EQ(identity(run), id);
  run.data.options["values"] = "03";
  EXPECT_EQ(identity(run), id);
  RunConfiguration defaults = small_run();
  defaults.data.task = "mkar";
  defaults.data.options = {};
  const std::string plain = identity(defaults);
  defaults.data.options = {{"key-length", "2"}};
  EXPECT_EQ(identity(defaults), plain);
  EXPECT_EQ(to_json(defaults)["data"]["options"].size(), 3u);
  defaults.data.options = {{"key-lenght", "2"}};
  EXPECT_THROW((void)identity(defaults), InputError);
}

TEST(Configuration, ADataFileIsItsContentAndNotItsPlace) {
  RunConfiguration run = small_run();
  run.data.task.clear();
  run.data.options.clear();
  run.data.file = "/a/rows.h5";
  run.data.file_hash = "0123";
  const std::string id = identity(run);
  const std::string key = cohort_key(run);
  run.data.file = "/b/rows.h5";
  EXPECT_EQ(identity(run), id);
  EXPECT_EQ(cohort_key(run), key);
  EXPECT_EQ(configuration_from_json(to_json(run)).data.file, "/b/rows.h5");
  run.data.file_hash = "0124";
  EXPECT_NE(identity(run), id);
}

TEST(Configuration, UnknownKeysAndWrongKindsAreRefused) {
  const Json good = to_json(small_run());
  const auto refused = [&](const char* pointer, const Json& value, const std::string& part) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    try {
      (void)configuration_from_json(bad);
      ADD_FAILURE() << pointer << " was not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused("/sede", 1, "'sede'");
  refused("/dropout/mpl", 0.1, "'mpl'");
  refused("/initialisation/std", 0.1, "'std'");
  refused("/data/length", 9, "'length'");
  refused("/optimiser/lr", 0.1, "'lr'");
  refused("/evaluation/row", 1, "'row'");
  refused("/architecture/depth", 1, "'depth'");
  refused("/seed", -1, "seed must be an integer");
  refused("/seed", 1.5, "seed must be an integer");
  refused("/optimiser/steps", "12", "steps must be an integer");
  refused("/optimiser/decay", "exponential", "linear, cosine");
  refused("/optimiser/decay_policy", "some", "all, matrices");
  refused("/data/random_targets", 1, "random_targets must be true or false");
  refused("/data/options", 1, "options must be an object");
  refused("/data/options/values", 3, "option values must be a text");
  refused("/evaluation/lengths", 9, "lengths must be a list");
  refused("/evaluation/lengths", {1.5}, "lengths must hold integers");
  refused("/format", "fp8", "fp8");
  refused("/data", 1, "data");
  Json without = good;
  without.erase("architecture");
  EXPECT_THROW((void)configuration_from_json(without), InputError);
}

TEST(Configuration, ValuesThatDoNotFitAreRefused) {
  const auto refused = [](const Change& change, const std::string& part) {
    RunConfiguration run = small_run();
    EXPECT_NO_THROW(validate(run));
    change(run);
    try {
      validate(run);
      ADD_FAILURE() << part << " was not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  using Run = RunConfiguration;
  refused([](Run& r) { r.optimiser.steps = 0; }, "number of steps is 0");
  refused([](Run& r) { r.optimiser.warmup = 13; }, "warm-up is 13, allowed is 0 to 12");
  refused([](Run& r) { r.optimiser.learning_rate = -1; }, "learning rate is -1");
  refused([](Run& r) { r.optimiser.learning_rate = std::nan(""); }, "learning rate is nan");
  refused([](Run& r) { r.optimiser.batch = 0; }, "batch is 0");
  refused([](Run& r) { r.optimiser.beta2 = 1; }, "beta is 1");
  refused([](Run& r) { r.optimiser.epsilon = 0; }, "epsilon is 0");
  refused([](Run& r) { r.optimiser.clip = -1; }, "clipping norm is -1");
  refused([](Run& r) { r.dropout.mlp = 1; }, "MLP branch dropout");
  refused([](Run& r) { r.initialisation.scale = -1; }, "initial scale is -1");
  refused([](Run& r) { r.curve_every = 0; }, "curve is 0");
  refused([](Run& r) { r.evaluation.rows = -1; }, "evaluation rows is -1");
  refused([](Run& r) { r.evaluation.lengths = {2}; }, "length is 2");
  refused([](Run& r) { r.engine = "auto"; }, "lanes, dense, cuda, cuda-emulated or reference");
  refused([](Run& r) { r.architecture.vocabulary = 9; }, "9 tokens, task selective_copy with these options has 8");
  refused([](Run& r) { r.data.lengths = {2, 9}; }, "length is 2");
  refused([](Run& r) { r.data.lengths = {9, 7}; }, "largest length is 7");
  refused([](Run& r) { r.data.context = 10; }, "context is 10, allowed is 11");
  refused([](Run& r) { r.data.task = "copy"; }, "copy");
  refused([](Run& r) { r.data.task = ""; }, "either a task or a file");
  refused([](Run& r) { r.data.file = "rows.h5"; }, "given are both");
  refused([](Run& r) { r.data.options["number-share"] = "2"; }, "number-share");
}

TEST(Configuration, AutoBecomesAnEngineThatTrains) {
  EXPECT_EQ(resolve_engine("dense", 4, NumberFormat::float32), "dense");
  for (const int width : {4, 63, 64, 1024}) {
    for (const NumberFormat format :
         {NumberFormat::float32, NumberFormat::float64, NumberFormat::bfloat16, NumberFormat::float16}) {
      const std::string found = resolve_engine("auto", width, format);
      EXPECT_GT(kernels::find_engine(found).cohort_size(format), 0u) << found;
      EXPECT_NE(found, "cuda-emulated");
    }
  }
}

TEST(Configuration, AutoIsAGpuForWideModelsAndThoseOfBfloat16) {
  const bool gpu =
      std::ranges::any_of(kernels::engines(), [](const auto* engine) { return engine->name() == "cuda"; }) &&
      kernels::cuda::find_gpu().gpu;
  EXPECT_EQ(resolve_engine("auto", 63, NumberFormat::float32), "lanes");
  EXPECT_EQ(resolve_engine("auto", 64, NumberFormat::float32), gpu ? "cuda" : "dense");
  EXPECT_EQ(resolve_engine("auto", 8, NumberFormat::bfloat16), gpu ? "cuda" : "reference");
}

}  // namespace
}  // namespace hyseq::trainers
