// Ctrl-C and SIGTERM as a flag that long work looks at.
#pragma once

#include <atomic>

namespace hyseq::cli {

/// While an object lives, the first SIGINT or SIGTERM sets the flag instead of ending the program; a second one ends it
/// as usual. At most one object at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] const std::atomic<bool>& requested() const;
};

/// Says on standard error that the command was interrupted; its exit code.
[[nodiscard]] int end_interrupted();

}  // namespace hyseq::cli
