#include "trainers/ceiling.hpp"

#include <cstdint>
#include <span>
#include <string>

#include "kernels/base/number_text.hpp"
#include "models/receptive_field.hpp"
#include "tasks/selective_copy_ceiling.hpp"
#include "trainers/data.hpp"

namespace hyseq::trainers {
namespace {

/// An option of a complete configuration, which has them all.
template <class T>
T option(const DataConfiguration& data, const char* name) {
  T value{};
  if (!parse_number(data.options.at(name), value))
    throw InputError("the option " + std::string(name) + " of the task " + data.task + " is '" + data.options.at(name) +
                     "', allowed is a number");
  return value;
}

}  // namespace

std::optional<double> accuracy_ceiling(const RunConfiguration& configuration) {
  const DataConfiguration& data = configuration.data;
  const auto field = models::receptive_field(configuration.architecture);
  const std::size_t length = data.lengths.max;
  if (field.unlimited || field.tokens >= length) return std::nullopt;
  if (data.task != "selective_copy" || data.context > 0 || data.random_targets) return std::nullopt;
  const tasks::SelectiveCopyShape shape{option<std::int32_t>(data, "values"),
                                        option<std::int32_t>(data, "distance-min"),
                                        option<std::int32_t>(data, "distance-count")};
  const auto rows = static_cast<std::size_t>(configuration.evaluation.rows);
  const tasks::PackedBatch held_out = DataSource(configuration).evaluation(configuration.seed, length, 0, rows);
  const std::span<const std::int32_t> input(held_out.batch.input);
  tasks::BestSuccess sum;
  for (std::size_t row = 0; row < rows; ++row)
    tasks::add_best_success(shape, option<double>(data, "number-share"), static_cast<std::size_t>(field.tokens),
                            input.subspan(row * length, length), sum);
  if (sum.valid == 0) return std::nullopt;
  return sum.right / static_cast<double>(sum.valid);
}

}  // namespace hyseq::trainers
