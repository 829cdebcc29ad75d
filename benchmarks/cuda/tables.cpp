#include "benchmarks/cuda/tables.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

namespace hyseq::benchmarks {

using kernels::cuda::Ceilings;
using kernels::cuda::KernelTraffic;
using kernels::cuda::Limit;

namespace {

/// Three digits that count, or all of a larger number.
std::string figure(double value) {
  if (value == 0) return "0";
  char text[64];
  if (value >= 100) {
    std::snprintf(text, sizeof(text), "%.0f", value);
  } else {
    std::snprintf(text, sizeof(text), "%.3g", value);
  }
  return text;
}

std::string formula(const kernels::cuda::Quantity& quantity) { return quantity.text() == "0" ? "" : quantity.text(); }

}  // namespace

Ceilings h200(bool bfloat16) {
  constexpr double kFloat = 67e12;
  return {.copy = 4.3e12,
          .operations = kFloat,
          .functions = kFloat / 16,
          .words = kFloat / 4 / 100,
          .products = bfloat16 ? 790e12 : kFloat};
}

std::vector<KernelRow> kernel_rows(const std::vector<KernelTraffic>& step, const Ceilings& ceilings,
                                   const std::vector<double>& measured) {
  std::vector<KernelRow> rows;
  std::vector<double> longest;
  for (std::size_t i = 0; i < step.size(); ++i) {
    const KernelTraffic& launch = step[i];
    auto row = std::ranges::find_if(
        rows, [&](const KernelRow& known) { return known.kernel == launch.kernel && known.purpose == launch.purpose; });
    if (row == rows.end()) {
      rows.push_back({launch.kernel, launch.purpose});
      longest.push_back(0);
      row = rows.end() - 1;
    }
    const Limit least = kernels::cuda::limit(launch, ceilings);
    ++row->launches;
    row->bytes += launch.bytes.value();
    row->operations += launch.operations.value() + launch.products.value();
    row->functions += launch.functions.value();
    row->words += launch.words.value();
    row->seconds += least.seconds;
    double& most = longest[static_cast<std::size_t>(row - rows.begin())];
    if (least.seconds > most) {
      most = least.seconds;
      row->by = least.by;
    }
    if (!measured.empty()) row->measured = std::max(0.0, row->measured) + measured[i];
  }
  return rows;
}

std::string figures_table(const std::vector<KernelRow>& rows) {
  std::string text =
      "| kernel | for | launches | MB | Mop | M functions | M words | limit, µs | by | measured, µs |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  KernelRow sum{"**all**", ""};
  const auto add_row = [&](const KernelRow& row, const std::string& name) {
    text += "| " + name + " | " + row.purpose + " | " + std::to_string(row.launches) + " | " + figure(row.bytes / 1e6) +
            " | " + figure(row.operations / 1e6) + " | " + figure(row.functions / 1e6) + " | " +
            figure(row.words / 1e6) + " | " + figure(row.seconds * 1e6) + " | " + row.by + " | " +
            (row.measured < 0 ? "not measured" : figure(row.measured * 1e6)) + " |\n";
  };
  for (const KernelRow& row : rows) {
    add_row(row, "`" + row.kernel + "`");
    sum.launches += row.launches;
    sum.bytes += row.bytes;
    sum.operations += row.operations;
    sum.functions += row.functions;
    sum.words += row.words;
    sum.seconds += row.seconds;
    if (row.measured >= 0) sum.measured = std::max(0.0, sum.measured) + row.measured;
  }
  add_row(sum, sum.kernel);
  return text;
}

std::string formulas_table(const std::vector<CudaCase>& cases) {
  std::string text =
      "| kernel | for | bytes | operations | functions | words |\n"
      "|---|---|---|---|---|---|\n";
  std::set<std::pair<std::string, std::string>> known;
  for (const CudaCase& values : cases) {
    const kernels::Program training = values.training();
    for (const KernelTraffic& launch : kernels::cuda::step_traffic(training, values.step)) {
      if (!known.emplace(launch.kernel, launch.purpose).second) continue;
      text += "| `" + launch.kernel + "` | " + launch.purpose + " | " + formula(launch.bytes) + " | " +
              formula(launch.operations + launch.products) + " | " + formula(launch.functions) + " | " +
              formula(launch.words) + " |\n";
    }
  }
  return text;
}

std::string traffic_page() {
  // The large model first: its calls go through every branch.
  std::string text = formulas_table({model_case(), cohort_case(), remaining_case()});
  for (const CudaCase& values : {cohort_case(), model_case()}) {
    const kernels::Program training = values.training();
    text += "\nOne training step of " + values.sizes + " (" + std::to_string(training.parameter_count()) +
            " parameters" + (values.step.members > 1 ? " each" : "") + "):\n\n";
    text += figures_table(kernel_rows(kernels::cuda::step_traffic(training, values.step), h200(values.step.bfloat16)));
  }
  return text;
}

}  // namespace hyseq::benchmarks
