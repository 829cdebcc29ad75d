#include "kernels/checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/base/error.hpp"

namespace hyseq::kernels {
namespace {

std::string counted(std::size_t members) { return std::to_string(members) + (members == 1 ? " member" : " members"); }

}  // namespace

void check_shapes(const Program& program, const ParameterValues& values, std::string_view what) {
  const bool fits = std::ranges::equal(values, program.parameters, [](const auto& array, const ParameterInfo& info) {
    return array.size() == info.size();
  });
  if (!fits) throw InputError(std::string(what) + " do not have the shapes of this model's parameters");
}

void check_values(const Program& program, const ParameterValues& values) {
  check_shapes(program, values, "the values");
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (!std::ranges::all_of(values[p], [](double value) { return std::isfinite(value); }))
      throw InputError("parameter " + program.parameters[p].name + " holds a value that is not finite");
  }
}

void check_size(std::size_t size, std::size_t wanted, std::string_view what) {
  if (size != wanted)
    throw InputError(std::to_string(size) + " " + std::string(what) + " do not fit " + std::to_string(wanted) +
                     " tokens");
}

void check_tokens(const Program& program, std::span<const std::int32_t> tokens, std::size_t time) {
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    if (tokens[row] >= 0 && tokens[row] < program.vocabulary) continue;
    throw InputError("token " + std::to_string(tokens[row]) + " at position " + std::to_string(row % time) +
                     " lies outside the vocabulary 0.." + std::to_string(program.vocabulary - 1));
  }
}

void check_buffer_values(const std::vector<BufferInfo>& infos, const ParameterValues* values, std::size_t rows) {
  if (values == nullptr) return;
  if (values->size() != infos.size()) {
    throw InputError("a program of " + std::to_string(infos.size()) + " buffers got values of " +
                     std::to_string(values->size()));
  }
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const std::size_t size = rows * static_cast<std::size_t>(infos[i].width);
    if ((*values)[i].size() != size) {
      throw InputError("buffer " + infos[i].name + " got " + std::to_string((*values)[i].size()) +
                       " values and needs " + std::to_string(size));
    }
  }
}

void check_cohort(const CohortRequest& request, std::size_t most_members) {
  if (request.training == nullptr || request.evaluation == nullptr || request.training->backward.empty())
    throw InputError("a cohort needs a program for training, with its backward list, and one for evaluation");
  if (request.members == 0 || request.members > most_members) {
    throw InputError("a cohort of " + counted(request.members) + " does not fit; allowed are 1 to " +
                     std::to_string(most_members));
  }
  if (request.longest == 0 || request.threads == 0)
    throw InputError("a cohort needs a length and a number of threads above 0");
  const auto& trained = request.training->parameters;
  if (!std::ranges::equal(trained, request.evaluation->parameters, {}, &ParameterInfo::shape, &ParameterInfo::shape))
    throw InputError("the evaluation program's parameters do not have the shapes of the training program's");
  const std::size_t decays = request.optimiser.decays.size();
  if (decays != 0 && decays != trained.size()) {
    throw InputError("weight decay is given for " + std::to_string(decays) + " of " + std::to_string(trained.size()) +
                     " parameters");
  }
}

void check_member(std::size_t member, std::size_t members) {
  if (member >= members)
    throw InputError("member " + std::to_string(member) + " does not exist; the cohort has " + counted(members));
}

void check_batch(const CohortBatch& batch, const CohortRequest& request) {
  const std::size_t cells = batch.rows * batch.time;
  if (cells == 0 || batch.time > request.longest) {
    throw InputError("a batch of " + std::to_string(batch.rows) + " x " + std::to_string(batch.time) +
                     " tokens does not fit a cohort of lengths 1 to " + std::to_string(request.longest));
  }
  const std::size_t all = request.members * cells;
  if (batch.tokens.size() != all || batch.targets.size() != all ||
      (!batch.segments.empty() && batch.segments.size() != cells)) {
    throw InputError("a batch of " + counted(request.members) + ", " + std::to_string(batch.rows) + " rows and " +
                     std::to_string(batch.time) +
                     " positions needs as many tokens and targets, and segments of one member or none");
  }
  check_tokens(*request.training, batch.tokens, batch.time);
  check_targets(batch.targets, batch.valid_below, request.training->vocabulary);
}

void check_step(const StepRequest& step, std::size_t results, const CohortRequest& request) {
  check_batch(step.batch, request);
  if (step.seeds.size() != request.members || step.rates.size() != request.members || results != request.members)
    throw InputError("a step of " + counted(request.members) + " needs as many seeds, rates and results");
}

void check_evaluation(const CohortBatch& batch, std::size_t losses, std::size_t marks, const CohortRequest& request) {
  check_batch(batch, request);
  const std::size_t positions = request.members * batch.rows * batch.time;
  if (losses != request.members || (marks != 0 && marks != positions)) {
    throw InputError("an evaluation of " + counted(request.members) + " needs as many losses, and marks for " +
                     std::to_string(positions) + " positions or none");
  }
}

void check_carried_rows(const ForwardRequest& request) {
  if (request.carry_in != nullptr && request.carry_in->rows() != request.batch) {
    throw InputError("the carried state has " + std::to_string(request.carry_in->rows()) + " rows; the tokens have " +
                     std::to_string(request.batch));
  }
}

void check_gradients(const ForwardRequest& request) {
  if (!request.gradients) return;
  if (request.targets.empty()) throw InputError("gradients are those of a loss, and there are no targets");
  if (request.carry_in != nullptr) throw InputError("gradients need whole sequences; a carried state is a part of one");
  if (request.program->backward.empty()) throw InputError("gradients need a program with a backward list");
}

void check_plain_forward(const ForwardRequest& request, std::string_view engine) {
  const std::string the_engine = "the " + std::string(engine) + " engine";
  if (request.trace) throw InputError(the_engine + " records no trace; the reference engine does");
  if (request.carry_in != nullptr || request.carry_out)
    throw InputError(the_engine + " runs whole sequences only; the reference engine carries state between pieces");
  check_gradients(request);
}

void refuse_format(std::string_view engine, std::string_view does, std::string_view allowed, NumberFormat format) {
  throw InputError("the " + std::string(engine) + " engine " + std::string(does) + " in " + std::string(allowed) +
                   ", not in " + std::string(name(format)) + "; the reference engine has every format");
}

}  // namespace hyseq::kernels
