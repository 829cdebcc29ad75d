// A learned figure as text for a terminal.
#pragma once

#include <ostream>

#include "results/learned.hpp"

namespace hyseq::cli {

void print_learned(std::ostream& out, const results::Learned& learned);

}  // namespace hyseq::cli
