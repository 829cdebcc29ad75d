#include "cli/reproduce_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "results/figures/plotting.hpp"
#include "results/reproduction_words.hpp"

namespace hyseq::cli {
namespace {

using results::readable;

/// Columns are as wide as their longest cell; the first one stands left, the others right.
void print_table(std::ostream& out, const results::TextTable& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + pad : "  " + pad + row[i];
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

void heading(std::ostream& out, const std::string& figure, const std::string& scale, const std::string& title,
             const std::string& seeds, std::int64_t missing) {
  out << figure << " (" << scale << "): " << title << ", " << seeds;
  if (missing > 0) out << ", runs missing: " << missing;
  out << "\n";
}

void print(std::ostream& out, const results::Reproduction& reproduction) {
  const results::LearnedRuns& runs = reproduction.runs;
  heading(out, runs.figure, runs.scale, runs.title, results::seeds_words(runs.series) + " a point",
          reproduction.missing);
  out << "\n";
  for (const results::Ceiling& ceiling : runs.ceilings) out << ceiling.label << "\n";
  print_table(out, results::points_table(reproduction));

  out << "\nParameters at which the mean accuracy first reaches " << readable(reproduction.reference.threshold) << "\n("
      << readable(100 * reproduction.bootstrap.confidence) << "% intervals by bootstrap over the seeds, "
      << readable(static_cast<double>(reproduction.bootstrap.resamples)) << " resamples)\n";
  print_table(out, results::sizes_table(reproduction));
  if (!reproduction.ratios.empty()) {
    out << "\nThese sizes relative to that of SSM,TF\n";
    print_table(out, results::ratios_table(reproduction));
  }
  out << "The paper's claim: " << reproduction.reference.claim << ".\n";
  for (const std::string& sentence : results::control_sentences(reproduction)) out << "\n" << sentence << "\n";
}

void print(std::ostream& out, const results::Ablation& ablation) {
  std::vector<results::AccuracySeries> all(1);
  for (const results::AblatedModel& model : ablation.models)
    for (const results::Variant& variant : model.variants) all[0].points.push_back(variant.runs);
  heading(out, ablation.figure, ablation.scale, ablation.title, results::seeds_words(all) + " a variant",
          ablation.missing());
  for (const results::AblatedModel& model : ablation.models) {
    out << "\n" << results::model_words(model) << "\n";
    print_table(out, results::variants_table(ablation, model));
  }
  out << "\nChanges are differences of means to the first row, with " << readable(100 * ablation.bootstrap.confidence)
      << "% intervals by bootstrap over the seeds.\n";
}

}  // namespace

void print_learned(std::ostream& out, const results::Learned& learned) {
  std::visit([&out](const auto& each) { print(out, each); }, learned);
}

}  // namespace hyseq::cli
