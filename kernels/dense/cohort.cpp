#include "kernels/dense/cohort.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/checks.hpp"
#include "kernels/dense/session.hpp"
#include "kernels/lanes/flush_subnormals.hpp"
#include "kernels/memory.hpp"

namespace hyseq::kernels::dense {
namespace {

/// Where the request leaves it to the engine: as many rows as give the products something to chew on, within a bound on
/// memory. Neither depends on the machine, so that results do not.
constexpr std::size_t kTokens = 2048;
constexpr std::size_t kBytes = std::size_t{1} << 30;

std::size_t rows_at_a_time(const CohortRequest& request, const Program& program, std::size_t time, bool backward) {
  if (request.micro_batch > 0) return request.micro_batch;
  const std::size_t wanted = (kTokens + time - 1) / time;
  const std::size_t row = time * numbers_per_token(program, backward) * static_cast<std::size_t>(bytes(request.format));
  return std::max<std::size_t>(1, std::min(wanted, kBytes / row));
}

template <class T>
class DenseCohort final : public Cohort {
 public:
  explicit DenseCohort(const CohortRequest& request)
      : request_(request),
        set_(instruction_set()),
        pool_(request.threads),
        values_(zero_arrays<T>(*request.training)),
        gradients_(values_),
        first_(values_),
        second_(values_),
        training_(*request.training, set_, pool_, values_, &gradients_),
        evaluation_(*request.evaluation, set_, pool_, values_, nullptr) {
    for (std::size_t p = 0; p < values_.size(); ++p) {
      for (std::size_t begin = 0; begin < values_[p].size(); begin += kPiece) {
        pieces_.push_back({p, begin, std::min(kPiece, values_[p].size() - begin)});
      }
    }
  }

  [[nodiscard]] std::size_t members() const override { return 1; }

  void set_parameters(std::size_t member, const ParameterValues& values) override {
    check_member(member, 1);
    check_shapes(*request_.training, values, "the values");
    assign(values, values_);
  }
  [[nodiscard]] ParameterValues parameters(std::size_t member) const override {
    check_member(member, 1);
    return to_values(values_);
  }
  void set_moments(std::size_t member, const Moments& moments) override {
    check_member(member, 1);
    check_shapes(*request_.training, moments.first, "the first moments");
    assign(moments.first, first_);
    check_shapes(*request_.training, moments.second, "the second moments");
    assign(moments.second, second_);
  }
  [[nodiscard]] Moments moments(std::size_t member) const override {
    check_member(member, 1);
    return {to_values(first_), to_values(second_)};
  }

  void step(const StepRequest& request, std::span<MemberStep> results) override {
    check_step(request, results.size(), request_);
    const FlushSubnormals flush;
    clear_gradients();
    typename Session<T>::LossSum loss;
    for_each_part(request.batch, training_, true, {request.seeds[0], request.step}, [&](std::size_t /*first*/) {
      training_.forward(true);
      loss.add(training_.loss());
      training_.backward();
    });
    results[0] = {loss.mean(), gradient_norm()};
    if (results[0].finite()) update(request, results[0].gradient_norm);
  }

  void evaluate(const CohortBatch& batch, std::span<LossResult> losses, std::span<std::uint8_t> correct) override {
    check_evaluation(batch, losses.size(), correct.size(), request_);
    typename Session<T>::LossSum loss;
    for_each_part(batch, evaluation_, false, {}, [&](std::size_t first) {
      evaluation_.forward(false);
      loss.add(evaluation_.loss(correct.empty() ? correct : correct.subspan(first)));
    });
    losses[0] = loss.mean();
  }

 private:
  /// A run of elements of one parameter: the piece of the update that a task does.
  struct Piece {
    std::size_t parameter;
    std::size_t begin;
    std::size_t count;
  };
  static constexpr std::size_t kPiece = std::size_t{1} << 15;

