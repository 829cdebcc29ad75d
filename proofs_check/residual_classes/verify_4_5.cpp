// Theorem 4.5: the states that associative recall with decoding needs.
#include <algorithm>

#include "proofs_check/certificate_draft.hpp"
#include "proofs_check/parallel.hpp"
#include "proofs_check/receptive_field/window_table.hpp"
#include "proofs_check/residual_classes/counting.hpp"
#include "proofs_check/residual_classes/decode_recall_classes.hpp"
#include "proofs_check/residual_classes/partition.hpp"
#include "proofs_check/residual_classes/verify.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

constexpr int kMostWordsOnce = 6;

Json parameters(const RecallShape& shape) { return {{"words", shape.words}, {"bits", shape.bits}}; }

int bits_for(int words) {
  int bits = 1;
  while ((1 << bits) < words) ++bits;
  return bits;
}

/// 2, 4 words and, as sub-domains of 4 and 8, 3 and 5; the largest first.
Check always(const ResidualClassesRequest& request) {
  std::vector<RecallShape> shapes;
  Json left_out = Json::array();
  for (const RecallShape& shape : {RecallShape{5, 3}, {4, 2}, {3, 2}, {2, 1}}) {
    // Memories also hold a follower of the last word: none, a word or a bit.
    if (recall_classes_always(shape.words, shape.bits) * (shape.words + 3) <= request.most_memories) {
      shapes.push_back(shape);
    } else {
      left_out.push_back(parameters(shape));
    }
  }
  std::vector<ClassCount> counts(shapes.size());
  for_each_index(shapes.size(), request.threads, [&](std::size_t i) {
    const RecallShape& shape = shapes[i];
    counts[i] = count_classes(recall_machine(shape, request.most_memories), recall_labeller(shape),
                              recall_classes_always(shape.words, shape.bits), 0, {20000, 50, request.seed});
    counts[i].parameters = parameters(shape);
  });
  Check check =
      count_check("classes_always", counts, "Asked always (an answer after every token, \"undefined\" one too)");
  check.figures["most_memories"] = request.most_memories;
  // Up to four words are what the certificate promises.
  for (const Json& shape : left_out) check.passed = check.passed && shape["words"].get<int>() > 4;
  check.figures["left_out"] = std::move(left_out);
  return check;
}

/// Contexts of every length up to 2 W + 2 and of unknown length.
Check once(const ResidualClassesRequest& request) {
  int most_words = kMostWordsOnce;
  while (most_words > 1 && recall_classes_once_any_length(most_words) + 1 > request.most_memories) --most_words;
  std::vector<ClassCount> counts(static_cast<std::size_t>(most_words));
  std::vector<char> known(counts.size(), 1);
  for_each_index(counts.size(), request.threads, [&](std::size_t i) {
    const int words = static_cast<int>(i) + 1;
    const RecallShape shape{words, bits_for(words)};
    const StreamingMachine machine = recall_machine_once(words, request.most_memories);
    ClassCount& count = counts[i];
    count = count_classes(machine, recall_labeller_once(shape), recall_classes_once_any_length(words), 1,
                          {20000, 50, request.seed});
    const Integer formula = recall_classes_once(words);
    Json by_length = Json::array();
    std::size_t last = 0;
    std::size_t most = 0;
    for (int length = 0; length <= 2 * words + 2; ++length) {
      const std::vector<std::size_t> by_time = classes_by_time(machine, words, length);
      last = by_time.back();
      most = *std::max_element(by_time.begin(), by_time.end());
      by_length.push_back(last);
      if (length >= 2 * words && (Integer(last) != formula || most != last)) known[i] = 0;
    }
    count.parameters = parameters(shape);
    count.parameters["classes_of_known_length"] = last;
    count.parameters["formula_of_known_length"] = exact_json(formula);
    count.parameters["log2_classes_of_known_length"] = log2_of(Integer(last));
    count.parameters["classes_by_context"] = std::move(by_length);
  });
  Check check = count_check("classes_once", counts, "Asked once (words, the query's bits, one answer), length unknown");
  const bool all_known = std::all_of(known.begin(), known.end(), [](char each) { return each != 0; });
  check.passed = check.passed && all_known;
  check.meaning += all_known
                       ? " For every known length of 2 W words or more the count is the closed form as well, and no "
                         "earlier moment needs more."
                       : " The counts for known lengths do NOT follow their closed form.";
  return check;
}

/// The constant: (W-1) log2 W bits asked once, W log2 W asked always; by the closed forms up to 256 words.
Check constants() {
  Check check;
  check.passed = true;
  Json table = Json::array();
  for (int bits = 1; bits <= 8; ++bits) {
    const int words = 1 << bits;
    const double once_bits = log2_of(recall_classes_once(words));
    const double always_bits = log2_of(recall_classes_always(words, bits));
    const Integer power = boost::multiprecision::pow(Integer(words), static_cast<unsigned>(words - 1));
    const bool holds = connected_maps(words) >= power && recall_classes_once(words) >= power &&
                       recall_classes_always(words, bits) >= power * words;
    check.passed = check.passed && holds;
    table.push_back({{"words", words},
                     {"bits_once", once_bits},
                     {"bits_always", always_bits},
                     {"lower_bound_once", (words - 1) * bits},
                     {"lower_bound_always", words * bits},
                     {"w_log2_w", words * bits}});
  }
  check.figures["table"] = std::move(table);
  check.meaning =
      "The closed forms are at least W^(W-1) asked once, even if only contexts that define every answer count, "
      "and W^W asked always, for 2 to 256 words in integers.";
  return check;
}

