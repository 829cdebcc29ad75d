#include "proofs_check/window.hpp"

#include <atomic>
#include <cmath>
#include <mutex>

#include <boost/multiprecision/cpp_int.hpp>

#include "kernels/base/random.hpp"
#include "proofs_check/engines.hpp"
#include "proofs_check/oracle.hpp"
#include "proofs_check/parallel.hpp"

namespace hyseq::proofs_check {
namespace {

using boost::multiprecision::cpp_int;
using constructions::DecodeRecallConstruction;

/// W^K and (W-1)^K.
std::pair<cpp_int, cpp_int> powers(int bits, int slots) {
  const cpp_int words = cpp_int(1) << bits;
  const auto exponent = static_cast<unsigned>(slots);
  return {boost::multiprecision::pow(words, exponent), boost::multiprecision::pow(cpp_int(words - 1), exponent)};
}

/// success >= 99/100, that is 100 (W-1)^K <= W^K.
bool reaches_99_percent(int bits, int slots) {
  const auto [all, missed] = powers(bits, slots);
  return 100 * missed <= all;
}

/// Positions that b more tokens overwrite in a carry, saved and put back, so that many queries can follow one context
/// without a copy of the whole carry.
template <class Scalar>
class Rewind {
 public:
  Rewind(const kernels::Program& program, const kernels::CarryLayout& layout, std::size_t tokens)
      : program_(program), layout_(layout), tokens_(tokens) {}

  void save(kernels::Carry<Scalar>& carry) { move(carry, true); }
  void restore(kernels::Carry<Scalar>& carry) { move(carry, false); }

 private:
  void move(kernels::Carry<Scalar>& carry, bool saving) {
    if (saving) {
      position_ = carry.position[0];
      saved_.clear();
    } else {
      carry.position[0] = position_;
    }
    std::size_t next = 0;
    const auto exchange = [&](Scalar& value) {
      if (saving) {
        saved_.push_back(value);
      } else {
        value = saved_[next++];
      }
    };
    for (std::size_t i = 0; i < program_.carries.size(); ++i) {
      const kernels::CarryLayout::Entry& entry = layout_.entries[i];
      Scalar* data = carry.row(0) + entry.offset;
      if (program_.carries[i].kind != kernels::CarryKind::attention) {
        for (std::size_t k = 0; k < entry.size; ++k) exchange(data[k]);
        continue;
      }
      const auto slots = static_cast<std::size_t>(entry.slots);
      const auto channels = static_cast<std::size_t>(program_.carries[i].channels);
      for (std::size_t t = 0; t < std::min(tokens_, slots); ++t) {
        const std::size_t slot = static_cast<std::size_t>((position_ + t) % slots);
        for (std::size_t c = 0; c < channels; ++c) {
          exchange(data[c * slots + slot]);
          exchange(data[channels * slots + slot * channels + c]);
        }
      }
    }
  }

  const kernels::Program& program_;
  const kernels::CarryLayout& layout_;
  std::size_t tokens_;
  std::uint64_t position_ = 0;
  std::vector<Scalar> saved_;
};

/// One context and all queries behind it.
template <class Scalar>
class ContextCheck {
 public:
  ContextCheck(const DecodeRecallConstruction& c, NumberFormat)
      : spec_(c.spec),
        oracle_(c.spec),
        session_(c.program, c.values, static_cast<std::uint64_t>(c.spec.length)),
        carry_(session_.fresh(1)),
        input_(static_cast<std::size_t>(c.spec.length)) {
    for (int bit = 0; bit < spec_.bits; ++bit) {
      rewinds_.emplace_back(session_.program(), session_.layout(), static_cast<std::size_t>(spec_.bits - bit));
    }
  }

  /// Fills the context through `word(position)` and adds the counts of all queries; returns how many were right.
  template <class Word>
  std::uint64_t run(const Word& word, WindowResult& result) {
    const std::size_t context = input_.size() - static_cast<std::size_t>(spec_.bits);
    for (std::size_t t = 0; t < context; ++t) input_[t] = word(t);
    carry_.position[0] = 0;
    constexpr std::size_t kContexts = 128;
    for (std::size_t t = 0; t < context; t += kContexts) {
      const std::size_t count = std::min(kContexts, context - t);
      session_.forward({std::span(input_).subspan(t, count), 1, count}, carry_, kernels::Depth::carry);
    }
    const std::uint64_t before = result.correct;
    descend(context, 0, result);
    return result.correct - before;
  }

 private:
  void descend(std::size_t position, std::size_t bit, WindowResult& result) {
    const bool last = position + 1 == input_.size();
    Rewind<Scalar>& rewind = rewinds_[bit];
    rewind.save(carry_);
    for (std::int32_t value = 0; value < 2; ++value) {
      if (value == 1) rewind.restore(carry_);
      input_[position] = spec_.words() + value;
      session_.forward({std::span(input_).subspan(position, 1), 1, 1}, carry_,
                       last ? kernels::Depth::logits : kernels::Depth::carry);
      if (last) {
        compare(result);
      } else {
        descend(position + 1, bit + 1, result);
      }
    }
  }

