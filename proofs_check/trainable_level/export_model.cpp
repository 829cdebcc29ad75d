#include "proofs_check/trainable_level/subject.hpp"
#include "proofs_check/trainable_level/verify.hpp"
#include "tasks/batch.hpp"

namespace hyseq::proofs_check {
namespace {

/// With a row of the task as the example.
template <class Construction>
models::ModelFile model_file(const Construction& construction) {
  const auto task = task_of(construction.spec, 0.2);
  const tasks::Batch example = tasks::sample_rows(*task, {1, Purpose::verification}, 0, 1, {100, 100});
  models::ModelFile file;
  file.architecture = construction.architecture;
  file.parameters = construction.values;
  file.input = {{1, example.length}, example.input};
  file.target = {{1, example.length}, example.target};
  const tasks::Vocabulary& vocabulary = task->vocabulary();
  file.special = models::SpecialTokens{vocabulary.bos(), vocabulary.eos(), vocabulary.null()};
  return file;
}

}  // namespace

models::ModelFile export_model(const constructions::TrainableCopySpec& spec) {
  return model_file(constructions::build(spec));
}
models::ModelFile export_model(const constructions::TrainableRecallSpec& spec) {
  return model_file(constructions::build(spec));
}
models::ModelFile export_model(const constructions::DeepRecallSpec& spec) {
  return model_file(constructions::build(spec));
}

}  // namespace hyseq::proofs_check
