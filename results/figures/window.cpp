#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "results/figures/figures.hpp"
#include "results/figures/plotting.hpp"

namespace hyseq::results {
namespace {

constexpr double kWanted = 99;  // per cent
constexpr double kPanelWidth = 196, kPanelHeight = 150, kLeft = 84, kRight = 20, kTop = 34, kBottom = 58;
constexpr std::size_t kColumns = 4;

struct Window {
  double slots = kMissing;           // the smallest number that succeeds often enough
  std::map<double, double> success;  // slots -> per cent
};

/// By word bits b. The counting is exact and knows no number format, so the first certificate of a size will do.
std::map<int, Window> collect(const std::vector<const Certificate*>& certificates) {
  std::map<int, Window> windows;
  for (const Certificate* certificate : certificates) {
    const Check* check = find_check(*certificate, "window");
    if (check == nullptr) continue;
    const int bits = static_cast<int>(number_or(certificate->parameters, "bits", 0));
    if (bits <= 0 || windows.contains(bits)) continue;
    Window window;
    window.slots = number_or(check->figures, "window_slots");
    for (const Json& point : array_of(check->figures, "curve"))
      if (const double success = number_or(point, "success"); std::isfinite(success))
        window.success[number_or(point, "slots", 0)] = 100 * success;
    // The curve may be thinned out; the window itself and its neighbours are always among the points.
    for (const char* key : {"success", "success_one_less", "success_one_more"})
      if (const auto exact = check->figures.find(key); exact != check->figures.end() && exact->is_object())
        if (const double success = number_or(*exact, "decimal"); std::isfinite(success))
          window.success[number_or(*exact, "slots", 0)] = 100 * success;
    if (!window.success.empty()) windows[bits] = window;
  }
  return windows;
}

/// Decimals that tell neighbouring points apart, as far as a label has room.
int decimals(double range) { return std::clamp(static_cast<int>(std::ceil(-std::log10(range / 6))), 0, 3); }

std::string panel_of(int bits, const Window& window) {
  const auto [low_x, high_x] = std::pair(window.success.begin()->first, window.success.rbegin()->first);
  double low = kWanted, high = kWanted;
  for (const auto& [slots, success] : window.success) {
    low = std::min(low, success);
    high = std::max(high, success);
  }
  const double air = std::max(0.12 * (high - low), 1e-6), span = high - low + 2 * air;
  const double step_x = std::max(1.0, std::ceil((high_x - low_x) / 4));
  const std::string block = "$window" + std::to_string(bits), wanted = plain(kWanted);
  std::string text = "set title " + quoted("b = " + std::to_string(bits) + ",  W = " + readable(std::exp2(bits))) +
                     " noenhanced offset 0,-0.4\n";
  text += "set xrange [" + plain(low_x - 0.5) + ":" + plain(high_x + 0.5) + "]\nset yrange [" + plain(low - air) + ":" +
          plain(std::min(high + air, 100.0 + air)) + "]\n";
  // The ticks count from the window that was found, so that it has one.
  const double middle = std::isfinite(window.slots) ? window.slots : low_x;
  const double first_x = middle - step_x * std::floor((middle - low_x) / step_x);
  text += "set xtics " + plain(first_x) + "," + plain(step_x) +
          "\nset ytics auto\nset ytics autofreq\nset format y '%." + std::to_string(decimals(span)) + "f%%'\n";
  text += "unset arrow\nset arrow from graph 0, first " + wanted + " to graph 1, first " + wanted +
          " nohead lw 1.2 dt 2 lc rgb '" + kPure + "'\nunset label\n";
  if (std::isfinite(window.slots))
    text += "set label " + quoted(readable(window.slots) + " slots") + " at first " + plain(window.slots) +
            ", graph 0.07 center font ',11' textcolor rgb '#0072B2'\n";
  return text + "plot " + block + " using 1:2 with lines lw 1.2 lc rgb '#9db8cc', " + block +
         " using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', " + block +
         " using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', " + block +
         " using 1:($3==2?$2:NaN) with points pt 7 ps 1.5 lc rgb '#0072B2'\n";
}

}  // namespace

Figure window_figure(const std::vector<const Certificate*>& certificates) {
  const std::map<int, Window> windows = collect(certificates);
  if (windows.empty()) return {};

  const std::size_t columns = std::min(windows.size(), kColumns), rows = (windows.size() + columns - 1) / columns;
  Figure figure;
  figure.width = static_cast<int>(static_cast<double>(columns) * (kLeft + kPanelWidth) + kRight);
  figure.height = static_cast<int>(static_cast<double>(rows) * (kTop + kPanelHeight + kBottom));
  figure.title = "The window of theorem " + certificates.front()->theorem + ", " + certificates.front()->level;
  figure.caption =
      "Exact probability, over uniform inputs, that the queried word lies among the last word slots. Filled markers "
      "reach "
      "99% (dashed line), the large one is the first to do so: the window that the theorem's attention needs.";
  figure.commands = panel_defaults();

  std::size_t index = 0;
  for (const auto& [bits, window] : windows) {
    std::vector<std::vector<double>> data;
    for (const auto& [slots, success] : window.success)
      data.push_back({slots, success, slots == window.slots ? 2.0 : slots > window.slots ? 1.0 : 0.0});
    figure.data += data_block("window" + std::to_string(bits), "slots success_percent reaches", data);

    const std::size_t row = index / columns;
    const double left = static_cast<double>(index % columns) * (kLeft + kPanelWidth) + kLeft;
    const double top = figure.height - static_cast<double>(row) * (kTop + kPanelHeight + kBottom) - kTop;
    const bool last_row = index + columns >= windows.size();
    figure.commands += place({left, left + kPanelWidth, top - kPanelHeight, top}, figure.width, figure.height) +
                       "set xlabel '" + (last_row ? "word slots in the window" : "") + "'\nset ylabel '" +
                       (index % columns == 0 ? "success" : "") + "'\n" + panel_of(bits, window);
    ++index;
  }
  return figure;
}

}  // namespace hyseq::results
