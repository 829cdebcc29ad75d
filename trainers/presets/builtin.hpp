// The presets that are part of the program: trainers/presets/*.toml, copied in when the build is configured, so that
// the program needs no files beside it.
#pragma once

#include <span>
#include <string_view>

namespace hyseq::trainers {

struct BuiltinPreset {
  std::string_view name;  // of the file, without extension
  std::string_view text;  // TOML
};

/// Sorted by name.
[[nodiscard]] std::span<const BuiltinPreset> builtin_presets();

}  // namespace hyseq::trainers
