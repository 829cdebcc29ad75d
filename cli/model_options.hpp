// Options that describe an architecture, shared by the commands that make one.
#pragma once

#include <boost/program_options.hpp>

#include "models/architecture.hpp"

namespace hyseq::cli {

/// --state, --kernel, --heads, --window, --rotary-fraction, --residual, --activation.
void add_block_options(boost::program_options::options_description& options);

/// The architecture of the argument `architecture`, --width and the options above. InputError naming the option.
[[nodiscard]] models::Architecture architecture_option(const boost::program_options::variables_map& values,
                                                       int vocabulary);

}  // namespace hyseq::cli
