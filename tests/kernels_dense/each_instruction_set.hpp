// Runs a check on every instruction set that this processor has.
#pragma once

#include <string>

#include "kernels/dense/instruction_set.hpp"

namespace hyseq::kernels::dense {

/// check(name) with the instruction set selected; the widest is selected again behind it.
template <class Check>
void for_each_instruction_set(const Check& check) {
  for (const InstructionSet* set : instruction_sets()) {
    select_instruction_set(set->name);
    check(std::string(set->name));
  }
  select_instruction_set(instruction_sets().front()->name);
}

}  // namespace hyseq::kernels::dense
