#include "tasks/selective_copy_ceiling.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace hyseq::tasks {
namespace {

class BestPredictor {
 public:
  BestPredictor(const SelectiveCopyShape& shape, double number_share, std::span<const std::int32_t> input)
      : shape_(shape),
        values_(static_cast<std::size_t>(shape.values)),
        input_(input),
        number_(number_share / shape.distance_count),
        value_((1 - number_share) / shape.values),
        share_(number_share) {}

  /// Of a token that is not seen and about which nothing is known.
  [[nodiscard]] double prior() const { return std::max(value_, number_); }

  /// Of the target at `position`, where no number token is among the visible ones, which begin at `first` > 0. The
  /// latest one then stands at any hidden position j, with a distance of which nothing is known.
  [[nodiscard]] double without_number(std::size_t position, std::size_t first) const {
    std::vector<double> weight(values_ + static_cast<std::size_t>(shape_.distance_count), 0.0);  // by target token
    double latest = share_;  // probability that the latest number token stands at j
    for (std::size_t j = first; j-- > 0; latest *= 1 - share_)
      for (std::size_t n = 0; n < static_cast<std::size_t>(shape_.distance_count); ++n) {
        const std::size_t distance = static_cast<std::size_t>(shape_.distance_min) + n;
        if (distance <= position) add(position - distance, first, j, n, latest, weight);
      }
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    return total > 0 ? *std::ranges::max_element(weight) / total : 1;
  }

 private:
  /// The target is the token at `source`, the latest number token has number n and stands at j < first.
  void add(std::size_t source, std::size_t first, std::size_t j, std::size_t n, double probability,
           std::vector<double>& weight) const {
    if (source >= first) {
      weight[static_cast<std::size_t>(input_[source])] += probability;
    } else if (source == j) {
      weight[values_ + n] += probability;
    } else {
      // Behind the latest number token there are only values.
      const double numbers = source > j ? 0 : number_;
      const double values = source > j ? 1.0 / shape_.values : value_;
      for (std::size_t token = 0; token < weight.size(); ++token)
        weight[token] += probability * (token < values_ ? values : numbers);
    }
  }

  SelectiveCopyShape shape_;
  std::size_t values_;
  std::span<const std::int32_t> input_;
  double number_;  // probability of one number token
  double value_;   // and of one value
  double share_;
};

}  // namespace

void add_best_success(const SelectiveCopyShape& shape, double number_share, std::size_t receptive_field,
                      std::span<const std::int32_t> input, BestSuccess& sum) {
  const BestPredictor predictor(shape, number_share, input);
  std::vector<std::int32_t> source(input.size());
  selective_copy_sources(shape, input, source);
  std::size_t latest = input.size();  // number token; none yet
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] >= shape.values && input[i] < shape.values + shape.distance_count) latest = i;
    if (source[i] < 0) continue;
    ++sum.valid;
    const std::size_t first = i + 1 > receptive_field ? i + 1 - receptive_field : 0;
    if (latest < first)
      sum.right += predictor.without_number(i, first);
    else
      sum.right += static_cast<std::size_t>(source[i]) >= first ? 1 : predictor.prior();
  }
}

}  // namespace hyseq::tasks
