#include "tasks/needle.hpp"

#include <algorithm>

namespace hyseq::tasks {
namespace {

class Needle final : public Task {
 public:
  explicit Needle(std::int32_t values)
      : Task("needle", Vocabulary(values, {"#0", "#1"}), {{"n", values}}), marker_(values), end_(values + 1) {}

 private:
  void check_room(std::size_t length) const override {
    require_length(length, 2, "the marker and the last token must fit");
  }

  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    const auto marker = std::find(input.begin(), input.end(), marker_);
    const std::ptrdiff_t position = marker - input.begin();
    const bool found = input.end() - marker >= 2;
    std::fill(target.begin(), target.begin() + position, vocabulary().null());
    std::fill(target.begin() + position, target.end(), found ? marker[1] : vocabulary().null());
  }

  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    const auto values = static_cast<std::uint32_t>(vocabulary().values());
    const std::uint32_t position = stream.below(static_cast<std::uint32_t>(input.size() / 2));
    for (std::int32_t& token : input) token = static_cast<std::int32_t>(stream.below(values));
    input[position] = marker_;
    input.back() = end_;
  }

  std::int32_t marker_;
  std::int32_t end_;
};

}  // namespace

TaskInfo needle_info() {
  return {"needle",
          "remember the token behind the marker until the end",
          {{"values", "100", "number of value tokens, 1 to 1000000"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            return std::make_unique<Needle>(options.integer("values", 1, 1000000));
          }};
}

}  // namespace hyseq::tasks
