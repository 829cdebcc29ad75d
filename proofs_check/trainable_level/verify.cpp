#include "proofs_check/trainable_level/verify.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "kernels/base/error.hpp"
#include "proofs_check/certificate_draft.hpp"
#include "proofs_check/check_figures.hpp"
#include "proofs_check/trainable_level/basin_check.hpp"
#include "proofs_check/trainable_level/domains.hpp"
#include "proofs_check/trainable_level/positions.hpp"
#include "proofs_check/trainable_level/subject.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::DeepRecallSpec;
using constructions::Fault;
using constructions::TrainableCopySpec;
using constructions::TrainableRecallSpec;
using results::Certificate;
using results::Check;
using results::Json;

/// Whose training is measured as a check; of recall there is no rate worth a claim (docs/trainable-constructions.md).
template <class Spec>
constexpr bool kHasBasin = std::is_same_v<Spec, TrainableCopySpec>;

template <class Construction>
class TrainableVerifier {
 public:
  using Spec = std::decay_t<decltype(std::declval<Construction>().spec)>;

  TrainableVerifier(const std::string& theorem, const Spec& spec, const TrainableRequest& request)
      : spec_(spec),
        request_(request),
        construction_(constructions::build(spec)),
        task_(task_of(spec, request.share)),
        draft_(theorem, "trainable", std::string(name(request.number)), request.progress, request.checks) {}

  Certificate run() {
    draft_.run("positions", [this] { return positions(); });
    draft_.run("domain", [this] { return domain(); });
    draft_.run("carry", [this] { return carry_check(construction_, request_); });
    draft_.run("widths", [this] { return widths(); });
    draft_.run("controls", [this] { return controls(); });
    if constexpr (kHasBasin<Spec>) {
      if (request_.checks.contains("basin")) draft_.run("basin", [this] { return basin_check(spec_, request_); });
    }
    judge(draft_.certificate());
    return draft_.finish();
  }

 private:
  [[nodiscard]] RandomPositions random(std::uint64_t answers) const {
    RandomPositions random;
    random.length = length_of(spec_, request_);
    random.answers = answers;
    random.seed = request_.seed;
    random.format = request_.number;
    random.threads = static_cast<std::size_t>(std::max(1, request_.threads));
    return random;
  }

  Check positions() {
    const PositionCounts counts = check_random_positions(construction_, *task_, random(request_.answers));
    Check check;
    check.passed = counts.all_correct() && counts.defined >= request_.answers;
    check.figures["length"] = length_of(spec_, request_);
    check.figures["positions"] = counts.positions;
    check.figures["defined"] = counts.defined;
    check.figures["correct"] = counts.correct;
    check.figures["loss"] = counts.loss;
    if (counts.counterexample)
      check.figures["counterexample"] = counts.counterexample->text(construction_.token_labels);
    check.meaning = std::to_string(counts.correct) + " of " + std::to_string(counts.defined) +
                    " answers were right at " + std::to_string(counts.positions) +
                    " positions of random sequences of length " + std::to_string(length_of(spec_, request_)) + ".";
    return check;
  }

  Check domain() {
    Check check;
    check.passed = true;
    check.figures["families"] = Json::array();
    for (DomainSpec& family : vocabulary_domains(spec_)) {
      family.threads = request_.threads;
      const Check part = domain_check(check_domain(construction_, request_.number, family), family.allowed.size(),
                                      construction_.token_labels);
      check.passed = check.passed && part.passed;
      check.figures["families"].push_back(part.figures);
      check.meaning += "Over the whole vocabulary: " + part.meaning + " ";
    }
    check.figures["small"] = Json::array();
    for (const auto& [spec, length] : small_domains(spec_)) {
      const Construction small = constructions::build(spec);
      DomainSpec all = complete_domain(spec, length);
      all.threads = request_.threads;
      const Check part =
          domain_check(check_domain(small, request_.number, all), all.allowed.size(), small.token_labels);
      check.passed = check.passed && part.passed;
      Json figures = part.figures;
      figures["answers"] = spec.answers();
      check.figures["small"].push_back(figures);
      check.meaning += "With " + std::to_string(spec.answers()) + " tokens: " + part.meaning + " ";
    }
    return check;
  }

