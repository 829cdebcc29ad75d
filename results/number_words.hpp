// Numbers as tables and sentences write them.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "results/figures/accuracy.hpp"

namespace hyseq::results {

/// "0.8660" for four decimals.
[[nodiscard]] std::string fixed(double value, int decimals);
/// With its sign: "+0.123", "-0.500"; what rounds to nothing is "0.000".
[[nodiscard]] std::string signed_fixed(double value, int decimals);
/// Significant digits, three unless told otherwise: "0.0316", "1.93".
[[nodiscard]] std::string short_number(double value, int digits = 3);
/// "1,135,687".
[[nodiscard]] std::string grouped(std::uint64_t value);

/// Mean, band, median, extremes and counts of the seeds of a point; nulls with a reason where there are none.
void add_summary(nlohmann::ordered_json& json, const AccuracyPoint& point);

}  // namespace hyseq::results