  /// Places a batch part by part in `session` and calls visit(first position of the part) for each.
  template <class Visit>
  void for_each_part(const CohortBatch& batch, Session<T>& session, bool backward, const DropoutKey& dropout,
                     const Visit& visit) {
    const Program& program = backward ? *request_.training : *request_.evaluation;
    const std::size_t most = rows_at_a_time(request_, program, batch.time, backward);
    const std::int64_t valid = count_valid(batch.targets, batch.valid_below);
    for (std::size_t row = 0; row < batch.rows; row += most) {
      const std::size_t count = std::min(most, batch.rows - row);
      const std::size_t first = row * batch.time;
      const std::size_t cells = count * batch.time;
      const auto segments = batch.segments.empty() ? batch.segments : batch.segments.subspan(first, cells);
      session.place({count, batch.time, batch.tokens.subspan(first, cells), segments,
                     batch.targets.subspan(first, cells), batch.valid_below, valid, row, dropout});
      visit(first);
    }
  }

  void clear_gradients() {
    pool_.run(pieces_.size(), [&](std::size_t i, std::size_t /*worker*/) {
      const Piece& piece = pieces_[i];
      std::fill_n(gradients_[piece.parameter].data() + piece.begin, piece.count, T(0));
    });
  }

  double gradient_norm() {
    std::vector<double> squares(pieces_.size());
    pool_.run(pieces_.size(), [&](std::size_t i, std::size_t /*worker*/) {
      const Piece& piece = pieces_[i];
      squares[i] = set_.bodies<T>().sum_of_squares(gradients_[piece.parameter].data() + piece.begin, piece.count);
    });
    double sum = 0;
    for (const double square : squares) sum += square;
    return std::sqrt(sum);
  }

  void update(const StepRequest& request, double norm) {
    const AdamW& optimiser = request_.optimiser;
    const Clip& clip = request_.clip;
    const auto updates = static_cast<double>(request.step + 1);
    Update common;
    common.factor = clip.limit == 0 ? 1 : std::min(1.0, clip.limit / (norm + clip.epsilon));
    common.rate = request.rates[0];
    common.decay = optimiser.decay;
    common.beta1 = optimiser.beta1;
    common.beta2 = optimiser.beta2;
    common.epsilon = optimiser.epsilon;
    common.correction1 = 1 - std::pow(optimiser.beta1, updates);
    common.correction2 = 1 - std::pow(optimiser.beta2, updates);
    pool_.run(pieces_.size(), [&](std::size_t i, std::size_t /*worker*/) {
      const auto [p, begin, count] = pieces_[i];
      Update update = common;
      if (!optimiser.decays.empty() && optimiser.decays[p] == 0) update.decay = 0;
      set_.bodies<T>().adamw(update, count, gradients_[p].data() + begin, values_[p].data() + begin,
                             first_[p].data() + begin, second_[p].data() + begin);
    });
  }

  CohortRequest request_;
  const InstructionSet& set_;
  Pool pool_;
  Arrays<T> values_;
  Arrays<T> gradients_;
  Arrays<T> first_;
  Arrays<T> second_;
  std::vector<Piece> pieces_;
  Session<T> training_;
  Session<T> evaluation_;
};

}  // namespace

std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) {
  const auto held = [&](const Program& program, bool backward, std::size_t wanted) {
    return std::min(wanted, rows_at_a_time(request, program, request.longest, backward)) *
           numbers_per_token(program, backward);
  };
  const std::size_t per_token = held(*request.training, true, rows) + held(*request.evaluation, false, kEvaluatedRows);
  return (numbers_per_member(*request.training) + request.longest * per_token) *
         static_cast<std::size_t>(bytes(request.format));
}

std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) {
  check_cohort(request, 1);
  switch (request.format) {
    case NumberFormat::float32:
      return std::make_unique<DenseCohort<float>>(request);
    case NumberFormat::float64:
      return std::make_unique<DenseCohort<double>>(request);
    default:
      refuse_format("dense", "trains", "float or double", request.format);
  }
}

}  // namespace hyseq::kernels::dense
