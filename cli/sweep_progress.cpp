#include "cli/sweep_progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"

namespace hyseq::cli {
namespace {

/// One line that is rewritten on a terminal; elsewhere a line now and then.
class ProgressLine {
 public:
  explicit ProgressLine(std::string name) : name_(std::move(name)) {}
  ~ProgressLine() {
    if (terminal_ && shown_) std::cerr << "\n";
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] double interval() const { return terminal_ ? 0.5 : 10; }

  void show(const trainers::SweepProgress& now) {
    std::ostringstream out;
    out << name_ << "  " << now.totals.stored << "/" << now.totals.runs << " runs";
    if (now.in_hand > 0) out << ", " << now.in_hand << " in hand";
    if (now.trained + now.in_hand > 0)
      out << "  " << std::fixed << std::setprecision(0) << now.member_steps << " member-steps/s";
    else if (now.totals.stored == now.totals.runs)
      out << ", all stored already";
    if (now.totals.stored < now.totals.runs) out << "  " << duration_text(now.seconds_left) << " left";
    std::string line = out.str();
    if (terminal_) {
      line.resize(std::min(line.size(), terminal_width() - 1));
      std::cerr << "\r\x1b[K" << line << std::flush;
    } else {
      std::cerr << line << "\n";
    }
    shown_ = true;
  }

 private:
  std::string name_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
};

}  // namespace

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  std::ostringstream out;
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 100)
    out << whole << " s";
  else if (whole < std::int64_t{100} * 60)
    out << (whole + 59) / 60 << " min";
  else
    out << whole / 3600 << " h " << std::setw(2) << std::setfill('0') << whole % 3600 / 60 << " min";
  return out.str();
}

void add_sweep_options(po::options_description& options) {
  options.add_options()("threads", text("0"), "threads, 0 for one per core; results do not depend on it")(
      "checkpoint-seconds", text("300"),
      "seconds of training between checkpoints of runs in hand, up to 10^6; 0 for one where they are interrupted");
}

trainers::SweepOptions sweep_options(const po::variables_map& values) {
  trainers::SweepOptions options;
  options.threads = threads_option(values);
  options.checkpoint_seconds = parse_real("--checkpoint-seconds", required(values, "checkpoint-seconds"), 0, 1e6);
  return options;
}

std::optional<trainers::SweepProgress> sweep_with_progress(const trainers::Preset& preset,
                                                           const results::RunStore& store,
                                                           trainers::SweepOptions options) {
  const Interrupt interrupt;
  ProgressLine line(preset.name + " " + preset.scale);
  options.stop = &interrupt.requested();
  options.report = [&line](const trainers::SweepProgress& now) { line.show(now); };
  options.report_every = line.interval();
  try {
    return trainers::run_sweep(preset, store, options);
  } catch (const trainers::Interrupted&) {
    std::cerr << "hyseq: interrupted; what is finished is stored, and the same command goes on\n";
    return std::nullopt;
  }
}

}  // namespace hyseq::cli
