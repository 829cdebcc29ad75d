// Token ids and their names. Ids run: values V0 .. V{n-1}, then the task's own tokens (numbers, bits, markers, keys) in
// order, then <bos>, <eos>, <null>, always the last three.
//
//   Vocabulary(2, {"#5", "#6"}):  V0=0 V1=1 #5=2 #6=3 <bos>=4 <eos>=5 <null>=6, size 7
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hyseq::tasks {

class Vocabulary {
 public:
  Vocabulary(std::int32_t values, std::vector<std::string> own_tokens);

  [[nodiscard]] std::int32_t values() const { return values_; }
  [[nodiscard]] std::int32_t size() const { return null() + 1; }
  [[nodiscard]] std::int32_t bos() const { return values_ + static_cast<std::int32_t>(own_tokens_.size()); }
  [[nodiscard]] std::int32_t eos() const { return bos() + 1; }
  [[nodiscard]] std::int32_t null() const { return bos() + 2; }

  /// The name of a token. Throws InputError for an id outside 0 .. size()-1.
  [[nodiscard]] std::string name(std::int32_t id) const;

  /// Throws InputError naming the first id outside 0 .. size()-1 and its position.
  void check(std::span<const std::int32_t> tokens) const;

 private:
  std::int32_t values_;
  std::vector<std::string> own_tokens_;
};

}  // namespace hyseq::tasks
