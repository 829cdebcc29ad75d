// From results to checks: the numbers under the names that the command line fixes, and a sentence for a person.
#pragma once

#include <string>
#include <vector>

#include "kernels/base/number_format.hpp"
#include "proofs_check/budgets.hpp"
#include "proofs_check/controls.hpp"
#include "proofs_check/domain.hpp"
#include "proofs_check/induction.hpp"
#include "proofs_check/margins.hpp"
#include "proofs_check/streams.hpp"
#include "proofs_check/window.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

[[nodiscard]] results::Check domain_check(const DomainResult& result, std::size_t length,
                                          const std::vector<std::string>& token_labels);
[[nodiscard]] results::Check induction_check(const InductionResult& result, NumberFormat format);
/// `unit` is what the largest size counts: "distances" or "bits".
[[nodiscard]] results::Check margins_check(const MarginResult& here, const LargestHolding& largest, NumberFormat format,
                                           const std::string& unit);
[[nodiscard]] results::Check streams_check(const std::vector<Stream>& streams, const std::vector<StreamResult>& results,
                                           const std::vector<std::string>& token_labels);
/// `round`: how many sequences go through everything once.
[[nodiscard]] results::Check sequences_check(const StreamResult& result, std::uint64_t count, std::uint64_t round,
                                             std::size_t length, const std::vector<std::string>& token_labels);
[[nodiscard]] results::Check budgets_check(const BudgetResult& result);
[[nodiscard]] results::Check window_check(const WindowResult& result, int bits,
                                          const std::vector<std::string>& token_labels);
[[nodiscard]] results::Check controls_check(const std::vector<Control>& controls);

/// Verdict and scope from the checks that ran. `inputs` says in words what induction and margins together cover.
void judge(results::Certificate& certificate, const std::string& inputs);

}  // namespace hyseq::proofs_check
