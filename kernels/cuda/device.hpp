// The device that the kernels of this folder run on, one vocabulary for two kinds of it:
//
//   nvidia     a GPU, where the sources are translated by nvcc
//   emulated   the processor, where they are translated by the host compiler: every thread of a block is a fiber,
//              shared and global memory are checked at every access (emulated/block.hpp)
//
// A file of the engine is written once, in `inline namespace HYSEQ_CUDA_DEVICE` of `hyseq::kernels::cuda`, and
// translated once for each. HYSEQ_CUDA_DEVICE is defined in shape.hpp.
//
// A kernel is a struct of its arguments, copied to the device, with a call operator:
//
//   template <class T>
//   struct Scale {
//     static constexpr bool kCooperative = false;   // no barriers, shuffles or shared memory: runs as a plain loop
//     Span<T> data;
//     T factor;
//     HYSEQ_DEVICE void operator()(const Thread& thread) const {
//       const std::size_t i = thread.global_index();
//       if (i < data.size()) data[i] *= factor;
//     }
//   };
//   launch(stream, {blocks(n, 256), 256, 0}, Scale<float>{data, 2});
//
// Rules that keep one source right on both: every thread of a block reaches every barrier, and every thread of a
// warp every shuffle (no early return in a cooperative kernel); no atomics, so that sums have one order; indices are
// std::size_t or unsigned; blocks are one-dimensional, grids up to three, and have 256 threads at most unless the
// kernel has a kMostThreads. Threads of a warp do not see each other's writes to shared memory before a barrier either,
// and threads and blocks come in no order.
#pragma once

#include "kernels/cuda/shape.hpp"

#if defined(__CUDACC__)
#include "kernels/cuda/nvidia/memory.hpp"
#include "kernels/cuda/nvidia/stream.hpp"
#include "kernels/cuda/nvidia/thread.hpp"
#else
#include "kernels/cuda/emulated/memory.hpp"
#include "kernels/cuda/emulated/stream.hpp"
#include "kernels/cuda/emulated/thread.hpp"
#endif
