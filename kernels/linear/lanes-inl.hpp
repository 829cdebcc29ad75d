#if defined(HYSEQ_KERNELS_LINEAR_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef HYSEQ_KERNELS_LINEAR_LANES_INL_HPP
#undef HYSEQ_KERNELS_LINEAR_LANES_INL_HPP
#else
#define HYSEQ_KERNELS_LINEAR_LANES_INL_HPP
#endif

#include "kernels/lanes/product-inl.hpp"
#include "kernels/linear/linear.hpp"

HWY_BEFORE_NAMESPACE();
namespace hyseq::kernels::HWY_NAMESPACE {

template <class D>
void lanes(D d, const Linear& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  const auto inputs = static_cast<std::size_t>(call.in.width);
  const auto outputs = static_cast<std::size_t>(call.out.width);
  const Matrix<const T> in{context.at(call.in, context.begin), context.stride(call.in), 1};
  const Matrix<const T> weight{context.parameter(call.weight), 1, inputs};  // transposed
  const Matrix<const T> bias{context.parameter(call.bias), 0, 1};
  product(d, context.end - context.begin, outputs, inputs, in, weight, bias,
          Matrix<T>{context.at(call.out, context.begin), context.stride(call.out), 1});
}

/// to[c] += sum of from[t][c] over the rows.
template <class D>
void add_rows(D d, std::size_t rows, std::size_t columns, const Matrix<const hn::TFromD<D>>& from, hn::TFromD<D>* to) {
  using V = hn::Vec<D>;
  constexpr std::size_t kLanes = LaneContext<D>::kLanes;
  constexpr std::size_t kBlock = 4;
  std::size_t c = 0;
  for (; c + kBlock <= columns; c += kBlock) {
    V sum[kBlock];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kBlock; ++i) sum[i] = hn::Load(d, to + (c + i) * kLanes);
    for (std::size_t t = 0; t < rows; ++t) {
      const auto* row = from.data + (t * from.row + c) * kLanes;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kBlock; ++i) sum[i] = hn::Add(sum[i], hn::Load(d, row + i * kLanes));
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kBlock; ++i) hn::Store(sum[i], d, to + (c + i) * kLanes);
  }
  for (; c < columns; ++c) {
    V sum = hn::Load(d, to + c * kLanes);
    for (std::size_t t = 0; t < rows; ++t) sum = hn::Add(sum, hn::Load(d, from.data + (t * from.row + c) * kLanes));
    hn::Store(sum, d, to + c * kLanes);
  }
}

template <class D>
void lanes(D d, const LinearBackward& call, const LaneContext<D>& context) {
  using T = hn::TFromD<D>;
  const Linear& forward = call.call;
  const std::size_t rows = context.end - context.begin;
  const auto inputs = static_cast<std::size_t>(forward.in.width);
  const auto outputs = static_cast<std::size_t>(forward.out.width);
  const T* gradient = context.gradient_at(call.out_gradient, context.begin);
  const std::size_t stride = context.gradient_stride(call.out_gradient);
  if (call.in_gradient.wanted()) {
    const Matrix<T> in{context.gradient_at(call.in_gradient.view, context.begin),
                       context.gradient_stride(call.in_gradient.view), 1};
    Matrix<const T> init{};
    if (call.in_gradient.mode == GradientMode::accumulate) init = {in.data, in.row, 1};
    product(d, rows, inputs, outputs, Matrix<const T>{gradient, stride, 1},
            Matrix<const T>{context.parameter(forward.weight), inputs, 1}, init, in);
  }
  T* weight = context.parameter_gradient(forward.weight);
  product(d, outputs, inputs, rows, Matrix<const T>{gradient, 1, stride},
          Matrix<const T>{context.at(forward.in, context.begin), context.stride(forward.in), 1},
          Matrix<const T>{weight, inputs, 1}, Matrix<T>{weight, inputs, 1});
  if (forward.bias != kNoParameter) {
    add_rows(d, rows, outputs, Matrix<const T>{gradient, stride, 1}, context.parameter_gradient(forward.bias));
  }
}

}  // namespace hyseq::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
