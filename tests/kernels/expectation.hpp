// What running a ProgramCase must give, in any engine: values, and how far off they may be in a number format.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/program_case.hpp"

namespace hyseq::kernels {

struct Expectation {
  struct Values {
    std::vector<double> expected;
    std::vector<double> tolerance;  // first-order bound of the rounding errors in this format
  };
  std::vector<Values> buffers;
  std::vector<Values> gradients;
  std::vector<Values> parameter_gradients;
};

/// Forward values and bounds from the reference bodies, run with numbers that track their error. Gradients of small
/// cases are derivatives of the forward bodies by complex step, f'(x) = Im f(x + ih) / h (Squire and Trapp 1998), and
/// so independent of every backward body; those of large ones come from the reference backward bodies. `values` must be
/// rounded to the format.
[[nodiscard]] Expectation expectation(const ProgramCase& values, NumberFormat format);

/// The derivatives alone: gradients [buffer][element] after the backward list, and parameter gradients.
struct Derivatives {
  std::vector<std::vector<double>> gradients;
  std::vector<std::vector<double>> parameters;
};
[[nodiscard]] Derivatives complex_step(const ProgramCase& values);

/// Compares what a run of the case gave. Empty, or the first disagreement in words. flushes: whether subnormal numbers
/// may have become zero.
[[nodiscard]] std::string compare(const ExecuteResult& found, const ProgramCase& values, NumberFormat format,
                                  const Expectation& expected, bool flushes);

/// Runs the case on an engine and compares likewise.
[[nodiscard]] std::string check(const Engine& engine, const ProgramCase& values, NumberFormat format,
                                const Expectation& expected);

}  // namespace hyseq::kernels
