// One model on the lanes engine, for Engine::forward and Engine::execute.
#pragma once

#include "kernels/engine.hpp"

namespace hyseq::kernels {

/// T is float or double. Rows of fresh, unpacked sequences without dropout and gradients lie in the lanes side by side;
/// otherwise every lane computes the same row.
template <class T>
[[nodiscard]] ForwardResult forward_lanes(const ForwardRequest& request);

/// Every call of the lists alone, over whole rows.
template <class T>
[[nodiscard]] ExecuteResult execute_lanes(const ExecuteRequest& request);

extern template ForwardResult forward_lanes<float>(const ForwardRequest& request);
extern template ForwardResult forward_lanes<double>(const ForwardRequest& request);
extern template ExecuteResult execute_lanes<float>(const ExecuteRequest& request);
extern template ExecuteResult execute_lanes<double>(const ExecuteRequest& request);

}  // namespace hyseq::kernels
