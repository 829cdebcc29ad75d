// The budgets that certificates of the constructions hold, as the trade-off reads them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "results/certificate.hpp"

namespace hyseq::results {

/// How a theorem's certificates name its sizes.
struct HybridKind {
  const char* theorem;
  const char* title;
  const char* axis;    // of the grid, besides the length
  const char* symbol;  // of that size
  const char* x_label;
  const char* family;  // layers of the construction
};
inline constexpr HybridKind kCopyingHybrid{"4.3", "Selective copying", "distances", "N", "distances N", "SSM,TF"};
inline constexpr HybridKind kRecallHybrid{"4.6",      "Associative recall with decoding", "bits", "W", "words W",
                                          "SSM,TF,TF"};

/// The check "budgets" of a certificate, which must outlive it.
struct StoredBudgets {
  const Certificate* certificate;
  const Json* figures;

  [[nodiscard]] std::string label() const { return certificate->level + ", " + certificate->number; }
  /// The points of its grid along one axis.
  [[nodiscard]] std::vector<Json> along(const std::string& axis) const;
};

/// Those of the theorem's certificates whose verdict is "certified", in their order.
[[nodiscard]] std::vector<StoredBudgets> budgets_of(const std::vector<Certificate>& certificates,
                                                    const std::string& theorem);

/// Per level the one whose grid is largest, that of float where several are equal.
[[nodiscard]] std::map<std::string, StoredBudgets> grids_of(const std::vector<StoredBudgets>& all);

/// A quantity of the call's own sizes, {"value": .., "bound": ..}, or of a point of the grid, a number; NaN where it is
/// missing.
[[nodiscard]] double quantity(const Json& figures, const std::string& key);

/// N, or W = 2^b.
[[nodiscard]] double size_of(const Json& point, const HybridKind& kind);

/// Bits of one number of the format "double", "float", "bfloat16" or "half".
[[nodiscard]] double format_bits(const std::string& number);

}  // namespace hyseq::results
