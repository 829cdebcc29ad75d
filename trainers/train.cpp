#include "trainers/train.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "kernels/base/error.hpp"
#include "kernels/base/seconds.hpp"
#include "kernels/engine.hpp"
#include "models/lowering.hpp"
#include "trainers/checkpoint.hpp"
#include "trainers/data.hpp"
#include "trainers/initialisation.hpp"
#include "trainers/member.hpp"
#include "trainers/memory.hpp"
#include "trainers/schedule.hpp"

namespace hyseq::trainers {
namespace {

using Clock = std::chrono::steady_clock;

const RunConfiguration& check_all(std::span<const RunConfiguration> configurations) {
  if (configurations.empty()) throw InputError("there is no run to train");
  const std::string key = cohort_key(configurations.front());
  for (const RunConfiguration& configuration : configurations) {
    validate(configuration);
    if (cohort_key(configuration) != key)
      throw InputError("runs of one cohort may differ in seed and learning rate alone");
  }
  return configurations.front();
}

kernels::AdamW optimiser(const OptimiserConfiguration& options, const kernels::Program& program) {
  kernels::AdamW adamw{options.beta1, options.beta2, options.epsilon, options.weight_decay, {}};
  if (options.decay_policy == DecayPolicy::matrices) {
    for (const kernels::ParameterInfo& info : program.parameters)
      adamw.decays.push_back(info.initialiser == kernels::Initialiser::normal ? 1 : 0);
  }
  return adamw;
}

/// Steps all members, keeping one record each.
class CohortTraining {
 public:
  CohortTraining(std::span<const RunConfiguration> configurations, const TrainingOptions& options)
      : shared_(check_all(configurations)),
        options_(options),
        data_(shared_),
        training_(models::lower(shared_.architecture, shared_.dropout)),
        evaluation_(models::lower(shared_.architecture)) {
    if (!options.checkpoint_folder.empty()) make_folder(options.checkpoint_folder);
    if (!options.model_folder.empty()) make_folder(options.model_folder);
    const kernels::Engine& engine = kernels::find_engine(shared_.engine);
    const std::size_t most = engine.cohort_size(shared_.format);
    if (most == 0)
      throw InputError("engine " + shared_.engine + " cannot train in the number format " +
                       std::string(name(shared_.format)));
    if (configurations.size() > most) {
      throw InputError("a cohort of " + std::to_string(configurations.size()) + " runs is more than the " +
                       std::to_string(most) + " that engine " + shared_.engine + " takes");
    }
    check_memory(engine, request(configurations.size()), static_cast<std::size_t>(shared_.optimiser.batch));
    cohort_ = engine.make_cohort(request(configurations.size()));
    for (std::size_t m = 0; m < configurations.size(); ++m) {
      members_.push_back(new_member(configurations[m], evaluation_));
      seeds_.push_back(configurations[m].seed);
      cohort_->set_parameters(m, initial_parameters(configurations[m], evaluation_));
    }
    resume();
  }

  std::vector<results::RunRecord> run() {
    const std::int64_t steps = shared_.optimiser.steps;
    for (; step_ < steps && any_active(); ++step_) {
      check_stop();
      train_step();
      const std::int64_t done = step_ + 1;
      const std::int64_t every = shared_.evaluation.every;
      if (every > 0 && done % every == 0 && done < steps)
        evaluate_members("step " + std::to_string(done), done, shared_.data.lengths.max, false);
      if (done < steps && checkpoint_due(done)) checkpoint(done);
      if (options_.progress) options_.progress(done);
    }
    finish();
    std::vector<results::RunRecord> records;
    for (Member& member : members_) records.push_back(std::move(member.record));
    return records;
  }

 private:
  [[nodiscard]] kernels::CohortRequest request(std::size_t members) const {
    kernels::CohortRequest request;
    request.training = &training_;
    request.evaluation = &evaluation_;
    request.format = shared_.format;
    request.members = members;
    request.longest = std::max(data_.time(), data_.evaluation_time(shared_.data.lengths.max));
    for (const std::int64_t length : shared_.evaluation.lengths)
      request.longest = std::max(request.longest, data_.evaluation_time(static_cast<std::size_t>(length)));
    request.threads = options_.threads;
    request.clip.limit = shared_.optimiser.clip;
    request.optimiser = optimiser(shared_.optimiser, training_);
    return request;
  }

  [[nodiscard]] bool any_active() const {
    return std::ranges::any_of(members_, [](const Member& member) { return member.active(); });
  }

  void check_stop() {
    if (options_.stop == nullptr || !options_.stop->load()) return;
    if (step_ > 0) checkpoint(step_);
    throw Interrupted{};
  }

  void train_step() {
    const auto rows = static_cast<std::size_t>(shared_.optimiser.batch);
    const std::size_t tokens = rows * data_.time();
    input_.assign(members_.size() * tokens, 0);
    target_.assign(members_.size() * tokens, -1);  // members that stopped learn from nothing
    rates_.assign(members_.size(), 0.0);
    segment_.clear();
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (!members_[m].active()) continue;
      const tasks::PackedBatch batch = data_.training(seeds_[m], step_);
      std::ranges::copy(batch.batch.input, input_.begin() + static_cast<std::ptrdiff_t>(m * tokens));
      std::ranges::copy(batch.batch.target, target_.begin() + static_cast<std::ptrdiff_t>(m * tokens));
      segment_ = batch.segment;  // the same for all
      rates_[m] = learning_rate(members_[m].configuration->optimiser, step_);
    }
    results_.resize(members_.size());
    cohort_->step({{rows, data_.time(), input_, target_, segment_, data_.valid_below()},
                   static_cast<std::uint64_t>(step_),
                   seeds_,
                   rates_},
                  results_);
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (members_[m].active()) note(m, results_[m]);
  }

