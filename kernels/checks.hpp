// What every engine asks of what it is given, in one place and in the same words. All throw InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/cohort.hpp"
#include "kernels/engine.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels {

/// Values in the shapes of the program's parameters; `what` begins the sentence: "the first moments".
void check_shapes(const Program& program, const ParameterValues& values, std::string_view what);
/// Also finite.
void check_values(const Program& program, const ParameterValues& values);

/// "7 targets do not fit 8 tokens".
void check_size(std::size_t size, std::size_t wanted, std::string_view what);
/// Inside the vocabulary; rows of `time` tokens each, for the words of the sentence.
void check_tokens(const Program& program, std::span<const std::int32_t> tokens, std::size_t time);
/// Values of all buffers for so many rows, or null.
void check_buffer_values(const std::vector<BufferInfo>& infos, const ParameterValues* values, std::size_t rows);

/// Programs that belong together, 1 .. most_members members, a length, a thread, as many decays as parameters or none.
void check_cohort(const CohortRequest& request, std::size_t most_members);
void check_member(std::size_t member, std::size_t members);
/// Tokens, targets and segments of the batch's shape and inside the vocabulary, rows no longer than the cohort was made
/// for.
void check_batch(const CohortBatch& batch, const CohortRequest& request);
/// A batch, and a seed, a rate and a result per member.
void check_step(const StepRequest& step, std::size_t results, const CohortRequest& request);
/// A batch, a loss per member, and a mark per position or none.
void check_evaluation(const CohortBatch& batch, std::size_t losses, std::size_t marks, const CohortRequest& request);

/// As many rows of a carried state as of tokens.
void check_carried_rows(const ForwardRequest& request);
/// Gradients only of a loss and with a backward list.
void check_gradients(const ForwardRequest& request);
/// Also neither trace nor carried states: for engines (named in the sentence) without them.
void check_plain_forward(const ForwardRequest& request, std::string_view engine);

/// The refusal of a number format that the engine does not compute in, "float or double".
[[noreturn]] void refuse_format(std::string_view engine, std::string_view does, std::string_view allowed,
                                NumberFormat format);

}  // namespace hyseq::kernels
