#include "kernels/lanes/cohort.hpp"

#include <cmath>
#include <string>

#include "kernels/adamw/reference.hpp"
#include "kernels/checks.hpp"
#include "kernels/lanes/flush_subnormals.hpp"
#include "kernels/lanes/instruction_set.hpp"
#include "kernels/lanes/members.hpp"

namespace hyseq::kernels {
namespace {

template <class T>
class LanesCohort final : public Cohort {
 public:
  explicit LanesCohort(const CohortRequest& request)
      : request_(request),
        lanes_(lane_count(request.format)),
        size_(request.training->parameter_count() * lanes_),
        memory_(4 * size_),
        values_(*request.training, lanes_, memory_.data()),
        gradients_(*request.training, lanes_, memory_.data() + size_),
        first_(*request.training, lanes_, memory_.data() + 2 * size_),
        second_(*request.training, lanes_, memory_.data() + 3 * size_),
        training_(session(*request.training, KeptBuffers::for_backward)),
        evaluation_(session(*request.evaluation, KeptBuffers::for_evaluation)) {
    check_table<T>(*request.training, lanes_);
    tokens_ = AlignedArray<LaneIndex<T>>(request.longest * lanes_, 0);
    targets_ = AlignedArray<LaneIndex<T>>(request.longest * lanes_, -1);
    weights_ = AlignedArray<T>(lanes_, T{0});
    scalars_ = AlignedArray<T>(4 * lanes_, T{0});
    seeds_.resize(lanes_, 0);
  }

  [[nodiscard]] std::size_t members() const override { return request_.members; }

  void set_parameters(std::size_t member, const ParameterValues& values) override {
    check_member(member, members());
    values_.set(member, values);
  }
  [[nodiscard]] ParameterValues parameters(std::size_t member) const override {
    check_member(member, members());
    return values_.get(member);
  }
  void set_moments(std::size_t member, const Moments& moments) override {
    check_member(member, members());
    first_.set(member, moments.first);
    second_.set(member, moments.second);
  }
  [[nodiscard]] Moments moments(std::size_t member) const override {
    check_member(member, members());
    return {first_.get(member), second_.get(member)};
  }

  void step(const StepRequest& request, std::span<MemberStep> results) override {
    check_step(request, results.size(), request_);
    const FlushSubnormals flush;
    for (MemberStep& result : results) result = {};
    std::copy(request.seeds.begin(), request.seeds.end(), seeds_.begin());
    count_valid(request.batch, results);
    gradients_.clear();
    training_->bind(values_.arrays());
    for (std::size_t row = 0; row < request.batch.rows; ++row) {
      LaneSequence<T> sequence = place(*training_, request.batch, row);
      sequence.step = request.step;
      sequence.parameter_gradients = gradients_.arrays();
      sequence.keep = true;
      training_->forward(sequence);
      training_->backward(sequence);
      add_losses(*training_, request.batch.time, results, {});
    }
    for (MemberStep& result : results) finish(result.loss);
    update(request, results);
  }

  void evaluate(const CohortBatch& batch, std::span<LossResult> losses, std::span<std::uint8_t> correct) override {
    check_evaluation(batch, losses.size(), correct.size(), request_);
    const FlushSubnormals flush;
    std::vector<MemberStep> results(members());
    count_valid(batch, results);
    evaluation_->bind(values_.arrays());
    for (std::size_t row = 0; row < batch.rows; ++row) {
      const LaneSequence<T> sequence = place(*evaluation_, batch, row);
      evaluation_->forward(sequence);
      evaluation_->loss(sequence);
      // Where this row's hits of member 0 go; those of the others follow a whole batch later each.
      add_losses(*evaluation_, batch.time, results, correct.empty() ? correct : correct.subspan(row * batch.time),
                 batch.rows * batch.time);
    }
    for (std::size_t m = 0; m < members(); ++m) {
      finish(results[m].loss);
      losses[m] = results[m].loss;
    }
  }

 private:
  [[nodiscard]] std::unique_ptr<LaneSession<T>> session(const Program& program, KeptBuffers kept) const {
    return make_lane_session<T>({&program, request_.longest, plan_for_cache(program, lanes_ * sizeof(T), kept)});
  }

  void count_valid(const CohortBatch& batch, std::span<MemberStep> results) {
    const std::size_t shared = batch.rows * batch.time;
    for (std::size_t m = 0; m < members(); ++m) {
      for (const std::int32_t target : batch.targets.subspan(m * shared, shared)) {
        if (is_valid_target(target, batch.valid_below)) ++results[m].loss.valid;
      }
      const auto valid = static_cast<double>(results[m].loss.valid);
      weights_.data()[m] = valid == 0 ? T{0} : static_cast<T>(1 / valid);
    }
  }

