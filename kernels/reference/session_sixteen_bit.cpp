// ReferenceSession for the 16-bit formats.
#include "kernels/reference/session_body.hpp"

namespace hyseq::kernels {

template class ReferenceSession<numbers::BFloat16>;
template class ReferenceSession<numbers::Half>;

}  // namespace hyseq::kernels
