// Printing shared by the commands.
#pragma once

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

namespace hyseq::cli {

/// Writes strict JSON, indented, to the file or, for "-", to standard output. Non-finite numbers become null.
/// Throws EnvironmentError when the file cannot be written.
void write_json(const std::string& destination, const nlohmann::ordered_json& value);

/// Columns of the terminal: what the terminal says, else the variable COLUMNS, else 80. At least 20.
[[nodiscard]] std::size_t terminal_width();

}  // namespace hyseq::cli
