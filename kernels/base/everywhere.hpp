// Marks functions that the CUDA compiler translates for both processors; nothing for other compilers.
#pragma once

#if defined(__CUDACC__)
#define HYSEQ_EVERYWHERE __host__ __device__
#else
#define HYSEQ_EVERYWHERE
#endif
