#include "constructions/decode_recall.hpp"

#include <cmath>

#include "constructions/decode_recall_parts.hpp"
#include "kernels/base/error.hpp"

namespace hyseq::constructions {

void DecodeRecallSpec::validate() const {
  if (bits < 1 || bits > 16) throw InputError("bits " + std::to_string(bits) + " must lie in 1..16");
  if (window != 0 && (window < 2 || window > (1 << 24))) {
    throw InputError("window " + std::to_string(window) + " must lie in 2..16777216");
  }
  if (level == Level::faithful && window != 0 && window <= bits) {
    throw InputError("window " + std::to_string(window) + " must be at least bits + 1 (" + std::to_string(bits + 1) +
                     ") at the faithful level, or it sees nothing but the query");
  }
  if (level == Level::faithful && length != 0 && (length < bits + 2 || length > (1 << 24))) {
    throw InputError("length " + std::to_string(length) + " must lie in bits + 2 (" + std::to_string(bits + 2) +
                     ")..16777216 at the faithful level");
  }
}

int recall_slots(int bits) {
  // The exact count is certified in rationals by the window check; logarithms are exact enough to find the candidate.
  const double miss = std::log1p(-std::ldexp(1.0, -bits));
  return static_cast<int>(std::ceil(std::log(0.01) / miss));
}

int recall_window(int bits) { return recall_slots(bits) + bits; }

DecodeRecallConstruction build(const DecodeRecallSpec& given) {
  given.validate();
  DecodeRecallConstruction c;
  c.spec = given;
  if (c.spec.window == 0) c.spec.window = recall_window(given.bits);
  if (c.spec.level == Level::faithful && c.spec.length == 0) c.spec.length = c.spec.window + 1;
  for (int w = 0; w < c.spec.words(); ++w) c.token_labels.push_back("V" + std::to_string(w));
  c.token_labels.emplace_back("bit 0");
  c.token_labels.emplace_back("bit 1");
  if (c.spec.level == Level::faithful) {
    build_faithful(c);
  } else {
    build_streaming(c);
  }
  return c;
}

}  // namespace hyseq::constructions
