// Hands out the runs of a sweep as cohorts: what is stored is skipped, what others train is left to them, calibrations
// come before the final runs that wait for them, the longest work first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "results/run_store.hpp"
#include "trainers/sweep/plan.hpp"
#include "trainers/sweep/preset.hpp"

namespace hyseq::trainers {

/// Runs to be trained side by side, claimed for as long as the object lives.
struct WorkCohort {
  std::vector<RunConfiguration> runs;
  std::vector<std::string> ids;
  std::vector<results::Claim> claims;
  double operations = 0;
  std::size_t group = 0;  // the board's own
};

struct BoardTotals {
  std::size_t runs = 0;                // of the sweep (or shard)
  std::size_t calibration_runs = 0;    // of these
  std::size_t stored = 0;              // finished, here or elsewhere, as far as known
  std::size_t stored_calibration = 0;  // of these
  std::size_t cohorts = 0;             // left, those in hand included
  double operations = 0;               // left, those in hand included
  double longest = 0;                  // operations of the longest chain left: calibration and final cohort of a point
};

/// May be used from several threads.
class Board {
 public:
  /// `points` are the indices into preset.points that are worked on; both references must outlive the board. Takes at
  /// most `limit` runs. Errors as RunStore::load.
  Board(const Preset& preset, const std::vector<std::size_t>& points, const results::RunStore& store,
        CohortSize cohort_size, std::optional<std::size_t> limit);

  enum class Next {
    cohort,  // work
    wait,    // nothing now, but runs of others may come back or calibrations may end
    done,
  };
  /// Claims the next cohort. Errors as RunStore::claim and load.
  [[nodiscard]] Next take(WorkCohort& cohort);

  /// All runs of the cohort are in the store. Gives the claims back.
  void finish(WorkCohort& cohort);
  /// The runs were not trained. Gives the claims back.
  void give_back(WorkCohort& cohort);

  /// Until a cohort ends here, at most for `time`.
  void wait(std::chrono::milliseconds time);

  [[nodiscard]] BoardTotals totals() const;

 private:
  enum class State { open, in_hand, stored };
  struct Run {
    RunConfiguration configuration;
    std::string id;
    State state = State::open;
  };
  /// Runs that fit into one cohort, but for their number.
  struct Group {
    std::vector<Run> runs;
    bool calibration = false;
    std::size_t lanes = 1;
    CohortCost cost;
    double behind = 0;  // operations of the longest cohort that waits for this group
    [[nodiscard]] std::size_t left() const;
  };
  /// A point whose final runs wait for calibrations: one group per setting.
  struct Waiting {
    std::size_t point = 0;
    std::vector<std::size_t> groups;
  };

  std::size_t add(const RunConfiguration& run);
  void add_point(std::size_t index);
  void add_finals(std::size_t index, const Choice& choice);
  [[nodiscard]] CohortCost cost_of_finals(const Point& point) const;
  void look_up(Group& group);
  bool claim(std::size_t index, bool whole, WorkCohort& cohort);
  void release_finished();
  [[nodiscard]] static double priority(const Group& group);
  void settle(WorkCohort& cohort, State state);

  const Preset& preset_;
  const results::RunStore& store_;
  const CohortSize cohort_size_;
  std::size_t may_take_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<Group> groups_;
  std::vector<Waiting> waiting_;
  std::map<std::string, std::size_t> by_key_;
};

}  // namespace hyseq::trainers