  Check widths() {
    Check check;
    check.passed = true;
    check.figures["widths"] = Json::array();
    int least = 0;
    for (int width = spec_.width; width >= spec_.least_width(); --width) {
      Spec narrow = spec_;
      narrow.width = width;
      const Construction c = constructions::build(narrow);
      const PositionCounts counts = check_random_positions(c, *task_, random(request_.width_answers));
      Json json;
      json["width"] = width;
      json["parameters"] = c.program.parameter_count();
      json["nonzero_parameters"] = c.nonzero_parameters();
      describe_margins(c, json);
      json["defined"] = counts.defined;
      json["correct"] = counts.correct;
      json["loss"] = counts.loss;
      check.figures["widths"].push_back(json);
      if (!counts.all_correct()) break;
      least = width;
    }
    check.passed = least == spec_.least_width();
    check.figures["least_width"] = least;
    check.meaning = least == 0 ? "The construction fails at its own width."
                               : "Every width down to " + std::to_string(least) +
                                     " answers all positions; the construction has no narrower form.";
    return check;
  }

  Check controls() {
    std::vector<Control> controls;
    const auto run_control = [&](const std::string& name, Fault fault) {
      Spec faulty = spec_;
      faulty.fault = fault;
      const Construction c = constructions::build(faulty);
      RandomPositions few = random(1000000);
      few.stop_at_first_error = true;
      const PositionCounts counts = check_random_positions(c, *task_, few);
      Control control{name, counts.counterexample.has_value(), "", "positions", ""};
      if (control.caught) {
        control.caught_by = "positions";
        control.counterexample = counts.counterexample->text(c.token_labels);
      }
      return control;
    };
    for (const auto& [name, fault] : faults(spec_)) controls.push_back(run_control(name, fault));
    // The very same check must let the construction without a fault pass.
    Control none = run_control("no fault", Fault::none);
    none.caught = !none.caught;
    none.expected = "passes";
    none.caught_by.clear();
    controls.push_back(none);
    return controls_check(controls);
  }

  void judge(Certificate& certificate) const {
    for (const Check& check : certificate.checks) {
      if (check.passed) continue;
      certificate.verdict = "not shown";
      certificate.scope = "the check " + check.name + " did not pass";
      return;
    }
    certificate.verdict = "certified";
    const auto ran = [&](const char* name) { return results::find_check(certificate, name) != nullptr; };
    if (ran("positions") && ran("domain") && ran("carry")) {
      certificate.scope = scope_of(spec_, request_);
    } else {
      certificate.scope = "only what was asked for:";
      for (const Check& check : certificate.checks) certificate.scope += " " + check.name;
    }
    certificate.scope += ", in " + certificate.number + " arithmetic";
  }

  const Spec& spec_;
  const TrainableRequest& request_;
  Construction construction_;
  std::unique_ptr<tasks::Task> task_;
  CertificateDraft draft_;
};

void check_request(const TrainableRequest& request) {
  for (const std::string& wanted : request.checks) {
    const auto& known = trainable_check_names();
    if (std::find(known.begin(), known.end(), wanted) != known.end()) continue;
    std::string list;
    for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
    throw InputError("check '" + wanted + "' is not known at the level trainable; use " + list);
  }
  if (request.number != NumberFormat::float32 && request.number != NumberFormat::float64) {
    throw InputError("number " + std::string(name(request.number)) +
                     " is not available at the level trainable; use float or double");
  }
}

template <class Construction, class Spec>
Certificate run(const std::string& theorem, const Spec& spec, const TrainableRequest& request) {
  check_request(request);
  if (!kHasBasin<Spec> && request.checks.contains("basin"))
    throw InputError("check 'basin' applies to theorem 4.3 alone, not to " + theorem);
  Certificate certificate = TrainableVerifier<Construction>(theorem, spec, request).run();
  certificate.parameters = parameters_of(spec);
  return certificate;
}

}  // namespace

const std::vector<std::string>& trainable_check_names() {
  static const std::vector<std::string> names{"positions", "domain", "carry", "widths", "controls", "basin"};
  return names;
}

Certificate verify(const TrainableCopySpec& spec, const TrainableRequest& request) {
  return run<constructions::TrainableCopyConstruction>("4.3", spec, request);
}

Certificate verify(const TrainableRecallSpec& spec, const TrainableRequest& request) {
  return run<constructions::TrainableRecallConstruction>("4.6", spec, request);
}

Certificate verify(const DeepRecallSpec& spec, const TrainableRequest& request) {
  return run<constructions::DeepRecallConstruction>("4.6", spec, request);
}

}  // namespace hyseq::proofs_check
