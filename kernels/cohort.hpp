// Training: several models of one architecture, the members of a cohort, stepped together by one engine.
//
// A cohort owns parameters, moments and scratch memory of its members. What a member computes depends on its own
// parameters, data, seed and rate alone, bit for bit: not on its place in the cohort, on its neighbours (not even on
// ones that went non-finite) or on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/adamw/adamw.hpp"
#include "kernels/base/number_format.hpp"
#include "kernels/program.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels {

/// What a cohort is made for. The programs are borrowed and must outlive it.
struct CohortRequest {
  const Program* training = nullptr;    // with backward, and with dropout where it is wanted
  const Program* evaluation = nullptr;  // the same parameters, without dropout
  NumberFormat format = NumberFormat::float32;
  std::size_t members = 1;
  std::size_t longest = 1;      // tokens of the longest row it will be given
  std::size_t micro_batch = 0;  // rows that an engine may hold activations of at a time; 0: its own choice
  std::size_t threads = 1;
  Clip clip;
  AdamW optimiser;
};

/// Rows of data for all members. Members share the shape and the segments, and nothing else.
struct CohortBatch {
  std::size_t rows = 1;
  std::size_t time = 1;
  std::span<const std::int32_t> tokens;         // [members, rows, time]
  std::span<const std::int32_t> targets;        // [members, rows, time]
  std::span<const std::int32_t> segments = {};  // [rows, time] where examples are packed (-1: padding), else empty
  std::int32_t valid_below = 0;                 // targets from here on (special tokens) and negative ones do not count
};

/// One training step.
struct StepRequest {
  CohortBatch batch;
  std::uint64_t step = 0;                // from 0; counts updates for AdamW and keys the dropout
  std::span<const std::uint64_t> seeds;  // [members], of the dropout
  std::span<const double> rates;         // [members], learning rate of this step
};

/// What a member's step came to, before its update. A member whose loss or norm is not finite is not updated: it keeps
/// its parameters and moments, and nothing of it reaches another member.
struct MemberStep {
  LossResult loss;
  double gradient_norm = 0;
  [[nodiscard]] bool finite() const;
};

/// First and second moments in the order of Program::parameters.
struct Moments {
  ParameterValues first;
  ParameterValues second;
};

class Cohort {
 public:
  Cohort() = default;
  Cohort(const Cohort&) = delete;
  Cohort& operator=(const Cohort&) = delete;
  virtual ~Cohort() = default;

  [[nodiscard]] virtual std::size_t members() const = 0;

  /// Values cross in double and are rounded to the cohort's format; what comes out goes back in bit for bit. Moments
  /// start at zero. InputError where shapes do not fit.
  virtual void set_parameters(std::size_t member, const ParameterValues& values) = 0;
  [[nodiscard]] virtual ParameterValues parameters(std::size_t member) const = 0;
  virtual void set_moments(std::size_t member, const Moments& moments) = 0;
  [[nodiscard]] virtual Moments moments(std::size_t member) const = 0;

  /// Forward, backward, clipping and update of all members; the loss averages over all valid positions of a member's
  /// rows. A member without any contributes a gradient of zero (and still decays). results: [members].
  virtual void step(const StepRequest& request, std::span<MemberStep> results) = 0;

  /// Runs the evaluation program. losses: [members]; where `correct` is not empty, [members, rows, time], 1 where the
  /// arg-max is unique and equals a valid target, else 0.
  virtual void evaluate(const CohortBatch& batch, std::span<LossResult> losses, std::span<std::uint8_t> correct) = 0;
};

}  // namespace hyseq::kernels
