// A verification at a terminal: progress while it runs, and its certificate in words.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "results/certificate.hpp"
#include "results/store.hpp"

namespace hyseq::cli {

/// Lines on standard error: on a terminal one that is rewritten, with the time left; else one when a check ends.
class CheckProgress {
 public:
  CheckProgress();
  /// `fraction` of the check is done, 0 when it begins and 1 when it has ended.
  void operator()(const std::string& title, const std::string& check, double fraction);

 private:
  bool terminal_;
  double start_ = 0;
};

/// The checks that --check names, empty for "all". InputError for one that is not among `known`.
[[nodiscard]] std::set<std::string> parse_checks(const std::string& list, const std::vector<std::string>& known);

/// --threads, with 0 for as many as there are cores.
[[nodiscard]] int threads_or_cores(const po::variables_map& values);

/// The store that --store names, ready to be written to: what cannot be written is better said before the work.
[[nodiscard]] std::optional<results::Store> certificate_store(const po::variables_map& values);

/// `start` and the options that were given but for the dropped ones; every option takes a value.
[[nodiscard]] std::string rerun_command(const std::vector<std::string>& arguments, const std::string& start,
                                        const std::set<std::string>& dropped);

/// In words on standard output, and as JSON where --json says: one object, or all in a list "results".
void write_certificates(const po::variables_map& values, const std::vector<results::Certificate>& certificates,
                        bool list);

/// Verdict, scope, every check, counterexamples and controls, on standard output.
void print_certificate(const results::Certificate& certificate);

}  // namespace hyseq::cli
