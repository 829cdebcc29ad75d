// ReferenceBackward for the 16-bit formats.
#include "kernels/reference/backward_body.hpp"

namespace hyseq::kernels {

template class ReferenceBackward<numbers::BFloat16>;
template class ReferenceBackward<numbers::Half>;

}  // namespace hyseq::kernels
