// Writes single weights of a program by name.
#pragma once

#include <string>
#include <unordered_map>

#include "kernels/program.hpp"

namespace hyseq::constructions {

/// All values start at zero. Names and shapes are those of the program; a name that does not exist is a
/// std::logic_error, because a construction that misses its own program is a mistake of ours, not of the user's.
class WeightWriter {
 public:
  explicit WeightWriter(const kernels::Program& program);

  /// Element [row][column] of a matrix.
  double& at(const std::string& name, int row, int column);
  /// Element [row] of a vector.
  double& at(const std::string& name, int row) { return at(name, row, 0); }
  void fill(const std::string& name, double value);

  [[nodiscard]] const kernels::ParameterValues& values() const { return values_; }

 private:
  [[nodiscard]] std::size_t find(const std::string& name) const;

  const kernels::Program& program_;
  std::unordered_map<std::string, std::size_t> index_;
  kernels::ParameterValues values_;
};

}  // namespace hyseq::constructions
