#include "proofs_check/controls.hpp"

#include <algorithm>

#include "proofs_check/induction.hpp"
#include "proofs_check/margins.hpp"
#include "proofs_check/oracle.hpp"
#include "proofs_check/streams.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::Fault;
using constructions::Level;

struct Planted {
  Fault fault;
  const char* name;
  const char* expected;  // the check that must catch it: domain, induction, margins
};

/// All words over the vocabulary; for decode recall at the faithful level words, then bits.
DomainSpec small_domain(const constructions::SelectiveCopySpec& spec, const Oracle& oracle, int length) {
  DomainSpec domain;
  std::vector<std::int32_t> tokens;
  for (std::int32_t id = 0; id < spec.vocabulary; ++id) tokens.push_back(id);
  domain.allowed.assign(static_cast<std::size_t>(length), tokens);
  domain.label = [&oracle](std::span<const std::int32_t> input) { return oracle.last_answer(input); };
  domain.every_position = spec.level == Level::streaming;
  return domain;
}

DomainSpec small_domain(const constructions::DecodeRecallSpec& spec, const Oracle& oracle, int length) {
  DomainSpec domain;
  std::vector<std::int32_t> words;
  for (std::int32_t id = 0; id < spec.words(); ++id) words.push_back(id);
  const std::vector<std::int32_t> bits{spec.words(), spec.words() + 1};
  std::vector<std::int32_t> all = words;
  all.insert(all.end(), bits.begin(), bits.end());
  for (int t = 0; t < length; ++t) {
    if (spec.level == Level::streaming) {
      domain.allowed.push_back(all);
    } else {
      domain.allowed.push_back(t < length - spec.bits ? words : bits);
    }
  }
  domain.label = [&oracle](std::span<const std::int32_t> input) { return oracle.last_answer(input); };
  domain.every_position = spec.level == Level::streaming;
  return domain;
}

struct Findings {
  bool domain = false;
  bool streams = false;
  bool induction = false;
  bool margins = false;
  std::optional<Counterexample> counterexample;
};

void keep_shorter(std::optional<Counterexample>& best, const std::optional<Counterexample>& candidate) {
  if (candidate && (!best || candidate->input.size() < best->input.size())) best = candidate;
}

template <class Construction, class Spec>
Findings examine(const Spec& healthy, const Construction& planted, int length, const std::vector<Stream>& streams,
                 NumberFormat format) {
  const Oracle oracle(healthy);
  Findings found;
  const DomainResult domain = check_domain(planted, format, small_domain(healthy, oracle, length));
  found.domain = !domain.all_correct();
  found.counterexample = domain.counterexample;
  for (const Stream& stream : streams) {
    const StreamResult result = check_stream(planted, format, oracle, stream, true);
    if (result.correct == result.defined) continue;
    found.streams = true;
    keep_shorter(found.counterexample, result.counterexample);
  }
  found.induction = !check_induction(planted, format).passed();
  found.margins = !margins(planted, format).holds;
  return found;
}

Control judge(const Planted& planted, const Findings& found, const std::vector<std::string>& labels) {
  Control control;
  control.name = planted.name;
  control.expected = planted.expected;
  std::vector<std::string> by;
  if (found.domain) by.emplace_back("domain");
  if (found.streams) by.emplace_back("streams");
  if (found.induction) by.emplace_back("induction");
  if (found.margins) by.emplace_back("margins");
  for (const std::string& check : by) control.caught_by += (control.caught_by.empty() ? "" : ", ") + check;
  const bool by_expected = std::find(by.begin(), by.end(), control.expected) != by.end();
  control.caught = by_expected && found.counterexample.has_value();
  if (planted.fault == Fault::none) control.caught = by.empty();
  if (found.counterexample) control.counterexample = found.counterexample->text(labels);
  return control;
}

}  // namespace

std::vector<Control> selective_copy_controls(Level level, NumberFormat format) {
  constexpr int kLength = 6;
  constructions::SelectiveCopySpec healthy;
  healthy.vocabulary = 6;
  healthy.distances = 4;
  healthy.length = kLength;
  healthy.level = level;
  std::vector<Stream> streams;
  if (level == Level::streaming) streams = selective_copy_streams(healthy, 3000, 7);
  std::vector<Control> controls;
  for (const Planted& planted : {Planted{Fault::none, "no fault (must pass)", "nothing"},
                                 Planted{Fault::zero_temperature, "inverse temperature 0", "domain"},
                                 Planted{Fault::short_window, "window one too short", "domain"},
                                 Planted{Fault::wrong_code_bit, "a wrong code bit of token V0", "domain"},
                                 Planted{Fault::broken_carry, "a carry that fades", "induction"},
                                 Planted{Fault::off_by_one, "query one position off, as printed", "domain"}}) {
    constructions::SelectiveCopySpec spec = healthy;
    spec.fault = planted.fault;
    const auto construction = constructions::build(spec);
    controls.push_back(
        judge(planted, examine(healthy, construction, kLength, streams, format), construction.token_labels));
  }
  return controls;
}

std::vector<Control> decode_recall_controls(Level level, NumberFormat format) {
  constructions::DecodeRecallSpec healthy;
  healthy.bits = level == Level::faithful ? 2 : 1;
  healthy.window = level == Level::faithful ? 5 : 4;
  healthy.level = level;
  const int length = level == Level::faithful ? 8 : 7;
  if (level == Level::faithful) healthy.length = length;
  std::vector<Stream> streams;
  if (level == Level::streaming) streams = decode_recall_streams(healthy, 3000, 7);
  std::vector<Planted> faults{
      {Fault::none, "no fault (must pass)", "nothing"},
      {Fault::zero_temperature, "inverse temperature 0", "domain"},
      {Fault::short_window, "window one too short", "domain"},
      {Fault::wrong_code_bit, "a wrong code bit of token V0", "domain"},
      {Fault::broken_carry, "a register that does not keep its bits", "induction"},
      {Fault::off_by_one,
       level == Level::faithful ? "register read one position off" : "previous token read one position off", "domain"},
      {Fault::no_recency, "no preference for the latest occurrence", "domain"}};
  if (level == Level::streaming) faults.push_back({Fault::fast_decay, "lambda above 1/2", "induction"});
  std::vector<Control> controls;
  for (const Planted& planted : faults) {
    constructions::DecodeRecallSpec spec = healthy;
    spec.fault = planted.fault;
    const auto construction = constructions::build(spec);
    controls.push_back(
        judge(planted, examine(healthy, construction, length, streams, format), construction.token_labels));
  }
  return controls;
}

}  // namespace hyseq::proofs_check
