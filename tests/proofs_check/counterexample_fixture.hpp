// Models with their tasks that the tests of the search for counterexamples share.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "models/initialise.hpp"
#include "models/lowering.hpp"
#include "proofs_check/counterexample/search.hpp"
#include "tasks/registry.hpp"
#include "tests/proofs_check/fixture.hpp"

namespace hyseq::proofs_check {

/// A model, its task, and the request that asks about them; the outcome depends on nothing but `inputs`.
struct Case {
  kernels::Program program;
  kernels::ParameterValues values;
  std::unique_ptr<tasks::Task> task;

  [[nodiscard]] SearchRequest request(std::size_t length, std::uint64_t inputs) const {
    SearchRequest request;
    request.question.program = &program;
    request.question.parameters = &values;
    request.question.task = task.get();
    request.question.length = length;
    request.seconds = std::numeric_limits<double>::infinity();
    request.inputs = inputs;
    return request;
  }
};

inline Case copy_case(const SelectiveCopySpec& spec) {
  auto construction = constructions::build(spec);
  return {construction.program, construction.values,
          tasks::make_task("selective_copy", {{"values", std::to_string(spec.vocabulary - spec.distances)},
                                              {"distance-min", "0"},
                                              {"distance-count", std::to_string(spec.distances)}})};
}

inline Case recall_case(const DecodeRecallSpec& spec) {
  auto construction = constructions::build(spec);
  return {construction.program, construction.values,
          tasks::make_task(spec.level == Level::faithful ? "decode_recall_last" : "decode_recall",
                           {{"bits", std::to_string(spec.bits)}})};
}

inline Case random_case(const std::string& task, const tasks::OptionMap& options, std::uint64_t seed) {
  Case random;
  random.task = tasks::make_task(task, options);
  models::Architecture architecture;
  architecture.width = 8;
  architecture.vocabulary = random.task->vocabulary().size();
  architecture.layers = models::parse_layers("SSM,TF", {}, {});
  random.program = models::lower(architecture);
  random.values = models::initialise(random.program, seed, {0.5, false});
  return random;
}

}  // namespace hyseq::proofs_check
