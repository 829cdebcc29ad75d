#include "proofs_check/verify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/random.hpp"
#include "proofs_check/budgets.hpp"
#include "proofs_check/certificate_draft.hpp"
#include "proofs_check/check_figures.hpp"
#include "proofs_check/controls.hpp"
#include "proofs_check/domain.hpp"
#include "proofs_check/induction.hpp"
#include "proofs_check/margins.hpp"
#include "proofs_check/oracle.hpp"
#include "proofs_check/parallel.hpp"
#include "proofs_check/pictures.hpp"
#include "proofs_check/streams.hpp"
#include "proofs_check/window.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::DecodeRecallConstruction;
using constructions::DecodeRecallSpec;
using constructions::Level;
using constructions::SelectiveCopyConstruction;
using constructions::SelectiveCopySpec;
using results::Certificate;
using results::Check;

std::vector<std::int32_t> range(std::int32_t first, std::int32_t count) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// Tokens allowed at each position of the complete domain.
std::vector<std::vector<std::int32_t>> domain_tokens(const SelectiveCopySpec& spec, const VerifyRequest& request) {
  const int length = spec.level == Level::faithful ? spec.length : request.domain_length;
  return std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(length), range(0, spec.vocabulary));
}

std::vector<std::vector<std::int32_t>> domain_tokens(const DecodeRecallSpec& spec, const VerifyRequest& request) {
  std::vector<std::vector<std::int32_t>> tokens;
  const int length = spec.level == Level::faithful ? spec.length : request.domain_length;
  for (int t = 0; t < length; ++t) {
    if (spec.level == Level::streaming) {
      tokens.push_back(range(0, spec.words() + 2));
    } else {
      tokens.push_back(t < length - spec.bits ? range(0, spec.words()) : range(spec.words(), 2));
    }
  }
  return tokens;
}

std::vector<Stream> streams_of(const SelectiveCopySpec& spec, std::size_t length, std::uint64_t seed) {
  return selective_copy_streams(spec, length, seed);
}
std::vector<Stream> streams_of(const DecodeRecallSpec& spec, std::size_t length, std::uint64_t seed) {
  return decode_recall_streams(spec, length, seed);
}
std::vector<Control> controls_of(const SelectiveCopySpec& spec, NumberFormat format) {
  return selective_copy_controls(spec.level, format);
}
std::vector<Control> controls_of(const DecodeRecallSpec& spec, NumberFormat format) {
  return decode_recall_controls(spec.level, format);
}
LargestHolding largest_of(const SelectiveCopySpec& spec, NumberFormat format) {
  return largest_distances(spec.level, format);
}
LargestHolding largest_of(const DecodeRecallSpec& spec, NumberFormat format) {
  return largest_bits(spec.level, format);
}
int window_of(const SelectiveCopySpec& spec) { return spec.distances; }
int window_of(const DecodeRecallSpec& spec) { return spec.window; }

/// Sequences longer than this are not drawn whole, so their last position shows no answer.
constexpr int kLongestExample = 4096;

/// An example for the pictures, from the random stream of the checks; at the faithful level of the construction's
/// length.
std::vector<std::int32_t> example_of(const SelectiveCopySpec& spec) {
  const int length = spec.level == Level::faithful ? std::min(spec.length, kLongestExample) : 16;
  return selective_copy_streams(spec, static_cast<std::size_t>(length), 3)[0].tokens;
}
std::vector<std::int32_t> example_of(const DecodeRecallSpec& spec) {
  if (spec.level == Level::streaming) return decode_recall_streams(spec, 20, 3)[2].tokens;
  const auto length = static_cast<std::size_t>(std::min(spec.length, kLongestExample));
  std::vector<std::int32_t> tokens(length);
  RandomStream random({3, Purpose::verification}, 0);
  const std::size_t context = length - static_cast<std::size_t>(spec.bits);
  for (std::size_t t = 0; t < length; ++t) {
    tokens[t] = t < context ? static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(spec.words())))
                            : spec.words() + static_cast<std::int32_t>(random.below(2));
  }
  return tokens;
}

