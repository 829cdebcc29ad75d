// What differs between the two tasks of the level "trainable": one overload each.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "constructions/trainable/decode_recall.hpp"
#include "constructions/trainable/deep_recall.hpp"
#include "constructions/trainable/selective_copy.hpp"
#include "proofs_check/trainable_level/verify.hpp"
#include "results/certificate.hpp"
#include "tasks/options.hpp"
#include "tasks/task.hpp"

namespace hyseq::proofs_check {

/// The task's options, as the catalogue has them.
[[nodiscard]] tasks::OptionMap task_options(const constructions::TrainableCopySpec& spec, double share);

/// The task of the catalogue with the specification's options; `share` of number or bit tokens.
[[nodiscard]] std::unique_ptr<tasks::Task> task_of(const constructions::TrainableCopySpec& spec, double share);
[[nodiscard]] std::unique_ptr<tasks::Task> task_of(const constructions::TrainableRecallSpec& spec, double share);
[[nodiscard]] std::unique_ptr<tasks::Task> task_of(const constructions::DeepRecallSpec& spec, double share);

/// Length of random sequences.
[[nodiscard]] std::size_t length_of(const constructions::TrainableCopySpec& spec, const TrainableRequest& request);
[[nodiscard]] std::size_t length_of(const constructions::TrainableRecallSpec& spec, const TrainableRequest& request);
[[nodiscard]] std::size_t length_of(const constructions::DeepRecallSpec& spec, const TrainableRequest& request);

/// Specifications with few tokens, each with a length of which all sequences can be tried.
template <class Spec>
using SmallDomains = std::vector<std::pair<Spec, int>>;
[[nodiscard]] SmallDomains<constructions::TrainableCopySpec> small_domains(
    const constructions::TrainableCopySpec& spec);
[[nodiscard]] SmallDomains<constructions::TrainableRecallSpec> small_domains(
    const constructions::TrainableRecallSpec& spec);
[[nodiscard]] SmallDomains<constructions::DeepRecallSpec> small_domains(const constructions::DeepRecallSpec& spec);

using NamedFaults = std::vector<std::pair<std::string, constructions::Fault>>;
[[nodiscard]] const NamedFaults& faults(const constructions::TrainableCopySpec& spec);
[[nodiscard]] const NamedFaults& faults(const constructions::TrainableRecallSpec& spec);
[[nodiscard]] const NamedFaults& faults(const constructions::DeepRecallSpec& spec);

/// The margins that the widths are compared by, as members of `json`.
void describe_margins(const constructions::TrainableCopyConstruction& construction, results::Json& json);
void describe_margins(const constructions::TrainableRecallConstruction& construction, results::Json& json);
void describe_margins(const constructions::DeepRecallConstruction& construction, results::Json& json);

/// Copying: the states bit by bit. Recall: long streams.
[[nodiscard]] results::Check carry_check(const constructions::TrainableCopyConstruction& construction,
                                         const TrainableRequest& request);
[[nodiscard]] results::Check carry_check(const constructions::TrainableRecallConstruction& construction,
                                         const TrainableRequest& request);
[[nodiscard]] results::Check carry_check(const constructions::DeepRecallConstruction& construction,
                                         const TrainableRequest& request);

/// What positions, domain and carry together speak for.
[[nodiscard]] std::string scope_of(const constructions::TrainableCopySpec& spec, const TrainableRequest& request);
[[nodiscard]] std::string scope_of(const constructions::TrainableRecallSpec& spec, const TrainableRequest& request);
[[nodiscard]] std::string scope_of(const constructions::DeepRecallSpec& spec, const TrainableRequest& request);

/// The parameters of the certificate.
[[nodiscard]] results::Json parameters_of(const constructions::TrainableCopySpec& spec);
[[nodiscard]] results::Json parameters_of(const constructions::TrainableRecallSpec& spec);
[[nodiscard]] results::Json parameters_of(const constructions::DeepRecallSpec& spec);

}  // namespace hyseq::proofs_check
