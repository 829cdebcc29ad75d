#include "results/report/wording.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "results/figures/plotting.hpp"

namespace hyseq::results {
namespace {

constexpr std::size_t kLongText = 60;
constexpr const char* kNoBreak = "\u00a0";  // a line must not end inside "N = 8"

/// Looks a key up, or gives what `otherwise` says.
template <class T>
T look_up(const std::map<std::string, T>& table, const std::string& key, const T& otherwise) {
  const auto found = table.find(key);
  return found == table.end() ? otherwise : found->second;
}

std::string number_html(double value) {
  if ((value == std::floor(value) || std::abs(value) >= 1000) && std::abs(value) < 1e15) {
    const std::string text = readable(value);
    return value < 0 ? "−" + text.substr(1) : text;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", std::abs(value));
  std::string digits = text.data();
  if (const std::size_t e = digits.find('e'); e != std::string::npos) {
    const std::string exponent = std::to_string(std::abs(std::atoi(digits.c_str() + e + 1)));
    const bool small = digits[e + 1] == '-';
    digits = digits.substr(0, e) + "&thinsp;×&thinsp;10<sup>" + (small ? "−" : "") + exponent + "</sup>";
  }
  return (value < 0 ? "−" : "") + digits;
}

std::string text_html(const std::string& text) {
  if (text.size() <= kLongText) return escape_html(text);
  const bool digits = text.find_first_not_of("0123456789/") == std::string::npos;
  if (!digits) return escape_html(text);
  return text.substr(0, 20) + "…" + text.substr(text.size() - 20) + " (" + readable(static_cast<double>(text.size())) +
         " characters)";
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

TheoremWords theorem_words(const std::string& theorem) {
  static const std::map<std::string, TheoremWords> table{
      {"4.3",
       {"Selective copying",
        "A hybrid of two layers, an SSM and then attention, copies the token that the latest number points back to, "
        "with a "
        "width that is logarithmic and a window that is linear in the number of distances."}},
      {"4.6",
       {"Associative recall with decoding",
        "A hybrid of three layers, an SSM and then two of attention, decodes a word from its bits and answers with the "
        "token "
        "that followed it, on 99% of uniform inputs."}},
      {"3.3",
       {"State that a pure SSM needs", "Every SSM that solves a task with many controls must hold the information."}},
      {"3.5", {"Stacked SSMs are one SSM", "Stacked SSMs are one SSM whose states are the tuples of theirs."}},
      {"3.7",
       {"Window that a pure Transformer needs",
        "A sliding-window Transformer that tells two inputs apart must reach back to where they differ."}},
      {"4.2",
       {"Selective copying by pure models",
        "What an SSM or a sliding-window Transformer needs for selective copying."}},
      {"4.5", {"Recall by pure models", "What an SSM or a sliding-window Transformer needs for recall with decoding."}},
      {"model",
       {"Search for counterexamples",
        "The shortest sequence on which a trained, imported or constructed model fails."}}};
  return look_up(table, theorem, {"Theorem " + theorem, ""});
}

std::string theorem_name(const std::string& theorem) {
  if (theorem == "model") return "Stored model";
  return (theorem == "3.5" ? "Lemma " : "Theorem ") + theorem;
}

std::string level_words(const std::string& level) {
  static const std::map<std::string, std::string> table{
      {"faithful", "The paper's own construction: it answers at the last position, for lengths up to L."},
      {"streaming",
       "A stronger construction: it is right at every position of a sequence of any length, with a width that does not "
       "depend on the length."},
      {"trainable", "The construction written into the standard blocks, so that training can start from it."},
      {"lower bound",
       "What no model of a kind can do, whatever its weights: proved on paper, and held against the best that "
       "enumeration and search find."},
      {"lemma", "A statement about all models of a kind, checked on concrete ones."}};
  return look_up(table, level, std::string());
}

std::string check_words(const std::string& check) {
  static const std::map<std::string, std::string> table{
      {"domain",
       "Every sequence of a small domain goes through the real weights and is compared with the task's labeller."},
      {"induction",
       "The set of recurrent states that any input can reach is computed bit by bit and found closed, so that what "
       "holds for "
       "one step holds for sequences of every length."},
      {"margins",
       "In the worst case, how much attention the right token keeps and how far it stays ahead of the best wrong one, "
       "with "
       "rounding included."},
      {"budgets", "What the construction uses, counted on the weights, beside what the theorem's formula allows."},
      {"exhaustive",
       "Every sequence of 1, 2, .. tokens goes through the model and is compared with the task's labeller."},
      {"guided", "Longer sequences, changed step by step towards the smallest margin; what fails is made small."},
      {"window", "The exact probability, as a fraction, that a window of so many word slots holds the queried word."},
      {"controls",
       "Deliberate faults (broken constructions, false bounds, encoders that misreport themselves): each must be "
       "caught, "
       "or the checks would prove nothing."},
      {"printed",
       "The bound as the theorem prints it, evaluated over a grid of sizes that satisfy the theorem's own assumption."},
      {"stateless",
       "What a machine with one single state is right on: for all maps of small sizes, and as a model run through the "
       "engine."},
      {"enumeration",
       "Every encoder of small sizes, listed and held against the corrected bound as an inequality between integers."},
      {"optimiser",
       "For larger sizes, the best encoders that a search finds against the corrected bound, and how much better any "
       "encoder could still be."},
      {"tightness",
       "How far the best encoders stay from the corrected bound, per letter, as there are more letters to keep."},
      {"machines", "SSM stacks run through the engine, their states counted, as points beside the corrected bound."},
      {"trained",
       "SSM stacks that the training engine taught to copy, their states rounded to fewer and fewer bits until they "
       "fail, as points beside the corrected bound."},
      {"basin",
       "What training makes of the construction's weights, with noise on them and without, beside training from drawn "
       "weights."},
      {"layers",
       "How many states each layer of a stack has by itself, under everything that the layer below can send."},
      {"product",
       "The machine put together from the layers' tables is compared with the whole model, bit by bit, at every "
       "reachable state and token."},
      {"sequences",
       "The whole model runs token by token beside the product machine, on all short sequences and on long random "
       "ones."},
      {"streams",
       "Long inputs through the real weights, on top of the induction: random and adversarial streams, or sequences "
       "with every "
       "number, token, word and place in turn."}};
  return look_up(table, check, std::string());
}

VerdictWords verdict_words(const std::string& verdict) {
  if (verdict == "certified") return {"✓", "certified"};
  if (verdict == "refuted as printed") return {"≠", "refuted"};
  return {"–", "open"};
}

std::string key_words(const std::string& key) {
  std::string words = key;
  for (char& c : words)
    if (c == '_') c = ' ';
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::string parameter_words(const Json& parameters) {
  static const std::map<std::string, std::string> symbols{
      {"vocabulary", "|V|"}, {"distances", "N"}, {"length", "L"}, {"bits", "b"}, {"window", "window"}};
  std::string text;
  for (const auto& [key, value] : parameters.items()) {
    if (!text.empty()) text += ", ";
    text += look_up(symbols, key, key) + kNoBreak + "=" + kNoBreak;
    text += value.is_number()   ? readable(value.get<double>())
            : value.is_string() ? value.get<std::string>()
                                : value.dump();
  }
  return text;
}

std::string value_html(const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return number_html(value.get<double>());
  if (value.is_string()) return text_html(value.get<std::string>());
  std::string html;
  for (const auto& [key, item] : value.items()) {
    if (!html.empty()) html += value.is_object() ? "; " : ", ";
    if (value.is_object()) html += escape_html(key_words(key)) + " ";
    html += value_html(item);
  }
  return html;
}

std::string duration_words(double seconds) {
  std::array<char, 48> text{};
  if (seconds > 0 && seconds < 1e-3) return "under 1 ms";
  if (seconds < 60) {
    std::snprintf(text.data(), text.size(), seconds < 0.1 ? "%.1g s" : seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  } else {
    const double minutes = std::floor(seconds / 60);
    std::snprintf(text.data(), text.size(), "%.0f min %.0f s", minutes, seconds - 60 * minutes);
  }
  return text.data();
}

}  // namespace hyseq::results
