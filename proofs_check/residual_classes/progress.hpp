// A certificate in the making: its clock and its progress.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "results/certificate.hpp"

namespace hyseq::proofs_check {

class CertificateDraft {
 public:
  using Progress = std::function<void(const std::string&, double)>;

  CertificateDraft(const std::string& theorem, const std::string& number, Progress progress)
      : progress_(std::move(progress)) {
    certificate_.theorem = theorem;
    certificate_.level = "lower bound";
    certificate_.number = number;
  }

  /// Runs one check, which may report fractions through what it is handed, and keeps it under `name`.
  template <class Work>
  const results::Check& run(const std::string& name, const Work& work) {
    report(name, 0);
    results::Check check = work();
    check.name = name;
    certificate_.checks.push_back(std::move(check));
    report(name, 1);
    return certificate_.checks.back();
  }
  void report(const std::string& name, double fraction) const {
    if (progress_) progress_(name, fraction);
  }

  [[nodiscard]] results::Certificate& certificate() { return certificate_; }
  [[nodiscard]] results::Certificate finish() {
    certificate_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::move(certificate_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  Progress progress_;
  results::Certificate certificate_;
};

}  // namespace hyseq::proofs_check
