// The report: one HTML page with everything in it (styles, figures, data), for a browser without a network, a phone or
// paper, light and dark.
#pragma once

#include <string>
#include <vector>

#include "results/certificate.hpp"

namespace hyseq::results {

/// The page as text. Throws EnvironmentError where gnuplot cannot draw the figures.
[[nodiscard]] std::string report_html(const std::vector<Certificate>& certificates);

/// Writes the page; the file appears whole or not at all. Throws EnvironmentError where it cannot be written.
void write_report(const std::vector<Certificate>& certificates, const std::string& path);

}  // namespace hyseq::results
