// Long inputs through the real weights. Streaming level: every position with an answer, on random and on adversarial
// streams. Faithful level: the last position of many sequences that go through every number, token, word and place in
// turn.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs_check/domain.hpp"
#include "proofs_check/oracle.hpp"

namespace hyseq::proofs_check {

struct Stream {
  std::string name;
  std::vector<std::int32_t> tokens;
};

struct StreamResult {
  std::uint64_t positions = 0;
  std::uint64_t defined = 0;
  std::uint64_t correct = 0;
  std::optional<Counterexample> counterexample;  // the prefix up to the first wrong position

  [[nodiscard]] bool all_correct() const { return defined > 0 && correct == defined; }
};

/// Several sequences of one length, each from a fresh start; `input(i)` must be a pure function. Counts and the first
/// counterexample by index, whatever the number of threads.
[[nodiscard]] StreamResult check_sequences(const constructions::Construction& construction, NumberFormat format,
                                           const Oracle& oracle, std::uint64_t count,
                                           const std::function<std::vector<std::int32_t>(std::uint64_t)>& input,
                                           int threads);

/// Sequences for the faithful level, number `index`: every number and every token's code in turn as the answer, at
/// every distance; for decode recall every word, its latest occurrence at every place of the window. The rest is
/// random, and older decoys abound.
[[nodiscard]] std::vector<std::int32_t> faithful_sequence(const constructions::SelectiveCopySpec& spec,
                                                          std::uint64_t index, std::uint64_t seed);
[[nodiscard]] std::vector<std::int32_t> faithful_sequence(const constructions::DecodeRecallSpec& spec,
                                                          std::uint64_t index, std::uint64_t seed);
/// How many of them go through every number and token, or every word and place.
[[nodiscard]] std::uint64_t faithful_round(const constructions::SelectiveCopySpec& spec);
[[nodiscard]] std::uint64_t faithful_round(const constructions::DecodeRecallSpec& spec);

[[nodiscard]] StreamResult check_stream(const constructions::Construction& construction, NumberFormat format,
                                        const Oracle& oracle, const Stream& stream, bool stop_at_first_error = false);

/// Random streams with rare and with frequent control tokens, a control token once and never again, constant and
/// periodic streams, and streams whose answer always lies at the far edge of the window.
[[nodiscard]] std::vector<Stream> selective_copy_streams(const constructions::SelectiveCopySpec& spec,
                                                         std::size_t length, std::uint64_t seed);
[[nodiscard]] std::vector<Stream> decode_recall_streams(const constructions::DecodeRecallSpec& spec, std::size_t length,
                                                        std::uint64_t seed);

}  // namespace hyseq::proofs_check
