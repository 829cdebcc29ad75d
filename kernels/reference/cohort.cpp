#include "kernels/reference/cohort.hpp"

#include <limits>
#include <string>

#include "kernels/adamw/reference.hpp"
#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/reference/backward.hpp"

namespace hyseq::kernels {
namespace {

ParameterValues zeros(const Program& program) {
  ParameterValues values;
  for (const ParameterInfo& parameter : program.parameters) values.emplace_back(parameter.size(), 0.0);
  return values;
}

/// The mean over parts of a batch.
class MeanLoss {
 public:
  void add(const LossResult& part) {
    sum_ += part.loss * static_cast<double>(part.valid);
    total_.valid += part.valid;
    total_.correct += part.correct;
  }
  [[nodiscard]] LossResult result() const {
    LossResult result = total_;
    if (total_.valid > 0) result.loss = sum_ / static_cast<double>(total_.valid);
    return result;
  }

 private:
  double sum_ = 0;
  LossResult total_;
};

template <class Scalar>
class ReferenceCohort final : public Cohort {
 public:
  using Numeric = numbers::Numeric<Scalar>;
  using Accumulator = typename Numeric::Accumulator;
  using Wide = numbers::Numeric<Accumulator>;

  explicit ReferenceCohort(const CohortRequest& request)
      : request_(request),
        training_(*request.training, zeros(*request.training), request.longest),
        evaluation_(*request.evaluation, zeros(*request.evaluation), request.longest),
        backward_(*request.training),
        members_(request.members) {
    for (Member& member : members_) {
      for (const ParameterInfo& parameter : request.training->parameters) member.values.emplace_back(parameter.size());
      member.first = member.values;
      member.second = member.values;
    }
  }

  [[nodiscard]] std::size_t members() const override { return members_.size(); }

  void set_parameters(std::size_t member, const ParameterValues& values) override {
    check_member(member, members());
    check_shapes(*request_.training, values, "the values");
    assign(values, members_[member].values, [](double value) { return Numeric::widen(Numeric::from_double(value)); });
  }
  [[nodiscard]] ParameterValues parameters(std::size_t member) const override {
    check_member(member, members());
    return to_values(members_[member].values);
  }
  void set_moments(std::size_t member, const Moments& moments) override {
    check_member(member, members());
    check_shapes(*request_.training, moments.first, "the first moments");
    check_shapes(*request_.training, moments.second, "the second moments");
    assign(moments.first, members_[member].first, Wide::from_double);
    assign(moments.second, members_[member].second, Wide::from_double);
  }
  [[nodiscard]] Moments moments(std::size_t member) const override {
    check_member(member, members());
    return {to_values(members_[member].first), to_values(members_[member].second)};
  }

  void step(const StepRequest& request, std::span<MemberStep> results) override {
    check_step(request, results.size(), request_);
    for (std::size_t m = 0; m < members(); ++m) results[m] = step_member(request, m);
  }

  void evaluate(const CohortBatch& batch, std::span<LossResult> losses, std::span<std::uint8_t> correct) override {
    check_evaluation(batch, losses.size(), correct.size(), request_);
    const std::size_t cells = batch.rows * batch.time;
    for (std::size_t m = 0; m < members(); ++m) {
      MeanLoss loss;
      evaluation_.bind(members_[m].values);
      for_each_part(batch, m, {}, evaluation_, [&](std::size_t first, std::span<const std::int32_t> targets) {
        loss.add(cross_entropy<Scalar>(evaluation_.logits(), targets, batch.valid_below));
        if (!correct.empty()) mark(batch, targets, correct.subspan(m * cells + first, targets.size()));
      });
      losses[m] = loss.result();
    }
  }

 private:
  using Arrays = std::vector<std::vector<Accumulator>>;
  struct Member {
    Arrays values;  // of Scalar's values
    Arrays first;
    Arrays second;
  };

