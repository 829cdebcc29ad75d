// Lemma 3.5: k stacked SSMs with state sets S_1 .. S_k are one SSM with state set S_1 x .. x S_k.
#pragma once

#include <string>
#include <vector>

#include "proofs_check/controls.hpp"
#include "proofs_check/lower_bounds/request.hpp"
#include "proofs_check/stack_product/product_check.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// The stacks that the certificate looks at: standard SSM blocks of one to three layers, with and without convolution,
/// gate and norm, weights rounded to five bits and carried numbers to three to five; and registers of Theorem 4.3.
[[nodiscard]] std::vector<Stack> lemma_stacks();

/// Product machines with one fault each; the machine without a fault must pass. `seed` is that of random sequences.
[[nodiscard]] std::vector<Control> stack_product_controls(NumberFormat format, std::uint64_t seed);

/// Checks `layers` (states of layers alone and of the whole), `product` (the one machine and the stack are the same),
/// `sequences` and `controls`. "certified" for the stacks listed, in the request's number format.
[[nodiscard]] results::Certificate verify_stack_product_3_5(const LowerBoundRequest& request);

/// The same for given stacks (trained models with their grid).
[[nodiscard]] results::Certificate verify_stack_product_3_5(const std::vector<Stack>& stacks,
                                                            const LowerBoundRequest& request);

}  // namespace hyseq::proofs_check
