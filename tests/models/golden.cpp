#include "tests/models/golden.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace hyseq::models {

std::vector<std::string> golden_models() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(HYSEQ_GOLDEN_DIR)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("model_", 0) == 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string golden_path(const std::string& name) { return std::string(HYSEQ_GOLDEN_DIR) + "/" + name; }

Golden::Golden(const std::string& file)
    : name(file), model(read_model_file(golden_path(file))), program(lower(model.architecture)) {
  const Hdf5Reader reader(golden_path(file));
  logits = reader.read_reals("logits");
  loss = reader.read_reals("loss").values.at(0);
}

kernels::ForwardRequest Golden::request(NumberFormat format) const {
  kernels::ForwardRequest request;
  request.program = &program;
  request.parameters = &model.parameters;
  request.format = format;
  request.batch = batch();
  request.time = length();
  request.tokens = model.input.values;
  request.targets = model.target.values;
  request.valid_below = model.valid_below();
  return request;
}

std::vector<std::int32_t> Golden::tokens(std::size_t begin, std::size_t end) const {
  std::vector<std::int32_t> piece;
  for (std::size_t b = 0; b < batch(); ++b) {
    for (std::size_t t = begin; t < end; ++t) piece.push_back(model.input.values[b * length() + t]);
  }
  return piece;
}

std::ptrdiff_t first_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_bits(a[i], b[i])) return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

std::vector<double> slice(const Array<double>& logits, std::size_t row, std::size_t begin, std::size_t end) {
  const std::size_t time = logits.shape[1];
  const std::size_t vocabulary = logits.shape[2];
  const auto at = [&](std::size_t t) {
    return logits.values.begin() + static_cast<std::ptrdiff_t>((row * time + t) * vocabulary);
  };
  return {at(begin), at(end)};
}

}  // namespace hyseq::models
