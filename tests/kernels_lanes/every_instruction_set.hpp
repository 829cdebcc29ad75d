// Runs a check on every instruction set that this processor has.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "kernels/lanes/instruction_set.hpp"

namespace hyseq::kernels {

/// check() with each instruction set selected; the best is selected again behind it.
template <class Check>
void on_every_instruction_set(const Check& check) {
  for (const std::string& name : available_instruction_sets()) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, name);
    select_instruction_set(name);
    check();
  }
  select_instruction_set("best");
}

}  // namespace hyseq::kernels
