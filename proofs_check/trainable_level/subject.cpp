#include "proofs_check/trainable_level/subject.hpp"

#include <algorithm>

#include "kernels/base/number_text.hpp"
#include "proofs_check/check_figures.hpp"
#include "proofs_check/streams.hpp"
#include "proofs_check/trainable_level/states.hpp"
#include "tasks/registry.hpp"

namespace hyseq::proofs_check {

using constructions::DeepRecallConstruction;
using constructions::DeepRecallSpec;
using constructions::Fault;
using constructions::TrainableCopyConstruction;
using constructions::TrainableCopySpec;
using constructions::TrainableRecallConstruction;
using constructions::TrainableRecallSpec;
using results::Check;
using results::Json;

namespace {

std::unique_ptr<tasks::Task> recall_task(int bits, double share) {
  return tasks::make_task("decode_recall", {{"bits", std::to_string(bits)}, {"bit-share", plain_number(share)}});
}

template <class Recall>
SmallDomains<Recall> small_recall_domains(const Recall& spec) {
  Recall one = spec;
  one.bits = 1;
  one.window = 7;
  Recall two = spec;
  two.bits = 2;
  two.window = 5;
  return {{one, 8}, {two, 6}};
}

const NamedFaults& recall_faults() {
  static const NamedFaults all{{"beta = 0", Fault::zero_temperature},
                               {"window one too short", Fault::short_window},
                               {"two tokens with one code", Fault::wrong_code_bit},
                               {"a register that fades", Fault::broken_carry},
                               {"the token before the previous one", Fault::off_by_one},
                               {"no preference for the latest", Fault::no_recency}};
  return all;
}

template <class Construction>
Check recall_streams(const Construction& c, const TrainableRequest& request) {
  constructions::DecodeRecallSpec promise;
  promise.bits = c.spec.bits;
  promise.window = c.spec.window;
  promise.level = constructions::Level::streaming;
  const std::vector<Stream> streams = decode_recall_streams(promise, request.stream_length, request.seed);
  std::vector<StreamResult> results;
  for (const Stream& stream : streams) results.push_back(check_stream(c, request.number, Oracle(promise), stream));
  return streams_check(streams, results, c.token_labels);
}

std::string recall_scope(int window) {
  return "every position with an answer in random sequences of length " + std::to_string(window + 1) +
         " and in the complete domains; in longer streams every position whose answer lies in the last " +
         std::to_string(window) + " positions";
}

template <class Recall>
Json recall_parameters(const Recall& spec, const std::string& layers) {
  return {{"bits", spec.bits},   {"window", spec.window},         {"layers", layers},
          {"width", spec.width}, {"state_size", spec.state_size}, {"step_bias", spec.step_bias}};
}

}  // namespace

tasks::OptionMap task_options(const TrainableCopySpec& spec, double share) {
  return {{"values", std::to_string(spec.values)},
          {"distance-min", std::to_string(spec.distance_min)},
          {"distance-count", std::to_string(spec.distances)},
          {"number-share", plain_number(share)}};
}

std::unique_ptr<tasks::Task> task_of(const TrainableCopySpec& spec, double share) {
  return tasks::make_task("selective_copy", task_options(spec, share));
}
std::unique_ptr<tasks::Task> task_of(const TrainableRecallSpec& spec, double share) {
  return recall_task(spec.bits, share);
}
std::unique_ptr<tasks::Task> task_of(const DeepRecallSpec& spec, double share) { return recall_task(spec.bits, share); }

std::size_t length_of(const TrainableCopySpec& spec, const TrainableRequest& request) {
  return std::max(request.length, static_cast<std::size_t>(spec.distance_max()) + 1);
}
std::size_t length_of(const TrainableRecallSpec& spec, const TrainableRequest&) {
  return static_cast<std::size_t>(spec.window) + 1;
}
std::size_t length_of(const DeepRecallSpec& spec, const TrainableRequest&) {
  return static_cast<std::size_t>(spec.window) + 1;
}

SmallDomains<TrainableCopySpec> small_domains(const TrainableCopySpec& spec) {
  TrainableCopySpec near = spec;
  near.values = 3;
  near.distance_min = 1;
  near.distances = 2;
  near.window = std::min(spec.window, 20);
  TrainableCopySpec own = near;  // with distance 0, the token itself, and a window that just does
  own.values = 2;
  own.distance_min = 0;
  own.distances = 3;
  own.window = 3;
  return {{near, 7}, {own, 7}};
}
SmallDomains<TrainableRecallSpec> small_domains(const TrainableRecallSpec& spec) { return small_recall_domains(spec); }
SmallDomains<DeepRecallSpec> small_domains(const DeepRecallSpec& spec) { return small_recall_domains(spec); }

const NamedFaults& faults(const TrainableCopySpec&) {
  static const NamedFaults all{{"beta = 0", Fault::zero_temperature},
                               {"window one too short", Fault::short_window},
                               {"two tokens with one code", Fault::wrong_code_bit},
                               {"a state that fades", Fault::broken_carry},
                               {"query one position off", Fault::off_by_one}};
  return all;
}
const NamedFaults& faults(const TrainableRecallSpec&) { return recall_faults(); }
const NamedFaults& faults(const DeepRecallSpec&) { return recall_faults(); }

void describe_margins(const TrainableCopyConstruction& c, Json& json) {
  json["code_gap"] = c.code_gap;
  json["score_gap"] = c.score_gap;
  json["temperature"] = c.temperature;
}
void describe_margins(const TrainableRecallConstruction& c, Json& json) {
  json["code_gap"] = c.code_gap;
  json["match_gap"] = c.match_gap;
  json["temperature"] = c.scores.temperature;
  json["recency"] = c.scores.recency;
}

void describe_margins(const DeepRecallConstruction& c, Json& json) {
  json["code_gap"] = c.code_gap;
  json["register_gap"] = c.register_gap;
  json["temperature"] = c.scores.temperature;
  json["recency"] = c.scores.recency;
}

Check carry_check(const TrainableCopyConstruction& c, const TrainableRequest& request) {
  const StateResult result = check_states(c, request.number);
  Check check;
  check.passed = result.passed();
  check.figures["reachable_states"] = result.reachable_states;
  check.figures["promised_states"] = result.promised_states;
  check.figures["transitions_checked"] = result.transitions;
  check.figures["closed"] = result.closed;
  if (!result.failure.empty()) check.figures["failure"] = result.failure;
  check.meaning = result.passed() ? "The state has " + std::to_string(result.reachable_states) +
                                        " values, one for each number and the start; numbers set it and all other "
                                        "tokens leave every bit, so this holds for every length."
                                  : "The set of states is not the promised one" +
                                        (result.failure.empty() ? "." : ": " + result.failure + ".");
  return check;
}

Check carry_check(const TrainableRecallConstruction& c, const TrainableRequest& request) {
  return recall_streams(c, request);
}
Check carry_check(const DeepRecallConstruction& c, const TrainableRequest& request) {
  return recall_streams(c, request);
}

std::string scope_of(const TrainableCopySpec& spec, const TrainableRequest& request) {
  return "every position with an answer in random sequences of length " + std::to_string(length_of(spec, request)) +
         " and in the complete domains; the state holds for every length";
}

std::string scope_of(const TrainableRecallSpec& spec, const TrainableRequest&) { return recall_scope(spec.window); }
std::string scope_of(const DeepRecallSpec& spec, const TrainableRequest&) { return recall_scope(spec.window); }

Json parameters_of(const TrainableCopySpec& spec) {
  return {{"values", spec.values},
          {"distance_min", spec.distance_min},
          {"distances", spec.distances},
          {"window", spec.window},
          {"layers", "SSM,TF"},
          {"width", spec.width},
          {"state_size", spec.state_size},
          {"step_bias", spec.step_bias}};
}

Json parameters_of(const TrainableRecallSpec& spec) { return recall_parameters(spec, "SSM,TF"); }
Json parameters_of(const DeepRecallSpec& spec) { return recall_parameters(spec, "SSM,TF,TF"); }

}  // namespace hyseq::proofs_check
