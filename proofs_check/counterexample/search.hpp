// The shortest sequence on which a model fails its task: every sequence of 1, 2, .. tokens while that can be afforded,
// then a guided search among the longer ones, and what it finds made small.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "proofs_check/controls.hpp"
#include "proofs_check/counterexample/exhaustive.hpp"
#include "proofs_check/counterexample/guided.hpp"
#include "proofs_check/counterexample/question.hpp"

namespace hyseq::proofs_check {

struct SearchProgress {
  std::string stage;        // "every sequence of 7 tokens", "guided search", "controls"
  double sequences = 0;     // of this stage so far
  double seconds_left = 0;  // of the budget; infinite where there is none
};

struct SearchRequest {
  Question question;                        // without a planted failure
  const kernels::Engine* engine = nullptr;  // of the guided search; null: the reference
  double seconds = 60;  // half of it at most for the exhaustive part; may be infinite if `inputs` is set
  /// Sequences that the exhaustive and the guided part may each look at; 0: as time allows. With infinite seconds the
  /// outcome depends on nothing but the request.
  std::uint64_t inputs = 0;
  std::uint64_t seed = 1;
  int threads = 1;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const SearchProgress&)> progress;  // never from two threads at once
};

struct FoundFailure {
  Failure failure;
  std::string by;                // "exhaustive" or "guided"
  bool shortest = false;         // no shorter sequence fails
  bool first = false;            // nor one of this length that comes before it in lexicographic order
  bool locally_minimal = false;  // see Minimised
};

struct SearchResult {
  std::vector<LengthResult> lengths;  // of which every sequence is right, in order
  GuidedResult guided;                // all its stages together; `failing` is the smallest that it led to
  tasks::LengthRange guided_lengths{0, 0};
  std::optional<FoundFailure> found;
  std::vector<Control> controls;  // the same search with a failure planted; none where one was found anyway
  bool interrupted = false;
  double seconds = 0;

  /// No sequence of up to this many tokens fails (of exactly this many, where the last position alone is asked for).
  [[nodiscard]] std::size_t right_up_to() const { return lengths.empty() ? 0 : lengths.back().length; }
  [[nodiscard]] std::uint64_t exhausted() const;  // sequences of these lengths
  [[nodiscard]] std::uint64_t defined() const;    // of these, those with a target
  [[nodiscard]] double smallest_margin() const;   // over these
};

/// InputError as in check_question.
[[nodiscard]] SearchResult search_counterexample(const SearchRequest& request);

}  // namespace hyseq::proofs_check
