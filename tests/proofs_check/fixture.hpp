// Specs and domains that the tests of proofs_check share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"
#include "kernels/base/number_format.hpp"
#include "proofs_check/domain.hpp"
#include "tests/constructions/naive_labels.hpp"

namespace hyseq::proofs_check {

using constructions::DecodeRecallSpec;
using constructions::Fault;
using constructions::Level;
using constructions::SelectiveCopySpec;
using constructions::Tokens;

inline constexpr NumberFormat kFormats[] = {NumberFormat::float64, NumberFormat::float32, NumberFormat::bfloat16,
                                            NumberFormat::float16};
inline constexpr Level kLevels[] = {Level::faithful, Level::streaming};

inline SelectiveCopySpec copy_spec(Level level, int vocabulary, int distances, int length, Fault fault = Fault::none) {
  SelectiveCopySpec spec;
  spec.level = level;
  spec.vocabulary = vocabulary;
  spec.distances = distances;
  spec.length = length;
  spec.fault = fault;
  return spec;
}

/// length and window 0: the construction's own.
inline DecodeRecallSpec recall_spec(Level level, int bits, int length, int window, Fault fault = Fault::none) {
  DecodeRecallSpec spec;
  spec.level = level;
  spec.bits = bits;
  spec.length = length;
  spec.window = window;
  spec.fault = fault;
  return spec;
}

/// The complete domain of `length` tokens, labelled naively.
inline DomainSpec naive_domain(const SelectiveCopySpec& spec, int length) {
  DomainSpec domain;
  domain.allowed.assign(static_cast<std::size_t>(length), constructions::token_range(0, spec.vocabulary));
  domain.label = [spec](std::span<const std::int32_t> input) {
    return constructions::naive_copy(spec, {input.begin(), input.end()}, static_cast<int>(input.size()) - 1);
  };
  domain.every_position = spec.level == Level::streaming;
  return domain;
}

inline DomainSpec naive_domain(const DecodeRecallSpec& spec, int length) {
  DomainSpec domain;
  const bool faithful = spec.level == Level::faithful;
  for (int t = 0; t < length; ++t) {
    if (faithful && t >= length - spec.bits) {
      domain.allowed.push_back(constructions::token_range(spec.words(), 2));
    } else {
      domain.allowed.push_back(constructions::token_range(0, spec.words() + (faithful ? 0 : 2)));
    }
  }
  domain.label = [spec](std::span<const std::int32_t> input) {
    return constructions::naive_recall(spec, spec.window, {input.begin(), input.end()},
                                       static_cast<int>(input.size()) - 1);
  };
  domain.every_position = !faithful;
  return domain;
}

}  // namespace hyseq::proofs_check
