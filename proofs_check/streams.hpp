// Long streams through the real weights: every position with an answer, on random and on adversarial inputs.
#pragma once

#include <cstdint>
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

[[nodiscard]] StreamResult check_stream(const constructions::Construction& construction, NumberFormat format,
                                        const Oracle& oracle, const Stream& stream, bool stop_at_first_error = false);

/// Random streams with rare and with frequent control tokens, a control token once and never again, constant and
/// periodic streams, and streams whose answer always lies at the far edge of the window.
[[nodiscard]] std::vector<Stream> selective_copy_streams(const constructions::SelectiveCopySpec& spec,
                                                         std::size_t length, std::uint64_t seed);
[[nodiscard]] std::vector<Stream> decode_recall_streams(const constructions::DecodeRecallSpec& spec, std::size_t length,
                                                        std::uint64_t seed);

}  // namespace hyseq::proofs_check
