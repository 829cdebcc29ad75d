#include "cli/certificate_output.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>

#include <unistd.h>

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
  std::cout << "Theorem " << certificate.theorem << ", " << certificate.level << ", " << certificate.number << " "
            << certificate.parameters.dump() << "\n"
            << "  " << certificate.verdict << ": " << certificate.scope << "\n";
  for (const results::Check& check : certificate.checks) {
    std::cout << "  " << (check.passed ? "passed " : "FAILED ") << check.name << ": " << check.meaning << "\n";
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

}  // namespace hyseq::cli
