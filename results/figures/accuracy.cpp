#include "results/figures/accuracy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "results/figures/accuracy_parts.hpp"
#include "results/figures/plotting.hpp"
#include "results/statistics.hpp"

namespace hyseq::results {
namespace {

constexpr int kWidth = 920;
constexpr double kLeft = 62, kRight = 18, kTitle = 60, kMainHeight = 330, kAxis = 46;
constexpr double kPanelTop = 30, kPanelHeight = 150, kPanelGap = 14, kPanelAxis = 50;
constexpr std::size_t kMostColumns = 4;
constexpr double kDot = 4.4;  // diameter of a seed's dot, pixels

/// One series as it is drawn.
struct Curve {
  const AccuracySeries* series;
  std::string label;
  Style style;
  std::string block;                         // of means and bands; "...seeds" holds the seeds
  std::vector<const AccuracyPoint*> points;  // with seeds, by parameters
};

std::string rounded(double accuracy) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.3f", accuracy);
  return text.data();
}

class Drawing {
 public:
  explicit Drawing(const AccuracyPlot& plot) : plot_(plot) {
    for (const AccuracySeries& series : plot.series) all_.push_back(series.layers);
    for (const AccuracySeries& series : plot.series) {
      Curve curve{&series,
                  series.label.empty() ? series.layers : series.label,
                  family_style(series.layers, all_),
                  "curve" + std::to_string(curves_.size()),
                  {}};
      for (const AccuracyPoint& point : series.points)
        if (!point.seeds.empty() && point.parameters > 0) curve.points.push_back(&point);
      std::stable_sort(curve.points.begin(), curve.points.end(),
                       [](const AccuracyPoint* a, const AccuracyPoint* b) { return a->parameters < b->parameters; });
      if (!curve.points.empty()) curves_.push_back(std::move(curve));
    }
    for (const Curve& curve : curves_)
      for (const AccuracyPoint* point : curve.points) include(static_cast<double>(point->parameters));
    for (const auto* list : {&plot.published, &plot.audit})
      for (const PublishedAccuracy& value : *list)
        if (!curves_.empty() && drawn(value.layers)) include(static_cast<double>(value.parameters));
  }

  [[nodiscard]] bool empty() const { return curves_.empty(); }

  Figure draw() {
    figure_.name = plot_.name;
    figure_.title = plot_.title;
    figure_.width = kWidth;
    const std::size_t rows = (curves_.size() + kMostColumns - 1) / kMostColumns;
    columns_ = rows == 1 ? kMostColumns : (curves_.size() + rows - 1) / rows;
    const double panels = static_cast<double>(rows) * (kPanelTop + kPanelHeight + kPanelAxis);
    const double legend_room = legend_height(entries(), kWidth - kLeft - kRight) + 10;
    figure_.height = static_cast<int>(kTitle + kMainHeight + kAxis + panels + legend_room);
    for (const Curve& curve : curves_) write_data(curve);
    write_published("published", plot_.published);
    write_published("audit", plot_.audit);

    figure_.commands = panel_defaults() + titles();
    const double top = figure_.height - kTitle;
    const Panel main{kLeft, kWidth - kRight, top - kMainHeight, top};
    figure_.commands += panel_defaults() + place(main, kWidth, figure_.height) + log10_axis("x", range_, 14, true) +
                        accuracy_axis(true) +
                        "set xlabel 'parameters' offset 0,0.3\nset ylabel 'accuracy' offset 0.5,0\n" + levels(nullptr) +
                        main_plot();
    double row_top = main.bottom - kAxis;
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      if (i % columns_ == 0) row_top -= kPanelTop;
      figure_.commands += small_panel(i, row_top);
      if (i % columns_ == columns_ - 1) row_top -= kPanelHeight + kPanelAxis;
    }
    const Panel strip{kLeft, kWidth - kRight, 4, legend_room};
    figure_.commands += legend(entries(), strip, kWidth, figure_.height);
    figure_.caption = accuracy_caption(plot_, any(plot_.published), any(plot_.audit));
    return figure_;
  }

 private:
  void include(double parameters) {
    range_.low = std::min(range_.low, parameters);
    range_.high = std::max(range_.high, parameters);
  }

  [[nodiscard]] bool drawn(const std::string& layers) const {
    return std::any_of(curves_.begin(), curves_.end(),
                       [&](const Curve& curve) { return curve.series->layers == layers; });
  }