  void compare(WindowResult& result) {
    ++result.inputs;
    const std::int32_t expected = oracle_.last_answer(input_);
    if (expected < 0) return;
    ++result.present;
    const std::int32_t answered = kernels::unique_argmax(session_.logits().data(), session_.logits().size());
    if (answered == expected) {
      ++result.correct;
    } else if (!result.counterexample) {
      result.counterexample = Counterexample{input_, expected, answered};
    }
  }

  const constructions::DecodeRecallSpec& spec_;
  Oracle oracle_;
  kernels::ReferenceSession<Scalar> session_;
  kernels::Carry<Scalar> carry_;
  std::vector<std::int32_t> input_;
  std::vector<Rewind<Scalar>> rewinds_;
};

/// Counts per context, so that sums do not depend on which thread had which context.
template <class Scalar>
void run_contexts(const DecodeRecallConstruction& c, NumberFormat format, std::uint64_t contexts, std::uint64_t seed,
                  int threads, WindowResult& result) {
  const int context_length = c.spec.length - c.spec.bits;
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  std::uint64_t sum_of_squares = 0;
  std::uint64_t first_wrong = contexts;
  const auto work = [&](const std::atomic<bool>& failed) {
    ContextCheck<Scalar> check(c, format);
    WindowResult mine;
    std::uint64_t squares = 0;
    std::uint64_t my_first_wrong = contexts;
    for (std::uint64_t i = next++; i < contexts && !failed; i = next++) {
      std::uint64_t right = 0;
      if (result.exhaustive) {
        right = check.run(
            [&](std::size_t t) {
              const std::uint64_t shift = static_cast<std::uint64_t>(c.spec.bits) *
                                          static_cast<std::uint64_t>(context_length - 1 - static_cast<int>(t));
              return static_cast<std::int32_t>((i >> shift) & static_cast<std::uint64_t>(c.spec.words() - 1));
            },
            mine);
      } else {
        RandomStream random({seed, Purpose::verification}, i);
        right = check.run(
            [&](std::size_t) {
              return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(c.spec.words())));
            },
            mine);
      }
      squares += right * right;
      if (mine.counterexample && my_first_wrong == contexts) my_first_wrong = i;
    }
    const std::lock_guard lock(mutex);
    result.inputs += mine.inputs;
    result.present += mine.present;
    result.correct += mine.correct;
    sum_of_squares += squares;
    if (my_first_wrong < first_wrong) {  // the same whichever thread had which context
      first_wrong = my_first_wrong;
      result.counterexample = mine.counterexample;
    }
  };
  on_threads(threads, work);
  result.measured = static_cast<double>(result.correct) / static_cast<double>(result.inputs);
  if (!result.exhaustive && contexts > 1) {
    const double n = static_cast<double>(contexts);
    const double mean = static_cast<double>(result.correct) / n;
    const double variance = (static_cast<double>(sum_of_squares) / n - mean * mean) * n / (n - 1);
    result.standard_error = std::sqrt(std::max(0.0, variance) / n) / c.spec.words();
  }
}

}  // namespace

ExactSuccess exact_success(int bits, int slots) {
  const auto [all, missed] = powers(bits, slots);
  ExactSuccess success;
  success.slots = slots;
  const cpp_int found = all - missed;
  const std::string words = std::to_string(1 << bits);
  const std::string one_less = std::to_string((1 << bits) - 1);
  if (boost::multiprecision::msb(all) < 200) {
    success.fraction = found.str() + "/" + all.str();
  } else {
    success.fraction = "1 - (" + one_less + "/" + words + ")^" + std::to_string(slots);
  }
  // 18 decimals by integer division: exact before the one rounding to double.
  const cpp_int scale = boost::multiprecision::pow(cpp_int(10), 18);
  success.decimal = static_cast<double>(cpp_int(found * scale / all)) / 1e18;
  return success;
}

int exact_slots(int bits) {
  int slots = constructions::recall_slots(bits);
  while (slots > 1 && reaches_99_percent(bits, slots - 1)) --slots;
  while (!reaches_99_percent(bits, slots)) ++slots;
  return slots;
}

bool WindowResult::passed() const {
  if (present == 0 || correct != present) return false;
  const double tolerance = exhaustive ? 1e-15 : 5 * standard_error;
  return std::abs(measured - first.decimal) <= tolerance;
}

WindowResult check_window(int bits, NumberFormat format, std::uint64_t inputs, std::uint64_t seed, int threads) {
  WindowResult result;
  const int slots = exact_slots(bits);
  result.first = exact_success(bits, slots);
  result.one_less = exact_success(bits, slots - 1);
  result.one_more = exact_success(bits, slots + 1);
  result.attention_window = slots + bits;
  constructions::DecodeRecallSpec spec;
  spec.bits = bits;
  spec.window = slots + bits;
  spec.length = slots + 1 + bits;
  const DecodeRecallConstruction c = constructions::build(spec);
  const double all_contexts = std::ldexp(1.0, bits * (slots + 1));
  // Two contexts at least, or there is no spread to estimate.
  const double wanted = std::max(2.0, std::ceil(static_cast<double>(inputs) / c.spec.words()));
  result.exhaustive = all_contexts <= wanted;
  const auto contexts = static_cast<std::uint64_t>(std::min(all_contexts, wanted));
  with_scalar(format, [&](auto scalar) { run_contexts<decltype(scalar)>(c, format, contexts, seed, threads, result); });
  return result;
}

}  // namespace hyseq::proofs_check