/// Runs the checks on one construction and collects them.
template <class Construction, class Spec>
class Verifier {
 public:
  Verifier(const Construction& construction, const VerifyRequest& request, CertificateDraft& draft)
      : construction_(construction), spec_(construction.spec), request_(request), draft_(draft), oracle_(spec_) {}

  void run() {
    if (!request_.checks.empty() || domain_size() <= kMostSequences) draft_.run("domain", [&] { return domain(); });
    draft_.run("induction",
               [&] { return induction_check(check_induction(construction_, request_.number), request_.number); });
    draft_.run("margins", [&] {
      return margins_check(margins(construction_, request_.number), largest_of(spec_, request_.number), request_.number,
                           std::is_same_v<Spec, SelectiveCopySpec> ? "distances" : "bits");
    });
    draft_.run("streams", [&] { return long_inputs(); });
    draft_.run("budgets", [&] { return budgets_check(budgets(spec_, request_.number)); });
    if constexpr (std::is_same_v<Spec, DecodeRecallSpec>) {
      if (spec_.level == Level::faithful) {
        draft_.run("window", [&] {
          return window_check(
              check_window(spec_.bits, request_.number, request_.window_inputs, request_.seed, request_.threads),
              spec_.bits, construction_.token_labels);
        });
      }
    }
    draft_.run("controls", [&] { return controls_check(controls_of(spec_, request_.number)); });
  }

 private:
  static constexpr double kMostSequences = 1e7;

  [[nodiscard]] double domain_size() const {
    DomainSpec domain;
    domain.allowed = domain_tokens(spec_, request_);
    return domain.sequences();
  }

  Check domain() {
    DomainSpec domain;
    domain.allowed = domain_tokens(spec_, request_);
    domain.label = [this](std::span<const std::int32_t> input) { return oracle_.last_answer(input); };
    domain.every_position = spec_.level == Level::streaming;
    domain.threads = request_.threads;
    domain.progress = [this](double fraction) { draft_.report("domain", std::min(fraction, 0.999)); };
    const double sequences = domain.sequences();
    if (sequences > 1e12) {
      double exponent = 0;  // the product itself may overflow
      for (const auto& tokens : domain.allowed) exponent += std::log10(static_cast<double>(tokens.size()));
      throw InputError("the complete domain has about 10^" + std::to_string(static_cast<int>(exponent)) +
                       " sequences, more than 10^12; choose a smaller --length, --vocabulary or --bits");
    }
    return domain_check(check_domain(construction_, request_.number, domain), domain.allowed.size(),
                        construction_.token_labels);
  }

  /// Long inputs end to end: streams, or at the faithful level sequences that go through every number, token, word and
  /// place.
  Check long_inputs() { return spec_.level == Level::streaming ? streams() : sequences(); }

  Check sequences() {
    const double token_ns = 500 + 2.0 * window_of(spec_);
    const double sequence_ns = token_ns * spec_.length + 4.0 * construction_.architecture.vocabulary;
    constexpr double kAffordable = 2e9;
    const std::uint64_t round = faithful_round(spec_);
    const auto affordable = static_cast<std::uint64_t>(std::max(64.0, kAffordable / sequence_ns));
    const std::uint64_t count = request_.checks.empty() ? std::min(4 * round + 1000, affordable) : 4 * round + 1000;
    const auto input = [this](std::uint64_t index) { return faithful_sequence(spec_, index, request_.seed); };
    return sequences_check(check_sequences(construction_, request_.number, oracle_, count, input, request_.threads),
                           count, round, static_cast<std::size_t>(spec_.length), construction_.token_labels);
  }

