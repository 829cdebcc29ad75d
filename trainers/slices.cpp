#include "trainers/slices.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tasks/decode_recall.hpp"
#include "tasks/decode_recall_last.hpp"
#include "tasks/mkar.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::trainers {
namespace {

using Tokens = std::span<const std::int32_t>;
using Numbers = std::span<std::int32_t>;

std::int32_t parameter(const tasks::Task& task, const std::string& name) {
  for (const tasks::Parameter& parameter : task.parameters())
    if (parameter.name == name) return static_cast<std::int32_t>(std::get<std::int64_t>(parameter.value));
  throw std::logic_error("task " + task.name() + " has no parameter " + name);
}

std::string plain(std::int32_t number) { return std::to_string(number); }

/// Range 0 is 0, and range k holds 2^(k-1) .. 2^k-1.
std::int32_t range_of(std::int32_t number) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(number)));
}
std::string range_name(std::int32_t range) {
  if (range < 2) return std::to_string(range);
  const std::int64_t first = std::int64_t{1} << (range - 1);
  return std::to_string(first) + "-" + std::to_string(2 * first - 1);
}

constexpr std::int32_t kTenths = 10;
std::int32_t tenth_of(std::size_t position, std::size_t length) {
  return static_cast<std::int32_t>(kTenths * position / length);
}
std::string tenth_name(std::int32_t tenth) {
  const auto decimal = [](std::int32_t t) { return std::to_string(t / kTenths) + "." + std::to_string(t % kTenths); };
  return decimal(tenth) + "-" + decimal(tenth + 1);
}

/// Positions of the answers become the distances to them, in ranges.
void sources_to_ranges(Numbers number) {
  for (std::size_t i = 0; i < number.size(); ++i)
    number[i] = number[i] < 0 ? -1 : range_of(static_cast<std::int32_t>(i) - number[i]);
}

std::vector<Slicing> selective_copy(const tasks::Task& task) {
  const tasks::SelectiveCopyShape shape{parameter(task, "n"), parameter(task, "lo"), parameter(task, "count")};
  return {{"distance",
           [shape](Tokens input, Numbers number) {
             tasks::selective_copy_sources(shape, input, number);
             for (std::size_t i = 0; i < number.size(); ++i)
               if (number[i] >= 0) number[i] = static_cast<std::int32_t>(i) - number[i];
           },
           plain}};
}

std::vector<Slicing> mkar(const tasks::Task& task) {
  const tasks::MkarShape shape{static_cast<std::size_t>(parameter(task, "k")), parameter(task, "published_edges") == 1};
  const std::int32_t vocabulary = task.vocabulary().size();
  return {{"distance",
           [=](Tokens input, Numbers number) {
             tasks::mkar_sources(shape, vocabulary, input, number);
             sources_to_ranges(number);
           },
           range_name},
          {"key",
           [=](Tokens input, Numbers number) {
             std::vector<std::int32_t> source(input.size());
             tasks::mkar_sources(shape, vocabulary, input, source, number);
             for (std::int32_t& n : number) n = n < 1 ? -1 : range_of(n);
           },
           range_name}};
}

std::vector<Slicing> decode_recall(const tasks::Task& task) {
  const std::int32_t words = task.vocabulary().values();
  return {{"distance",
           [words](Tokens input, Numbers number) {
             tasks::decode_recall_sources(words, input, number);
             sources_to_ranges(number);
           },
           range_name}};
}

std::vector<Slicing> decode_recall_last(const tasks::Task& task) {
  const std::int32_t bits = parameter(task, "bits");
  return {{"distance",
           [bits](Tokens input, Numbers number) {
             std::ranges::fill(number, -1);
             number.back() = tasks::decode_recall_last_source(bits, input);
             sources_to_ranges(number);
           },
           range_name}};
}

std::vector<Slicing> needle(const tasks::Task& task) {
  const std::int32_t marker = task.vocabulary().values();
  return {{"depth",
           [marker](Tokens input, Numbers number) {
             const auto place = static_cast<std::size_t>(std::ranges::find(input, marker) - input.begin());
             std::ranges::fill(number, place < input.size() ? tenth_of(place, input.size()) : -1);
           },
           tenth_name}};
}

/// Where the answer of the last position stands: behind the latest earlier occurrence of the last token.
std::int32_t needle_grid_source(Tokens input) {
  for (std::size_t follower = input.size() - 2; follower > 0; --follower)
    if (input[follower - 1] == input.back()) return static_cast<std::int32_t>(follower);
  return -1;
}

std::vector<Slicing> needle_grid() {
  return {{"distance",
           [](Tokens input, Numbers number) {
             std::ranges::fill(number, -1);
             number.back() = needle_grid_source(input);
             sources_to_ranges(number);
           },
           range_name},
          {"depth",
           [](Tokens input, Numbers number) {
             std::ranges::fill(number, -1);
             const std::int32_t source = needle_grid_source(input);
             if (source >= 0) number.back() = tenth_of(static_cast<std::size_t>(source), input.size());
           },
           tenth_name}};
}

/// The pair that a position asks for, or -1.
void mqar_pairs(std::size_t pairs, std::int32_t vocabulary, Tokens input, Numbers number) {
  std::ranges::fill(number, -1);
  std::vector<std::int32_t> pair_of(static_cast<std::size_t>(vocabulary), -1);
  for (std::size_t p = 0; p < pairs; ++p)
    pair_of[static_cast<std::size_t>(input[2 * p])] = static_cast<std::int32_t>(p);
  for (std::size_t i = 2 * pairs; i < input.size(); ++i) number[i] = pair_of[static_cast<std::size_t>(input[i])];
}

std::vector<Slicing> mqar(const tasks::Task& task) {
  const auto pairs = static_cast<std::size_t>(parameter(task, "pairs"));
  const std::int32_t vocabulary = task.vocabulary().size();
  return {{"distance",
           [=](Tokens input, Numbers number) {
             mqar_pairs(pairs, vocabulary, input, number);
             for (std::int32_t& n : number) n = n < 0 ? -1 : 2 * n + 1;  // the pair's value
             sources_to_ranges(number);
           },
           range_name},
          {"key", [=](Tokens input, Numbers number) { mqar_pairs(pairs, vocabulary, input, number); }, plain}};
}

}  // namespace

std::vector<Slicing> slicings(const tasks::Task& task) {
  const std::string& name = task.name();
  if (name == "selective_copy" || name == "selective_copy_mixed") return selective_copy(task);
  if (name == "mkar") return mkar(task);
  if (name == "decode_recall") return decode_recall(task);
  if (name == "decode_recall_last") return decode_recall_last(task);
  if (name == "needle") return needle(task);
  if (name == "needle_grid") return needle_grid();
  if (name == "mqar") return mqar(task);
  return {};
}

}  // namespace hyseq::trainers
