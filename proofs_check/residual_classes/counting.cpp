#include "proofs_check/residual_classes/counting.hpp"

#include <algorithm>

#include "proofs_check/residual_classes/partition.hpp"

namespace hyseq::proofs_check {

using results::Check;
using results::Json;

ClassCount count_classes(const StreamingMachine& machine, const Labeller& labeller, const Integer& formula,
                         std::size_t apart, const ComparisonSize& size, int most_rounds) {
  ClassCount count;
  const Partition partition = residual_partition(machine, most_rounds);
  count.memories = machine.states() - apart;
  count.classes = partition.classes - apart;
  count.stable = partition.stable;
  count.formula = formula;
  count.agreement = compare(machine, labeller, size.domain, size.random, size.seed);
  return count;
}

Json exact_json(const Integer& value) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (value <= kExact) return value.convert_to<std::uint64_t>();
  return value.str();
}

Check count_check(const std::string& name, const std::vector<ClassCount>& counts, const std::string& what) {
  Check check;
  check.name = name;
  check.passed = !counts.empty() && std::all_of(counts.begin(), counts.end(), [](const auto& c) { return c.passed(); });
  std::size_t matching = 0;
  std::uint64_t compared = 0;
  Json table = Json::array();
  for (const ClassCount& count : counts) {
    matching += count.matches() ? 1U : 0U;
    compared += count.agreement.compared;
    Json row = count.parameters;
    row["memories"] = count.memories;
    row["classes"] = count.classes;
    row["formula"] = exact_json(count.formula);
    row["log2_classes"] = log2_of(Integer(count.classes));
    table.push_back(row);
    if (!count.agreement.agrees()) check.figures["counterexample"] = count.agreement.text();
  }
  check.figures["cases"] = counts.size();
  check.figures["matching"] = matching;
  check.figures["answers_compared"] = compared;
  check.figures["table"] = std::move(table);
  check.meaning = what + ": the counted residual classes equal the closed form in " + std::to_string(matching) +
                  " of " + std::to_string(counts.size()) + " cases, and the machines gave the labeller's answer " +
                  std::to_string(compared) + " times.";
  return check;
}

StreamingMachine with_merged_states(const StreamingMachine& machine) {
  StreamingMachine merged = machine;
  const auto tokens = static_cast<std::size_t>(machine.tokens);
  const auto differ = [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < tokens; ++i) {
      if (machine.answer[machine.cell(a, i)] != machine.answer[machine.cell(b, i)]) return true;
    }
    return false;
  };
  const std::size_t gone = machine.states() - 1;
  std::size_t kept = 0;
  while (kept < gone && !differ(kept, gone)) ++kept;
  for (std::int32_t& target : merged.next) {
    if (static_cast<std::size_t>(target) == gone) target = static_cast<std::int32_t>(kept);
  }
  return merged;
}

Control count_control(const std::string& name, const std::string& expected, const ClassCount& count) {
  Control control;
  control.name = name;
  control.expected = expected;
  if (!count.matches()) control.caught_by = "count";
  if (!count.agreement.agrees()) control.caught_by += control.caught_by.empty() ? "labeller" : ", labeller";
  control.caught =
      expected == "nothing" ? control.caught_by.empty() : control.caught_by.find(expected) != std::string::npos;
  control.counterexample = count.agreement.text();
  if (control.counterexample.empty() && !count.matches()) {
    control.counterexample = std::to_string(count.classes) + " classes counted -> expected " + count.formula.str();
  }
  return control;
}

Check planted_check(const std::vector<Control>& controls) {
  Check check;
  check.name = "controls";
  Json list = Json::array();
  std::size_t judged = 0;
  std::size_t healthy = 0;
  for (const Control& control : controls) {
    judged += control.caught ? 1U : 0U;
    healthy += control.expected == "nothing" ? 1U : 0U;
    list.push_back({{"name", control.name},
                    {"caught", control.caught},
                    {"caught_by", control.caught_by},
                    {"expected", control.expected},
                    {"counterexample", control.counterexample}});
  }
  check.passed = judged == controls.size() && healthy > 0 && controls.size() > healthy;
  check.figures["controls"] = std::move(list);
  check.meaning = std::to_string(controls.size() - healthy) +
                  " deliberate faults and a case without any went through the same checks: " + std::to_string(judged) +
                  " of " + std::to_string(controls.size()) + " were judged as they should be.";
  return check;
}

void conclude(results::Certificate& certificate, const std::string& passed, const std::string& scope) {
  std::string failed;
  for (const Check& check : certificate.checks) {
    if (!check.passed) failed += " " + check.name;
  }
  const bool shown = failed.empty() && !certificate.checks.empty();
  certificate.verdict = shown ? passed : "not shown";
  certificate.scope = shown ? scope : "failed:" + failed;
}

}  // namespace hyseq::proofs_check
