#include "constructions/trainable/frame.hpp"

#include <cmath>

namespace hyseq::constructions {

Frame::Frame(int width) {
  const auto size = static_cast<std::size_t>(width);
  axes_.emplace_back(size, 1 / std::sqrt(static_cast<double>(width)));
  for (std::size_t k = 1; k < size; ++k) {
    const auto count = static_cast<double>(k);
    const double norm = std::sqrt(count * (count + 1));
    std::vector<double> axis(size, 0.0);
    for (std::size_t i = 0; i < k; ++i) axis[i] = 1 / norm;
    axis[k] = -count / norm;
    axes_.push_back(std::move(axis));
  }
}

void Frame::read(WeightWriter& weights, const std::string& name, int row, int axis, double factor) const {
  for (int i = 0; i < width(); ++i) weights.at(name, row, i) += factor * at(axis, i);
}

void Frame::write(WeightWriter& weights, const std::string& name, int column, int axis, double factor) const {
  for (int i = 0; i < width(); ++i) weights.at(name, i, column) += factor * at(axis, i);
}

}  // namespace hyseq::constructions
