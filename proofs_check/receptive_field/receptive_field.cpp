#include "proofs_check/receptive_field/receptive_field.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/random.hpp"

namespace hyseq::proofs_check {
namespace {

class Probe {
 public:
  Probe(const kernels::Program& program, const kernels::ParameterValues& values, const ProbeRequest& request)
      : program_(program),
        values_(values),
        request_(request),
        length_(static_cast<std::size_t>(request.claimed) + request.outside),
        vocabulary_(static_cast<std::size_t>(program.vocabulary)),
        stream_({request.seed, Purpose::verification}, request.index) {}

  ProbeFindings run() {
    constexpr int kOutsideContexts = 2;  // contexts in which the outside is changed
    while (findings_.contexts < request_.contexts && !stop(kOutsideContexts)) {
      draw();
      ++findings_.contexts;
      if (findings_.contexts <= kOutsideContexts) change_outside();
      if (!findings_.edge_seen) change_edge();
    }
    return findings_;
  }

 private:
  [[nodiscard]] bool stop(int outside_contexts) const {
    const bool violated = !findings_.finite || !findings_.causal || !findings_.outside_equal;
    return violated || (findings_.edge_seen && findings_.contexts >= outside_contexts);
  }

  void draw() {
    tokens_.resize(length_);
    for (std::int32_t& token : tokens_) token = static_cast<std::int32_t>(stream_.below(vocabulary()));
    logits_ = logits(tokens_);
  }

  /// Replaces the tokens [begin, end) by other ones and returns whether the last logits are the same bits.
  bool unmoved(std::size_t begin, std::size_t end, const char* what) {
    std::vector<std::int32_t> changed = tokens_;
    for (std::size_t t = begin; t < end; ++t) {
      const auto shift = 1 + stream_.below(vocabulary() - 1);
      changed[t] = static_cast<std::int32_t>((static_cast<std::uint32_t>(changed[t]) + shift) % vocabulary());
    }
    const std::vector<double> moved = logits(changed);
    if (!same_rows(logits_, moved, vocabulary_, 0, begin)) {
      findings_.causal = false;
      note(what, changed);
    }
    return same_rows(logits_, moved, vocabulary_, length_ - 1, length_);
  }

  void change_outside() {
    for (const std::size_t first : {std::size_t{0}, request_.outside - 1}) {
      if (request_.outside == 0 || unmoved(first, request_.outside, "outside")) continue;
      findings_.outside_equal = false;
      std::vector<std::int32_t> shown(tokens_.begin() + static_cast<std::ptrdiff_t>(first), tokens_.end());
      note("the last logits depend on a token outside", shown);
      return;
    }
  }

  void change_edge() {
    if (!unmoved(request_.outside, request_.outside + 1, "edge")) findings_.edge_seen = true;
  }

  void note(const std::string& what, const std::vector<std::int32_t>& tokens) {
    if (!findings_.counterexample.empty()) return;
    findings_.counterexample = what + ":";
    for (const std::int32_t token : tokens) findings_.counterexample += " " + std::to_string(token);
  }

  std::vector<double> logits(const std::vector<std::int32_t>& tokens) {
    std::vector<double> all = sequence_logits(*request_.engine, request_.format, program_, values_, tokens);
    if (!std::all_of(all.begin(), all.end(), [](double x) { return std::isfinite(x); })) {
      findings_.finite = false;
      note("a logit that is not finite", tokens);
    }
    return all;
  }

  [[nodiscard]] std::uint32_t vocabulary() const { return static_cast<std::uint32_t>(vocabulary_); }

  const kernels::Program& program_;
  const kernels::ParameterValues& values_;
  const ProbeRequest& request_;
  std::size_t length_;
  std::size_t vocabulary_;
  RandomStream stream_;
  std::vector<std::int32_t> tokens_;
  std::vector<double> logits_;
  ProbeFindings findings_;
};

}  // namespace

ProbeFindings probe(const kernels::Program& program, const kernels::ParameterValues& values,
                    const ProbeRequest& request) {
  if (program.vocabulary < 2) {
    throw InputError("the vocabulary is " + std::to_string(program.vocabulary) +
                     ", allowed is 2 or more, because a token must be exchanged for another");
  }
  return Probe(program, values, request).run();
}

std::vector<double> sequence_logits(const kernels::Engine& engine, NumberFormat format, const kernels::Program& program,
                                    const kernels::ParameterValues& values, const std::vector<std::int32_t>& tokens) {
  kernels::ForwardRequest request;
  request.program = &program;
  request.parameters = &values;
  request.format = format;
  request.time = tokens.size();
  request.tokens = tokens;
  return engine.forward(request).logits.values;
}

std::int32_t last_answer(const std::vector<double>& logits, std::int32_t vocabulary) {
  const auto begin = logits.end() - vocabulary;
  const auto best = std::max_element(begin, logits.end());
  return std::count(begin, logits.end(), *best) == 1 ? static_cast<std::int32_t>(best - begin) : -1;
}

bool same_rows(const std::vector<double>& a, const std::vector<double>& b, std::size_t vocabulary, std::size_t begin,
               std::size_t end) {
  for (std::size_t i = begin * vocabulary; i < end * vocabulary; ++i) {
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  }
  return true;
}

}  // namespace hyseq::proofs_check
