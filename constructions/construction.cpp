#include "constructions/construction.hpp"

#include "kernels/base/error.hpp"

namespace hyseq::constructions {

Level parse_level(std::string_view text) {
  if (text == "faithful") return Level::faithful;
  if (text == "streaming") return Level::streaming;
  throw InputError("level '" + std::string(text) + "' is not known; use faithful or streaming");
}

std::string_view name(Level level) { return level == Level::faithful ? "faithful" : "streaming"; }

std::size_t Construction::nonzero_parameters() const {
  std::size_t count = 0;
  for (const auto& parameter : values) {
    for (const double value : parameter) count += value != 0 ? 1U : 0U;
  }
  return count;
}

}  // namespace hyseq::constructions
