#include "proofs_check/counterexample/certificate.hpp"

#include <algorithm>
#include <cmath>

#include "results/number_words.hpp"

namespace hyseq::proofs_check {
namespace {

using results::Check;
using results::Json;

std::string of_tokens(std::size_t count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); }

std::string margin_words(double margin) { return "the smallest margin was " + results::short_number(margin, 4); }

/// No sequence of the search had a target, so that the model was asked nothing.
bool asked_nothing(const GuidedResult& guided) {
  return !guided.failing && std::isinf(guided.smallest_margin) && guided.smallest_margin > 0;
}

/// What gives an exhaustive part of which nothing came something to check.
std::string what_would_help(const SearchRequest& request, std::size_t length) {
  if (request.question.last_alone())
    return "another length may have targets at its last position, as may all positions of this one";
  return length < request.question.length ? "more time or more inputs reach longer sequences"
                                          : "a greater length has sequences with a target";
}

/// "8 to 20 tokens", "8 tokens".
std::string between(tasks::LengthRange lengths) {
  return (lengths.min < lengths.max ? std::to_string(lengths.min) + " to " : "") + of_tokens(lengths.max);
}

/// "up to 7 tokens", "exactly 7 tokens".
std::string reach(const SearchRequest& request, std::size_t length) {
  return (request.question.last_alone() ? "exactly " : "up to ") + of_tokens(length) +
         (request.question.positions == AskedPositions::query ? " (words and then a query)" : "");
}

void put_failure(const FoundFailure& found, const tasks::Vocabulary& vocabulary, Json& figures) {
  const Failure& failure = found.failure;
  Json names = Json::array();
  for (const std::int32_t token : failure.input) names.push_back(vocabulary.name(token));
  figures["counterexample"] = failure_text(failure, vocabulary);
  figures["failure"] =
      Json{{"length", failure.input.size()},
           {"tokens", failure.input},
           {"names", names},
           {"position", failure.position},
           {"expected", vocabulary.name(failure.expected)},
           {"answered", failure.answered < 0 ? Json(nullptr) : Json(vocabulary.name(failure.answered))},
           {"margin", failure.margin},
           {"shortest", found.shortest},
           {"first_in_order", found.first},
           {"locally_minimal", found.locally_minimal}};
  if (failure.answered < 0) figures["failure"]["answered_reason"] = "several largest logits, or one that is no number";
}

Check exhaustive_check(const SearchRequest& request, const SearchResult& result) {
  Check check;
  check.name = "exhaustive";
  const bool failed = result.found && result.found->by == check.name;
  check.empty = !failed && result.defined() == 0;
  check.passed = !failed && !check.empty;
  check.figures["right_up_to"] = result.right_up_to();
  check.figures["sequences"] = result.exhausted();
  check.figures["defined"] = result.defined();
  if (result.defined() > 0) check.figures["smallest_margin"] = result.smallest_margin();
  check.figures["lengths"] = Json::array();
  double seconds = 0;
  for (const LengthResult& length : result.lengths) {
    Json row{{"length", length.length}, {"sequences", length.sequences}, {"defined", length.defined}};
    if (length.defined > 0) row["smallest_margin"] = length.smallest_margin;
    row["seconds"] = length.seconds;
    seconds += length.seconds;
    check.figures["lengths"].push_back(row);
  }
  check.figures["seconds"] = seconds;
  if (result.lengths.empty()) {
    check.meaning = failed ? ""
                           : "Nothing was checked: the budget was over before all sequences of " +
                                 of_tokens(request.question.shortest()) +
                                 " had gone through the weights; more time or more inputs are needed.";
  } else if (check.empty) {
    check.meaning = "Nothing was checked: none of the " + results::grouped(result.exhausted()) + " sequences of " +
                    reach(request, result.right_up_to()) +
                    " has a target, so that the model was neither right nor wrong; " +
                    what_would_help(request, result.right_up_to()) + ".";
  } else if (result.defined() == 0) {
    check.meaning = "None of the " + results::grouped(result.exhausted()) + " sequences of " +
                    reach(request, result.right_up_to()) + " has a target.";
  } else {
    check.meaning = "Each of the " + results::grouped(result.exhausted()) + " sequences of " +
                    reach(request, result.right_up_to()) + " went through the weights and none failed; " +
                    results::grouped(result.defined()) + " have a target, and " +
                    margin_words(result.smallest_margin()) + ".";
  }
  if (failed) {
    put_failure(*result.found, request.question.task->vocabulary(), check.figures);
    check.meaning += (check.meaning.empty() ? "A" : " Then a") + std::string(" sequence of ") +
                     of_tokens(result.found->failure.input.size()) + " failed" +
                     (result.found->first ? ", the first one in order." : ".");
  }
  return check;
}

Check guided_check(const SearchRequest& request, const SearchResult& result) {
  Check check;
  check.name = "guided";
  const bool failed = result.guided.failing.has_value();
  check.empty = asked_nothing(result.guided);
  check.passed = !failed && !check.empty;
  check.figures["least_length"] = result.guided_lengths.min;
  check.figures["most_length"] = result.guided_lengths.max;
  check.figures["sequences"] = result.guided.sequences;
  check.figures["rounds"] = result.guided.rounds;
  check.figures["engine"] = request.engine != nullptr ? request.engine->name() : kernels::reference_engine().name();
  if (std::isfinite(result.guided.smallest_margin)) check.figures["smallest_margin"] = result.guided.smallest_margin;
  if (check.empty && result.guided.sequences == 0) {
    check.meaning = "Nothing was checked: the budget was over before a round of sequences of " +
                    between(result.guided_lengths) + " had ended.";
    return check;
  }
  check.meaning = results::grouped(result.guided.sequences) + " sequences of " + between(result.guided_lengths) +
                  ", changed step by step towards smaller margins in " + results::grouped(result.guided.rounds) +
                  " rounds, ";
  if (!failed) {
    check.meaning += check.empty ? "had no target, so that nothing was checked."
                                 : "held no failure; " + margin_words(result.guided.smallest_margin) + ".";
    return check;
  }
  check.meaning += "led to a failing one of " + of_tokens(result.guided.failing->size());
  if (result.found->by == check.name) {
    put_failure(*result.found, request.question.task->vocabulary(), check.figures);
    if (result.found->shortest && !request.question.last_alone()) check.meaning += ", and no shorter one fails";
    if (result.found->locally_minimal) check.meaning += "; none of its tokens can be left out or lowered";
  }
  check.meaning += '.';
  return check;
}

Check controls_check(const SearchResult& result) {
  Check check;
  check.name = "controls";
  check.figures["controls"] = Json::array();
  std::size_t caught = 0;
  for (const Control& control : result.controls) {
    caught += control.caught ? 1U : 0U;
    check.figures["controls"].push_back({{"name", control.name},
                                         {"caught", control.caught},
                                         {"caught_by", control.caught_by},
                                         {"expected", control.expected},
                                         {"counterexample", control.counterexample}});
  }
  check.passed = caught == result.controls.size() && caught > 0;
  check.meaning = "The same searches, with one answer taken for wrong, found that failure " + std::to_string(caught) +
                  " of " + std::to_string(result.controls.size()) + " times.";
  return check;
}

std::string failing_scope(const SearchRequest& request, const SearchResult& result) {
  const FoundFailure& found = *result.found;
  const std::string text = "wrong on a sequence of " + of_tokens(found.failure.input.size());
  if (request.question.last_alone()) return text;
  if (found.shortest) return text + ", and on no shorter one";
  return text + "; no sequence of up to " + of_tokens(result.right_up_to()) + " fails, those between are open";
}

std::string certified_scope(const SearchRequest& request, const SearchResult& result) {
  std::string text = request.question.last_alone() ? "the last position" : "every position";
  text += " with a target, in each of the " + results::grouped(result.exhausted()) + " sequences of " +
          reach(request, result.right_up_to()) + ", in the reference engine's " +
          std::string(name(request.question.number)) + " arithmetic";
  if (!asked_nothing(result.guided))
    text += "; " + results::grouped(result.guided.sequences) + " longer ones of up to " +
            of_tokens(result.guided_lengths.max) + " held no failure either, which certifies nothing about the others";
  return text;
}

}  // namespace

