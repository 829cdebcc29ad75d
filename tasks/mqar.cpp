#include "tasks/mqar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>

#include "kernels/base/error.hpp"

namespace hyseq::tasks {

std::uint64_t power_weight(double x, double exponent) {
  int power_of_two = 0;
  const double mantissa = std::frexp(x, &power_of_two);  // in [1/2, 1)
  // ln m = 2 atanh((m-1)/(m+1)), |argument| <= 1/3: 20 terms are beyond double precision.
  const double z = (mantissa - 1.0) / (mantissa + 1.0);
  double logarithm = 0.0;
  for (int n = 39; n >= 1; n -= 2) logarithm = logarithm * (z * z) + 1.0 / n;
  logarithm = 2.0 * z * logarithm + power_of_two * std::numbers::ln2;
  // e^y = 2^k e^r with |r| <= ln 2 / 2: 16 terms.
  const double y = exponent * logarithm;
  const double k = std::floor(y / std::numbers::ln2 + 0.5);
  const double r = y - k * std::numbers::ln2;
  double exponential = 1.0;
  for (int n = 16; n >= 1; --n) exponential = 1.0 + exponential * r / n;
  const double weight = std::ldexp(exponential, static_cast<int>(k) + 40);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(weight)));
}

namespace {

/// Draws slots without replacement with probability proportional to their weights, in O(log slots) each
/// (a Fenwick tree of partial sums).
class SlotUrn {
 public:
  explicit SlotUrn(std::span<const std::uint64_t> weights) : sums_(weights.size() + 1, 0) {
    for (std::size_t i = 1; i < sums_.size(); ++i) {
      sums_[i] += weights[i - 1];
      total_ += weights[i - 1];
      if (const std::size_t parent = i + (i & (~i + 1)); parent < sums_.size()) sums_[parent] += sums_[i];
    }
  }

  std::size_t draw(RandomStream& stream, std::span<const std::uint64_t> weights) {
    std::uint64_t rest = stream.below_wide(total_);
    std::size_t slot = 0;
    for (std::size_t step = std::bit_floor(sums_.size()); step > 0; step /= 2) {
      if (slot + step < sums_.size() && sums_[slot + step] <= rest) {
        slot += step;
        rest -= sums_[slot];
      }
    }
    total_ -= weights[slot];
    for (std::size_t i = slot + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] -= weights[slot];
    return slot;
  }

 private:
  std::vector<std::uint64_t> sums_;
  std::uint64_t total_ = 0;
};

/// `count` distinct integers from `first` .. `first`+`pool`-1, in uniform order.
std::vector<std::int32_t> draw_distinct(RandomStream& stream, std::int32_t first, std::size_t pool, std::size_t count) {
  std::vector<std::int32_t> ids(pool);
  std::iota(ids.begin(), ids.end(), first);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(ids[i], ids[i + stream.below(static_cast<std::uint32_t>(pool - i))]);
  }
  ids.resize(count);
  return ids;
}

class Mqar final : public Task {
 public:
  Mqar(std::int32_t ids, std::int32_t pairs, double gap_exponent, bool random_filler)
      : Task("mqar", Vocabulary(ids, {}),
             {{"n", ids}, {"pairs", pairs}, {"a", gap_exponent}, {"random_filler", std::int64_t{random_filler}}}),
        pairs_(static_cast<std::size_t>(pairs)),
        gap_exponent_(gap_exponent),
        random_filler_(random_filler) {
    if (pairs > ids / 2 - 1) {
      throw InputError("task mqar: pairs is " + std::to_string(pairs) + ", allowed is 1 to " +
                       std::to_string(ids / 2 - 1) + ", the number of keys in a vocabulary of " + std::to_string(ids));
    }
  }

 private:
  void check_room(std::size_t length) const override {
    require_length(length, 4 * pairs_, std::to_string(pairs_) + " pairs and as many queries with gaps must fit");
  }

  void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const override {
    const std::int32_t null = vocabulary().null();
    std::fill(target.begin(), target.end(), null);
    if (input.size() <= 2 * pairs_) return;
    std::vector<std::int32_t> value_of(static_cast<std::size_t>(vocabulary().size()), null);
    for (std::size_t p = 0; p < pairs_; ++p) value_of[static_cast<std::size_t>(input[2 * p])] = input[2 * p + 1];
    for (std::size_t i = 2 * pairs_; i < input.size(); ++i) target[i] = value_of[static_cast<std::size_t>(input[i])];
  }

  void draw_input(RandomStream& stream, std::span<std::int32_t> input) const override {
    const std::int32_t ids = vocabulary().values();
    const std::int32_t half = ids / 2;
    const std::vector<std::int32_t> keys = draw_distinct(stream, 1, static_cast<std::size_t>(half - 1), pairs_);
    const std::vector<std::int32_t> values = draw_distinct(stream, half, static_cast<std::size_t>(ids - half), pairs_);

    std::fill(input.begin(), input.end(), 0);
    if (random_filler_) {
      for (std::int32_t& token : input.subspan(2 * pairs_)) {
        const auto drawn = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(ids - half + 1)));
        token = drawn == 0 ? 0 : half + drawn - 1;
      }
    }
    const std::shared_ptr<const std::vector<std::uint64_t>> table = weights((input.size() - 2 * pairs_) / 2);
    const std::span<const std::uint64_t> slots = std::span(*table).first((input.size() - 2 * pairs_) / 2);
    SlotUrn urn(slots);
    for (std::size_t p = 0; p < pairs_; ++p) {
      input[2 * p] = keys[p];
      input[2 * p + 1] = values[p];
      input[2 * pairs_ + 2 * urn.draw(stream, slots)] = keys[p];
    }
  }

  /// At least `slots` weights; they depend on the slot alone, so that one growing table serves all rows and threads.
  [[nodiscard]] std::shared_ptr<const std::vector<std::uint64_t>> weights(std::size_t slots) const {
    const std::lock_guard lock(mutex_);
    if (weights_ == nullptr || weights_->size() < slots) {
      std::vector<std::uint64_t> table(slots);
      for (std::size_t g = 0; g < slots; ++g) table[g] = power_weight(static_cast<double>(g + 1), gap_exponent_ - 1.0);
      weights_ = std::make_shared<const std::vector<std::uint64_t>>(std::move(table));
    }
    return weights_;
  }

  std::size_t pairs_;
  double gap_exponent_;
  bool random_filler_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const std::vector<std::uint64_t>> weights_;
};

}  // namespace

TaskInfo mqar_info() {
  return {"mqar",
          "keys with values first; every key is asked for once more later (multi-query associative recall)",
          {{"vocabulary", "8192", "ids V: filler 0, keys 1 to V/2-1, values V/2 to V-1; 4 to 1000000"},
           {"pairs", "8", "pairs K of key and value, 1 to V/2-1"},
           {"gap-exponent", "0.01", "a: gaps follow a power law with exponent a-1; 0 to 1"},
           {"random-filler", "0", "0: filler is id 0; 1: uniform ids that are no keys"}},
          [](const OptionValues& options) -> std::unique_ptr<Task> {
            return std::make_unique<Mqar>(options.integer("vocabulary", 4, 1000000),
                                          options.integer("pairs", 1, 1000000), options.real("gap-exponent", 0.0, 1.0),
                                          options.flag("random-filler"));
          }};
}

}  // namespace hyseq::tasks
