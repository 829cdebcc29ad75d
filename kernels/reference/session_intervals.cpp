// ReferenceSession for intervals of the formats.
#include "kernels/reference/session_body.hpp"

namespace hyseq::kernels {

template class ReferenceSession<numbers::Interval<double>>;
template class ReferenceSession<numbers::Interval<float>>;

}  // namespace hyseq::kernels
