#include "kernels/lanes/instruction_set.hpp"

#include <cstdint>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/lanes/targets.hpp"

namespace hyseq::kernels {
namespace {

struct Known {
  std::int64_t target;
  std::string_view name;
  std::size_t bytes;  // of a vector; 0: one number
};

constexpr Known kKnown[] = {
    {HWY_AVX3, "avx512", 64}, {HWY_AVX2, "avx2", 32},       {HWY_SSE4, "sse4", 16},
    {HWY_NEON, "neon", 16},   {HWY_EMU128, "portable", 16}, {HWY_SCALAR, "portable", 0},
};

bool usable(const Known& known) { return (hwy::SupportedTargets() & HWY_TARGETS & known.target) != 0; }

const Known& current() {
  for (const Known& known : kKnown) {
    if (usable(known)) return known;
  }
  throw EnvironmentError("the lanes engine has no code for this processor");
}

/// Takes back the choice for as long as it lives.
class Unrestricted {
 public:
  Unrestricted() : chosen_(hwy::SupportedTargets()) { hwy::SetSupportedTargetsForTest(0); }
  Unrestricted(const Unrestricted&) = delete;
  Unrestricted& operator=(const Unrestricted&) = delete;
  ~Unrestricted() { hwy::SetSupportedTargetsForTest(chosen_ == hwy::SupportedTargets() ? 0 : chosen_); }

 private:
  std::int64_t chosen_;
};

}  // namespace

std::vector<std::string> available_instruction_sets() {
  const Unrestricted all;
  std::vector<std::string> names;
  for (const Known& known : kKnown) {
    if (usable(known)) names.emplace_back(known.name);
  }
  return names;
}

std::string current_instruction_set() { return std::string(current().name); }

void select_instruction_set(std::string_view name) {
  std::int64_t target = 0;
  if (name != "best") {
    const Unrestricted all;
    std::string available;
    for (const Known& known : kKnown) {
      if (!usable(known)) continue;
      if (known.name == name) target = known.target;
      available += (available.empty() ? "" : ", ") + std::string(known.name);
    }
    if (target == 0) {
      throw InputError("instruction set '" + std::string(name) + "' is not available here; allowed are " + available +
                       " and best");
    }
  }
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::size_t lane_count(NumberFormat format) {
  if (format != NumberFormat::float32 && format != NumberFormat::float64) return 0;
  const std::size_t vector = current().bytes;
  return vector == 0 ? 1 : vector / static_cast<std::size_t>(bytes(format));
}

}  // namespace hyseq::kernels
