#include "trainers/sweep/board.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "trainers/sweep/calibration.hpp"

namespace hyseq::trainers {

std::size_t Board::Group::left() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(runs, [](const Run& run) { return run.state != State::stored; }));
}

Board::Board(const Preset& preset, const std::vector<std::size_t>& points, const results::RunStore& store,
             CohortSize cohort_size, std::optional<std::size_t> limit)
    : preset_(preset),
      store_(store),
      cohort_size_(std::move(cohort_size)),
      may_take_(limit.value_or(std::numeric_limits<std::size_t>::max())) {
  for (const std::size_t index : points) add_point(index);
  for (Group& group : groups_) look_up(group);
  release_finished();
}

/// Index of the run's group, with the run in it.
std::size_t Board::add(const RunConfiguration& run) {
  const auto [place, is_new] = by_key_.try_emplace(cohort_key(run), groups_.size());
  if (is_new) {
    groups_.emplace_back();
    groups_.back().lanes = cohort_size_(run);
    groups_.back().cost = CohortCost(run, groups_.back().lanes);
    groups_.back().calibration = run.data.calibration;
  }
  Group& group = groups_[place->second];
  std::string id = identity(run);
  if (std::ranges::none_of(group.runs, [&](const Run& known) { return known.id == id; }))
    group.runs.push_back({run, std::move(id), State::open});
  return place->second;
}

void Board::add_point(std::size_t index) {
  const Point& point = preset_.points[index];
  if (point.rates.empty()) return add_finals(index, point.uncalibrated());
  std::set<std::size_t> groups;
  // Rate after rate, so that a cohort that does not hold all runs still holds whole rates.
  for (const Choice& choice : point.choices())
    for (const std::uint64_t seed : point.calibration_seeds) groups.insert(add(point.calibration(choice, seed)));
  const double behind = cost_of_finals(point).of(std::min(cohort_size_(point.final_run), point.seeds.size()));
  for (const std::size_t group : groups) groups_[group].behind = std::max(groups_[group].behind, behind);
  waiting_.push_back({index, {groups.begin(), groups.end()}});
}

void Board::add_finals(std::size_t index, const Choice& choice) {
  const Point& point = preset_.points[index];
  for (const std::uint64_t seed : point.seeds) add(point.final(choice, seed));
}

/// Of the point as it stands: what an alternative costs is not known before it is chosen, and differs by little.
CohortCost Board::cost_of_finals(const Point& point) const { return {point.final_run, cohort_size_(point.final_run)}; }

void Board::look_up(Group& group) {
  for (Run& run : group.runs)
    if (run.state == State::open && store_.contains(run.id)) run.state = State::stored;
}

/// Adds the final runs of the points whose calibration has ended.
void Board::release_finished() {
  const std::size_t known = groups_.size();  // what is added waits for nothing
  std::erase_if(waiting_, [this](const Waiting& waiting) {
    if (std::ranges::any_of(waiting.groups, [this](std::size_t group) { return groups_[group].left() > 0; }))
      return false;
    const Point& point = preset_.points[waiting.point];
    add_finals(waiting.point, chosen(point, calibration_table(point, store_)).value());
    return true;
  });
  for (std::size_t i = known; i < groups_.size(); ++i) look_up(groups_[i]);
}

double Board::priority(const Group& group) { return group.cost.of(std::min(group.left(), group.lanes)) + group.behind; }

/// Claims open runs of the group for one cohort. `whole`: leaves the group alone where somebody else works on it, so
/// that two processes do not train two halves of a cohort, each at the cost of a whole one.
bool Board::claim(std::size_t index, bool whole, WorkCohort& cohort) {
  Group& group = groups_[index];
  const auto open = static_cast<std::size_t>(
      std::ranges::count_if(group.runs, [](const Run& run) { return run.state == State::open; }));
  if (open == 0) return false;
  const std::size_t size = std::min(pack(open, group.lanes).front(), may_take_);
  std::vector<Run*> taken;
  WorkCohort found;
  for (Run& run : group.runs) {
    if (taken.size() == size) break;
    if (run.state != State::open) continue;
    if (std::optional<results::Claim> claim = store_.claim(run.id)) {
      found.claims.push_back(std::move(*claim));
      taken.push_back(&run);
    } else if (whole && !store_.contains(run.id)) {
      return false;
    }
  }
  if (taken.empty()) return false;
  for (Run* run : taken) {
    run->state = State::in_hand;
    found.runs.push_back(run->configuration);
    found.ids.push_back(run->id);
  }
  found.group = index;
  found.operations = group.cost.of(found.runs.size());
  may_take_ -= found.runs.size();
  cohort = std::move(found);
  return true;
}

Board::Next Board::take(WorkCohort& cohort) {
  const std::lock_guard lock(mutex_);
  for (Group& group : groups_) look_up(group);
  release_finished();
  if (may_take_ == 0) return Next::done;
  std::vector<std::size_t> order(groups_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return priority(groups_[i]); });
  for (const bool whole : {true, false})
    for (const std::size_t i : order)
      if (claim(i, whole, cohort)) return Next::cohort;
  // A run that somebody finished while we looked turns up at the next look.
  const bool left = std::ranges::any_of(groups_, [](const Group& group) { return group.left() > 0; });
  return left ? Next::wait : Next::done;
}

void Board::settle(WorkCohort& cohort, State state) {
  {
    const std::lock_guard lock(mutex_);
    for (Run& run : groups_[cohort.group].runs)
      if (std::ranges::find(cohort.ids, run.id) != cohort.ids.end()) run.state = state;
    if (state == State::stored) release_finished();
  }
  cohort.claims.clear();
  ended_.notify_all();
}

void Board::finish(WorkCohort& cohort) { settle(cohort, State::stored); }
void Board::give_back(WorkCohort& cohort) { settle(cohort, State::open); }

void Board::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, time);
}

BoardTotals Board::totals() const {
  const std::lock_guard lock(mutex_);
  BoardTotals totals;
  const auto add = [&totals](const CohortCost& cost, std::size_t runs, std::size_t lanes) {
    for (const std::size_t members : pack(runs, lanes)) {
      ++totals.cohorts;
      totals.operations += cost.of(members);
    }
  };
  for (const Group& group : groups_) {
    const std::size_t left = group.left();
    totals.runs += group.runs.size();
    totals.stored += group.runs.size() - left;
    if (group.calibration) {
      totals.calibration_runs += group.runs.size();
      totals.stored_calibration += group.runs.size() - left;
    }
    add(group.cost, left, group.lanes);
    if (left > 0) totals.longest = std::max(totals.longest, priority(group));
  }
  for (const Waiting& waiting : waiting_) {
    const Point& point = preset_.points[waiting.point];
    totals.runs += point.seeds.size();
    add(cost_of_finals(point), point.seeds.size(), cohort_size_(point.final_run));
  }
  return totals;
}

}  // namespace hyseq::trainers
