// A certificate: the outcome of verifying one theorem's construction for one set of parameters.
// proofs_check/ fills it in, results/ stores, plots and reports it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hyseq::results {

using Json = nlohmann::ordered_json;

/// One check of a certificate. `figures` is a flat JSON object of the check's numbers (fields fixed by the command
/// line's documentation: defined, undefined, correct; reachable_states ...) plus arrays for plots where the check has
/// them. The keys `name`, `passed`, `empty` and `meaning` are taken by the check itself.
struct Check {
  std::string name;  // domain | induction | margins | budgets | window | controls | streams
  bool passed = false;
  std::string meaning;  // one sentence for a person: what was checked, on what, and what it found
  Json figures = Json::object();
  bool empty = false;  // nothing came under the check, so that it neither passed nor found a fault; `passed` is false
};

/// "passed", "did not pass", "nothing to check".
[[nodiscard]] std::string outcome_words(const Check& check);

/// A labelled matrix for a heat map: rows x columns, row-major.
struct LabelledMatrix {
  std::string name;   // "embedding", "output"
  std::string title;  // for the figure
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  std::vector<double> values;
};

struct Certificate {
  std::string theorem;               // "4.3"
  std::string level;                 // "faithful" | "streaming"
  std::string number;                // "double" | "float" | "bfloat16" | "half"
  Json parameters = Json::object();  // vocabulary, distances, length | bits, length, window
  std::string verdict;               // "certified" | "refuted as printed" | "not shown"
  std::string scope;                 // for which inputs, in which arithmetic
  std::vector<Check> checks;
  double seconds = 0;
  std::string command;  // how to rerun: "hyseq verify 4.3 --level ..."
  std::vector<LabelledMatrix> matrices;
};

/// The object of `hyseq verify --json`: strict JSON. `empty` is written for checks that are. A number that is not
/// finite becomes null, and where it is a member of an object the member `<key>_reason` beside it says what it was.
/// Matrices are left out. Throws std::invalid_argument where a check's figures use a key that the check itself has.
[[nodiscard]] Json to_json(const Certificate& certificate);

/// The inverse of `to_json`: everything but the matrices. Throws InputError naming a field that is missing or of the
/// wrong type; fields it does not know are left alone.
[[nodiscard]] Certificate certificate_from_json(const Json& json);

/// The value with every number that is not finite replaced, as `to_json` does.
[[nodiscard]] Json strict(const Json& value);

/// The text of strict JSON, indented; bytes that are not UTF-8 are replaced rather than refused.
[[nodiscard]] std::string strict_text(const Json& value);

/// The check of that name, or nullptr.
[[nodiscard]] const Check* find_check(const Certificate& certificate, const std::string& name);

}  // namespace hyseq::results
