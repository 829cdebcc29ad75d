#include "tests/results/learned_fixture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/random.hpp"
#include "results/reference_tables.hpp"

namespace hyseq::results::fixture {
namespace {

constexpr std::array<int, 7> kWidths{4, 8, 12, 16, 20, 24, 32};

AccuracySeries family(const std::string& layers, const std::array<std::int64_t, 7>& parameters,
                      const std::array<double, 7>& means, std::uint64_t key) {
  AccuracySeries series{layers, "", {}};
  for (std::size_t i = 0; i < kWidths.size(); ++i) {
    AccuracyPoint point{kWidths[i], parameters[i], i < 2 ? 0.01 : 0.00316228, {}, 0, 0};
    const StreamKey stream{key, Purpose::verification};
    for (std::uint64_t seed = 0; seed < 11; ++seed) {
      const double coin = uniform_real(stream, i, seed), wobble = 0.02 * normal_real(stream, i, 100 + seed);
      const double spread = means[i] > 0.3 && means[i] < 0.95 ? (coin < means[i] ? 0.6 : -0.6) * (1 - means[i]) : 0;
      point.seeds.push_back(counts_of(std::clamp(means[i] + spread + (means[i] > 0.995 ? 0 : wobble), 0.03, 1.0)));
    }
    series.points.push_back(point);
  }
  return series;
}

}  // namespace

Counts counts_of(double accuracy, std::int64_t valid) {
  return {valid, std::llround(accuracy * static_cast<double>(valid))};
}

std::vector<AccuracySeries> copying_series() {
  return {family("TF,TF", {488, 1488, 3000, 5024, 7560, 10608, 18240}, {0.05, 0.3, 0.52, 0.66, 0.75, 0.85, 0.93}, 1),
          family("SSM,SSM", {1256, 2792, 4920, 7328, 10280, 13488, 21056}, {0.07, 0.2, 0.38, 0.5, 0.7, 0.86, 0.94}, 2),
          family("TF,SSM", {872, 2192, 3960, 6176, 8920, 12048, 19648}, {0.1, 0.4, 0.6, 0.8, 0.86, 0.9, 0.96}, 3),
          family("SSM,TF", {872, 2192, 3960, 6176, 8920, 12048, 19648}, {0.2, 0.999, 1, 1, 1, 1, 1}, 4)};
}

AccuracyPlot copying_plot() {
  const ReferenceTable reference = reference_table("fig4");
  AccuracyPlot plot;
  plot.name = "fig4";
  plot.title = "Selective copying: accuracy against parameters";
  plot.series = copying_series();
  plot.published = reference.published;
  plot.audit = reference.audit;
  plot.threshold = reference.threshold;
  plot.chance = 1.0 / 26;
  return plot;
}

DistributionPlot settings_plot() {
  const std::vector<AccuracySeries> all = copying_series();
  DistributionPlot plot;
  plot.name = "ablation";
  plot.title = "What the unpublished details do";
  plot.panels = {{"TF,TF, 10,608 parameters",
                  "TF,TF",
                  {{"as published", all[0].points[5].seeds},
                   {"rotary fraction 1", all[3].points[2].seeds},
                   {"rotary fraction 0", all[0].points[1].seeds},
                   {"residual sequential", all[0].points[3].seeds},
                   {"still to be run", {}},
                   {"learning rate 0.01", all[0].points[4].seeds}}},
                 {"SSM,TF, 2,192 parameters",
                  "SSM,TF",
                  {{"as published", all[3].points[1].seeds}, {"two heads", all[3].points[0].seeds}}}};
  return plot;
}

}  // namespace hyseq::results::fixture
