// hyseq verify --level trainable: the constructions in the standard blocks, whose sizes are those of the trained
// models.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/base/number_format.hpp"
#include "results/certificate.hpp"

namespace hyseq::cli {

/// Whether the arguments of `verify` ask for this level.
[[nodiscard]] bool asks_for_trainable(const std::vector<std::string>& arguments);

int run_verify_trainable(const std::vector<std::string>& arguments);

/// The default construction of theorem 4.3 or 4.6, as `verify all` has it. `number` is float or double.
[[nodiscard]] results::Certificate trainable_certificate(
    const std::string& theorem, NumberFormat number, std::uint64_t seed, int threads,
    const std::function<void(const std::string&, double)>& progress);

/// Whether this level can be verified in the format.
[[nodiscard]] bool trainable_format(NumberFormat number);

}  // namespace hyseq::cli
