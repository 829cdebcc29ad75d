// What is counted of the cuda engine's kernels is what the engine launches, and what its page says.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "benchmarks/cuda/cases.hpp"
#include "benchmarks/cuda/tables.hpp"

#include "kernels/adamw/cuda.hpp"
#include "kernels/cuda/session.hpp"
#include "kernels/cuda/watch.hpp"
#include "models/initialise.hpp"

namespace hyseq::benchmarks {
namespace {

using kernels::cuda::KernelTraffic;
using kernels::cuda::Quantity;
using kernels::cuda::StepSizes;

class Names final : public kernels::cuda::Watch {
 public:
  void see(const std::type_info& what, const std::function<void()>& give) override {
    names.push_back(kernels::cuda::kernel_name(what));
    give();
  }
  std::vector<std::string> names;
};

/// Kernels of a training step on the emulated device, in their order.
std::vector<std::string> launched(const kernels::Program& training, const StepSizes& sizes) {
  namespace cuda = kernels::cuda;
  cuda::Stream stream;
  const cuda::ParameterLayout layout(training);
  const std::size_t numbers = sizes.members * layout.step;
  cuda::DeviceArray<float> values(numbers);
  cuda::DeviceArray<float> gradients(numbers);
  cuda::DeviceArray<float> first(numbers);
  cuda::DeviceArray<float> second(numbers);
  cuda::DeviceArray<cuda::LossSums> sums(sizes.members);
  for (std::size_t m = 0; m < sizes.members; ++m) {
    cuda::upload_member(layout, models::initialise(training, m), m, stream, values);
  }
  cuda::Session<float> session(training, layout, stream, sizes.members, values.span(), gradients.span());
  cuda::Optimiser<float> optimiser(layout, sizes.members, {}, {}, stream);
  const std::vector<std::int32_t> tokens(sizes.members * sizes.batch * sizes.time, 1);
  session.place({sizes.members, sizes.batch, sizes.time, tokens, {}, tokens, training.vocabulary}, true);
  session.set_step({}, std::vector<cuda::MemberStepValues>(sizes.members));
  Names watch;
  stream.show(&watch);
  cuda::zero(stream, gradients.span());
  cuda::zero(stream, sums.span());
  session.forward();
  session.loss(sums.span());
  session.backward();
  optimiser.update(stream, {values.span(), gradients.span(), first.span(), second.span()}, sums.span(), session.step(),
                   session.member_steps());
  return watch.names;
}

std::vector<std::string> counted(const kernels::Program& training, const StepSizes& sizes) {
  std::vector<std::string> names;
  for (const KernelTraffic& launch : kernels::cuda::step_traffic(training, sizes)) names.push_back(launch.kernel);
  return names;
}

void expect_launches(const CudaCase& values, StepSizes sizes) {
  const kernels::Program training = values.training();
  sizes.bfloat16 = false;
  const std::vector<std::string> expected = launched(training, sizes);
  EXPECT_EQ(counted(training, sizes), expected) << values.name;
  // On a GPU two roundings come before every product in bfloat16.
  sizes.bfloat16 = true;
  std::vector<std::string> rounding;
  for (const std::string& name : expected) {
    if (name == "Product") rounding.insert(rounding.end(), 2, "RoundFactor");
    rounding.push_back(name);
  }
  EXPECT_EQ(counted(training, sizes), rounding) << values.name;
}

TEST(CudaTraffic, LaunchesAreThoseOfTheEngine) {
  expect_launches(cohort_case(), {2, 2, 100, false});
  expect_launches(cohort_case(), {1, 1, 9, false});
  expect_launches(remaining_case(), {2, 1, 40, false});
  CudaCase model = model_case();
  model.architecture = cuda_architecture("(SSM,TF)*2", 32, 16, 8, 40);
  expect_launches(model, {1, 1, 300, false});
}

TEST(CudaTraffic, NamesAreThoseOfBodies) {
  const auto names = counted(cohort_case().training(), {1, 1, 9, false});
  for (const char* name : {"ScanForward", "AttentionKeyGradient", "BiasTerms", "ActivateGroup", "Product"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
}

TEST(CudaTraffic, FormulasHaveTheValuesTheySay) {
  const Quantity rows("R", 6);
  const Quantity width("w", 5);
  const Quantity sum = 4 * rows * (2 * width + 1) + 0 * width;
  EXPECT_EQ(sum.text(), "4 R (2 w + 1)");
  EXPECT_EQ(sum.value(), 4 * 6 * 11);
  EXPECT_EQ((1 * rows + width * 1).text(), "R + w");
}

double total(const std::vector<KernelTraffic>& step, const std::string& kernel, Quantity KernelTraffic::*what) {
  double sum = 0;
  for (const KernelTraffic& launch : step) {
    if (kernel.empty() || launch.kernel == kernel) sum += (launch.*what).value();
  }
  return sum;
}

// Figures by another way: from the list of parameters, and from the shapes of the buffers.
TEST(CudaTraffic, ProductsAndUpdatesFollowFromTheParameters) {
  for (const CudaCase& values : {cohort_case(), model_case()}) {
    const kernels::Program training = values.training();
    const auto step = kernels::cuda::step_traffic(training, values.step);
    const auto members = static_cast<double>(values.step.members);
    const double tokens = members * static_cast<double>(values.step.batch * values.step.time);
    double weights = 0;  // each takes part in three products; the table only as the head
    for (const kernels::Operation& operation : training.forward) {
      const auto* linear = std::get_if<kernels::Linear>(&operation);
      if (linear != nullptr) weights += static_cast<double>(linear->in.width) * linear->out.width;
    }
    EXPECT_EQ(total(step, "", &KernelTraffic::products), 3 * 2 * tokens * weights);
    const auto parameters = static_cast<double>(training.parameter_count());
    EXPECT_NEAR(total(step, "UpdateNumbers", &KernelTraffic::bytes), 28 * members * parameters,
                1e-2 * 28 * members * parameters);
    // Each of the scan's states needs an exp2 forward and two backward, and another one where there are pieces.
    double states = 0;
    for (const kernels::Operation& operation : training.forward) {
      const auto* scan = std::get_if<kernels::SelectiveScan>(&operation);
      if (scan != nullptr) states += static_cast<double>(scan->u.width) * scan->input.width;
    }
    EXPECT_EQ(total(step, "ScanForward", &KernelTraffic::functions), tokens * states);
    EXPECT_EQ(total(step, "ScanBackward", &KernelTraffic::functions), 2 * tokens * states);
  }
}

// A tile of 64 queries and a window of 128 meets three tiles of keys, the first two of a sequence fewer; scores of
// tiles are at least those of the pairs that see each other.
TEST(CudaTraffic, AttentionCountsPairsOfTiles) {
  const kernels::Program training = model_case().training();
  const auto step = kernels::cuda::step_traffic(training, model_case().step);
  const double calls = 6;
  const double pairs = 1 + 2 + 14 * 3;
  EXPECT_EQ(total(step, "AttentionForward", &KernelTraffic::functions), calls * 8 * 12 * pairs * 64 * 64);
  EXPECT_EQ(total(step, "AttentionKeyGradient", &KernelTraffic::functions), calls * 8 * 12 * pairs * 64 * 64);
  const double seen = 128.0 * 129 / 2 + (1024 - 128) * 128.0;
  EXPECT_GT(pairs * 64 * 64, seen);
}

TEST(CudaTraffic, ALimitIsTheLargestOfItsTimes) {
  KernelTraffic launch;
  launch.bytes = 10;
  launch.functions = 6;
  const kernels::cuda::Ceilings ceilings{.copy = 10, .operations = 1, .functions = 2, .words = 1, .products = 1};
  EXPECT_EQ(kernels::cuda::limit(launch, ceilings).seconds, 3);
  EXPECT_STREQ(kernels::cuda::limit(launch, ceilings).by, "functions");
  launch.bytes = 50;
  EXPECT_EQ(kernels::cuda::limit(launch, ceilings).seconds, 5);
  EXPECT_STREQ(kernels::cuda::limit(launch, ceilings).by, "copy");
}

TEST(CudaTraffic, LargeModelsAreOfTheSizesAskedFor) {
  const std::vector<CudaCase> cases = large_cases();
  ASSERT_EQ(cases.size(), 12U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double wanted = i < 4 ? 1e6 : i < 8 ? 1e7 : 1e8;
    EXPECT_NEAR(static_cast<double>(cases[i].training().parameter_count()), wanted, 0.2 * wanted) << cases[i].name;
  }
}

TEST(CudaTraffic, ThePageHasTheTables) {
  std::ifstream file(HYSEQ_SOURCE_DIR "/docs/cuda.md");
  std::ostringstream page;
  page << file.rdbuf();
  std::istringstream lines(traffic_page());
  int rows = 0;
  std::string missing;
  for (std::string line; std::getline(lines, line); ++rows) {
    // The page may have a time in the place of this.
    if (const auto times = line.find(" not measured |"); times != std::string::npos) line.resize(times);
    if (!line.empty() && page.str().find("\n" + line) == std::string::npos) missing += line + "\n";
  }
  EXPECT_EQ(missing, "") << "docs/cuda.md does not have what bench_cuda --traffic prints";
  EXPECT_GT(rows, 100);
}

}  // namespace
}  // namespace hyseq::benchmarks
