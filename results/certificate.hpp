// A certificate: the outcome of verifying one theorem's construction for one set of parameters.
// proofs_check/ fills it in, results/ stores, plots and reports it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hyseq::results {

using Json = nlohmann::ordered_json;

/// One check of a certificate. `figures` is a flat JSON object of the check's numbers (fields fixed by the command line's
/// documentation: defined, undefined, correct; reachable_states ...) plus arrays for plots where the check has them.
struct Check {
  std::string name;      // domain | induction | margins | budgets | window | controls | streams
  bool passed = false;
  std::string meaning;   // one sentence for a person: what was checked, on what, and what it found
  Json figures = Json::object();
};

/// A labelled matrix for a heat map: rows x columns, row-major.
struct LabelledMatrix {
  std::string name;   // "embedding", "output"
  std::string title;  // for the figure
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  std::vector<double> values;
};

struct Certificate {
  std::string theorem;  // "4.3"
  std::string level;    // "faithful" | "streaming"
  std::string number;   // "double" | "float" | "bfloat16" | "half"
  Json parameters = Json::object();  // vocabulary, distances, length | bits, length, window
  std::string verdict;  // "certified" | "refuted as printed" | "not shown"
  std::string scope;    // for which inputs, in which arithmetic
  std::vector<Check> checks;
  double seconds = 0;
  std::string command;  // how to rerun: "hyseq verify 4.3 --level ..."
  std::vector<LabelledMatrix> matrices;
};

/// The object of `hyseq verify --json`: strict JSON, non-finite numbers become null.
[[nodiscard]] Json to_json(const Certificate& certificate);

}  // namespace hyseq::results
