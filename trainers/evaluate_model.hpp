// Held-out evaluation of one model with given weights.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/program.hpp"
#include "results/run_record.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// Evaluates at all `lengths`, in their order, `configuration.evaluation.rows` rows each, with the architecture, data,
/// seed, engine and format of the configuration; evaluations are named "length 200". Throws Interrupted where `stop`
/// (or nullptr) becomes true, InputError where the task refuses a length or the parameters are not the model's.
[[nodiscard]] std::vector<results::Evaluation> evaluate_model(const RunConfiguration& configuration,
                                                              const kernels::ParameterValues& parameters,
                                                              std::span<const std::int64_t> lengths,
                                                              std::size_t threads, const std::atomic<bool>* stop);

}  // namespace hyseq::trainers
