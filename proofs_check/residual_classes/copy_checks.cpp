#include "proofs_check/residual_classes/copy_checks.hpp"

#include <algorithm>

#include "proofs_check/receptive_field/defeating_pair.hpp"
#include "proofs_check/residual_classes/counting.hpp"
#include "proofs_check/residual_classes/selective_copy_classes.hpp"

namespace hyseq::proofs_check {

using results::Check;
using results::Json;
using tasks::SelectiveCopyShape;

Json shape_json(const SelectiveCopyShape& shape) {
  return {{"values", shape.values}, {"distances", shape.distance_count}, {"distance_min", shape.distance_min}};
}

Check printed_bound(const Check& once_check, const Check& always_check) {
  Check check;
  Json table = Json::array();
  std::size_t below_once = 0;
  std::size_t below_always = 0;
  bool plain_holds = true;
  const auto go_through = [&](const Check& counted, const char* reading, const char* key, std::size_t& below) {
    for (const Json& row : counted.figures["table"]) {
      const int least = row["distance_min"];
      const int values = row["values"];
      if (least > 1 || values < 2) continue;
      const int distances = row["distances"];
      const Integer claimed = boost::multiprecision::pow(Integer(values), static_cast<unsigned>(distances));
      const bool falls_short = Integer(row[key].get<std::uint64_t>()) < claimed;
      if (least == 1) {
        plain_holds = plain_holds && !falls_short;
      } else if (falls_short) {
        ++below;
        table.push_back({{"reading", reading},
                         {"values", values},
                         {"distances", distances},
                         {"states_that_suffice", row[key]},
                         {"states_claimed", exact_json(claimed)}});
      }
    }
  };
  go_through(once_check, "asked once", "classes_of_known_length", below_once);
  go_through(always_check, "asked always", "classes", below_always);
  check.passed = below_once > 0 && plain_holds;
  check.figures["below_printed_once"] = below_once;
  check.figures["below_printed_always"] = below_always;
  check.figures["holds_for_distances_from_1"] = plain_holds;
  check.figures["table"] = std::move(table);
  check.meaning = "With number 1 reading its own position fewer than M^N states suffice in " +
                  std::to_string(below_once) + " cases asked once and in " + std::to_string(below_always) +
                  " asked always; with distances from 1 the bound of N log2 M bits " +
                  (plain_holds ? "holds in every case." : "FAILS.");
  return check;
}

Check number_last() {
  constexpr std::size_t kLongest = 12;
  Check check;
  check.passed = true;
  Json table = Json::array();
  for (const SelectiveCopyShape& shape : {SelectiveCopyShape{2, 0, 3}, SelectiveCopyShape{2, 1, 3}}) {
    const auto field = static_cast<std::size_t>(shape.distance_max()) + 1;
    for (std::size_t length = 2; length <= kLongest; ++length) {
      std::vector<std::vector<std::int32_t>> allowed(length, {0, 1});
      allowed.back() = {2, 3, 4};
      const std::size_t deciding = deciding_suffix(allowed, copy_labeller(shape), false);
      check.passed = check.passed && deciding == std::min(length, field);
      Json row = shape_json(shape);
      row["length"] = length;
      row["receptive_field"] = deciding;
      table.push_back(row);
    }
  }
  check.figures["table"] = std::move(table);
  check.meaning =
      "Where the only number stands last, the last min(L, hi + 1) tokens decide the answer at every length L up "
      "to " +
      std::to_string(kLongest) + ": the bound on windows needs other inputs than the one on states.";
  return check;
}

Check copy_controls(const ResidualClassesRequest& request) {
  const SelectiveCopyShape shape{2, 0, 3};
  const std::size_t limit = request.most_memories;
  const ComparisonSize size{2000, 5, request.seed};
  const Integer formula = copy_classes_always(shape);
  const StreamingMachine sound = copy_machine(shape, limit);
  const Labeller labeller = copy_labeller(shape);
  const auto faulty = [&](CopyFault fault) {
    return count_classes(copy_machine(shape, limit, fault), labeller, formula, 0, size);
  };
  const SelectiveCopyShape plain{2, 1, 3};
  std::vector<Control> list;
  list.push_back(count_control("no fault (must pass)", "nothing", count_classes(sound, labeller, formula, 0, size)));
  list.push_back(count_control("a formula off by one", "count", count_classes(sound, labeller, formula + 1, 0, size)));
  list.push_back(count_control("the formula of distances from 1", "count",
                               count_classes(sound, labeller, copy_classes_always(plain), 0, size)));
  list.push_back(count_control("refinement ended before it was stable", "count",
                               count_classes(sound, labeller, formula, 0, size, 0)));
  list.push_back(count_control("two states made one", "labeller",
                               count_classes(with_merged_states(sound), labeller, formula, 0, size)));
  list.push_back(count_control("a memory one token short", "labeller", faulty(CopyFault::short_memory)));
  list.push_back(count_control("number tokens that are not copied", "labeller", faulty(CopyFault::numbers_not_copied)));
  list.push_back(count_control("the first number obeyed, not the latest", "labeller", faulty(CopyFault::first_number)));
  DefeatingPair pair = selective_copy_pair(shape, 12);
  Control claim{"a pair said to share one token more", false, "", "pair", ""};
  ++pair.shared;
  if (!defeats(pair, labeller)) claim.caught_by = "pair";
  claim.caught = !claim.caught_by.empty();
  claim.counterexample = "position 0 differs";
  list.push_back(claim);
  return planted_check(list);
}

}  // namespace hyseq::proofs_check
