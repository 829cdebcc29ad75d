// The end of a training step: clipping by the global norm and AdamW (Loshchilov, Hutter 2019).
#pragma once

#include <cstdint>
#include <vector>

namespace hyseq::kernels {

/// Gradients of a model are multiplied by min(1, limit / (norm + epsilon)), norm the Euclidean norm over all of its
/// parameters. A limit of 0 switches clipping off.
struct Clip {
  double limit = 1;
  double epsilon = 1e-6;
};

/// With t the number of updates so far, this one included (from 1):
///   p *= 1 - rate decay;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
///   p -= rate (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).
/// The rate is a scalar of the member and the step; the decay applies to the parameters that a policy names.
struct AdamW {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double decay = 0.1;
  std::vector<std::uint8_t> decays;  // per parameter, 1 where the decay applies; empty: it applies to all
};

}  // namespace hyseq::kernels
