// The trade-off that the theorems are about: what a model holds between two tokens, in bits, against accuracy and
// against the sizes of the task, for pure models, for the constructed hybrids and for trained models. A pure function
// of certificates and trained models; figures/trade_off.hpp draws it.
#pragma once

#include <string>
#include <vector>

#include "results/certificate.hpp"
#include "results/trained_models.hpp"

namespace hyseq::results {

/// What a series is, and with that how it is drawn.
enum class TradeOffKind {
  need,      // no model of any kind lies below: a bound on everything that is held
  windows,   // least of a pure sliding-window Transformer: from width 1 (`bits`) to the hybrid's width (`bits_high`)
  built,     // constructed hybrid, sizes by the lowering
  trained,   // trained models, by working memory: mean accuracy, 10% and 90% quantile of the seeds
  smallest,  // per size the trained model with the least memory whose mean accuracy reaches `kReached`
};

inline constexpr double kReached = 0.9;

struct TradeOffPoint {
  double x = 0;     // accuracy 0 .. 1, or the size
  double bits = 0;  // > 0
  double low = 0;   // of x for `trained`
  double high = 0;
  double bits_high = 0;  // of `windows`
};

struct TradeOffSeries {
  TradeOffKind kind = TradeOffKind::need;
  std::string label;   // "streaming, float"
  std::string family;  // "SSM,TF"; "" for bounds
  std::vector<TradeOffPoint> points;
};

/// Bits upwards, on a logarithmic axis; to the right accuracy, or a size on a logarithmic axis.
struct TradeOffPanel {
  std::string x_label;
  std::string setting;  // "|V| = 2,048, L = 1,024"
  bool accuracy = false;
  std::vector<TradeOffSeries> series;
};

/// A model by where it keeps what it holds.
struct Holding {
  TradeOffKind kind = TradeOffKind::built;
  std::string label;
  std::string family;
  double window = 0;      // tokens, all attention layers together; 0: none
  double state_bits = 0;  // log2 of the recurrent states; of trained models the bits of their numbers; 0: none
};

struct TradeOffTask {
  std::string title;                   // "Selective copying"
  std::vector<std::string> sentences;  // what the largest sizes and the smallest trained models say, in numbers
  std::vector<TradeOffPanel> panels;   // against accuracy; against N or W; against L
  /// Recurrent state against window: of the built hybrid at every N or W of the grid (`built`), what a pure SSM needs
  /// there (`need`), what pure windows need for every L (`windows`), and the smallest trained models.
  std::vector<Holding> split;
};

struct TradeOffPlot {
  std::vector<TradeOffTask> tasks;
  std::vector<std::string> families;  // of the trained models in it
  std::vector<std::string>
      unreached;  // "TF,TF (selective copying)": families of which no trained model reaches kReached
};

/// Tasks of which there is no certificate with budgets and no trained model are left out; so are panels without points.
/// Certificates with the verdict "not shown" do not count.
[[nodiscard]] TradeOffPlot trade_off(const std::vector<Certificate>& certificates,
                                     const std::vector<TrainedModel>& models);

}  // namespace hyseq::results
