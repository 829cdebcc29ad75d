// Task options as text, checked: what a configuration file or a command line holds before a task exists.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hyseq::tasks {

/// Name without dashes -> text, for example {"bits", "3"}.
using OptionMap = std::map<std::string, std::string>;

struct OptionInfo {
  std::string name;           // "distance-min"
  std::string default_value;  // "5"
  std::string meaning;        // with range, for --help
};

/// The values of one task's options: the given ones over the defaults.
/// Every accessor throws InputError naming the task, the option, the value and the allowed range.
class OptionValues {
 public:
  /// Throws InputError for a name that is not among `known`.
  OptionValues(std::string task, const std::vector<OptionInfo>& known, const OptionMap& given);

  [[nodiscard]] std::int32_t integer(const std::string& name, std::int32_t least, std::int32_t most) const;
  [[nodiscard]] double real(const std::string& name, double least, double most) const;
  [[nodiscard]] double share(const std::string& name) const { return real(name, 0.0, 1.0); }
  [[nodiscard]] bool flag(const std::string& name) const { return integer(name, 0, 1) == 1; }

 private:
  [[nodiscard]] const std::string& text(const std::string& name) const;
  [[noreturn]] void refuse(const std::string& name, const std::string& allowed) const;

  std::string task_;
  OptionMap values_;
};

}  // namespace hyseq::tasks
