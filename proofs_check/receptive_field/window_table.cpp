#include "proofs_check/receptive_field/window_table.hpp"

#include <algorithm>
#include <numeric>

#include "proofs_check/residual_classes/selective_copy_classes.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

std::vector<std::int32_t> tokens_below(std::int32_t count) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), 0);
  return tokens;
}

std::vector<std::vector<std::int32_t>> words_then_bits(int bits, std::size_t length) {
  const std::int32_t words = std::int32_t{1} << bits;
  std::vector<std::vector<std::int32_t>> allowed(length, tokens_below(words));
  for (std::size_t t = length - static_cast<std::size_t>(bits); t < length; ++t) allowed[t] = {words, words + 1};
  return allowed;
}

/// Total windows of a stack of `layers` layers whose receptive field is `field` tokens.
Json table_row(const std::string& task, std::size_t length, std::size_t field) {
  Json counted = Json::array();
  for (std::size_t layers = 1; layers <= 4; ++layers) counted.push_back(field - 1 + layers);
  return {{"task", task},
          {"length", length},
          {"receptive_field", field},
          {"shared", field - 1},
          {"total_window_without_own_position", field - 1},
          {"total_window_with_own_position", counted}};
}

}  // namespace

Check window_check(const std::vector<WindowCase>& cases, std::size_t longest) {
  Check check;
  check.name = "window";
  check.passed = !cases.empty();
  std::uint64_t pairs = 0;
  std::uint64_t domains = 0;
  Json table = Json::array();
  const auto fail = [&](const WindowCase& each, std::size_t length, const std::string& why) {
    check.passed = false;
    check.figures["counterexample"] = each.task + ", length " + std::to_string(length) + ": " + why;
  };
  for (const WindowCase& each : cases) {
    for (std::size_t length = each.least; length <= longest; ++length) {
      const std::size_t field = length - each.missing;
      if (each.pair) {
        const DefeatingPair pair = each.pair(length);
        ++pairs;
        if (!defeats(pair, each.labeller) || pair.shared + 1 != field) fail(each, length, "the pair does not hold");
      }
      if (length <= each.longest_domain) {
        const std::size_t deciding = deciding_suffix(each.domain(length), each.labeller, each.undefined_counts);
        ++domains;
        if (deciding != field) fail(each, length, std::to_string(deciding) + " last tokens decide the answer");
      }
      const bool listed = length <= 8 || (length & (length - 1)) == 0;
      if (listed) table.push_back(table_row(each.task, length, field));
    }
  }
  check.figures["pairs"] = pairs;
  check.figures["complete_domains"] = domains;
  check.figures["longest"] = longest;
  check.figures["table"] = std::move(table);
  check.meaning = std::to_string(pairs) + " pairs of inputs, one for every task and length up to " +
                  std::to_string(longest) + ", share all but their first tokens and need different answers; on " +
                  std::to_string(domains) + " complete domains exactly that many last tokens decide the answer.";
  return check;
}

WindowCase selective_copy_windows(const tasks::SelectiveCopyShape& shape, std::size_t longest_domain) {
  return {
      "selective_copy, distances " + std::to_string(shape.distance_min) + ".." + std::to_string(shape.distance_max()),
      0,
      static_cast<std::size_t>(shape.distance_min) + 2,
      copy_labeller(shape),
      [shape](std::size_t length) { return selective_copy_pair(shape, length); },
      [shape](std::size_t length) {
        return std::vector<std::vector<std::int32_t>>(length, tokens_below(shape.values + shape.distance_count));
      },
      longest_domain};
}

WindowCase decode_recall_windows(int bits, std::size_t longest_domain) {
  return {"decode_recall, " + std::to_string(1 << bits) + " words, asked always",
          0,
          4,
          decode_recall_labeller(bits),
          [bits](std::size_t length) { return decode_recall_pair(bits, length); },
          [bits](std::size_t length) {
            return std::vector<std::vector<std::int32_t>>(length, tokens_below((std::int32_t{1} << bits) + 2));
          },
          longest_domain};
}

WindowCase decode_recall_last_windows(int bits, std::size_t longest_domain) {
  return {"decode_recall_last, " + std::to_string(1 << bits) + " words, asked once",
          1,
          static_cast<std::size_t>(bits) + 2,
          decode_recall_last_labeller(bits),
          [bits](std::size_t length) { return decode_recall_last_pair(bits, length); },
          [bits](std::size_t length) { return words_then_bits(bits, length); },
          longest_domain};
}

WindowCase decode_recall_last_windows_undefined(int bits, std::size_t longest_domain) {
  WindowCase windows{"decode_recall_last, " + std::to_string(1 << bits) + " words, asked once, undefined an answer",
                     0,
                     static_cast<std::size_t>(bits) + 2,
                     decode_recall_last_labeller(bits),
                     nullptr,
                     [bits](std::size_t length) { return words_then_bits(bits, length); },
                     longest_domain,
                     true};
  return windows;
}

}  // namespace hyseq::proofs_check
