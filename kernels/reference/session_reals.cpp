// ReferenceSession for double and float.
#include "kernels/reference/session_body.hpp"

namespace hyseq::kernels {

template class ReferenceSession<double>;
template class ReferenceSession<float>;

}  // namespace hyseq::kernels