std::string failure_text(const Failure& failure, const tasks::Vocabulary& vocabulary) {
  constexpr std::size_t kShown = 40;
  const std::size_t end = failure.position + 1;
  const std::size_t first = end > kShown ? end - kShown : 0;
  std::string line;
  if (first > 0) line += "(" + std::to_string(first) + " tokens) ... ";
  for (std::size_t t = first; t < std::min(failure.input.size(), first + kShown); ++t)
    line += vocabulary.name(failure.input[t]) + " ";
  if (failure.input.size() > first + kShown) line += "... ";
  return line + "-> expected " + vocabulary.name(failure.expected) + " at position " +
         std::to_string(failure.position) + ", got " +
         (failure.answered < 0 ? "no unique answer" : vocabulary.name(failure.answered));
}

results::Certificate certificate_of(const SearchRequest& request, const SearchResult& result) {
  results::Certificate certificate;
  certificate.theorem = "model";
  certificate.level = request.question.task->name();
  certificate.number = std::string(name(request.question.number));
  certificate.parameters["length"] = request.question.length;
  certificate.parameters["positions"] = positions_name(request.question.positions);
  certificate.checks.push_back(exhaustive_check(request, result));
  if (result.guided_lengths.max > 0) certificate.checks.push_back(guided_check(request, result));
  if (!result.controls.empty()) certificate.checks.push_back(controls_check(result));
  // The lengths that were gone through are what is certified; that nothing came to the guided part takes nothing away.
  const bool passed = certificate.checks[0].passed && std::ranges::all_of(certificate.checks, [](const Check& check) {
                        return check.passed || check.empty;
                      });
  certificate.verdict = passed && !result.controls.empty() ? "certified" : "not shown";
  certificate.seconds = result.seconds;
  if (result.found) {
    certificate.scope = failing_scope(request, result);
  } else if (result.lengths.empty()) {
    certificate.scope = "no failing sequence was found, but not even the shortest length was gone through completely";
  } else if (result.defined() == 0) {
    certificate.scope = "nothing was certified: no sequence of " + reach(request, result.right_up_to()) +
                        " has a target; " + what_would_help(request, result.right_up_to());
  } else if (certificate.verdict == "not shown") {
    certificate.scope = "no failing sequence was found, but the search overlooked a planted failure";
  } else {
    certificate.scope = certified_scope(request, result);
  }
  return certificate;
}

}  // namespace hyseq::proofs_check
