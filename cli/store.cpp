// hyseq store list | show: what a store holds.
#include "results/store.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/store_runs.hpp"
#include "kernels/base/error.hpp"
#include "results/report/wording.hpp"
#include "results/run_store.hpp"

namespace hyseq::cli {
namespace {

using Arguments = std::vector<std::string>;
using results::Certificate;

void add_common_options(po::options_description& options) {
  options.add_options()("store", text(), "folder of stored results; required")(
      "json", text(), "write JSON to this file, - for standard output");
}

std::string parameters_text(const Certificate& certificate) {
  std::string line;
  for (const auto& [key, value] : certificate.parameters.items())
    line += (line.empty() ? "" : " ") + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
  return line;
}

/// The certificates as a JSON array, each with the identity that `store show` takes.
results::Json with_identities(const std::vector<Certificate>& certificates) {
  results::Json all = results::Json::array();
  for (const Certificate& certificate : certificates) {
    results::Json entry{{"id", results::configuration_hash(certificate)}};
    entry.update(results::to_json(certificate));
    all.push_back(entry);
  }
  return all;
}

void list_certificates(const std::vector<Certificate>& certificates) {
  std::size_t width = 10;
  for (const Certificate& c : certificates) width = std::max(width, parameters_text(c).size());
  const auto column = [](std::size_t size) { return std::setw(static_cast<int>(size) + 2); };
  std::cout << std::left << column(16) << "id" << column(7) << "theorem" << column(9) << "level" << column(8)
            << "number" << column(width) << "parameters" << column(18) << "verdict"
            << "seconds\n";
  for (const Certificate& c : certificates) {
    std::cout << column(16) << results::configuration_hash(c) << column(7) << c.theorem << column(9) << c.level
              << column(8) << c.number << column(width) << parameters_text(c) << column(18) << c.verdict << std::fixed
              << std::setprecision(2) << c.seconds << "\n";
  }
  std::cout << certificates.size() << (certificates.size() == 1 ? " certificate\n" : " certificates\n");
}

int list(const Arguments& arguments) {
  CommandLine line{"hyseq store list --store DIR [--json FILE]",
                   "Lists the certificates and training runs of a store, one a line.",
                   {},
                   {}};
  add_common_options(line.options);
  const auto values = parse(line, arguments);
  if (!values) return kSuccess;
  const std::string store = required(*values, "store");
  const std::vector<Certificate> certificates = results::Store(store).load_certificates();
  const std::vector<results::RunRecord> runs = results::RunStore(store).load_all();
  if (values->contains("json")) {
    write_json(required(*values, "json"), {{"certificates", with_identities(certificates)}, {"runs", runs_json(runs)}});
    return kSuccess;
  }
  if (!certificates.empty() || runs.empty()) list_certificates(certificates);
  if (!runs.empty()) list_runs(runs);
  return kSuccess;
}

void print(const Certificate& c) {
  std::cout << results::theorem_name(c.theorem) << ", " << c.level << ", " << c.number << ": " << c.verdict
            << "\n  parameters  " << parameters_text(c) << "\n  scope       " << c.scope << "\n  run again   "
            << c.command << "\n";
  for (const results::Check& check : c.checks) {
    std::cout << "  " << std::left << std::setw(12) << check.name << results::outcome_words(check) << ": "
              << check.meaning << "\n";
    for (const auto& [key, value] : check.figures.items())  // tables and curves are for --json and the report
      if (!value.is_array() || value.empty() || !value.front().is_structured())
        std::cout << "    " << key << " " << (value.is_string() ? value.get<std::string>() : value.dump()) << "\n";
  }
}

int show(const Arguments& arguments) {
  CommandLine line{
      "hyseq store show [ID] --store DIR [--json FILE]",
      "Prints certificates with their checks and figures and training runs with their counts: those whose id\n"
      "begins with ID (`hyseq store list` names them), or all.",
      {},
      {"id"}};
  add_common_options(line.options);
  const auto values = parse(line, arguments);
  if (!values) return kSuccess;
  const std::string store = required(*values, "store");
  std::vector<Certificate> certificates = results::Store(store).load_certificates();
  std::vector<results::RunRecord> runs = results::RunStore(store).load_all();
  if (values->contains("id")) {
    const std::string id = (*values)["id"].as<std::string>();
    std::erase_if(certificates, [&](const Certificate& c) { return results::configuration_hash(c).rfind(id, 0) != 0; });
    std::erase_if(runs, [&](const results::RunRecord& run) { return run.id.rfind(id, 0) != 0; });
    if (certificates.empty() && runs.empty())
      throw InputError("the store " + store + " holds no certificate and no training run whose id begins with '" + id +
                       "'; `hyseq store list` names them");
  }
  if (values->contains("json")) {
    write_json(required(*values, "json"), {{"certificates", with_identities(certificates)}, {"runs", runs_json(runs)}});
    return kSuccess;
  }
  for (std::size_t i = 0; i < certificates.size(); ++i) {
    if (i > 0) std::cout << "\n";
    print(certificates[i]);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i > 0 || !certificates.empty()) std::cout << "\n";
    show_run(runs[i]);
  }
  return kSuccess;
}

}  // namespace

int run_store(const Arguments& arguments) {
  const Arguments rest = arguments.empty() ? arguments : Arguments{arguments.begin() + 1, arguments.end()};
  const std::string verb = arguments.empty() ? "" : arguments.front();
  if (verb == "list") return list(rest);
  if (verb == "show") return show(rest);
  if (verb == "--help" || verb == "-h") {
    std::cout << "usage: hyseq store list|show --store DIR [options]\n\n"
                 "  list  the certificates and training runs of a store, one a line\n"
                 "  show  their checks, figures and counts\n\n`hyseq store list --help` describes the options.\n";
    return kSuccess;
  }
  throw InputError(verb.empty() ? "what to do with the store is missing, allowed are: list, show"
                                : "there is no command 'store " + verb + "', allowed are: list, show");
}

}  // namespace hyseq::cli
