#include "tasks/needle_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/base/error.hpp"

namespace hyseq::tasks {
namespace {

Vocabulary needle_grid_vocabulary(std::int32_t values, std::int32_t keys) {
  std::vector<std::string> names;
  for (std::int32_t k = 0; k < keys; ++k) names.push_back("K" + std::to_string(k));
  return {values, std::move(names)};
}

/// Where `pairs` other keys start, given that the queried one takes positions `queried` and `queried`+1 of `room`
/// positions: uniform over all ways without overlap.
///
/// With the queried pair cut out, the others lie in room-2 positions and none may stretch over the cut. Ways to lay m
/// pairs into n positions are ways to choose m of n-m; those that stretch over the cut are drawn again. At the tightest
/// about one try in n/2 succeeds, in a sparse haystack nearly every one.
std::vector<std::size_t> place_pairs(RandomStream& stream, std::size_t room, std::size_t queried, std::size_t pairs) {
  std::vector<std::size_t> starts;
  for (bool stretched = true; stretched;) {
    stretched = false;
    starts.clear();
    std::size_t position = 0;
    for (std::size_t left = room - 2 - pairs; starts.size() < pairs; --left) {
      const bool chosen = stream.below(static_cast<std::uint32_t>(left)) < pairs - starts.size();
      if (chosen) {
        stretched = stretched || position + 1 == queried;
        starts.push_back(position < queried ? position : position + 2);
      }
      position += chosen ? 2 : 1;
    }
  }
  return starts;
}

class NeedleGrid final : public Task {
 public:
  NeedleGrid(std::int32_t values, std::int32_t keys, double depth)
      : Task("needle_grid", needle_grid_vocabulary(values, keys), {{"n", values}, {"keys", keys}, {"depth", depth}}),
        keys_(static_cast<std::size_t>(keys)),
        depth_(depth) {}

 private:
  [[nodiscard]] std::size_t queried_position(std::size_t length) const {
    return static_cast<std::size_t>(std::lround(depth_ * static_cast<double>(length - 4)));
  }

  void check_room(std::size_t length) const override {
    require_length(length, 4, "a key, its value, one more token and the query must fit");
    const std::size_t before = queried_position(length);
    const std::size_t most = before / 2 + (length - 4 - before) / 2 + 1;
    if (keys_ > most) {
      throw InputError("task needle_grid: needles is " + std::to_string(keys_) + ", allowed is 1 to " +
                       std::to_string(most) + " at length " + std::to_string(length) + " and this depth");
    }
  }

  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    std::fill(target.begin(), target.end(), vocabulary().null());
    if (input.size() < 3) return;
    const std::int32_t query = input.back();
    if (query < vocabulary().values() || query >= vocabulary().bos()) return;
    for (std::size_t follower = input.size() - 2; follower > 0; --follower) {
      if (input[follower - 1] == query) {
        target.back() = input[follower];
        return;
      }
    }
  }

  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    const auto values = static_cast<std::uint32_t>(vocabulary().values());
    for (std::int32_t& token : input) token = static_cast<std::int32_t>(stream.below(values));

    std::vector<std::int32_t> keys(keys_);  // in uniform order; the first one is queried
    std::iota(keys.begin(), keys.end(), vocabulary().values());
    stream.shuffle(std::span(keys));
    const std::size_t queried = queried_position(input.size());
    const std::vector<std::size_t> others = place_pairs(stream, input.size() - 2, queried, keys_ - 1);
    for (std::size_t k = 0; k < others.size(); ++k) input[others[k]] = keys[k + 1];
    input[queried] = keys[0];
    input.back() = keys[0];
  }

  std::size_t keys_;
  double depth_;
};

}  // namespace

TaskInfo needle_grid_info() {
  return {"needle_grid",
          "keys with values at a chosen depth of a haystack; the last token asks for one of them",
          {{"values", "100", "number of value tokens, 1 to 1000000"},
           {"needles", "1", "number of keys K in the haystack, 1 to 1000000"},
           {"depth", "0.5", "depth D of the queried key: 0 the start, 1 the end of the haystack"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            return std::make_unique<NeedleGrid>(options.integer("values", 1, 1000000),
                                                options.integer("needles", 1, 1000000), options.share("depth"));
          }};
}

}  // namespace hyseq::tasks
