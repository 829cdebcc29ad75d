// hyseq verify: certifies the theorem constructions.
#include "proofs_check/verify.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/bounds.hpp"
#include "cli/certificate_output.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/verify_model.hpp"
#include "cli/verify_trainable.hpp"
#include "kernels/base/error.hpp"
#include "results/store.hpp"

namespace hyseq::cli {
namespace {

using constructions::Level;

/// Theorems with explicit weights, which have levels and sizes.
struct ConstructionTheorem {
  const char* id;
  const char* meaning;
  std::set<std::string> others;  // options of the other one
};

const std::vector<ConstructionTheorem>& construction_theorems() {
  static const std::vector<ConstructionTheorem> theorems{
      {"4.3", "selective copying by SSM,TF: its explicit weights", {"--bits", "--window"}},
      {"4.6", "associative recall with decoding by SSM,TF,TF: its explicit weights", {"--vocabulary", "--distances"}}};
  return theorems;
}

bool is_construction(const std::string& theorem) {
  return std::ranges::any_of(construction_theorems(), [&](const auto& known) { return known.id == theorem; });
}

/// All ids with their meaning, in order.
std::map<std::string, std::string> theorems() {
  std::map<std::string, std::string> all;
  for (const ConstructionTheorem& theorem : construction_theorems()) all.emplace(theorem.id, theorem.meaning);
  for (const BoundTheorem& theorem : bound_theorems()) all.emplace(theorem.id, theorem.meaning);
  return all;
}

std::string theorems_help() {
  std::string text;
  for (const auto& [id, meaning] : theorems()) text += "  " + id + "  " + meaning + "\n";
  return text;
}

CommandLine command_line() {
  CommandLine line{"hyseq verify [THEOREM|all] [options]",
                   "Checks a theorem and gives a verdict. THEOREM is one of\n" + theorems_help() +
                       "and `all` stands for every one of them, constructions at every level. Exit code 0: certified, "
                       "or refuted as\n"
                       "printed with the corrected form certified; 1: not shown.\n"
                       "With --model FILE --task TASK --length L it searches the shortest sequence on which a stored "
                       "model fails:\n"
                       "`hyseq verify --model FILE --help`.",
                   {},
                   {"theorem"}};
  line.options.add_options()("level", text(),
                             "faithful (answer at the last of L positions; default), streaming (every position, any "
                             "length) or trainable (in the standard blocks, with options of its own: `hyseq verify 4.3 "
                             "--level trainable --help`); with `all` the default is every level")(
      "vocabulary", text(), "4.3: tokens, numbers included, 2 to 4194304; default 10")(
      "distances", text(), "4.3: number tokens 1..N, 1 to the vocabulary; default 4")(
      "bits", text(), "4.6: bits b of a word, 1 to 16; default 5")(
      "window", text(), "4.6: window of the second attention in tokens; default: what 99% needs")(
      "length", text(),
      "faithful: sequence length L (default 7, or window + 1 for 4.6); streaming: length of the complete "
      "domain (default: the longest with at most 10^7 sequences)")("number", text("float"),
                                                                   "number format: double, float, bfloat16, half")(
      "check", text("all"),
      "comma-separated: domain, induction, margins, streams, budgets, window, controls; all runs the "
      "domain only where it has at most 10^7 sequences")(
      "stream-length", text("1000000"),
      "tokens of each stream (streaming level), 10 to 10^9; `all` takes fewer where that "
      "would take minutes")("inputs", text("1000000"), "inputs of the window check, 1000 to 10^9")(
      "seed", text("1"), "of random inputs")("threads", text("0"), "threads, 0 for one per core")(
      "json", text(), "write JSON to this file, - for standard output")(
      "export", text(),
      "write the construction and an example as a model file that `hyseq run` reads (one theorem, one level)")(
      "store", text(), "folder that keeps the certificates, for plot and report");
  return line;
}

int optional_integer(const po::variables_map& values, const char* option, int otherwise, std::int64_t least,
                     std::int64_t most) {
  return !values.contains(option) ? otherwise : static_cast<int>(integer_option(values, option, least, most));
}

void refuse_option(const po::variables_map& values, const char* option, const std::string& why) {
  if (values.contains(option)) throw InputError("--" + std::string(option) + " does not apply: " + why);
}

/// The longest sequences, of two tokens or more, whose complete domain has at most 10^7 members.
int default_domain_length(double tokens) {
  int length = 2;
  while (std::pow(tokens, length + 1) <= 1e7) ++length;
  return length;
}

/// The command that repeats one certificate: files are left out, and what only the other theorem's options say.
std::string level_command(const std::vector<std::string>& arguments, const std::string& theorem, Level level) {
  std::set<std::string> dropped{"--store", "--json", "--level", "--export"};
  for (const ConstructionTheorem& known : construction_theorems())
    if (known.id == theorem) dropped.insert(known.others.begin(), known.others.end());
  return rerun_command(arguments, "hyseq verify " + theorem + " --level " + std::string(constructions::name(level)),
                       dropped);
}

class Verification {
 public:
  Verification(const std::vector<std::string>& arguments, const po::variables_map& values)
      : arguments_(arguments), values_(values) {
    request_.number = parse_number_format(required(values, "number"));
    request_.checks = parse_checks(required(values, "check"), proofs_check::check_names());
    request_.stream_length = static_cast<std::size_t>(integer_option(values, "stream-length", 10, 1000000000));
    request_.window_inputs = static_cast<std::uint64_t>(integer_option(values, "inputs", 1000, 1000000000));
    request_.seed = seed_option(values);
    request_.threads = threads_or_cores(values);
  }

