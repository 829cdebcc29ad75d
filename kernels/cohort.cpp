#include "kernels/cohort.hpp"

#include <cmath>

namespace hyseq::kernels {

bool MemberStep::finite() const { return std::isfinite(loss.loss) && std::isfinite(gradient_norm); }

}  // namespace hyseq::kernels
