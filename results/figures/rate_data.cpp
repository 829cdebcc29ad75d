#include "results/figures/rate_data.hpp"

#include <algorithm>
#include <cmath>

#include "results/figures/plotting.hpp"
#include "results/memory_bounds.hpp"

namespace hyseq::results {
namespace {

const Json& figures_of(const Certificate& certificate, const char* check) {
  static const Json none = Json::object();
  const Check* found = find_check(certificate, check);
  return found != nullptr ? found->figures : none;
}

/// The certificate's curve in steps fine enough for its steep ends: at equal steps of success.
Rows smooth(double letters, const Rows& known) {
  constexpr int kSteps = 120;
  Rows curve;
  const double worst = 1 - known.front()[0];
  for (int i = 0; i <= kSteps; ++i) {
    const double eps = worst * (kSteps - i) / kSteps;
    curve.push_back({1 - eps, std::max(0.0, rate(eps, letters))});
  }
  return curve;
}

/// A guess by chance is where the curve ends; what is worse says nothing more and would take the picture's room.
void add_trained(std::vector<TrainedPath>& paths, const Json& point) {
  const double bits = number_or(point, "bits"), input = number_or(point, "input_bits");
  const double letters = number_or(point, "values", 0), success = number_or(point, "success");
  if (!(input > 0) || !(letters > 1) || !(success * letters >= 1)) return;
  const std::string model = text_of(point, "model");
  if (paths.empty() || paths.back().model != model) paths.push_back({model, letters, {}});
  paths.back().points.push_back({success, bits / input * std::log2(letters), bits, input});
}

}  // namespace

RateData collect_rate(const std::vector<const Certificate*>& certificates) {
  RateData data;
  for (const Certificate* certificate : certificates) {
    RateData own;
    const Json& optimiser = figures_of(*certificate, "optimiser");
    for (const Json& point : array_of(optimiser, "curve"))
      own.curve[number_or(point, "values", 0)].push_back(
          {number_or(point, "success"), number_or(point, "bits_per_position")});
    for (const Json& point : array_of(optimiser, "series"))
      own.found[number_or(point, "values", 0)].push_back(
          {number_or(point, "success"), number_or(point, "bits_per_position"), number_or(point, "length"),
           number_or(point, "states"), flag(point, "optimal") ? 1.0 : 0.0});
    for (const Json& point : array_of(figures_of(*certificate, "enumeration"), "series")) {
      // Copying asks for as many letters as were read; other problems have another bound.
      if (number_or(point, "length") != number_or(point, "queries")) continue;
      own.enumerated[number_or(point, "values", 0)].push_back({number_or(point, "success"),
                                                               number_or(point, "bits_per_position"),
                                                               number_or(point, "length"), number_or(point, "states")});
    }
    for (const Json& point : array_of(figures_of(*certificate, "machines"), "series")) {
      const double bits = number_or(point, "bits"), input = number_or(point, "input_bits");
      if (!flag(point, "uniform") || !(input > 0)) continue;
      // H(U) = N log2 M for uniform inputs.
      const double letters = number_or(point, "values", 2);
      own.machines.push_back({number_or(point, "success"), bits / input * std::log2(letters), bits, input});
    }
    for (const Json& point : array_of(figures_of(*certificate, "trained"), "series")) add_trained(own.trained, point);
    for (const Json& point : array_of(figures_of(*certificate, "tightness"), "table"))
      own.gaps[number_or(point, "rate")].push_back({number_or(point, "length"), number_or(point, "gap_per_position"),
                                                    flag(point, "optimal") ? 1.0 : 0.0, number_or(point, "states")});
    // Only alphabets that have a curve can be judged by it.
    for (auto* points : {&own.enumerated, &own.found})
      std::erase_if(*points, [&](const auto& each) { return !own.curve.contains(each.first); });
    std::erase_if(own.trained, [&](const TrainedPath& each) { return !own.curve.contains(each.letters); });
    for (auto& [letters, curve] : own.curve) curve = smooth(letters, curve);
    if (!own.empty()) data = std::move(own);
  }
  return data;
}

}  // namespace hyseq::results
