#include "kernels/engine.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"

namespace hyseq::kernels {
namespace {

TEST(Engines, TheListEndsInReference) {
  ASSERT_FALSE(engines().empty());
  EXPECT_EQ(engines().back()->name(), "reference");
  EXPECT_EQ(engines().back()->formats().size(), 4U);
  for (const Engine* engine : engines()) EXPECT_EQ(&find_engine(engine->name()), engine);
}

TEST(Engines, UnknownAndAbsentOnesAreToldApart) {
  EXPECT_THROW(static_cast<void>(find_engine("cuda")), EnvironmentError);
  EXPECT_THROW(static_cast<void>(find_engine("Reference")), InputError);
  try {
    static_cast<void>(find_engine("quantum"));
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind("engine 'quantum' is unknown; this build has: ", 0), 0U) << text;
    for (const Engine* engine : engines()) EXPECT_NE(text.find(engine->name()), std::string::npos) << text;
  }
}

/// Embedding and tied head: the smallest program there is.
struct Tiny {
  Program program;
  ParameterValues parameters = {{1, 0, 0, 1, 1, 1}};
  std::vector<std::int32_t> tokens = {0, 2};

  Tiny() {
    program.vocabulary = 3;
    program.parameters = {{"embedding", {3, 2}, Initialiser::normal}};
    program.buffers = {{"embedding", 2}, {"logits", 3}};
    program.hidden = {0, 0, 2};
    program.logits = {1, 0, 3};
    program.forward = {Embedding{0, program.hidden}, Linear{program.hidden, program.logits, 0, kNoParameter}};
    program.head_begin = 1;
  }

  [[nodiscard]] ForwardRequest request() const {
    ForwardRequest request;
    request.program = &program;
    request.parameters = &parameters;
    request.time = 2;
    request.tokens = tokens;
    return request;
  }
};

TEST(ReferenceEngine, RunsAProgramInEveryFormat) {
  const Tiny tiny;
  for (const NumberFormat format : reference_engine().formats()) {
    ForwardRequest request = tiny.request();
    request.format = format;
    const ForwardResult result = reference_engine().forward(request);
    EXPECT_EQ(result.logits.shape, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(result.logits.values, (std::vector<double>{1, 0, 1, 1, 1, 2}));
  }
}

TEST(ReferenceEngine, RefusesWhatDoesNotFit) {
  const Tiny tiny;
  const auto refused = [](const ForwardRequest& request) {
    EXPECT_THROW(static_cast<void>(reference_engine().forward(request)), InputError);
  };
  ForwardRequest request = tiny.request();
  request.time = 3;
  refused(request);
  request = tiny.request();
  request.time = 0;
  refused(request);
  request = tiny.request();
  const std::vector<std::int32_t> outside = {0, 3};
  request.tokens = outside;
  refused(request);
  request = tiny.request();
  const std::vector<std::int32_t> short_targets = {0};
  request.targets = short_targets;
  refused(request);
  request = tiny.request();
  CarryState two_rows;
  two_rows.position = {0, 0};
  two_rows.segment = {0, 0};
  request.carry_in = &two_rows;
  refused(request);
  request = tiny.request();
  const ParameterValues too_few;
  request.parameters = &too_few;
  refused(request);
  const ParameterValues infinite = {{1, 0, 0, 1, 1, std::numeric_limits<double>::infinity()}};
  request.parameters = &infinite;
  refused(request);
}

}  // namespace
}  // namespace hyseq::kernels