/// The labeller alone, without a machine: 42 classes for two words.
Check rows() {
  Check check;
  const std::size_t found = labelled_classes(4, recall_labeller({2, 1}), 5, 4);
  const Integer formula = recall_classes_always(2, 1);
  check.passed = Integer(found) == formula;
  check.figures["table"] =
      Json::array({{{"words", 2}, {"bits", 1}, {"rows", found}, {"formula", exact_json(formula)}}});
  check.meaning = "Without any machine: the labeller's answers to all short continuations of all short prefixes form " +
                  std::to_string(found) + " different rows for two words, " + formula.str() + " by the closed form.";
  return check;
}

/// Two words asked once: only the end of the context counts, so that no window grows with L.
Check two_words(std::size_t longest) {
  Check check;
  check.passed = true;
  Json table = Json::array();
  const WindowCase windows = decode_recall_last_windows(1, longest);
  for (std::size_t length = 4; length <= longest; ++length) {
    const std::size_t deciding = deciding_suffix(windows.domain(length), windows.labeller, false);
    check.passed = check.passed && deciding == 3;
    table.push_back({{"length", length}, {"receptive_field", deciding}});
  }
  check.figures["table"] = std::move(table);
  check.meaning =
      "With two words and undefined inputs left out the last 3 tokens decide the answer at every length from 4 to " +
      std::to_string(longest) + ", so that the bound on windows needs 4 words or more.";
  return check;
}

Check controls(const ResidualClassesRequest& request) {
  const RecallShape shape{2, 1};
  const std::size_t limit = request.most_memories;
  const ComparisonSize size{2000, 5, request.seed};
  const Integer formula = recall_classes_always(shape.words, shape.bits);
  const StreamingMachine sound = recall_machine(shape, limit);
  const Labeller labeller = recall_labeller(shape);
  const auto faulty = [&](RecallFault fault) {
    return count_classes(recall_machine(shape, limit, fault), labeller, formula, 0, size);
  };
  std::vector<Control> list;
  list.push_back(count_control("no fault (must pass)", "nothing", count_classes(sound, labeller, formula, 0, size)));
  list.push_back(count_control("a formula off by one", "count", count_classes(sound, labeller, formula + 1, 0, size)));
  list.push_back(count_control("the formula of three bits", "count",
                               count_classes(sound, labeller, recall_classes_always(2, 3), 0, size)));
  list.push_back(count_control("refinement ended before it was stable", "count",
                               count_classes(sound, labeller, formula, 0, size, 0)));
  list.push_back(count_control("two states made one", "labeller",
                               count_classes(with_merged_states(sound), labeller, formula, 0, size)));
  list.push_back(
      count_control("the first follower kept, not the latest", "labeller", faulty(RecallFault::first_follower)));
  list.push_back(count_control("a register of one bit less", "labeller", faulty(RecallFault::lost_bit)));
  list.push_back(count_control("bits that follow no word", "labeller", faulty(RecallFault::words_only)));
  DefeatingPair pair = decode_recall_last_pair(2, 12);
  Control claim{"a pair with the query word once more behind", false, "", "pair", ""};
  pair.first[6] = 0;
  pair.second[6] = 0;
  if (!defeats(pair, decode_recall_last_labeller(2))) claim.caught_by = "pair";
  claim.caught = !claim.caught_by.empty();
  claim.counterexample = "both inputs are answered 1";
  list.push_back(claim);
  return planted_check(list);
}

}  // namespace

results::Certificate verify_residual_classes_4_5(const ResidualClassesRequest& request) {
  CertificateDraft draft("4.5", "lower bound", "exact", request.progress);
  results::Certificate& certificate = draft.certificate();
  certificate.parameters = {{"words_up_to", 4}, {"words_up_to_once", kMostWordsOnce}};
  draft.run("classes_always", [&] { return always(request); });
  draft.run("classes_once", [&] { return once(request); });
  draft.run("labeller_rows", [] { return rows(); });
  draft.run("constants", [] { return constants(); });
  draft.run("window", [] {
    return window_check({decode_recall_last_windows(2, 9), decode_recall_last_windows_undefined(1, 14),
                         decode_recall_last_windows_undefined(2, 9), decode_recall_last_windows(5, 0),
                         decode_recall_windows(1, 8), decode_recall_windows(2, 7), decode_recall_windows(5, 0)},
                        1024);
  });
  draft.run("window_two_words", [] { return two_words(14); });
  draft.run("controls", [&] { return controls(request); });
  conclude(
      certificate, "certified",
      "at least (W-1) log2 W bits asked once and W log2 W bits asked always, for every W = 2^b by proof, exact counts "
      "for W <= 4; windows: sum (W_i - 1) >= L - 2 asked once with 4 words or more, L - 1 asked always (with two words "
      "asked once a receptive field of 3 suffices)");
  return draft.finish();
}

}  // namespace hyseq::proofs_check
