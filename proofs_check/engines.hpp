// Chooses reference<Scalar> for a number format at run time.
#pragma once

#include "kernels/base/error.hpp"
#include "kernels/base/number_format.hpp"
#include "kernels/reference/session.hpp"

namespace hyseq::proofs_check {

/// Calls `work` with a value of the storage type of `format`.
template <class Work>
auto with_scalar(NumberFormat format, Work&& work) {
  switch (format) {
    case NumberFormat::float64:
      return work(double{});
    case NumberFormat::float32:
      return work(float{});
    case NumberFormat::bfloat16:
      return work(numbers::BFloat16{});
    case NumberFormat::float16:
      return work(numbers::Half{});
  }
  throw InputError("unknown number format");
}

}  // namespace hyseq::proofs_check