  results::Certificate run(const BoundTheorem& theorem) {
    proofs_check::LowerBoundRequest request;
    request.number = request_.number;
    request.seed = request_.seed;
    request.threads = request_.threads;
    request.progress = [&](const std::string& check, double fraction) { progress_(theorem.id, check, fraction); };
    results::Certificate certificate = theorem.verify(request);
    certificate.command = "hyseq verify " + std::string(theorem.id);
    for (const char* option : {"number", "seed", "threads"})
      if (!values_[option].defaulted())
        certificate.command += " --" + std::string(option) + " " + values_[option].as<std::string>();
    return certificate;
  }

  results::Certificate run(const std::string& theorem, Level level) {
    const std::string title = theorem + " " + std::string(constructions::name(level));
    request_.progress = [&](const std::string& check, double fraction) { progress_(title, check, fraction); };
    results::Certificate certificate = theorem == "4.3" ? selective_copy(level) : decode_recall(level);
    certificate.command = level_command(arguments_, theorem, level);
    return certificate;
  }

  /// Of the construction in standard blocks with its default sizes.
  results::Certificate run_trainable(const std::string& theorem) {
    return trainable_certificate(
        theorem, request_.number, request_.seed, request_.threads,
        [&](const std::string& check, double fraction) { progress_(theorem + " trainable", check, fraction); });
  }

  [[nodiscard]] NumberFormat number() const { return request_.number; }

 private:
  static constexpr std::int64_t kMost = 1 << 30;

  results::Certificate selective_copy(Level level) {
    constructions::SelectiveCopySpec spec;
    spec.level = level;
    spec.vocabulary = optional_integer(values_, "vocabulary", 10, 2, 1 << 22);
    spec.distances = optional_integer(values_, "distances", std::min(4, spec.vocabulary - 1), 1, spec.vocabulary);
    spec.length = optional_integer(values_, "length", std::max(7, spec.distances), 1, kMost);
    request_.domain_length = optional_integer(values_, "length", default_domain_length(spec.vocabulary), 1, kMost);
    return finish(spec);
  }

  results::Certificate decode_recall(Level level) {
    constructions::DecodeRecallSpec spec;
    spec.level = level;
    spec.bits = optional_integer(values_, "bits", 5, 1, 16);
    spec.window = optional_integer(values_, "window", 0, 2, 1 << 24);
    if (level == Level::faithful) spec.length = optional_integer(values_, "length", 0, 1, kMost);
    request_.domain_length = optional_integer(values_, "length", default_domain_length(spec.words() + 2), 1, kMost);
    return finish(spec);
  }

