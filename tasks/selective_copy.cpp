#include "tasks/selective_copy.hpp"

#include <string>
#include <utility>

#include "tasks/draw.hpp"

namespace hyseq::tasks {

Vocabulary selective_copy_vocabulary(const SelectiveCopyShape& shape) {
  std::vector<std::string> numbers;
  for (std::int32_t c = shape.distance_min; c <= shape.distance_max(); ++c) numbers.push_back("#" + std::to_string(c));
  return {shape.values, std::move(numbers)};
}

void selective_copy_sources(const SelectiveCopyShape& shape, std::span<const std::int32_t> input,
                            std::span<std::int32_t> source) {
  const std::int32_t first_number = shape.values;
  const std::int32_t after_numbers = first_number + shape.distance_count;
  std::int32_t distance = -1;  // no number token yet
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (input[i] >= first_number && input[i] < after_numbers) distance = shape.distance_min + (input[i] - first_number);
    const auto position = static_cast<std::int32_t>(i);
    source[i] = distance < 0 || distance > position ? -1 : position - distance;
  }
}

void label_selective_copy(const SelectiveCopyShape& shape, std::int32_t null, std::span<const std::int32_t> input,
                          std::span<std::int32_t> target) {
  selective_copy_sources(shape, input, target);
  targets_from_sources(input, null, target);
}

void sample_selective_copy(const SelectiveCopyShape& shape, const Bernoulli& is_number, RandomStream& stream,
                           std::span<std::int32_t> input) {
  const auto values = static_cast<std::uint32_t>(shape.values);
  const auto numbers = static_cast<std::uint32_t>(shape.distance_count);
  for (std::int32_t& token : input) token = draw_value_or_own(stream, is_number, values, numbers);
}

namespace {

class SelectiveCopy final : public Task {
 public:
  SelectiveCopy(const SelectiveCopyShape& shape, double number_share)
      : Task("selective_copy", selective_copy_vocabulary(shape),
             {{"n", shape.values}, {"lo", shape.distance_min}, {"count", shape.distance_count}, {"p", number_share}}),
        shape_(shape),
        is_number_(number_share) {}

 private:
  void check_room(std::size_t length) const override {
    require_length(length, static_cast<std::size_t>(shape_.distance_max()) + 1,
                   "distance " + std::to_string(shape_.distance_max()) + " must fit into the sequence");
  }
  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    label_selective_copy(shape_, vocabulary().null(), input, target);
  }
  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    sample_selective_copy(shape_, is_number_, stream, input);
  }

  SelectiveCopyShape shape_;
  Bernoulli is_number_;
};

}  // namespace

TaskInfo selective_copy_info() {
  return {"selective_copy",
          "copy the token that lies as far back as the latest number token says",
          {{"values", "26", "number of value tokens, 1 to 1000000"},
           {"distance-min", "5", "smallest distance in tokens, 0 to 1000000"},
           {"distance-count", "5", "number of distances (number tokens), 1 to 1000000"},
           {"number-share", "0.2", "probability of a number token, 0 to 1"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            const SelectiveCopyShape shape{options.integer("values", 1, 1000000),
                                           options.integer("distance-min", 0, 1000000),
                                           options.integer("distance-count", 1, 1000000)};
            return std::make_unique<SelectiveCopy>(shape, options.share("number-share"));
          }};
}

}  // namespace hyseq::tasks
