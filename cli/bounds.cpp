#include "cli/bounds.hpp"

#include <algorithm>
#include <array>

#include "proofs_check/lower_bounds/t33.hpp"
#include "proofs_check/stack_product/l35.hpp"

namespace hyseq::cli {
namespace {

constexpr std::array kTheorems{
    BoundTheorem{
        "3.3", "state that a pure SSM needs: as printed, and corrected",
        [](const proofs_check::LowerBoundRequest& request) { return proofs_check::verify_lower_bound_3_3(request); }},
    BoundTheorem{
        "3.5", "stacked SSMs are one SSM",
        [](const proofs_check::LowerBoundRequest& request) { return proofs_check::verify_stack_product_3_5(request); }},
};

}  // namespace

std::span<const BoundTheorem> bound_theorems() { return kTheorems; }

const BoundTheorem* find_bound_theorem(const std::string& id) {
  const auto found = std::ranges::find_if(kTheorems, [&](const BoundTheorem& theorem) { return theorem.id == id; });
  return found == kTheorems.end() ? nullptr : &*found;
}

}  // namespace hyseq::cli
