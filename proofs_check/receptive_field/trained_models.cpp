#include "proofs_check/receptive_field/trained_models.hpp"

#include "kernels/base/random.hpp"
#include "kernels/engine.hpp"
#include "models/initialise.hpp"
#include "models/lowering.hpp"
#include "proofs_check/parallel.hpp"
#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr tasks::SelectiveCopyShape kShape{3, 1, 3};
constexpr std::size_t kRows = 4;
constexpr std::size_t kTime = 24;
constexpr double kRate = 1e-2;

models::TransformerBlock block(int window, models::Norm norm, models::Residual residual, int heads) {
  models::TransformerBlock result;
  result.window = window;
  result.norm = norm;
  result.residual = residual;
  result.heads = heads;
  result.rotary_width = 2;
  return result;
}

std::vector<TrainedModel> untrained() {
  using models::Norm;
  using models::Residual;
  models::SsmBlock ssm;
  ssm.state_size = 4;
  const std::vector<std::pair<std::string, std::vector<models::Block>>> layers{
      {"TF, window 4", {block(4, Norm::layer, Residual::parallel, 2)}},
      {"TF,TF, windows 2 and 3",
       {block(2, Norm::layer, Residual::parallel, 1), block(3, Norm::rms, Residual::sequential, 2)}},
      {"TF,TF,TF, windows 3, 1 and 4, the last without residual",
       {block(3, Norm::rms, Residual::sequential, 1), block(1, Norm::layer, Residual::parallel, 4),
        block(4, Norm::layer, Residual::none, 1)}},
      {"SSM,TF, window 4", {ssm, block(4, Norm::layer, Residual::parallel, 1)}}};
  std::vector<TrainedModel> list;
  for (const auto& [name, blocks] : layers) {
    TrainedModel trained;
    trained.name = name;
    trained.model.architecture.width = 8;
    trained.model.architecture.vocabulary = tasks::selective_copy_vocabulary(kShape).size();
    trained.model.architecture.layers = blocks;
    list.push_back(std::move(trained));
  }
  return list;
}

void train(TrainedModel& trained, std::uint64_t seed, int steps) {
  const tasks::Vocabulary vocabulary = tasks::selective_copy_vocabulary(kShape);
  const kernels::Program program = models::lower(trained.model.architecture);
  kernels::CohortRequest request;
  request.training = &program;
  request.evaluation = &program;
  request.format = NumberFormat::float64;
  request.longest = kTime;
  const auto cohort = kernels::reference_engine().make_cohort(request);
  cohort->set_parameters(0, models::initialise(program, seed));
  std::vector<std::int32_t> tokens(kRows * kTime);
  std::vector<std::int32_t> targets(tokens.size());
  constexpr int kLast = 10;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t row = 0; row < kRows; ++row) {
      RandomStream stream({seed, Purpose::training_data}, static_cast<std::uint64_t>(step) * kRows + row);
      const auto input = std::span(tokens).subspan(row * kTime, kTime);
      tasks::sample_selective_copy(kShape, Bernoulli(0.2), stream, input);
      tasks::label_selective_copy(kShape, vocabulary.null(), input, std::span(targets).subspan(row * kTime, kTime));
    }
    kernels::StepRequest request_of_step;
    request_of_step.batch.rows = kRows;
    request_of_step.batch.time = kTime;
    request_of_step.batch.tokens = tokens;
    request_of_step.batch.targets = targets;
    request_of_step.batch.valid_below = vocabulary.bos();
    request_of_step.step = static_cast<std::uint64_t>(step);
    request_of_step.seeds = std::span(&seed, 1);
    request_of_step.rates = std::span(&kRate, 1);
    kernels::MemberStep result;
    cohort->step(request_of_step, std::span(&result, 1));
    if (step == 0) trained.first_loss = result.loss.loss;
    if (step >= steps - kLast) trained.last_loss += result.loss.loss / kLast;
  }
  trained.model.parameters = cohort->parameters(0);
}

}  // namespace

std::vector<TrainedModel> train_small_models(std::uint64_t seed, int steps, int threads) {
  std::vector<TrainedModel> list = untrained();
  for_each_index(list.size(), threads, [&](std::size_t i) { train(list[i], seed, steps); });
  return list;
}

}  // namespace hyseq::proofs_check