  /// One row of all members, transposed into lanes. Lanes without a member compute on token 0 with zero weights.
  LaneSequence<T> place(LaneSession<T>& session, const CohortBatch& batch, std::size_t row) {
    const std::span<const std::int32_t> segments =
        batch.segments.empty() ? batch.segments : batch.segments.subspan(row * batch.time, batch.time);
    session.place(fresh_layout(batch.time, segments));
    session.reset();
    for (std::size_t m = 0; m < members(); ++m) {
      const std::size_t from = (m * batch.rows + row) * batch.time;
      for (std::size_t t = 0; t < batch.time; ++t) {
        tokens_.data()[t * lanes_ + m] = batch.tokens[from + t];
        const std::int32_t target = batch.targets[from + t];
        targets_.data()[t * lanes_ + m] = is_valid_target(target, batch.valid_below) ? target : -1;
      }
    }
    LaneSequence<T> sequence;
    sequence.row = row;
    sequence.tokens = tokens_.data();
    sequence.targets = targets_.data();
    sequence.loss_weight = weights_.data();
    sequence.seeds = seeds_.data();
    return sequence;
  }

  /// Sums over the positions of the row in hand; `correct`, where not empty, gets hits, `apart` from member to member.
  void add_losses(const LaneSession<T>& session, std::size_t time, std::span<MemberStep> results,
                  std::span<std::uint8_t> correct, std::size_t apart = 0) const {
    const T* losses = session.losses();
    const T* hits = session.hits();
    for (std::size_t m = 0; m < members(); ++m) {
      LossResult& result = results[m].loss;
      for (std::size_t t = 0; t < time; ++t) {
        result.loss += static_cast<double>(losses[t * lanes_ + m]);
        const bool hit = hits[t * lanes_ + m] > 0;
        if (hit) ++result.correct;
        if (!correct.empty()) correct[m * apart + t] = hit ? 1 : 0;
      }
    }
  }

  static void finish(LossResult& result) {
    if (result.valid > 0) result.loss /= static_cast<double>(result.valid);
  }

  void update(const StepRequest& request, std::span<MemberStep> results) {
    std::vector<double> squares(lanes_, 0.0);
    training_->add_squares(gradients_.data(), gradients_.elements(), squares.data());
    const AdamW& optimiser = request_.optimiser;
    T* active = scalars_.data();
    T* factor = active + lanes_;
    T* rate = factor + lanes_;
    T* kept = rate + lanes_;
    for (std::size_t m = 0; m < members(); ++m) {
      results[m].gradient_norm = std::sqrt(squares[m]);
      active[m] = results[m].finite() ? T{1} : T{0};
      factor[m] = static_cast<T>(clip_factor(request_.clip, results[m].gradient_norm));
      rate[m] = static_cast<T>(request.rates[m]);
      kept[m] = static_cast<T>(1 - request.rates[m] * optimiser.decay);
    }
    LaneUpdate<T> update;
    update.active = active;
    update.clip_factor = factor;
    update.rate = rate;
    update.kept = kept;
    const auto updates = static_cast<double>(request.step + 1);
    update.beta1 = static_cast<T>(optimiser.beta1);
    update.beta2 = static_cast<T>(optimiser.beta2);
    update.fresh1 = static_cast<T>(1 - optimiser.beta1);
    update.fresh2 = static_cast<T>(1 - optimiser.beta2);
    update.inverse_correction1 = static_cast<T>(1 / (1 - std::pow(optimiser.beta1, updates)));
    update.inverse_correction2 = static_cast<T>(1 / (1 - std::pow(optimiser.beta2, updates)));
    update.epsilon = static_cast<T>(optimiser.epsilon);
    for (std::size_t p = 0; p < request_.training->parameters.size(); ++p) {
      const bool decays = optimiser.decays.empty() || optimiser.decays[p] != 0;
      training_->update(update, decays, request_.training->parameters[p].size(), gradients_.array(p), values_.array(p),
                        first_.array(p), second_.array(p));
    }
  }

  CohortRequest request_;
  std::size_t lanes_;
  std::size_t size_;        // parameters of all lanes
  AlignedArray<T> memory_;  // of the next four
  MemberValues<T> values_;
  MemberValues<T> gradients_;
  MemberValues<T> first_;
  MemberValues<T> second_;
  std::unique_ptr<LaneSession<T>> training_;
  std::unique_ptr<LaneSession<T>> evaluation_;
  AlignedArray<LaneIndex<T>> tokens_;
  AlignedArray<LaneIndex<T>> targets_;
  AlignedArray<T> weights_;
  AlignedArray<T> scalars_;
  std::vector<std::uint64_t> seeds_;
};

}  // namespace

std::unique_ptr<Cohort> make_lanes_cohort(const CohortRequest& request) {
  const std::size_t most = lane_count(request.format);
  if (most == 0) refuse_format("lanes", "trains", "float or double", request.format);
  check_cohort(request, most);
  if (request.format == NumberFormat::float64) return std::make_unique<LanesCohort<double>>(request);
  return std::make_unique<LanesCohort<float>>(request);
}

}  // namespace hyseq::kernels
