#include "kernels/lanes/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/session_double.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes/session-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

std::unique_ptr<LaneSession<double>> new_double_session(const LaneSessionRequest& request) {
  return std::make_unique<TargetSession<hn::ScalableTag<double>>>(request);
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace hyseq::kernels {

HWY_EXPORT(new_double_session);

std::unique_ptr<LaneSession<double>> make_double_session(const LaneSessionRequest& request) {
  return HWY_DYNAMIC_DISPATCH(new_double_session)(request);
}

}  // namespace hyseq::kernels

#endif
