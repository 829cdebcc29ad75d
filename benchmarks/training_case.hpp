// Whole training steps of the lanes engine, set up for the benchmarks: models, cohorts and random data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "kernels/engine.hpp"
#include "models/cost.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"

namespace hyseq {

/// Of this thread alone: other programs of a shared machine take its time, but not its seconds.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Setting {
  const char* layers;
  int width;
  int vocabulary;
  int window;
};

inline models::Architecture architecture(const Setting& setting) {
  models::TransformerBlock transformer;
  transformer.heads = 1;
  transformer.window = setting.window;
  transformer.rotary_width = models::rotary_width(0.25, setting.width);
  models::Architecture result;
  result.width = setting.width;
  result.vocabulary = setting.vocabulary;
  result.layers = models::parse_layers(setting.layers, transformer, {});
  return result;
}

/// `members` models, as many to a cohort as the engine has lanes, with dropout 0.1 on the two branch sites.
class TrainingCase {
 public:
  TrainingCase(const Setting& setting, std::size_t rows, std::size_t time, std::size_t members)
      : rows_(rows),
        time_(time),
        vocabulary_(setting.vocabulary),
        evaluation_(models::lower(architecture(setting))),
        training_(models::lower(architecture(setting), {0, 0, 0.1, 0.1})) {
    const kernels::Engine& engine = kernels::find_engine("lanes");
    const std::size_t lanes = engine.cohort_size(NumberFormat::float32);
    for (std::size_t first = 0; first < members; first += lanes) {
      kernels::CohortRequest request;
      request.training = &training_;
      request.evaluation = &evaluation_;
      request.members = std::min(lanes, members - first);
      request.longest = time;
      cohorts_.push_back(engine.make_cohort(request));
      for (std::size_t m = 0; m < request.members; ++m) {
        cohorts_.back()->set_parameters(m, models::initialise(training_, first + m));
      }
    }
    const std::size_t largest = std::min(lanes, members);
    std::mt19937 random(1);
    std::uniform_int_distribution<std::int32_t> any(0, setting.vocabulary - 4);
    tokens_.resize(largest * rows * time);
    targets_.resize(tokens_.size());
    for (std::int32_t& token : tokens_) token = any(random);
    for (std::int32_t& target : targets_) target = any(random);
    seeds_.assign(largest, 7);
    rates_.assign(largest, 1e-3);
    results_.resize(largest);
  }

  /// `stretch` steps of all members: each cohort takes them one after the other before the next begins, as in training,
  /// where a cohort has a core to itself from its first step to its last.
  void step(std::size_t stretch = 1) {
    for (std::size_t done = 0; done < stretch * cohorts_.size(); ++done) {
      const auto& cohort = cohorts_[done / stretch];
      const std::size_t members = cohort->members();
      const std::size_t cells = members * rows_ * time_;
      kernels::StepRequest request;
      request.batch = {rows_, time_,          std::span(tokens_).first(cells), std::span(targets_).first(cells),
                       {},    vocabulary_ - 3};
      request.step = steps_ + done % stretch;
      request.seeds = std::span(seeds_).first(members);
      request.rates = std::span(rates_).first(members);
      cohort->step(request, std::span(results_).first(members));
    }
    steps_ += stretch;
  }

  /// Operations of one member's step: forward, and twice as much again for backward.
  [[nodiscard]] double flops() const {
    return models::cost(training_, time_, NumberFormat::float32).total.flops_per_token_training *
           static_cast<double>(rows_ * time_);
  }

 private:
  std::size_t rows_;
  std::size_t time_;
  std::int32_t vocabulary_;
  kernels::Program evaluation_;
  kernels::Program training_;
  std::vector<std::unique_ptr<kernels::Cohort>> cohorts_;
  std::vector<std::int32_t> tokens_;
  std::vector<std::int32_t> targets_;
  std::vector<std::uint64_t> seeds_;
  std::vector<double> rates_;
  std::vector<kernels::MemberStep> results_;
  std::uint64_t steps_ = 0;
};

}  // namespace hyseq