  void note(std::size_t m, const kernels::MemberStep& result) {
    results::RunRecord& record = members_[m].record;
    const bool finite = result.finite();
    if (!finite || step_ % shared_.curve_every == 0 || step_ + 1 == shared_.optimiser.steps)
      record.curve.push_back(
          {step_, rates_[m], result.loss.loss, result.gradient_norm, {result.loss.valid, result.loss.correct}});
    if (result.loss.valid == 0) ++record.empty_batches;
    if (finite) {
      record.steps = step_ + 1;
    } else {
      record.diverged_at = step_;
      members_[m].last_parameters = cohort_->parameters(m);
    }
  }

  /// Diverged members count only where `all`: during training they have nothing new to tell.
  void evaluate_members(const std::string& name, std::int64_t step, std::size_t length, bool all) {
    const auto rows = static_cast<std::size_t>(shared_.evaluation.rows);
    if (rows == 0) return;
    std::vector<results::Evaluation> evaluations =
        evaluate(*cohort_, data_, seeds_, {name, step, length, rows}, options_.stop);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (!all && !members_[m].active()) continue;
      evaluations[m].step = members_[m].record.steps;
      members_[m].record.evaluations.push_back(std::move(evaluations[m]));
    }
  }

  void finish() {
    restore_diverged();
    evaluate_members("final", step_, shared_.data.lengths.max, true);
    for (const std::int64_t length : shared_.evaluation.lengths)
      evaluate_members("length " + std::to_string(length), step_, static_cast<std::size_t>(length), true);
    note_time();
    if (!options_.model_folder.empty())
      for (std::size_t m = 0; m < members_.size(); ++m)
        write_final_model(options_.model_folder, members_[m], data_, cohort_->parameters(m));
    if (options_.weights)
      for (std::size_t m = 0; m < members_.size(); ++m) options_.weights(m, cohort_->parameters(m));
  }

  /// Members that stopped went through the motions of later steps.
  void restore_diverged() {
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (members_[m].last_parameters) cohort_->set_parameters(m, *members_[m].last_parameters);
  }

  /// Time since the last call, in equal parts.
  void note_time() {
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - started_).count();
    started_ = now;
    for (Member& member : members_) member.record.seconds += seconds / static_cast<double>(members_.size());
  }

  [[nodiscard]] bool checkpoint_due(std::int64_t done) const {
    return (options_.checkpoint_every > 0 && done % options_.checkpoint_every == 0) ||
           (options_.checkpoint_seconds > 0 && seconds_since(saved_) >= options_.checkpoint_seconds);
  }

  void checkpoint(std::int64_t done) {
    if (options_.checkpoint_folder.empty()) return;
    note_time();
    restore_diverged();
    for (std::size_t m = 0; m < members_.size(); ++m) {
      save_checkpoint(run_file(options_.checkpoint_folder, members_[m].record.id), training_,
                      {done, cohort_->parameters(m), cohort_->moments(m), members_[m].record});
    }
    saved_ = Clock::now();
  }

  void resume() {
    if (options_.checkpoint_folder.empty()) return;
    std::vector<Checkpoint> checkpoints;
    for (const Member& member : members_) {
      auto checkpoint = load_checkpoint(run_file(options_.checkpoint_folder, member.record.id), training_);
      if (!checkpoint || (!checkpoints.empty() && checkpoint->step != checkpoints.front().step)) return;
      checkpoints.push_back(std::move(*checkpoint));
    }
    step_ = checkpoints.front().step;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      cohort_->set_parameters(m, checkpoints[m].parameters);
      cohort_->set_moments(m, checkpoints[m].moments);
      members_[m].record = std::move(checkpoints[m].record);
      describe(members_[m].record, members_[m].configuration->engine);
      if (!members_[m].active()) members_[m].last_parameters = checkpoints[m].parameters;
    }
  }

  const RunConfiguration& shared_;
  const TrainingOptions& options_;
  DataSource data_;
  kernels::Program training_;
  kernels::Program evaluation_;
  std::unique_ptr<kernels::Cohort> cohort_;
  std::vector<Member> members_;
  std::vector<std::uint64_t> seeds_;
  std::int64_t step_ = 0;  // the next one
  Clock::time_point started_ = Clock::now();
  Clock::time_point saved_ = started_;  // when the last checkpoint was
  // Of the step in hand.
  std::vector<std::int32_t> input_;
  std::vector<std::int32_t> target_;
  std::vector<std::int32_t> segment_;
  std::vector<double> rates_;
  std::vector<kernels::MemberStep> results_;
};

}  // namespace

std::vector<results::RunRecord> train_cohort(std::span<const RunConfiguration> configurations,
                                             const TrainingOptions& options) {
  return CohortTraining(configurations, options).run();
}

void discard_checkpoints(std::span<const RunConfiguration> configurations, const TrainingOptions& options) {
  if (options.checkpoint_folder.empty()) return;
  for (const RunConfiguration& configuration : configurations) {
    std::error_code ignored;  // one that is not there needs no removing
    std::filesystem::remove(run_file(options.checkpoint_folder, identity(configuration)), ignored);
  }
}

}  // namespace hyseq::trainers
