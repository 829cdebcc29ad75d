// A certificate in the making: its checks one after another, its clock and its progress.
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include "kernels/base/seconds.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

class CertificateDraft {
 public:
  /// Told a check's name and the fraction done, 1 when it has ended.
  using Progress = std::function<void(const std::string&, double)>;

  /// `checks`: the names of those that are to run; empty for all.
  CertificateDraft(const std::string& theorem, const std::string& level, const std::string& number, Progress progress,
                   std::set<std::string> checks = {})
      : progress_(std::move(progress)), checks_(std::move(checks)) {
    certificate_.theorem = theorem;
    certificate_.level = level;
    certificate_.number = number;
  }

  [[nodiscard]] bool wants(const std::string& name) const { return checks_.empty() || checks_.contains(name); }

  /// Runs one check, if it is wanted, and keeps it under `name` with the seconds that it took.
  template <class Work>
  void run(const std::string& name, const Work& work) {
    if (!wants(name)) return;
    const Clock::time_point start = Clock::now();
    report(name, 0);
    results::Check check = work();
    check.name = name;
    check.figures["seconds"] = seconds_since(start);
    certificate_.checks.push_back(std::move(check));
    report(name, 1);
  }
  void report(const std::string& name, double fraction) const {
    if (progress_) progress_(name, fraction);
  }

  [[nodiscard]] results::Certificate& certificate() { return certificate_; }
  [[nodiscard]] const results::Certificate& certificate() const { return certificate_; }
  [[nodiscard]] results::Certificate finish() {
    certificate_.seconds = seconds_since(start_);
    return std::move(certificate_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  Progress progress_;
  std::set<std::string> checks_;
  results::Certificate certificate_;
};

}  // namespace hyseq::proofs_check
