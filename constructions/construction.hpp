// A construction: explicit weights for one theorem and one set of parameters, as an ordinary model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "constructions/subspace.hpp"
#include "kernels/program.hpp"
#include "models/architecture.hpp"

namespace hyseq::constructions {

/// faithful: the paper's own, answer at the last position of a fixed length.
/// streaming: an answer at every position of a sequence of any length, width independent of the length.
enum class Level { faithful, streaming };

[[nodiscard]] Level parse_level(std::string_view text);
[[nodiscard]] std::string_view name(Level level);

struct Construction {
  models::Architecture architecture;
  kernels::Program program;
  kernels::ParameterValues values;
  std::vector<std::string> row_labels;    // meaning of each coordinate of the model width
  std::vector<std::string> token_labels;  // "V0", "#1", "bit 0"
  Subspace token;                         // where tokens' codes lie, in the embedding and in the output

  [[nodiscard]] std::size_t nonzero_parameters() const;
  [[nodiscard]] double embedding(int token_id, int coordinate) const {
    return values[0][static_cast<std::size_t>(token_id) * static_cast<std::size_t>(architecture.width) +
                     static_cast<std::size_t>(coordinate)];
  }
};

/// Deliberate faults for negative controls.
enum class Fault {
  none,
  zero_temperature,  // beta = 0
  short_window,      // one position too few
  wrong_code_bit,    // one bit of one token's code flipped
  broken_carry,      // the state decays a little on every token that should keep it
  off_by_one,        // the published query indices: one off against the target
  no_recency,        // 4.6: without the preference for the latest occurrence
  fast_decay,        // 4.6 streaming: lambda above 1/2, so that classes overlap
};

}  // namespace hyseq::constructions
