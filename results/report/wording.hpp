// The words of the report: what theorems, checks, verdicts and figures' keys are called for a person, and how values
// are written in HTML.
#pragma once

#include <string>

#include "results/certificate.hpp"

namespace hyseq::results {

/// Text for HTML content and for attribute values in double quotes: & < > " ' escaped.
[[nodiscard]] std::string escape_html(const std::string& text);

struct TheoremWords {
  std::string title;      // "Selective copying"
  std::string statement;  // one sentence
};
[[nodiscard]] TheoremWords theorem_words(const std::string& theorem);

/// "Theorem 4.3", "Lemma 3.5"; "Stored model" for "model", whose certificates are about no theorem.
[[nodiscard]] std::string theorem_name(const std::string& theorem);

/// What certificates of a level are about, in one sentence; "" for an unknown level.
[[nodiscard]] std::string level_words(const std::string& level);

/// What a kind of check establishes, in one sentence.
[[nodiscard]] std::string check_words(const std::string& check);

struct VerdictWords {
  std::string symbol;       // so that colour is never the only sign
  std::string style_class;  // of the style sheet
};
[[nodiscard]] VerdictWords verdict_words(const std::string& verdict);

/// "working_memory_bits" -> "Working memory bits".
[[nodiscard]] std::string key_words(const std::string& key);

/// {"vocabulary": 65536, "distances": 1024} -> "|V| = 65,536, N = 1,024".
[[nodiscard]] std::string parameter_words(const Json& parameters);

/// HTML of any JSON value: digits grouped, powers of ten as superscripts, yes and no; of long exact fractions the first
/// and last digits and their number.
[[nodiscard]] std::string value_html(const Json& value);

/// 0.4 -> "0.4 s", 75 -> "1 min 15 s".
[[nodiscard]] std::string duration_words(double seconds);

}  // namespace hyseq::results
