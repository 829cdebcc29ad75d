// Negative controls: constructions with one deliberate fault, each of which must be caught.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "kernels/base/number_format.hpp"
#include "proofs_check/domain.hpp"

namespace hyseq::proofs_check {

struct Control {
  std::string name;       // "beta = 0"
  bool caught = false;    // by the check that should, and with a counterexample
  std::string caught_by;  // "domain, margins"
  std::string expected;   // the check that must catch it
  std::string counterexample;
};

/// Small parameters of the same level and number format; the fault-free construction must pass the very same checks.
[[nodiscard]] std::vector<Control> selective_copy_controls(constructions::Level level, NumberFormat format);
[[nodiscard]] std::vector<Control> decode_recall_controls(constructions::Level level, NumberFormat format);

}  // namespace hyseq::proofs_check
