#include "tasks/options.hpp"

#include <charconv>
#include <sstream>
#include <utility>

#include "kernels/base/error.hpp"

namespace hyseq::tasks {
namespace {

/// The whole text as a number, or false. Without locale, signs other than minus, or surrounding blanks.
template <class T>
bool parse(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::string plain(double value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

}  // namespace

OptionValues::OptionValues(std::string task, const std::vector<OptionInfo>& known, const OptionMap& given)
    : task_(std::move(task)) {
  std::string names;
  for (const OptionInfo& option : known) {
    values_[option.name] = option.default_value;
    names += (names.empty() ? "" : ", ") + option.name;
  }
  for (const auto& [name, value] : given) {
    if (!values_.contains(name)) {
      throw InputError("task " + task_ + " has no option '" + name + "', allowed are: " + names);
    }
    values_[name] = value;
  }
}

std::int32_t OptionValues::integer(const std::string& name, std::int32_t least, std::int32_t most) const {
  std::int32_t value = 0;
  if (!parse(text(name), value) || value < least || value > most) {
    refuse(name, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double OptionValues::real(const std::string& name, double least, double most) const {
  double value = 0.0;
  // Written so that a NaN is refused as well.
  if (!parse(text(name), value) || !(value >= least && value <= most)) {
    refuse(name, "a number from " + plain(least) + " to " + plain(most));
  }
  return value;
}

const std::string& OptionValues::text(const std::string& name) const { return values_.at(name); }

void OptionValues::refuse(const std::string& name, const std::string& allowed) const {
  throw InputError("task " + task_ + ": option " + name + " is '" + text(name) + "', allowed is " + allowed);
}

}  // namespace hyseq::tasks
