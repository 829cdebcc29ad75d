#include "results/stored_budgets.hpp"

#include <cmath>

#include "results/figures/plotting.hpp"

namespace hyseq::results {

std::vector<Json> StoredBudgets::along(const std::string& axis) const {
  std::vector<Json> points;
  for (const Json& point : array_of(*figures, "grid"))
    if (text_of(point, "axis") == axis) points.push_back(point);
  return points;
}

std::vector<StoredBudgets> budgets_of(const std::vector<Certificate>& certificates, const std::string& theorem) {
  std::vector<StoredBudgets> list;
  for (const Certificate& certificate : certificates) {
    if (certificate.theorem != theorem || certificate.verdict != "certified") continue;
    if (const Check* check = find_check(certificate, "budgets"); check != nullptr)
      list.push_back({&certificate, &check->figures});
  }
  return list;
}

std::map<std::string, StoredBudgets> grids_of(const std::vector<StoredBudgets>& all) {
  std::map<std::string, StoredBudgets> best;
  for (const StoredBudgets& each : all) {
    const auto [held, fresh] = best.try_emplace(each.certificate->level, each);
    const std::size_t size = array_of(*each.figures, "grid").size();
    const std::size_t known = array_of(*held->second.figures, "grid").size();
    if (!fresh && (size > known || (size == known && each.certificate->number == "float"))) held->second = each;
  }
  return best;
}

double quantity(const Json& figures, const std::string& key) {
  const auto found = figures.find(key);
  if (found == figures.end()) return kMissing;
  return found->is_object() ? number_or(*found, "value") : number_or(figures, key);
}

double size_of(const Json& point, const HybridKind& kind) {
  const double value = number_or(point, kind.axis);
  return std::string(kind.axis) == "bits" ? std::exp2(value) : value;
}

double format_bits(const std::string& number) { return number == "double" ? 64 : number == "float" ? 32 : 16; }

}  // namespace hyseq::results
