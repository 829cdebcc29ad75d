#include "tasks/options.hpp"

#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"

namespace hyseq::tasks {

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
  if (!parse_number(text(name), value) || value < least || value > most) {
    refuse(name, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double OptionValues::real(const std::string& name, double least, double most) const {
  double value = 0.0;
  // Written so that a NaN is refused as well.
  if (!parse_number(text(name), value) || !(value >= least && value <= most)) {
    refuse(name, "a number from " + plain_number(least) + " to " + plain_number(most));
  }
  return value;
}

const std::string& OptionValues::text(const std::string& name) const { return values_.at(name); }

void OptionValues::refuse(const std::string& name, const std::string& allowed) const {
  throw InputError("task " + task_ + ": option " + name + " is '" + text(name) + "', allowed is " + allowed);
}

}  // namespace hyseq::tasks
