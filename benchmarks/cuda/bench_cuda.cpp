// bench_cuda [--traffic] [--json FILE] [--rounds N] [--only kernels|training]
//
//   --traffic   no GPU is needed: prints what every kernel moves and computes, the tables of docs/cuda.md
//
// Without it: times on this machine's GPU of every kernel in a step, beside what they take at least at the bandwidth of
// a copy and the rates of products measured here, and training in tokens a second. Exit codes: 0 success, 1 the
// launches are not those that were counted, 2 bad usage, 3 there is no GPU.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "benchmarks/cuda/tables.hpp"
#include "benchmarks/cuda/timing.hpp"

#include "kernels/base/error.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/engine.hpp"
#include "models/initialise.hpp"

namespace hyseq::benchmarks {
namespace {

using nlohmann::ordered_json;

struct Options {
  bool traffic = false;
  bool kernels = true;
  bool training = true;
  int rounds = 21;
  std::string json;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i == argc) throw InputError(std::string(word) + " needs a value");
      return argv[i];
    };
    if (word == "--traffic") {
      options.traffic = true;
    } else if (word == "--json") {
      options.json = value();
    } else if (word == "--rounds") {
      options.rounds = std::atoi(value().c_str());
      if (options.rounds < 3) throw InputError("--rounds must be a number from 3 on");
    } else if (word == "--only") {
      const std::string part = value();
      if (part != "kernels" && part != "training") throw InputError("--only is 'kernels' or 'training', not " + part);
      options.kernels = part == "kernels";
      options.training = part == "training";
    } else {
      throw InputError("'" + std::string(word) + "' is none of --traffic, --json, --rounds, --only");
    }
  }
  return options;
}

