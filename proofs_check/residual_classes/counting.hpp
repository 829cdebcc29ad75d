// Counted classes beside their closed forms.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "proofs_check/controls.hpp"
#include "proofs_check/residual_classes/closed_forms.hpp"
#include "proofs_check/residual_classes/streaming_machine.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// One machine, counted.
struct ClassCount {
  results::Json parameters = results::Json::object();
  std::size_t memories = 0;
  std::size_t classes = 0;
  Integer formula;
  bool stable = false;
  Agreement agreement;

  [[nodiscard]] bool matches() const { return stable && Integer(classes) == formula; }
  [[nodiscard]] bool passed() const { return matches() && agreement.agrees(); }
};

/// How a machine is compared with the labeller.
struct ComparisonSize {
  std::uint64_t domain = 20000;
  std::uint64_t random = 20;
  std::uint64_t seed = 1;
};

/// Counts the classes and compares the machine with its labeller. `apart`: classes that do not count (1 for the state
/// behind the question of a task that is asked once). `most_rounds` is for a control.
[[nodiscard]] ClassCount count_classes(const StreamingMachine& machine, const Labeller& labeller,
                                       const Integer& formula, std::size_t apart, const ComparisonSize& size,
                                       int most_rounds = 1 << 30);

/// An integer as JSON: a number up to 2^53, else its digits.
[[nodiscard]] results::Json exact_json(const Integer& value);

/// A table of counts as a check: passed if there are cases and every one matches and agrees.
[[nodiscard]] results::Check count_check(const std::string& name, const std::vector<ClassCount>& counts,
                                         const std::string& what);

/// A machine in which one of two states with different answers takes the other's place.
[[nodiscard]] StreamingMachine with_merged_states(const StreamingMachine& machine);

/// What `count` shows about a deliberate fault: found by its count, by the labeller, or by nothing.
[[nodiscard]] Control count_control(const std::string& name, const std::string& expected, const ClassCount& count);

/// The controls as a check, in words that fit counts and probes.
[[nodiscard]] results::Check planted_check(const std::vector<Control>& controls);

/// Verdict from the checks: `passed` and its scope if every check passed, else "not shown" with the names.
void conclude(results::Certificate& certificate, const std::string& passed, const std::string& scope);

}  // namespace hyseq::proofs_check
