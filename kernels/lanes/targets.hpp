// Which instruction sets the lanes engine is compiled for: AVX-512, AVX2, SSE4 and NEON, and Highway's portable
// fall-back. The others that Highway knows add compile time and nothing else for these kernels.
//
// A source that dispatches includes this before anything of Highway; in a header that is compiled for one instruction
// set at a time it does not matter.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif

#include <hwy/targets.h>
