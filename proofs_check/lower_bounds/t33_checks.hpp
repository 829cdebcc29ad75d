// The checks of Theorem 3.3's certificate: numbers and a sentence for each.
#pragma once

#include <vector>

#include "proofs_check/lower_bounds/enumerate.hpp"
#include "proofs_check/lower_bounds/machine_points.hpp"
#include "proofs_check/lower_bounds/printed_bound.hpp"
#include "proofs_check/lower_bounds/tightness.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// The model of `stateless_stack` asked for the letters that it has read.
struct StatelessModel {
  std::uint64_t reachable_states = 0;
  MachinePoint point;

  /// One state, and exactly half of its own answers right.
  [[nodiscard]] bool passed() const {
    return reachable_states == 1 && point.states == 1 && point.own_right &&
           2 * *point.own_right == point.weight * static_cast<std::uint64_t>(questions);
  }
  int questions = 0;
};

[[nodiscard]] StatelessModel stateless_model(NumberFormat format);

/// The sizes at which every encoder is listed.
[[nodiscard]] std::vector<Enumeration> all_enumerations();

[[nodiscard]] results::Check printed_check(const PrintedGrid& grid);
[[nodiscard]] results::Check stateless_check(const std::vector<InjectiveMaps>& maps, const StatelessModel& model);
[[nodiscard]] results::Check enumeration_check(const std::vector<Enumeration>& enumerations);
[[nodiscard]] results::Check optimiser_check(const SearchedPoints& searched);
[[nodiscard]] results::Check tightness_check(const Tightness& result);
[[nodiscard]] results::Check machines_check(const std::vector<MachinePoint>& machines);

}  // namespace hyseq::proofs_check
