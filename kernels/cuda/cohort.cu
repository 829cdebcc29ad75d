#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/adamw/cuda.hpp"
#include "kernels/checks.hpp"
#include "kernels/cuda/cohort.hpp"
#include "kernels/cuda/session.hpp"
#include "kernels/memory.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

/// Where the request leaves it to the engine: as many rows of a member as fill a large GPU even where it is alone,
/// within a bound on its memory. Neither depends on the device or on the other members, so that results do not.
constexpr std::size_t kTokens = std::size_t{1} << 13;
constexpr std::size_t kBytes = std::size_t{16} << 30;
constexpr std::size_t kEvaluationBytes = kBytes / 8;

/// Of a number on the device: bfloat16 is a matter of products alone.
std::size_t number_bytes(NumberFormat format) { return format == NumberFormat::float64 ? 8 : 4; }

/// Rows of each member.
std::size_t rows_at_a_time(const CohortRequest& request, const Program& program, std::size_t time, bool backward) {
  if (request.micro_batch > 0) return request.micro_batch;
  const std::size_t bytes = time * numbers_per_token(program, backward) * number_bytes(request.format);
  return std::max<std::size_t>(1, std::min(kTokens / time, (backward ? kBytes : kEvaluationBytes) / bytes));
}

Factors factors(NumberFormat format) { return format == NumberFormat::bfloat16 ? Factors::bfloat16 : Factors::full; }

template <class T>
class CudaCohort final : public Cohort {
 public:
  explicit CudaCohort(const CohortRequest& request)
      : request_(request),
        layout_(*request.training),
        values_(request.members * layout_.step),
        gradients_(values_.size()),
        first_(values_.size()),
        second_(values_.size()),
        sums_(request.members),
        training_(*request.training, layout_, stream_, request.members, values_.span(), gradients_.span(),
                  factors(request.format)),
        optimiser_(layout_, request.members, request.optimiser, request.clip, stream_),
        evaluation_(*request.evaluation, layout_, stream_, request.members, values_.span(), {},
                    factors(request.format)) {
    for (DeviceArray<T>* array : {&values_, &first_, &second_}) zero(stream_, array->span());
  }

  [[nodiscard]] std::size_t members() const override { return request_.members; }

  void set_parameters(std::size_t member, const ParameterValues& values) override {
    set(member, values, "the values", values_);
  }
  [[nodiscard]] ParameterValues parameters(std::size_t member) const override { return get(member, values_); }
  void set_moments(std::size_t member, const Moments& moments) override {
    set(member, moments.first, "the first moments", first_);
    set(member, moments.second, "the second moments", second_);
  }
  [[nodiscard]] Moments moments(std::size_t member) const override {
    return {get(member, first_), get(member, second_)};
  }

  void step(const StepRequest& request, std::span<MemberStep> results) override {
    check_step(request, results.size(), request_);
    const std::vector<std::int64_t> valid = valid_targets(request.batch);
    std::vector<MemberStepValues> numbers(members());
    for (std::size_t m = 0; m < members(); ++m) {
      numbers[m] = {request.seeds[m], valid[m] > 0 ? 1 / static_cast<double>(valid[m]) : 0, request.rates[m]};
    }
    StepValues step;
    step.step = request.step;
    step.correction1 = 1 - std::pow(request_.optimiser.beta1, static_cast<double>(request.step + 1));
    step.correction2 = 1 - std::pow(request_.optimiser.beta2, static_cast<double>(request.step + 1));
    for_each_part(request.batch, training_, true, [&](std::size_t first_row, std::size_t rows) {
      step.first_row = first_row;
      training_.set_step(step, numbers);
      const Part part{rows, request.batch.time, first_row == 0, first_row + rows == request.batch.rows};
      run(part, [&] { work(part); });
    });
    const std::vector<LossSums> sums = download(sums_);
    const std::vector<double> squares = download(optimiser_.squares());
    for (std::size_t m = 0; m < members(); ++m) results[m] = {mean(sums[m], valid[m]), std::sqrt(squares[m])};
  }

  void evaluate(const CohortBatch& batch, std::span<LossResult> losses, std::span<std::uint8_t> correct) override {
    check_evaluation(batch, losses.size(), correct.size(), request_);
    const std::size_t cells = batch.rows * batch.time;
    zero(stream_, sums_.span());
    for_each_part(batch, evaluation_, false, [&](std::size_t first_row, std::size_t rows) {
      evaluation_.set_step({}, std::vector<MemberStepValues>(members()));
      evaluation_.forward();
      evaluation_.loss(sums_.span());
      if (correct.empty()) return;
      std::vector<std::uint8_t> hits(members() * rows * batch.time);
      evaluation_.download_hits(hits);
      for (std::size_t m = 0; m < members(); ++m) {
        std::copy_n(hits.begin() + static_cast<std::ptrdiff_t>(m * rows * batch.time), rows * batch.time,
                    correct.begin() + static_cast<std::ptrdiff_t>(m * cells + first_row * batch.time));
      }
    });
    const std::vector<std::int64_t> valid = valid_targets(batch);
    const std::vector<LossSums> sums = download(sums_);
    for (std::size_t m = 0; m < members(); ++m) losses[m] = mean(sums[m], valid[m]);
  }