  void write_data(const Curve& curve) {
    std::vector<std::vector<double>> means, seeds;
    for (const AccuracyPoint* point : curve.points) {
      const Summary summary = summarise(point->seeds);
      const auto parameters = static_cast<double>(point->parameters);
      means.push_back({parameters, summary.mean, summary.band.low, summary.band.high, summary.median,
                       static_cast<double>(point->seeds.size()), static_cast<double>(point->width),
                       point->learning_rate});
      // In pixels of a small panel, so that dots stay apart as they are drawn; then back to a factor of x.
      std::vector<double> heights;
      for (const double value : summary.values) heights.push_back(value * kPanelHeight / 1.08);
      const std::vector<double> offsets = swarm(heights, kDot, 5);
      const double octaves = std::log(range_.high / range_.low) * 1.1 / panel_width();
      for (std::size_t i = 0; i < offsets.size(); ++i)
        seeds.push_back({parameters, summary.values[i], std::exp(offsets[i] * octaves)});
    }
    figure_.data +=
        data_block(curve.block, curve.label + ": parameters mean low_10% high_90% median seeds width learning_rate",
                   means) +
        data_block(curve.block + "seeds", curve.label + ": parameters accuracy shift", seeds);
  }

  void write_published(const std::string& name, const std::vector<PublishedAccuracy>& values) {
    for (const Curve& curve : curves_) {
      std::vector<std::vector<double>> rows;
      for (const PublishedAccuracy& value : values)
        if (value.layers == curve.series->layers)
          rows.push_back({static_cast<double>(value.parameters), value.accuracy});
      if (!rows.empty())
        figure_.data +=
            data_block(name + curve.block, name + ", " + curve.series->layers + ": parameters accuracy", rows);
    }
  }

  /// Draws what was published about the curve's family, once per family.
  [[nodiscard]] std::string published_of(const Curve& curve) const {
    std::string text;
    const auto has = [&](const std::vector<PublishedAccuracy>& values) {
      return std::any_of(values.begin(), values.end(),
                         [&](const PublishedAccuracy& value) { return value.layers == curve.series->layers; });
    };
    const std::string marker = std::to_string(curve.style.hollow) + coloured(curve.style.colour);
    if (has(plot_.published)) text += ", $published" + curve.block + " using 1:2 with points ps 0.8 lw 1 pt " + marker;
    if (has(plot_.audit)) text += ", $audit" + curve.block + " using 1:2 with points ps 1.6 lw 1.6 pt " + marker;
    return text;
  }

  [[nodiscard]] std::string main_plot() const {
    std::string bands, lines, outside;
    std::set<std::string> seen;
    for (const Curve& curve : curves_) {
      const std::string colour = coloured(curve.style.colour), source = ", $" + curve.block;
      bands += source + " using 1:3:4 with filledcurves fs transparent solid 0.14 noborder" + colour;
      lines += source + " using 1:2 with lines lw 2 dt " + std::to_string(curve.style.dash) + colour + source +
               " using 1:2 with points ps 0.75 pt " + std::to_string(curve.style.filled) + colour;
      if (seen.insert(curve.series->layers).second) outside += published_of(curve);
    }
    return "plot " + (bands + outside + lines).substr(2) + "\n";
  }

  [[nodiscard]] double panel_width() const {
    const auto columns = static_cast<double>(columns_);
    return (kWidth - kLeft - kRight - (columns - 1) * kPanelGap) / columns;
  }

  /// One series with its seeds; the others' means in grey behind it.
  [[nodiscard]] std::string small_panel(std::size_t index, double top) const {
    const Curve& curve = curves_[index];
    const double left = kLeft + static_cast<double>(index % columns_) * (panel_width() + kPanelGap);
    const Panel panel{left, left + panel_width(), top - kPanelHeight, top};
    const bool first = index % columns_ == 0;
    std::string text = panel_defaults() + place(panel, kWidth, figure_.height) + log10_axis("x", range_, 4, true) +
                       accuracy_axis(first) + "set xlabel 'parameters' offset 0,0.4\nset ylabel " +
                       quoted(first ? "accuracy" : "") + " offset 0.5,0\n" + levels(&curve) + "set title " +
                       quoted(curve.label) + " noenhanced offset 0,-0.5 textcolor rgb '" + curve.style.colour + "'\n";
    const std::string colour = coloured(curve.style.colour), source = ", $" + curve.block;
    std::string parts;
    for (const Curve& other : curves_)
      if (&other != &curve) parts += ", $" + other.block + " using 1:2 with lines lw 1" + coloured("#d2d2d2");
    parts += source + " using 1:3:4 with filledcurves fs transparent solid 0.14 noborder" + colour;
    parts += source + "seeds using ($1*$3):2 with points pt 7 ps 0.34" + coloured(faded(curve.style.colour, 0.45));
    parts += source + " using 1:2 with lines lw 1.8 dt " + std::to_string(curve.style.dash) + colour;
    // Published numbers stand at the family's first series, where they belong to its default setting.
    const auto same = std::find_if(curves_.begin(), curves_.end(),
                                   [&](const Curve& c) { return c.series->layers == curve.series->layers; });
    if (&*same == &curve) parts += published_of(curve);
    return text + "plot " + parts.substr(2) + "\nunset title\n";
  }

