// Numbers from and to the text of options and messages.
#pragma once

#include <charconv>
#include <sstream>
#include <string>
#include <system_error>

namespace hyseq {

/// The whole text as a number, or false. Without locale, signs other than minus, or surrounding blanks.
template <class T>
[[nodiscard]] bool parse_number(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// A number as a stream prints it: "0.25", "1e+06".
[[nodiscard]] inline std::string plain_number(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

}  // namespace hyseq
