// A verification at a terminal: progress while it runs, and its certificate in words.
#pragma once

#include <string>

#include "results/certificate.hpp"

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

/// Verdict, scope, every check, counterexamples and controls, on standard output.
void print_certificate(const results::Certificate& certificate);

}  // namespace hyseq::cli
