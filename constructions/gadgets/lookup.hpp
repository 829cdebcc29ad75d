// Gadget: one attention head, written coordinate by coordinate as a sum of terms (query feature) x (key feature).
#pragma once

#include <cmath>

#include "constructions/subspace.hpp"
#include "constructions/weight_writer.hpp"

namespace hyseq::constructions {

/// The scale 1/sqrt(head width) of the attention is undone in the query's weights.
class Lookup {
 public:
  Lookup(WeightWriter& weights, std::string prefix, int width)
      : weights_(weights), prefix_(std::move(prefix)), width_(width), scale_(std::sqrt(static_cast<double>(width))) {}

  /// Query coordinate `coordinate` += factor * x[source], already times sqrt(width).
  void query(int coordinate, int source, double factor) {
    weights_.at(prefix_ + "qkv.weight", coordinate, source) += factor * scale_;
  }
  /// The same with the product `factor * sqrt(width)` given by the caller.
  void query_scaled(int coordinate, int source, double scaled_factor) {
    weights_.at(prefix_ + "qkv.weight", coordinate, source) += scaled_factor;
  }
  void key(int coordinate, int source, double factor) {
    weights_.at(prefix_ + "qkv.weight", width_ + coordinate, source) += factor;
  }
  /// Copies subspace `source` of the attended token into `target` of the block's output.
  void copy(const Subspace& source, const Subspace& target) {
    for (int i = 0; i < source.width; ++i) {
      weights_.at(prefix_ + "qkv.weight", 2 * width_ + used_, source.at(i)) = 1;
      weights_.at(prefix_ + "out_proj.weight", target.at(i), used_) = 1;
      ++used_;
    }
  }
  /// Score term factor * <a of the query's token, b of the key's token>, from coordinate `first` on.
  void match(int first, const Subspace& a, const Subspace& b, double factor) {
    for (int i = 0; i < a.width; ++i) {
      query(first + i, a.at(i), factor);
      key(first + i, b.at(i), 1);
    }
  }

  [[nodiscard]] double scale() const { return scale_; }

 private:
  WeightWriter& weights_;
  std::string prefix_;
  int width_;
  double scale_;
  int used_ = 0;
};

}  // namespace hyseq::constructions
