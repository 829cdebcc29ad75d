// ReferenceSession for intervals of the 16-bit formats and of exact real arithmetic.
#include "kernels/reference/session_body.hpp"

namespace hyseq::kernels {

template class ReferenceSession<numbers::Interval<numbers::BFloat16>>;
template class ReferenceSession<numbers::Interval<numbers::Half>>;
template class ReferenceSession<numbers::Interval<numbers::ExactReal>>;

}  // namespace hyseq::kernels
