#include "constructions/weight_writer.hpp"

#include <algorithm>
#include <stdexcept>

namespace hyseq::constructions {

WeightWriter::WeightWriter(const kernels::Program& program) : program_(program) {
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    index_[program.parameters[p].name] = p;
    values_.emplace_back(program.parameters[p].size(), 0.0);
  }
}

std::size_t WeightWriter::find(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) throw std::logic_error("no parameter named " + name);
  return found->second;
}

double& WeightWriter::at(const std::string& name, int row, int column) {
  const std::size_t p = find(name);
  const auto& shape = program_.parameters[p].shape;
  const std::size_t columns = shape.size() > 1 ? shape[1] : 1;
  if (row < 0 || column < 0 || static_cast<std::size_t>(row) >= shape[0] ||
      static_cast<std::size_t>(column) >= columns) {
    throw std::logic_error("element outside the shape of " + name);
  }
  return values_[p][static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
}

void WeightWriter::fill(const std::string& name, double value) {
  auto& values = values_[find(name)];
  std::fill(values.begin(), values.end(), value);
}

}  // namespace hyseq::constructions
