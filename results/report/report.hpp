// The report: one HTML page with everything in it (styles, figures, data), for a browser without a network, a phone or
// paper, light and dark.
#pragma once

#include <string>
#include <vector>

#include "results/certificate.hpp"
#include "results/figures/gnuplot.hpp"
#include "results/learned.hpp"

namespace hyseq::results {

/// The page as text: below its headline the cover (unless it has no commands), then certificates, then the learned
/// figures. Throws EnvironmentError where gnuplot cannot draw.
[[nodiscard]] std::string report_html(const std::vector<Certificate>& certificates,
                                      const std::vector<Learned>& learned = {}, const Figure& cover = {});

/// Writes the page; the file appears whole or not at all. Throws EnvironmentError where it cannot be written.
void write_report(const std::vector<Certificate>& certificates, const std::string& path,
                  const std::vector<Learned>& learned = {}, const Figure& cover = {});

}  // namespace hyseq::results
