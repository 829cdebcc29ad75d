#include "kernels/causal_conv/dense.hpp"
#include "kernels/dense/target/bodies.hpp"
#include "kernels/dropout/dense.hpp"
#include "kernels/elementwise/dense.hpp"
#include "kernels/embedding/dense.hpp"
#include "kernels/layer_norm/dense.hpp"
#include "kernels/linear/dense.hpp"
#include "kernels/rms_norm/dense.hpp"
#include "kernels/rotary/dense.hpp"
#include "kernels/selective_scan/dense.hpp"
#include "kernels/window_attention/dense.hpp"

namespace hyseq::kernels::dense {

template <class T>
void run_forward(const Operation& operation, const Context<T>& context) {
  std::visit([&](const auto& call) { forward(call, context); }, operation);
}

template void run_forward(const Operation& operation, const Context<float>& context);
template void run_forward(const Operation& operation, const Context<double>& context);

}  // namespace hyseq::kernels::dense
