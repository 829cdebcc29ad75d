#include "proofs_check/trainable_level/domains.hpp"

#include <numeric>

#include "tasks/decode_recall.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {
namespace {

using constructions::DeepRecallSpec;
using constructions::TrainableCopySpec;
using constructions::TrainableRecallSpec;
using Tokens = std::vector<std::int32_t>;

Tokens range(int first, int count) {
  Tokens tokens(static_cast<std::size_t>(count));
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// Token at the last position's source; -1 without one.
template <class Sources>
auto label_last(Sources sources) {
  return [sources](std::span<const std::int32_t> input) {
    Tokens source(input.size());
    sources(input, source);
    return source.back() < 0 ? -1 : input[static_cast<std::size_t>(source.back())];
  };
}

DomainSpec empty_domain(const TrainableCopySpec& spec) {
  const tasks::SelectiveCopyShape shape{spec.values, spec.distance_min, spec.distances};
  DomainSpec domain;
  domain.every_position = true;
  domain.label = label_last([shape](std::span<const std::int32_t> input, std::span<std::int32_t> source) {
    tasks::selective_copy_sources(shape, input, source);
  });
  return domain;
}

/// The promise ends at the window.
DomainSpec empty_recall_domain(std::int32_t words, std::int32_t window) {
  DomainSpec domain;
  domain.every_position = true;
  domain.label = label_last([words, window](std::span<const std::int32_t> input, std::span<std::int32_t> source) {
    tasks::decode_recall_sources(words, input, source);
    if (source.back() <= static_cast<std::int32_t>(input.size()) - 1 - window) source.back() = -1;
  });
  return domain;
}

template <class Recall>
DomainSpec all_recall(const Recall& spec, int length) {
  DomainSpec domain = empty_recall_domain(spec.words(), spec.window);
  domain.allowed.assign(static_cast<std::size_t>(length), range(0, spec.answers()));
  return domain;
}

template <class Recall>
std::vector<DomainSpec> recall_families(const Recall& spec) {
  std::vector<DomainSpec> families(2, empty_recall_domain(spec.words(), spec.window));
  families[0].allowed = {range(0, spec.words()), range(0, spec.answers())};
  families[1].allowed = {range(0, spec.words()), {0}, range(0, spec.words())};
  for (DomainSpec& family : families) {
    for (int bit = 0; bit < spec.bits; ++bit) family.allowed.push_back(range(spec.words(), 2));
  }
  return families;
}

}  // namespace

DomainSpec complete_domain(const TrainableCopySpec& spec, int length) {
  DomainSpec domain = empty_domain(spec);
  domain.allowed.assign(static_cast<std::size_t>(length), range(0, spec.answers()));
  return domain;
}

DomainSpec complete_domain(const TrainableRecallSpec& spec, int length) { return all_recall(spec, length); }
DomainSpec complete_domain(const DeepRecallSpec& spec, int length) { return all_recall(spec, length); }

std::vector<DomainSpec> vocabulary_domains(const TrainableCopySpec& spec) {
  DomainSpec domain = empty_domain(spec);
  domain.allowed = {range(spec.values, spec.distances), range(0, spec.answers()), range(0, spec.answers())};
  while (static_cast<int>(domain.allowed.size()) <= spec.distance_max()) domain.allowed.push_back({0});
  domain.allowed.push_back(range(0, spec.values));
  return {domain};
}

std::vector<DomainSpec> vocabulary_domains(const TrainableRecallSpec& spec) { return recall_families(spec); }
std::vector<DomainSpec> vocabulary_domains(const DeepRecallSpec& spec) { return recall_families(spec); }

}  // namespace hyseq::proofs_check
