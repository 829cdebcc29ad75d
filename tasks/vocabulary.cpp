#include "tasks/vocabulary.hpp"

#include <utility>

#include "kernels/base/error.hpp"

namespace hyseq::tasks {

Vocabulary::Vocabulary(std::int32_t values, std::vector<std::string> own_tokens)
    : values_(values), own_tokens_(std::move(own_tokens)) {}

std::string Vocabulary::name(std::int32_t id) const {
  check({&id, 1});
  if (id < values_) return std::string("V").append(std::to_string(id));
  if (id < bos()) return own_tokens_[static_cast<std::size_t>(id - values_)];
  return id == bos() ? "<bos>" : id == eos() ? "<eos>" : "<null>";
}

void Vocabulary::check(std::span<const std::int32_t> tokens) const {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < 0 || tokens[i] >= size()) {
      throw InputError("the token at position " + std::to_string(i) + " is " + std::to_string(tokens[i]) +
                       ", allowed are the ids 0 to " + std::to_string(size() - 1));
    }
  }
}

}  // namespace hyseq::tasks
