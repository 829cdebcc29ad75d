#include "cli/bounds.hpp"

#include <algorithm>
#include <array>

#include "proofs_check/lower_bounds/t33.hpp"
#include "proofs_check/receptive_field/verify.hpp"
#include "proofs_check/residual_classes/verify.hpp"
#include "proofs_check/stack_product/l35.hpp"

namespace hyseq::cli {
namespace {

/// What all of these requests have.
template <class Request>
Request common(const proofs_check::LowerBoundRequest& request) {
  Request own;
  own.seed = request.seed;
  own.threads = request.threads;
  own.progress = request.progress;
  return own;
}

constexpr std::array kTheorems{
    BoundTheorem{
        "3.3", "state that a pure SSM needs: as printed, and corrected",
        [](const proofs_check::LowerBoundRequest& request) { return proofs_check::verify_lower_bound_3_3(request); }},
    BoundTheorem{
        "3.5", "stacked SSMs are one SSM",
        [](const proofs_check::LowerBoundRequest& request) { return proofs_check::verify_stack_product_3_5(request); }},
    BoundTheorem{"3.7", "window that a pure sliding-window Transformer needs",
                 [](const proofs_check::LowerBoundRequest& request) {
                   return proofs_check::verify_receptive_field_3_7(
                       common<proofs_check::ReceptiveFieldRequest>(request));
                 }},
    BoundTheorem{"4.2", "selective copying by pure models: states and windows, counted",
                 [](const proofs_check::LowerBoundRequest& request) {
                   return proofs_check::verify_residual_classes_4_2(
                       common<proofs_check::ResidualClassesRequest>(request));
                 }},
    BoundTheorem{"4.5", "recall with decoding by pure models: states and windows, counted",
                 [](const proofs_check::LowerBoundRequest& request) {
                   return proofs_check::verify_residual_classes_4_5(
                       common<proofs_check::ResidualClassesRequest>(request));
                 }},
};

}  // namespace

std::span<const BoundTheorem> bound_theorems() { return kTheorems; }

const BoundTheorem* find_bound_theorem(const std::string& id) {
  const auto found = std::ranges::find_if(kTheorems, [&](const BoundTheorem& theorem) { return theorem.id == id; });
  return found == kTheorems.end() ? nullptr : &*found;
}

}  // namespace hyseq::cli
