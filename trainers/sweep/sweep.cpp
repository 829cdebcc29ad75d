#include "trainers/sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/base/seconds.hpp"
#include "trainers/sweep/speed.hpp"

namespace hyseq::trainers {
namespace {

using Clock = std::chrono::steady_clock;

/// Engines that hold several members use one thread per cohort; where every cohort is one model, that model gets all.
std::size_t count_workers(const Preset& preset, const std::vector<std::size_t>& points, const SweepOptions& options) {
  const bool several = std::ranges::any_of(
      points, [&](std::size_t index) { return options.cohort_size(preset.points[index].final_run) > 1; });
  return several ? std::max<std::size_t>(1, options.threads) : 1;
}

std::string checkpoint_folder(const results::RunStore& store) { return store.folder() + "/checkpoints"; }

/// Checkpoints of runs that are finished: their process ended between the two files.
void discard_leftovers(const results::RunStore& store) {
  std::error_code none;  // where there is no folder there is nothing to do
  for (const auto& entry : std::filesystem::directory_iterator(checkpoint_folder(store), none))
    if (store.contains(entry.path().stem().string())) std::filesystem::remove(entry.path(), none);
}

class Sweep {
 public:
  Sweep(const Preset& preset, const results::RunStore& store, const SweepOptions& options)
      : options_(options),
        store_(store),
        points_(shard_points(preset, options.shard, options.shards)),
        workers_(count_workers(preset, points_, options)),
        known_speed_(known_speed(preset, points_, store, options.cohort_size)),
        board_(preset, points_, store, options.cohort_size, options.limit),
        in_hand_(workers_) {}

  SweepProgress run() {
    std::vector<std::jthread> threads;
    {
      const std::lock_guard lock(mutex_);
      running_ = workers_;
    }
    for (std::size_t i = 0; i < workers_; ++i) threads.emplace_back([this, i] { work(i); });
    try {
      watch();
    } catch (...) {
      stop_ = true;  // or joining the threads would wait for the whole sweep
      throw;
    }
    threads.clear();  // joins
    if (failure_) std::rethrow_exception(failure_);
    if (interrupted_) throw Interrupted();
    SweepProgress last = progress();
    if (options_.report) options_.report(last);
    return last;
  }

  [[nodiscard]] SweepProgress progress() {
    SweepProgress now;
    now.totals = board_.totals();
    const std::lock_guard lock(mutex_);
    now.trained = trained_;
    now.seconds = seconds_since(start_);
    double done = operations_done_;
    double steps = member_steps_;
    double partial = 0;
    for (const InHand& work : in_hand_) {
      now.in_hand += work.members;
      partial += work.operations * work.share;
      done += work.operations * (work.share - work.resumed);
      steps += work.member_steps * (work.share - work.resumed);
    }
    now.member_steps = now.seconds > 0 ? steps / now.seconds : 0;
    constexpr double settled = 3;  // seconds until the own measurement is worth more than the assumption
    const double speed =
        now.seconds > settled && done > 0 ? done / (now.seconds * static_cast<double>(workers_)) : known_speed_;
    now.seconds_left =
        seconds_needed(std::max(0.0, now.totals.operations - partial), now.totals.longest, speed, workers_);
    return now;
  }

 private:
  /// What a worker trains.
  struct InHand {
    std::size_t members = 0;
    double operations = 0;
    double member_steps = 0;  // of the whole cohort
    double share = 0;         // done, 0 .. 1
    double resumed = 0;       // of this what a checkpoint had, which says nothing about the speed
  };

  void work(std::size_t worker) {
    try {
      while (!stop_) {
        WorkCohort cohort;
        const Board::Next next = board_.take(cohort);
        if (next == Board::Next::done) break;
        if (next == Board::Next::wait)
          board_.wait(std::chrono::milliseconds(200));
        else
          train(cohort, worker);
      }
    } catch (const Interrupted&) {
      // The cohort's claims are gone with it.
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
    const std::lock_guard lock(mutex_);
    --running_;
    changed_.notify_all();
  }

  void train(WorkCohort& cohort, std::size_t worker) {
    const auto steps = static_cast<double>(cohort.runs.front().optimiser.steps);
    const auto members = static_cast<double>(cohort.runs.size());
    set(worker, {cohort.runs.size(), cohort.operations, steps * members, 0});
    TrainingOptions training;
    training.threads = std::max<std::size_t>(1, options_.threads / workers_);
    training.stop = &stop_;
    training.checkpoint_folder = checkpoint_folder(store_);
    training.checkpoint_seconds = options_.checkpoint_seconds;
    training.progress = [&](std::int64_t done) {
      const std::lock_guard lock(mutex_);
      InHand& work = in_hand_[worker];
      if (work.share == 0) work.resumed = static_cast<double>(done - 1) / steps;
      work.share = static_cast<double>(done) / steps;
    };
    const std::vector<results::RunRecord> records = options_.train(cohort.runs, training);
    for (std::size_t i = 0; i < cohort.ids.size(); ++i) {
      if (records.size() != cohort.ids.size() || records[i].id != cohort.ids[i])
        throw std::logic_error("the trainer returned other runs than it was given");
      store_.save(records[i]);
    }
    discard_checkpoints(cohort.runs, training);
    board_.finish(cohort);
    const std::lock_guard lock(mutex_);
    trained_ += cohort.ids.size();
    const double trained_here = 1 - in_hand_[worker].resumed;
    operations_done_ += cohort.operations * trained_here;
    member_steps_ += steps * members * trained_here;
    in_hand_[worker] = {};
  }

  void set(std::size_t worker, const InHand& work) {
    const std::lock_guard lock(mutex_);
    in_hand_[worker] = work;
  }

  /// Until all workers have ended: passes a stop on and reports.
  void watch() {
    Clock::time_point reported = Clock::now();
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      if (options_.stop != nullptr && *options_.stop && !stop_) interrupted_ = stop_ = true;
      if (!options_.report || stop_ || seconds_since(reported) < options_.report_every) continue;
      lock.unlock();
      options_.report(progress());
      reported = Clock::now();
      lock.lock();
    }
  }

  const SweepOptions& options_;
  const results::RunStore& store_;
  const std::vector<std::size_t> points_;
  const std::size_t workers_;
  const double known_speed_;
  Board board_;
  std::atomic<bool> stop_ = false;
  const Clock::time_point start_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t running_ = 0;
  bool interrupted_ = false;
  std::exception_ptr failure_;
  std::vector<InHand> in_hand_;
  std::size_t trained_ = 0;
  double operations_done_ = 0;
  double member_steps_ = 0;
};

}  // namespace

SweepProgress plan_sweep(const Preset& preset, const results::RunStore& store, const SweepOptions& options) {
  return Sweep(preset, store, options).progress();
}

SweepProgress run_sweep(const Preset& preset, const results::RunStore& store, const SweepOptions& options) {
  store.prepare();
  discard_leftovers(store);
  return Sweep(preset, store, options).run();
}

}  // namespace hyseq::trainers
