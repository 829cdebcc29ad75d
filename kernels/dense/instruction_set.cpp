#include "kernels/dense/instruction_set.hpp"

#include <atomic>
#include <string>

#include "kernels/base/error.hpp"

extern "C" {
extern const hyseq::kernels::dense::InstructionSet hyseq_dense_baseline;
#ifdef HYSEQ_DENSE_X86_64
extern const hyseq::kernels::dense::InstructionSet hyseq_dense_x86_64_v3;
extern const hyseq::kernels::dense::InstructionSet hyseq_dense_x86_64_v4;
#endif
}

namespace hyseq::kernels::dense {
namespace {

#ifdef HYSEQ_DENSE_X86_64
#ifdef __clang__  // does not know the levels by name; processors with these features have the rest of their level
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
bool has_v3() { return __builtin_cpu_supports("x86-64-v3"); }
bool has_v4() { return __builtin_cpu_supports("x86-64-v4"); }
#endif
#endif

std::atomic<const InstructionSet*>& selected() {
  static std::atomic<const InstructionSet*> set = instruction_sets().front();
  return set;
}

}  // namespace

const std::vector<const InstructionSet*>& instruction_sets() {
  static const std::vector<const InstructionSet*> all = [] {
    std::vector<const InstructionSet*> sets;
#ifdef HYSEQ_DENSE_X86_64
    if (has_v4()) sets.push_back(&hyseq_dense_x86_64_v4);
    if (has_v3()) sets.push_back(&hyseq_dense_x86_64_v3);
#endif
    sets.push_back(&hyseq_dense_baseline);
    for (const InstructionSet* set : sets) set->prepare();
    return sets;
  }();
  return all;
}

const InstructionSet& instruction_set() { return *selected(); }

void select_instruction_set(std::string_view name) {
  std::string present;
  for (const InstructionSet* set : instruction_sets()) {
    if (set->name == name) {
      selected() = set;
      return;
    }
    present += (present.empty() ? "" : ", ") + std::string(set->name);
  }
  throw InputError("the dense engine has no instruction set '" + std::string(name) + "' here; it has: " + present);
}

}  // namespace hyseq::kernels::dense
