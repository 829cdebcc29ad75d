#include "tasks/selective_copy_mixed.hpp"

#include "tasks/selective_copy.hpp"

namespace hyseq::tasks {
namespace {

class SelectiveCopyMixed final : public Task {
 public:
  SelectiveCopyMixed(const SelectiveCopyShape& shape, double sparse_share, double dense_share)
      : Task("selective_copy_mixed", selective_copy_vocabulary(shape),
             {{"n", shape.values},
              {"lo", shape.distance_min},
              {"count", shape.distance_count},
              {"p_sparse", sparse_share},
              {"p", dense_share}}),
        shape_(shape),
        sparse_(sparse_share),
        dense_(dense_share) {}

 private:
  void check_room(std::size_t length) const override {
    require_length(length, static_cast<std::size_t>(shape_.distance_max()) + 1,
                   "distance " + std::to_string(shape_.distance_max()) + " must fit into the sequence");
  }
  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    label_selective_copy(shape_, vocabulary().null(), input, target);
  }
  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    if (stream.below(2) == 0) {
      sample_selective_copy(shape_, sparse_, stream, input);
      return;
    }
    sample_selective_copy(shape_, dense_, stream, input.first(input.size() - 1));
    const auto numbers = static_cast<std::uint32_t>(shape_.distance_count);
    input.back() = shape_.values + static_cast<std::int32_t>(stream.below(numbers));
  }

  SelectiveCopyShape shape_;
  Bernoulli sparse_;
  Bernoulli dense_;
};

}  // namespace

TaskInfo selective_copy_mixed_info() {
  return {"selective_copy_mixed",
          "selective_copy, half the sequences with few numbers, half with a number in the last position",
          {{"values", "26", "number of value tokens, 1 to 1000000"},
           {"distance-min", "5", "smallest distance in tokens, 0 to 1000000"},
           {"distance-count", "5", "number of distances (number tokens), 1 to 1000000"},
           {"sparse-share", "0.03", "probability of a number token in the sparse half, 0 to 1"},
           {"number-share", "0.2", "probability of a number token in the dense half, 0 to 1"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            const SelectiveCopyShape shape{options.integer("values", 1, 1000000),
                                           options.integer("distance-min", 0, 1000000),
                                           options.integer("distance-count", 1, 1000000)};
            return std::make_unique<SelectiveCopyMixed>(shape, options.share("sparse-share"),
                                                        options.share("number-share"));
          }};
}

}  // namespace hyseq::tasks