  /// All streams, shared among the threads; shorter where a token is so dear that full length would take minutes.
  Check streams() {
    const double token_ns = 500 + 12.0 * window_of(spec_) + 4.0 * construction_.architecture.vocabulary;
    std::size_t length = request_.stream_length;
    constexpr double kStreams = 6;
    constexpr double kAffordable = 30e9;
    constexpr double kReduced = 2e9;
    if (request_.checks.empty() && kStreams * token_ns * static_cast<double>(length) > kAffordable) {
      length = std::max<std::size_t>(1000, static_cast<std::size_t>(kReduced / kStreams / token_ns));
    }
    const std::vector<Stream> inputs = streams_of(spec_, length, request_.seed);
    std::vector<StreamResult> results(inputs.size());
    for_each_index(inputs.size(), request_.threads, [&](std::size_t i) {
      results[i] = check_stream(construction_, request_.number, oracle_, inputs[i]);
    });
    return streams_check(inputs, results, construction_.token_labels);
  }

  const Construction& construction_;
  const Spec& spec_;
  const VerifyRequest& request_;
  CertificateDraft& draft_;
  Oracle oracle_;
};

template <class Construction>
Certificate run(const std::string& theorem, const Construction& construction, const VerifyRequest& request,
                const std::string& inputs) {
  CertificateDraft draft(theorem, std::string(constructions::name(construction.spec.level)),
                         std::string(name(request.number)), request.progress, request.checks);
  Verifier<Construction, std::decay_t<decltype(construction.spec)>>(construction, request, draft).run();
  draft.certificate().matrices = pictures(construction, example_of(construction.spec));
  judge(draft.certificate(), inputs);
  return draft.finish();
}

template <class Construction>
models::ModelFile model_file(const Construction& construction) {
  models::ModelFile file;
  file.architecture = construction.architecture;
  file.parameters = construction.values;
  file.input.values = example_of(construction.spec);
  file.input.shape = {1, file.input.values.size()};
  // Positions without an answer hold an id beyond the vocabulary, which does not count.
  file.target = file.input;
  const std::vector<std::int32_t> source = Oracle(construction.spec).sources(file.input.values);
  for (std::size_t t = 0; t < source.size(); ++t) {
    file.target.values[t] =
        source[t] < 0 ? construction.architecture.vocabulary : file.input.values[static_cast<std::size_t>(source[t])];
  }
  return file;
}

}  // namespace

models::ModelFile export_model(const SelectiveCopySpec& spec) { return model_file(constructions::build(spec)); }
models::ModelFile export_model(const DecodeRecallSpec& spec) { return model_file(constructions::build(spec)); }

const std::vector<std::string>& check_names() {
  static const std::vector<std::string> names{"domain",  "induction", "margins", "streams",
                                              "budgets", "window",    "controls"};
  return names;
}

Certificate verify(const SelectiveCopySpec& spec, const VerifyRequest& request) {
  const auto construction = constructions::build(spec);
  const bool faithful = spec.level == Level::faithful;
  const std::string inputs =
      faithful ? "the last position of every sequence of length " + std::to_string(spec.length) + " with a number token"
               : "every position with an answer, in sequences of every length";
  Certificate certificate = run("4.3", construction, request, inputs);
  certificate.parameters["vocabulary"] = spec.vocabulary;
  certificate.parameters["distances"] = spec.distances;
  if (faithful) certificate.parameters["length"] = spec.length;
  return certificate;
}

Certificate verify(const DecodeRecallSpec& spec, const VerifyRequest& request) {
  const auto construction = constructions::build(spec);
  const DecodeRecallSpec& filled = construction.spec;
  const bool faithful = spec.level == Level::faithful;
  const std::string window = std::to_string(filled.window);
  const std::string inputs =
      faithful ? "every sequence of length " + std::to_string(filled.length) +
                     " whose query word's follower lies in the last " + window + " positions"
               : "every position whose answer lies in the last " + window + " positions, in sequences of every length";
  Certificate certificate = run("4.6", construction, request, inputs);
  certificate.parameters["bits"] = filled.bits;
  if (faithful) certificate.parameters["length"] = filled.length;
  certificate.parameters["window"] = filled.window;
  return certificate;
}

}  // namespace hyseq::proofs_check
