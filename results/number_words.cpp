#include "results/number_words.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include "results/statistics.hpp"

namespace hyseq::results {
namespace {

nlohmann::ordered_json counts_json(const std::vector<Counts>& seeds) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Counts& counts : seeds) list.push_back({{"valid", counts.valid}, {"correct", counts.correct}});
  return list;
}

}  // namespace

std::string fixed(double value, int decimals) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string signed_fixed(double value, int decimals) {
  std::string text = fixed(value, decimals);
  if (text.find_first_not_of("-0.") == std::string::npos) return fixed(0, decimals);
  return value > 0 ? "+" + text : text;
}

std::string short_number(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

void add_summary(nlohmann::ordered_json& json, const AccuracyPoint& point) {
  json["seeds"] = point.seeds.size();
  if (point.seeds.empty()) {
    for (const char* key : {"mean", "interval", "median", "least", "greatest"}) json[key] = nullptr;
    json["reason"] = "no run of this point is finished";
  } else {
    const Summary summary = summarise(point.seeds);
    json["mean"] = summary.mean;
    json["interval"] = {summary.band.low, summary.band.high};
    json["median"] = summary.median;
    json["least"] = summary.least;
    json["greatest"] = summary.greatest;
  }
  json["counts"] = counts_json(point.seeds);
  json["missing"] = point.missing;
  json["diverged"] = point.diverged;
}

}  // namespace hyseq::results
