// The golden model files and ways to run them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "kernels/reference/session.hpp"
#include "models/lowering.hpp"
#include "models/model_file.hpp"

namespace hyseq::models {

/// Names of all model_*.h5, sorted.
[[nodiscard]] std::vector<std::string> golden_models();
[[nodiscard]] std::string golden_path(const std::string& name);

struct Golden {
  std::string name;
  ModelFile model;
  kernels::Program program;
  Array<double> logits;
  double loss = 0;

  explicit Golden(const std::string& file);

  [[nodiscard]] std::size_t batch() const { return model.input.shape[0]; }
  [[nodiscard]] std::size_t length() const { return model.input.shape[1]; }
  [[nodiscard]] std::size_t vocabulary() const { return static_cast<std::size_t>(program.vocabulary); }
  /// The whole input with its targets.
  [[nodiscard]] kernels::ForwardRequest request(NumberFormat format) const;
  /// Columns [begin, end) of the input, row after row.
  [[nodiscard]] std::vector<std::int32_t> tokens(std::size_t begin, std::size_t end) const;
};

constexpr NumberFormat kFormats[] = {NumberFormat::float64, NumberFormat::float32, NumberFormat::bfloat16,
                                     NumberFormat::float16};

/// Same bits: 0 and -0 differ, NaN equals itself.
[[nodiscard]] inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
/// Index of the first difference in bits, or -1; sizes must agree.
[[nodiscard]] std::ptrdiff_t first_difference(const std::vector<double>& a, const std::vector<double>& b);

/// The largest |a - b|; infinity if sizes differ or anything is not a number.
[[nodiscard]] double largest_difference(const std::vector<double>& a, const std::vector<double>& b);

/// One row [time, vocabulary] or a window of it out of logits [batch, time, vocabulary].
[[nodiscard]] std::vector<double> slice(const Array<double>& logits, std::size_t row, std::size_t begin,
                                        std::size_t end);

}  // namespace hyseq::models