  [[nodiscard]] static std::string accuracy_axis(bool show_labels) {
    return std::string("unset logscale y\nset yrange [-0.02:1.06]\nset ytics nomirror 0,0.2,1\nset format y '") +
           (show_labels ? "%.1f" : "") + "'\n";
  }

  /// Threshold, chance and ceilings; `panel` is the curve whose panel it is, where it shows only its own ceilings and
  /// no words.
  [[nodiscard]] std::string levels(const Curve* panel) const {
    std::string text = "unset arrow\nunset label\n";
    const auto line = [&](double accuracy, const std::string& how, const std::string& label, const std::string& colour,
                          bool left) {
      const std::string y = plain(accuracy);
      text += "set arrow from graph 0, first " + y + " to graph 1, first " + y + " nohead back " + how +
              coloured(colour) + "\n";
      if (panel == nullptr && !label.empty())
        text += "set label " + quoted(label) + " at graph " + (left ? "0.008" : "0.992") + ", first " + y +
                (left ? " left" : " right") + " offset 0,0.5 noenhanced font ',11' textcolor rgb '" + colour + "'\n";
    };
    if (plot_.threshold) line(*plot_.threshold, "lw 1.2 dt 2", "threshold " + readable(*plot_.threshold), kInk, true);
    if (plot_.chance) line(*plot_.chance, "lw 1.2 dt 3", "chance " + rounded(*plot_.chance), "#666666", false);
    for (const Ceiling& ceiling : plot_.ceilings) {
      const bool own = !ceiling.layers.empty();
      if (panel != nullptr && own && panel->series->layers != ceiling.layers) continue;
      const Style style = family_style(ceiling.layers, all_);
      line(ceiling.accuracy, "lw 1.4 dt " + std::to_string(own ? style.dash : 4), ceiling.label,
           own ? style.colour : kPure, true);
    }
    return text;
  }

  [[nodiscard]] std::string titles() const {
    return texts_only(text_at(plot_.title, kLeft, figure_.height - 22, "left font ',15'", kWidth, figure_.height) +
                          text_at(subtitle(), kLeft, figure_.height - 44, "left font ',12'", kWidth, figure_.height),
                      kWidth, figure_.height);
  }

  [[nodiscard]] std::string subtitle() const {
    return "Mean of " + seeds_words(plot_.series) +
           "; the band reaches from the 10% to the 90% quantile of the seeds. "
           "Below: the single seeds, a dot each";
  }

  [[nodiscard]] bool any(const std::vector<PublishedAccuracy>& values) const {
    return std::any_of(values.begin(), values.end(), [&](const PublishedAccuracy& v) { return drawn(v.layers); });
  }

  [[nodiscard]] std::vector<LegendEntry> entries() const {
    std::vector<LegendEntry> list;
    for (const Curve& curve : curves_) {
      const std::string colour = coloured(curve.style.colour);
      list.push_back({curve.label, "lw 2 dt " + std::to_string(curve.style.dash) + colour,
                      "ps 0.75 pt " + std::to_string(curve.style.filled) + colour});
    }
    if (any(plot_.published)) list.push_back({"published (rounded sizes)", "", "ps 0.8 lw 1 pt 6 lc rgb '#333333'"});
    if (any(plot_.audit)) list.push_back({"independent audit", "", "ps 1.6 lw 1.6 pt 6 lc rgb '#333333'"});
    return list;
  }

  const AccuracyPlot& plot_;
  std::vector<std::string> all_;
  std::vector<Curve> curves_;
  Range range_{1e300, 0};
  std::size_t columns_ = kMostColumns;
  Figure figure_;
};

}  // namespace

Figure accuracy_figure(const AccuracyPlot& plot) {
  Drawing drawing(plot);
  return drawing.empty() ? Figure{} : drawing.draw();
}

}  // namespace hyseq::results
