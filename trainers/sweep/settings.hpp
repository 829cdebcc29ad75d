// The sections of a preset that describe one run: task, data, model, tf, ssm, dropout, initialisation, optimiser,
// evaluation and run. trainers/presets/README.md lists every key with range and default.
#pragma once

#include <array>
#include <string_view>

#include "trainers/configuration.hpp"
#include "trainers/sweep/document.hpp"

namespace hyseq::trainers {

inline constexpr std::array<std::string_view, 10> kSections{
    "task", "data", "model", "tf", "ssm", "dropout", "initialisation", "optimiser", "evaluation", "run"};

/// The run that the document's sections describe, with seed 0; its grid, seeds and calibration are not looked at.
/// InputError with file, line and key for unknown keys and for values that do not fit.
[[nodiscard]] RunConfiguration read_settings(const Document& document);

}  // namespace hyseq::trainers
