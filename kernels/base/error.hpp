// The errors that reach a user, by the exit code of the command line.
#pragma once

#include <stdexcept>
#include <string>

namespace hyseq {

/// Bad usage or bad input (configuration, command line, data file): exit code 2. The text is one sentence that names
/// the thing, the value and what is allowed.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The environment cannot do what was asked (no GPU, disk full, gnuplot missing): exit code 3.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hyseq
