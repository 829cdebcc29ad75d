// Number types of the reference engine: storage formats, their accumulators, intervals, and the functions on them.
#pragma once

#include "kernels/base/number_format.hpp"               // IWYU pragma: export
#include "kernels/base/numbers/functions.hpp"           // IWYU pragma: export
#include "kernels/base/numbers/interval.hpp"            // IWYU pragma: export
#include "kernels/base/numbers/interval_functions.hpp"  // IWYU pragma: export
#include "kernels/base/numbers/numeric.hpp"             // IWYU pragma: export
#include "kernels/base/numbers/sixteen_bit.hpp"         // IWYU pragma: export