  template <class Round>
  static void assign(const ParameterValues& from, Arrays& to, const Round& round) {
    for (std::size_t p = 0; p < from.size(); ++p) std::transform(from[p].begin(), from[p].end(), to[p].begin(), round);
  }
  static ParameterValues to_values(const Arrays& arrays) {
    ParameterValues values;
    for (const auto& array : arrays) values.emplace_back(array.begin(), array.end());
    return values;
  }

  /// Runs `session` over a member's rows, as many at a time as it may, and calls visit(first cell, targets) after each.
  template <class Visit>
  void for_each_part(const CohortBatch& batch, std::size_t member, const DropoutKey& dropout,
                     ReferenceSession<Scalar>& session, const Visit& visit) {
    const std::size_t most = request_.micro_batch == 0 ? batch.rows : request_.micro_batch;
    const std::size_t begin = member * batch.rows * batch.time;
    for (std::size_t row = 0; row < batch.rows; row += most) {
      const std::size_t count = std::min(most, batch.rows - row);
      const std::size_t first = row * batch.time;
      const std::size_t cells = count * batch.time;
      Carry<Scalar> carry = session.fresh(count);
      session.forward({batch.tokens.subspan(begin + first, cells), count, batch.time,
                       batch.segments.empty() ? batch.segments : batch.segments.subspan(first, cells), dropout, row},
                      carry);
      visit(first, batch.targets.subspan(begin + first, cells));
    }
  }

  MemberStep step_member(const StepRequest& request, std::size_t m) {
    const CohortBatch& batch = request.batch;
    Member& member = members_[m];
    const std::size_t cells = batch.rows * batch.time;
    const std::int64_t valid = count_valid(batch.targets.subspan(m * cells, cells), batch.valid_below);
    MeanLoss loss;
    backward_.clear();
    training_.bind(member.values);
    for_each_part(batch, m, {request.seeds[m], request.step}, training_,
                  [&](std::size_t /*first*/, std::span<const std::int32_t> targets) {
                    loss.add(cross_entropy<Scalar>(training_.logits(), targets, batch.valid_below));
                    backward_.run(training_, {targets, batch.valid_below, valid});
                  });
    const Arrays& gradients = backward_.parameter_gradients();
    const MemberStep result{loss.result(), gradient_norm(gradients)};
    if (!result.finite()) return result;
    AdamWStep update{&request_.optimiser, request.step + 1, request.rates[m], true,
                     clip_factor(request_.clip, result.gradient_norm)};
    for (std::size_t p = 0; p < gradients.size(); ++p) {
      update.decays = request_.optimiser.decays.empty() || request_.optimiser.decays[p] != 0;
      adamw<Scalar>(update, gradients[p], member.values[p], member.first[p], member.second[p]);
    }
    return result;
  }

  void mark(const CohortBatch& batch, std::span<const std::int32_t> targets, std::span<std::uint8_t> correct) const {
    const auto vocabulary = static_cast<std::size_t>(request_.evaluation->vocabulary);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const bool counts = targets[i] >= 0 && targets[i] < batch.valid_below;
      const Scalar* logits = evaluation_.logits().data() + i * vocabulary;
      correct[i] = counts && unique_argmax(logits, vocabulary) == targets[i] ? 1 : 0;
    }
  }

  CohortRequest request_;
  ReferenceSession<Scalar> training_;
  ReferenceSession<Scalar> evaluation_;
  ReferenceBackward<Scalar> backward_;
  std::vector<Member> members_;
};

}  // namespace

std::unique_ptr<Cohort> make_reference_cohort(const CohortRequest& request) {
  check_cohort(request, std::numeric_limits<std::size_t>::max());
  switch (request.format) {
    case NumberFormat::float64:
      return std::make_unique<ReferenceCohort<double>>(request);
    case NumberFormat::float32:
      return std::make_unique<ReferenceCohort<float>>(request);
    case NumberFormat::bfloat16:
      return std::make_unique<ReferenceCohort<numbers::BFloat16>>(request);
    case NumberFormat::float16:
      return std::make_unique<ReferenceCohort<numbers::Half>>(request);
  }
  throw InputError("unknown number format");
}

}  // namespace hyseq::kernels
