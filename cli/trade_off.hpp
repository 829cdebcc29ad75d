// The trade-off figure of a store: its certificates and its trained models together.
#pragma once

#include <string>

#include "results/figures/gnuplot.hpp"

namespace hyseq::cli {

/// A figure without commands where the store has neither certificates of theorems 4.3 and 4.6 nor runs of their tasks.
/// InputError where the folder does not exist or a file of it cannot be read.
[[nodiscard]] results::Figure stored_trade_off(const std::string& store);

}  // namespace hyseq::cli
