#include "cli/certificate_output.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "cli/output.hpp"
#include "kernels/base/error.hpp"
#include "results/report/wording.hpp"

namespace hyseq::cli {

CheckProgress::CheckProgress() : terminal_(isatty(STDERR_FILENO) == 1) {}

void CheckProgress::operator()(const std::string& title, const std::string& check, double fraction) {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  if (fraction == 0) start_ = now;
  const double seconds = now - start_;
  if (fraction >= 1) {
    std::fprintf(stderr, "%s%s: %s, %.1f s\n", terminal_ ? "\r\033[K" : "", title.c_str(), check.c_str(), seconds);
  } else if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s: %s ... %.0f%%", title.c_str(), check.c_str(), 100 * fraction);
    if (fraction > 0) std::fprintf(stderr, ", %.0f s left", seconds * (1 - fraction) / fraction);
  }
  std::fflush(stderr);
}

void print_certificate(const results::Certificate& certificate) {
  std::cout << results::theorem_name(certificate.theorem) << ", " << certificate.level << ", " << certificate.number
            << " " << certificate.parameters.dump() << "\n"
            << "  " << certificate.verdict << ": " << certificate.scope << "\n";
  for (const results::Check& check : certificate.checks) {
    std::cout << "  "
              << (check.empty    ? "open   "
                  : check.passed ? "passed "
                                 : "FAILED ")
              << check.name << ": " << check.meaning << "\n";
    if (check.figures.contains("counterexample")) {
      std::cout << "    counterexample: " << check.figures["counterexample"].get<std::string>() << "\n";
    }
    if (check.name == "controls") {
      for (const auto& control : check.figures["controls"]) {
        std::cout << "    " << (control["caught"].get<bool>() ? "as it should be: " : "MISSED: ")
                  << control["name"].get<std::string>();
        const auto by = control["caught_by"].get<std::string>();
        if (!by.empty()) std::cout << " - caught by " << by;
        const auto example = control["counterexample"].get<std::string>();
        if (!example.empty()) std::cout << " - " << example;
        std::cout << "\n";
      }
    }
  }
  std::printf("  %.2f s\n", certificate.seconds);
}

std::set<std::string> parse_checks(const std::string& list, const std::vector<std::string>& known) {
  if (list == "all") return {};
  std::set<std::string> checks;
  std::stringstream stream(list);
  std::string name;
  while (std::getline(stream, name, ',')) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string names;
      for (const std::string& each : known) names += (names.empty() ? "" : ", ") + each;
      throw InputError("--check names '" + name + "', allowed are: all, " + names);
    }
    checks.insert(name);
  }
  if (checks.empty()) throw InputError("--check is empty, allowed are: all, " + known.front() + " and others");
  return checks;
}

int threads_or_cores(const po::variables_map& values) {
  const std::size_t threads = threads_option(values);
  return static_cast<int>(threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency()));
}

std::optional<results::Store> certificate_store(const po::variables_map& values) {
  if (!values.contains("store")) return std::nullopt;
  results::Store store(required(values, "store"));
  store.prepare();
  return store;
}

std::string rerun_command(const std::vector<std::string>& arguments, const std::string& start,
                          const std::set<std::string>& dropped) {
  std::string command = start;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word.rfind("--", 0) != 0) continue;  // the theorem
    const bool kept = !dropped.contains(word.substr(0, word.find('=')));
    if (kept) command += " " + word;
    if (word.find('=') == std::string::npos && ++i < arguments.size() && kept) command += " " + arguments[i];
  }
  return command;
}

void write_certificates(const po::variables_map& values, const std::vector<results::Certificate>& certificates,
                        bool list) {
  const std::string json = values.contains("json") ? required(values, "json") : "";
  if (json != "-")
    for (const results::Certificate& certificate : certificates) print_certificate(certificate);
  if (json.empty()) return;
  results::Json output = results::to_json(certificates.front());
  if (list) {
    output = results::Json{{"results", results::Json::array()}};
    for (const results::Certificate& certificate : certificates)
      output["results"].push_back(results::to_json(certificate));
  }
  write_json(json, output);
}

}  // namespace hyseq::cli
