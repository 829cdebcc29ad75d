#include "cli/verify_trainable.hpp"

#include <algorithm>
#include <optional>

#include "cli/certificate_output.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "kernels/base/error.hpp"
#include "proofs_check/trainable_level/verify.hpp"

namespace hyseq::cli {
namespace {

using proofs_check::TrainableRequest;

constexpr std::int64_t kMost = 1 << 24;

CommandLine command_line() {
  CommandLine line{
      "hyseq verify 4.3|4.6 --level trainable [options]",
      "Writes the theorem's algorithm into the standard blocks, the very model that is trained, and counts\n"
      "wrong answers at random positions, on complete domains and on long streams, at every width down to\n"
      "the least. Exit code 0: certified; 1: not shown.",
      {},
      {"theorem"}};
  line.options.add_options()("level", text(), "trainable")("width", text("8"), "model width; SSM,TF,TF has 32")(
      "values", text("26"), "4.3: value tokens")("distance-min", text("5"), "4.3: smallest distance")(
      "distance-count", text("5"), "4.3: number tokens")("bits", text("5"), "4.6: bits of a word, 1 to 6")(
      "layers", text("SSM,TF"), "4.6: SSM,TF, or SSM,TF,TF as in the paper")(
      "window", text(), "window of the attention in tokens; default 20 for 4.3, 100 for 4.6")(
      "length", text("100"), "4.3: tokens of random sequences (4.6 takes its window + 1)")(
      "share", text("0.2"), "share of number or bit tokens in random sequences")(
      "step-bias", text(),
      "4.3: bias of the step sizes, -1000 to -1; default -110, at which tokens other than numbers have step 0")(
      "inputs", text("10000000"), "random positions with an answer, 1000 to 10^10")(
      "stream-length", text("100000"), "4.6: tokens of the long streams")("number", text("float"), "float or double")(
      "check", text("all"),
      "comma-separated: positions, domain, carry, widths, controls; and basin (4.3), which all leaves out: training "
      "from the construction with noise, some minutes")("seed", text("1"), "of random inputs")(
      "threads", text("0"), "threads, 0 for one per core")("json", text(),
                                                           "write JSON to this file, - for standard output")(
      "export", text(),
      "write the construction and an example as a model file that `hyseq run` and `train --init` read")(
      "store", text(), "folder that keeps the certificate, for plot and report");
  return line;
}

int integer(const po::variables_map& values, const char* name, std::int64_t least, std::int64_t most = kMost) {
  return static_cast<int>(integer_option(values, name, least, most));
}

/// Options of the other theorem that were given all the same.
void refuse_given(const po::variables_map& values, const std::string& theorem, const std::vector<const char*>& names) {
  for (const char* name : names)
    if (values.contains(name) && !values[name].defaulted())
      throw InputError("--" + std::string(name) + " does not apply to theorem " + theorem + " at the level trainable");
}

TrainableRequest request_of(const po::variables_map& values) {
  TrainableRequest request;
  request.number = parse_number_format(required(values, "number"));
  request.checks = parse_checks(required(values, "check"), proofs_check::trainable_check_names());
  request.answers = static_cast<std::uint64_t>(integer_option(values, "inputs", 1000, 10000000000));
  request.width_answers = std::min<std::uint64_t>(request.width_answers, request.answers);
  request.length = static_cast<std::size_t>(integer_option(values, "length", 1, kMost));
  request.share = parse_real("--share", required(values, "share"), 0, 1);
  request.stream_length = static_cast<std::size_t>(integer_option(values, "stream-length", 10, 1000000000));
  request.seed = seed_option(values);
  request.threads = threads_or_cores(values);
  return request;
}

template <class Spec>
results::Certificate finish(const po::variables_map& values, const Spec& spec, const TrainableRequest& request) {
  if (values.contains("export")) models::write_model_file(required(values, "export"), proofs_check::export_model(spec));
  return proofs_check::verify(spec, request);
}

results::Certificate copying(const po::variables_map& values, const TrainableRequest& request) {
  refuse_given(values, "4.3", {"bits", "layers", "stream-length"});
  constructions::TrainableCopySpec spec;
  spec.values = integer(values, "values", 1);
  spec.distance_min = integer(values, "distance-min", 0);
  spec.distances = integer(values, "distance-count", 1);
  if (values.contains("window")) spec.window = integer(values, "window", 1);
  spec.width = integer(values, "width", 1);
  if (values.contains("step-bias"))
    spec.step_bias = parse_real("--step-bias", required(values, "step-bias"), -1000, -1);
  return finish(values, spec, request);
}

results::Certificate recall(const po::variables_map& values, const TrainableRequest& request) {
  refuse_given(values, "4.6", {"values", "distance-min", "distance-count", "length", "step-bias"});
  const std::string layers = required(values, "layers");
  const auto fill = [&](auto spec) {
    spec.bits = integer(values, "bits", 1, 6);
    if (values.contains("window")) spec.window = integer(values, "window", 2);
    if (!values["width"].defaulted()) spec.width = integer(values, "width", 1);
    return finish(values, spec, request);
  };
  if (layers == "SSM,TF") return fill(constructions::TrainableRecallSpec{});
  if (layers == "SSM,TF,TF") return fill(constructions::DeepRecallSpec{});
  throw InputError("--layers is '" + layers + "', allowed are: SSM,TF and SSM,TF,TF");
}

}  // namespace

bool asks_for_trainable(const std::vector<std::string>& arguments) {
  const auto level = std::ranges::find(arguments, "--level");
  return std::ranges::find(arguments, "--level=trainable") != arguments.end() ||
         (level != arguments.end() && level + 1 != arguments.end() && *(level + 1) == "trainable");
}

int run_verify_trainable(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  const std::string theorem = values->contains("theorem") ? required(*values, "theorem") : "";
  if (theorem != "4.3" && theorem != "4.6")
    throw InputError("the theorem is '" + theorem + "', allowed at the level trainable are: 4.3, 4.6");
  TrainableRequest request = request_of(*values);
  std::optional<results::Store> store = certificate_store(*values);
  CheckProgress progress;
  request.progress = [&](const std::string& check, double fraction) {
    progress(theorem + " trainable", check, fraction);
  };
  results::Certificate certificate = theorem == "4.3" ? copying(*values, request) : recall(*values, request);
  certificate.command = rerun_command(arguments, "hyseq verify " + theorem, {"--store", "--json", "--export"});
  if (store) store->save(certificate);
  write_certificates(*values, {certificate}, false);
  return certificate.verdict == "not shown" ? kCheckFailed : kSuccess;
}

results::Certificate trainable_certificate(const std::string& theorem, NumberFormat number, std::uint64_t seed,
                                           int threads,
                                           const std::function<void(const std::string&, double)>& progress) {
  TrainableRequest request;
  request.number = number;
  request.seed = seed;
  request.threads = threads;
  request.progress = progress;
  results::Certificate certificate = theorem == "4.3"
                                         ? proofs_check::verify(constructions::TrainableCopySpec{}, request)
                                         : proofs_check::verify(constructions::TrainableRecallSpec{}, request);
  certificate.command = "hyseq verify " + theorem + " --level trainable --number " + std::string(name(number)) +
                        " --seed " + std::to_string(seed);
  return certificate;
}

bool trainable_format(NumberFormat number) {
  return number == NumberFormat::float32 || number == NumberFormat::float64;
}

}  // namespace hyseq::cli