 private:
  void set(std::size_t member, const ParameterValues& values, const char* what, DeviceArray<T>& array) {
    check_member(member, members());
    check_shapes(*request_.training, values, what);
    upload_member(layout_, values, member, stream_, array);
  }
  [[nodiscard]] ParameterValues get(std::size_t member, const DeviceArray<T>& array) const {
    check_member(member, members());
    return download_member(*request_.training, layout_, member, stream_, array);
  }

  [[nodiscard]] std::vector<std::int64_t> valid_targets(const CohortBatch& batch) const {
    const std::size_t cells = batch.rows * batch.time;
    std::vector<std::int64_t> valid(members());
    for (std::size_t m = 0; m < members(); ++m) {
      valid[m] = count_valid(batch.targets.subspan(m * cells, cells), batch.valid_below);
    }
    return valid;
  }

  /// Places a batch part by part in `session` and calls visit(first row of the part, its rows) for each.
  template <class Visit>
  void for_each_part(const CohortBatch& batch, Session<T>& session, bool backward, const Visit& visit) {
    const Program& program = backward ? *request_.training : *request_.evaluation;
    const std::size_t most = rows_at_a_time(request_, program, batch.time, backward);
    for (std::size_t row = 0; row < batch.rows; row += most) {
      const std::size_t count = std::min(most, batch.rows - row);
      const std::size_t first = row * batch.time;
      const std::size_t cells = count * batch.time;
      const auto part = [&](std::span<const std::int32_t> all) {
        std::vector<std::int32_t> rows;
        for (std::size_t m = 0; m < members(); ++m) {
          const auto own = all.subspan(m * batch.rows * batch.time + first, cells);
          rows.insert(rows.end(), own.begin(), own.end());
        }
        return rows;
      };
      const std::vector<std::int32_t> tokens = part(batch.tokens);
      const std::vector<std::int32_t> targets = part(batch.targets);
      const auto segments = batch.segments.empty() ? batch.segments : batch.segments.subspan(first, cells);
      session.place({members(), count, batch.time, tokens, segments, targets, batch.valid_below}, backward);
      visit(row, count);
    }
  }

  /// Rows of a step that are worked on together; the first part begins the step, the last one ends it.
  struct Part {
    std::size_t rows;
    std::size_t time;
    bool first;
    bool last;
    [[nodiscard]] bool operator<(const Part& other) const {
      return std::tie(rows, time, first, last) < std::tie(other.rows, other.time, other.first, other.last);
    }
  };

  void work(const Part& part) {
    if (part.first) {
      zero(stream_, gradients_.span());
      zero(stream_, sums_.span());
    }
    training_.forward();
    training_.loss(sums_.span());
    training_.backward();
    if (!part.last) return;
    optimiser_.update(stream_, {values_.span(), gradients_.span(), first_.span(), second_.span()}, sums_.span(),
                      training_.step(), training_.member_steps());
  }

  /// The first time that rows of a shape come, their work is done as it is given, so that all memory is there; the
  /// second time it is recorded, and from then on replayed.
  template <class Work>
  void run(const Part& part, const Work& work) {
    if (generation_ != training_.generation()) recorded_.clear();
    generation_ = training_.generation();
    const auto known = recorded_.find(part);
    if (known == recorded_.end()) {
      work();
      recorded_.emplace(part, Graph());
      return;
    }
    if (known->second.empty()) known->second = stream_.capture(work);
    stream_.replay(known->second);
  }

  template <class U>
  [[nodiscard]] std::vector<U> download(const DeviceArray<U>& array) const {
    std::vector<U> values(array.size());
    array.download(stream_, values);
    stream_.wait();
    return values;
  }

  [[nodiscard]] static LossResult mean(const LossSums& sums, std::int64_t valid) {
    return {valid > 0 ? sums.loss / static_cast<double>(valid) : 0, valid, static_cast<std::int64_t>(sums.correct)};
  }

  CohortRequest request_;
  ParameterLayout layout_;
  mutable Stream stream_;  // what is given to it is no part of the cohort's state
  DeviceArray<T> values_;
  DeviceArray<T> gradients_;
  DeviceArray<T> first_;
  DeviceArray<T> second_;
  DeviceArray<LossSums> sums_;
  Session<T> training_;
  Optimiser<T> optimiser_;
  Session<T> evaluation_;
  std::map<Part, Graph> recorded_;
  std::size_t generation_ = 0;
};

}  // namespace

std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) {
  const auto held = [&](const Program& program, bool backward, std::size_t wanted) {
    return std::min(wanted, rows_at_a_time(request, program, request.longest, backward)) *
           numbers_per_token(program, backward);
  };
  const std::size_t per_token = held(*request.training, true, rows) + held(*request.evaluation, false, kEvaluatedRows);
  return request.members * (numbers_per_member(*request.training) + request.longest * per_token) *
         number_bytes(request.format);
}

std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) {
  check_cohort(request, kMostMembers);
  switch (request.format) {
    case NumberFormat::float32:
    case NumberFormat::bfloat16:
      return std::make_unique<CudaCohort<float>>(request);
    case NumberFormat::float64:
      return std::make_unique<CudaCohort<double>>(request);
    default:
      refuse_format("cuda", "trains", "float, double or bfloat16", request.format);
  }
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
