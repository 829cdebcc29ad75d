// An orthonormal frame of the model width for blocks with LayerNorm.
//
// LayerNorm takes away the mean over the coordinates. Axis 0 of the frame is the direction of all ones, which LayerNorm
// does not let through; axes 1 .. width-1 have mean zero and pass, so that a construction of k features needs width
// k + 1. Axis 0 is where a feature belongs that only the RMSNorm of a state space block has to see.
#pragma once

#include <string>
#include <vector>

#include "constructions/weight_writer.hpp"

namespace hyseq::constructions {

class Frame {
 public:
  /// Helmert's basis: axis k > 0 is constant on coordinates 0 .. k-1, opposite on k, zero behind. width >= 1.
  explicit Frame(int width);

  [[nodiscard]] int width() const { return static_cast<int>(axes_.size()); }
  [[nodiscard]] double at(int axis, int coordinate) const {
    return axes_[static_cast<std::size_t>(axis)][static_cast<std::size_t>(coordinate)];
  }

  /// Row `row` of a weight [out, width] += factor * (component along `axis`).
  void read(WeightWriter& weights, const std::string& name, int row, int axis, double factor) const;
  /// Column `column` of a weight [width, in] += factor * (unit vector of `axis`).
  void write(WeightWriter& weights, const std::string& name, int column, int axis, double factor) const;

 private:
  std::vector<std::vector<double>> axes_;
};

}  // namespace hyseq::constructions
