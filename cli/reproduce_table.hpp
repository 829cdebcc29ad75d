// A reproduction as text for a terminal.
#pragma once

#include <ostream>

#include "results/reproduction.hpp"

namespace hyseq::cli {

void print_reproduction(std::ostream& out, const results::Reproduction& reproduction);

}  // namespace hyseq::cli
