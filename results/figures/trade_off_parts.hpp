// The parts of the trade-off figure: its two sorts of panel, its legend and its caption.
#pragma once

#include <string>
#include <vector>

#include "results/figures/plotting.hpp"
#include "results/trade_off.hpp"

namespace hyseq::results {

// Hues go by kind: hybrids, pure SSMs, pure windows.
inline constexpr const char* kHybrid = "#0072B2";
inline constexpr const char* kStates = "#009E73";
inline constexpr const char* kWindows = "#D55E00";

/// Of a built series, "faithful, float".
[[nodiscard]] bool is_faithful(const std::string& label);
/// Built hybrids are pentagons, filled at the streaming level.
[[nodiscard]] std::string built_marker(bool faithful);
[[nodiscard]] std::string built_line(bool faithful);

/// Working memory against accuracy or a size; whether its axis has numbers, and a name. `block` numbers the data
/// blocks, which are added to `data`.
[[nodiscard]] std::string bits_panel(const TradeOffPanel& panel, const std::vector<std::string>& families, Range range,
                                     bool numbered, bool named, int& block, std::string& data, const Panel& place,
                                     int figure_width, int figure_height);

/// Recurrent state against window; nothing of one or the other stands on an edge of its own.
[[nodiscard]] std::string split_panel(const TradeOffTask& task, const std::vector<std::string>& families, int& block,
                                      std::string& data, const Panel& place, int figure_width, int figure_height);

[[nodiscard]] std::vector<LegendEntry> trade_off_legend(const TradeOffPlot& plot);

[[nodiscard]] std::string trade_off_caption(const TradeOffPlot& plot);

}  // namespace hyseq::results