/// The case's launches, timed, beside what was counted.
ordered_json time_kernels(const CudaCase& values, const MeasuredCeilings& measured, int rounds) {
  const kernels::Program training = values.training();
  const auto counted = kernels::cuda::step_traffic(training, values.step);
  const std::vector<TimedLaunch> launches = time_launches(training, values.step, rounds);
  bool same = launches.size() == counted.size();
  for (std::size_t i = 0; same && i < counted.size(); ++i) same = launches[i].kernel == counted[i].kernel;
  if (!same) throw std::logic_error("the launches of a step are not those that were counted");
  std::vector<double> seconds;
  for (const TimedLaunch& launch : launches) seconds.push_back(launch.seconds);
  const auto rows = kernel_rows(counted, measured.ceilings(values.step.bfloat16), seconds);
  std::cout << "\nOne training step of " << values.sizes << ":\n\n" << figures_table(rows) << std::flush;
  ordered_json json = {{"case", values.name}, {"sizes", values.sizes}, {"kernels", ordered_json::array()}};
  for (const KernelRow& row : rows) {
    json["kernels"].push_back({{"kernel", row.kernel},
                               {"purpose", row.purpose},
                               {"launches", row.launches},
                               {"bytes", row.bytes},
                               {"operations", row.operations},
                               {"functions", row.functions},
                               {"random_blocks", row.words},
                               {"limit_seconds", row.seconds},
                               {"limit_by", row.by},
                               {"seconds", row.measured}});
  }
  return json;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Whole steps by the engine, the host's part of them included.
ordered_json time_training(const CudaCase& values, const MeasuredCeilings& measured) {
  const kernels::Program training = values.training();
  const kernels::Program evaluation = models::lower(values.architecture);
  const std::size_t members = values.step.members;
  const std::size_t cells = members * values.step.batch * values.step.time;
  kernels::CohortRequest request;
  request.training = &training;
  request.evaluation = &evaluation;
  request.format = values.step.bfloat16 ? NumberFormat::bfloat16 : NumberFormat::float32;
  request.members = members;
  request.longest = values.step.time;
  const auto cohort = kernels::find_engine("cuda").make_cohort(request);
  for (std::size_t m = 0; m < members; ++m) cohort->set_parameters(m, models::initialise(training, m));
  std::vector<std::int32_t> tokens(cells);
  std::vector<std::int32_t> targets(cells);
  const auto vocabulary = static_cast<std::size_t>(training.vocabulary);
  for (std::size_t i = 0; i < cells; ++i) {
    tokens[i] = static_cast<std::int32_t>(i * 7919 % vocabulary);
    targets[i] = static_cast<std::int32_t>(i * 104729 % (vocabulary - 3));
  }
  const std::vector<std::uint64_t> seeds(members, 7);
  const std::vector<double> rates(members, 1e-4);
  std::vector<kernels::MemberStep> results(members);
  kernels::StepRequest step{
      {values.step.batch, values.step.time, tokens, targets, {}, training.vocabulary - 3}, 0, seeds, rates};
  for (; step.step < 3; ++step.step) cohort->step(step, results);  // memory, the recording, and the first replay
  const double begin = seconds();
  std::size_t steps = 0;
  for (; steps < 5 || seconds() - begin < 2; ++steps, ++step.step) cohort->step(step, results);
  const double per_step = (seconds() - begin) / static_cast<double>(steps);
  double products = 0;
  double least = 0;
  for (const auto& launch : kernels::cuda::step_traffic(training, values.step)) {
    products += launch.products.value();
    least += kernels::cuda::limit(launch, measured.ceilings(values.step.bfloat16)).seconds;
  }
  const double rate = values.step.bfloat16 ? measured.products_bfloat16 : measured.products_float;
  const double tokens_per_second = static_cast<double>(cells) / per_step;
  std::printf("| %s | %.3g | %.0f | %.1f%% | %.1f%% |\n", values.name.c_str(), 1e3 * per_step, tokens_per_second,
              100 * products / per_step / rate, 100 * least / per_step);
  std::fflush(stdout);
  return {{"case", values.name},
          {"parameters", training.parameter_count()},
          {"seconds_per_step", per_step},
          {"tokens_per_second", tokens_per_second},
          {"share_of_product_rate", products / per_step / rate},
          {"limit_seconds", least},
          {"last_loss", results.front().loss.loss}};
}

void run(const Options& options) {
  if (options.traffic) {
    std::cout << traffic_page();
    return;
  }
  const kernels::cuda::GpuState state = kernels::cuda::find_gpu();
  if (!state.gpu) throw EnvironmentError("nothing can be timed: " + state.reason);
  const MeasuredCeilings measured = measure_ceilings();
  std::printf("%s: copies %.2f TB/s (read and written), products %.0f TFLOP/s in bfloat16, %.1f in float\n",
              state.gpu->name.c_str(), measured.copy / 1e12, measured.products_bfloat16 / 1e12,
              measured.products_float / 1e12);
  std::fflush(stdout);
  ordered_json json = {{"gpu", state.gpu->name},
                       {"driver", state.gpu->driver},
                       {"toolkit", state.gpu->toolkit},
                       {"cublas", state.gpu->cublas},
                       {"copy_bytes_per_second", measured.copy},
                       {"bfloat16_product_rate", measured.products_bfloat16},
                       {"float_product_rate", measured.products_float},
                       {"clock", measured.clock},
                       {"multiprocessors", measured.processors},
                       {"steps", ordered_json::array()},
                       {"training", ordered_json::array()}};
  if (options.kernels) {
    for (const CudaCase& values : {cohort_case(), model_case()}) {
      json["steps"].push_back(time_kernels(values, measured, options.rounds));
    }
  }
  if (options.training) {
    std::printf(
        "\n| model | ms a step | tokens a second | of the product rate | limit of time |\n|---|---|---|---|---|\n");
    std::vector<CudaCase> cases = large_cases();
    for (const std::size_t members : {std::size_t{16}, std::size_t{64}, std::size_t{256}, std::size_t{512}}) {
      cases.push_back(cohort_case(members));
      cases.back().name = std::to_string(members) + " members SSM,TF, width 8";
    }
    cases.push_back(model_case());
    for (const CudaCase& values : cases) json["training"].push_back(time_training(values, measured));
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << json.dump(1) << "\n";
    if (!file) throw InputError("the file " + options.json + " cannot be written");
  }
}

}  // namespace
}  // namespace hyseq::benchmarks

int main(int argc, char** argv) {
  try {
    hyseq::benchmarks::run(hyseq::benchmarks::parse(argc, argv));
    return 0;
  } catch (const hyseq::InputError& error) {
    std::cerr << "bench_cuda: " << error.what() << "\n";
    return 2;
  } catch (const hyseq::EnvironmentError& error) {
    std::cerr << "bench_cuda: " << error.what() << "\n";
    return 3;
  } catch (const std::exception& error) {
    std::cerr << "bench_cuda: " << error.what() << "\n";
    return 1;
  }
}
