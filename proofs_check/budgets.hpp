// What the constructions need, beside the theorems' formulas and the lower bounds of pure models, over a geometric
// grid.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "constructions/decode_recall.hpp"
#include "constructions/selective_copy.hpp"
#include "kernels/base/number_format.hpp"

namespace hyseq::proofs_check {

/// A quantity and the formula it must not exceed.
struct Bounded {
  double value = 0;
  double bound = 0;

  [[nodiscard]] bool holds() const { return value <= bound; }
};

struct Budget {
  std::string axis;  // what varies along the grid: "vocabulary", "distances", "length", "bits"
  int vocabulary = 0;
  int distances = 0;  // 4.3
  int bits = 0;       // 4.6
  int length = 0;     // faithful; 0 at the streaming level, where nothing depends on it
  Bounded width;
  Bounded nonzero_parameters;
  Bounded states;  // distinct recurrent states, or classes of them
  Bounded window;  // all attention layers together
  Bounded working_memory_bits;
  double pure_ssm_bits = 0;  // least state of a pure SSM that is asked once: log2 of the residual classes
  double pure_window = 0;    // least total window of a pure sliding-window Transformer
  /// The weights were written and the states counted through them; otherwise the sizes follow from the lowering and the
  /// construction's formula for states.
  bool instantiated = false;

  [[nodiscard]] bool holds() const {
    return width.holds() && nonzero_parameters.holds() && states.holds() && window.holds() &&
           working_memory_bits.holds();
  }
};

struct BudgetResult {
  Budget here;                           // at the parameters of the call
  std::vector<Budget> grid;              // |V| to 2^16, N to 2^10, L to 2^20; b to 10
  std::map<std::string, double> growth;  // "width against log2 vocabulary": fitted exponent on log-log axes

  [[nodiscard]] bool passed() const;
};

/// pure_ssm_bits is exact for inputs of a known length (T4.2, T4.5; docs/residual-classes.md, Propositions 3 and 7). A
/// model that is asked always needs more. For contexts of fewer than 2 W words it is the count for half as many words
/// as there are places, which a model of W words needs as well.
///
/// working memory: 2 width min(L, W-1) format bits per attention layer, log2 of the states where they are finite and
/// certified, else channels x format bits (docs/theorems.md, section 4).
[[nodiscard]] BudgetResult budgets(const constructions::SelectiveCopySpec& spec, NumberFormat format);
[[nodiscard]] BudgetResult budgets(const constructions::DecodeRecallSpec& spec, NumberFormat format);

}  // namespace hyseq::proofs_check
