// Which calls run together, and on how many tokens at a time.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/program.hpp"

namespace hyseq::kernels {

/// Calls [first, last) of a list run over `tokens` tokens at a time.
struct CallGroup {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t tokens = 1;
};

/// Which forward buffers must hold a whole sequence at the end: all of them, those that the backward bodies read, or
/// none but the logits.
enum class KeptBuffers { all, for_backward, for_evaluation };

/// Groups of both lists of a program, and rows of the buffers. A buffer that is written and read within one group alone
/// has as many rows as that group has tokens at a time, and so never leaves the cache; the others have a row per token,
/// here 0.
struct LanePlan {
  std::vector<CallGroup> forward;
  std::vector<CallGroup> backward;
  std::vector<std::size_t> buffer_rows;
  std::vector<std::size_t> gradient_rows;
};

/// Groups whose parameters (with their gradients in backward) and the rows of whose tokens stay in a second-level cache
/// together. vector_bytes: bytes of one element of all lanes.
[[nodiscard]] LanePlan plan_for_cache(const Program& program, std::size_t vector_bytes, KeptBuffers kept);

/// Every call alone over whole sequences: the meaning of the lists, word for word. Keeps all buffers.
[[nodiscard]] LanePlan plan_call_by_call(const Program& program, std::size_t time);

}  // namespace hyseq::kernels