  template <class Spec>
  results::Certificate finish(const Spec& spec) {
    if (values_.contains("export")) {
      models::write_model_file(required(values_, "export"), proofs_check::export_model(spec));
    }
    return proofs_check::verify(spec, request_);
  }

  const std::vector<std::string>& arguments_;
  const po::variables_map& values_;
  proofs_check::VerifyRequest request_;
  CheckProgress progress_;
};

/// What sizes a construction says nothing about a bound.
void refuse_construction_options(const po::variables_map& values, const std::string& theorem) {
  for (const char* option :
       {"level", "vocabulary", "distances", "bits", "window", "length", "check", "stream-length", "inputs", "export"})
    if (values.contains(option) && !values[option].defaulted())
      throw InputError("--" + std::string(option) + " does not apply: theorem " + theorem + " has no construction");
}

}  // namespace

int run_verify(const std::vector<std::string>& arguments) {
  if (asks_about_model(arguments)) return run_verify_model(arguments);
  if (asks_for_trainable(arguments)) return run_verify_trainable(arguments);
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  const std::string theorem = values->contains("theorem") ? (*values)["theorem"].as<std::string>() : "all";
  std::vector<std::string> chosen;
  std::string allowed;
  for (const auto& [id, meaning] : theorems()) {
    if (theorem == "all" || theorem == id) chosen.push_back(id);
    allowed += id + ", ";
  }
  if (chosen.empty()) throw InputError("the theorem is '" + theorem + "', allowed are: " + allowed + "all");
  if (theorem != "all" && !is_construction(theorem)) refuse_construction_options(*values, theorem);
  if (theorem == "4.3") {
    refuse_option(*values, "bits", "theorem 4.3 has --vocabulary and --distances");
    refuse_option(*values, "window", "theorem 4.3's window is its number of distances");
  } else if (theorem == "4.6") {
    refuse_option(*values, "vocabulary", "theorem 4.6 has --bits (2^bits words and two bit tokens)");
    refuse_option(*values, "distances", "theorem 4.6 has --bits and --window");
  }
  std::vector<Level> levels{Level::faithful};
  if (values->contains("level")) {
    levels = {constructions::parse_level(required(*values, "level"))};
  } else if (theorem == "all") {
    levels = {Level::faithful, Level::streaming};
  }

  for (const Level level : levels) {
    const std::set<std::string> checks = parse_checks(required(*values, "check"), proofs_check::check_names());
    const bool windowed = theorem != "4.3" && level == Level::faithful;
    if (checks == std::set<std::string>{"window"} && !windowed) {
      throw InputError("--check window does not apply: it belongs to theorem 4.6 at the faithful level");
    }
  }
  if (theorem == "all" || levels.size() > 1)
    refuse_option(*values, "export", "it writes one construction, so name 4.3 or 4.6");
  std::optional<results::Store> store = certificate_store(*values);
  Verification verification(arguments, *values);
  std::vector<results::Certificate> certificates;
  bool shown = true;
  const auto keep = [&](results::Certificate certificate) {
    shown = shown && certificate.verdict != "not shown";
    certificates.push_back(std::move(certificate));
    if (store) store->save(certificates.back());
  };
  // A level or checks of constructions leave out what has none.
  const bool whole = theorem == "all" && !values->contains("level") && (*values)["check"].defaulted();
  for (const std::string& each : chosen) {
    const BoundTheorem* bound = find_bound_theorem(each);
    if (bound != nullptr && (whole || theorem != "all")) keep(verification.run(*bound));
    if (is_construction(each))
      for (const Level level : levels) keep(verification.run(each, level));
    if (is_construction(each) && whole && trainable_format(verification.number()))
      keep(verification.run_trainable(each));
  }
  write_certificates(*values, certificates, theorem == "all");
  return shown ? kSuccess : kCheckFailed;
}

}  // namespace hyseq::cli
