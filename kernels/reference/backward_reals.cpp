// ReferenceBackward for double and float.
#include "kernels/reference/backward_body.hpp"

namespace hyseq::kernels {

template class ReferenceBackward<double>;
template class ReferenceBackward<float>;

}  // namespace hyseq::kernels
