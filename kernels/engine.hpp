// What every engine offers: a program, parameter values and tokens in; logits, loss, carry and trace out.
//
// Everything crosses this interface in double, which holds the values of every number format exactly, so that callers
// (command line, runner, tests) are written once for all engines and number formats.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/hdf5_file.hpp"
#include "kernels/base/number_format.hpp"
#include "kernels/cohort.hpp"
#include "kernels/memory.hpp"
#include "kernels/program.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"

namespace hyseq::kernels {

/// What the rows of a batch hand from one piece of their sequences to the next, independent of engine and layout.
/// Arrays by name, [batch, ...]:
///   scan state   "layers.0.ssm.state"       [batch, channels, states]
///   conv tail    "layers.0.ssm.conv_tail"   [batch, kernel - 1, channels], oldest first
///   attention    "layers.1.tf.keys" (rotated) and "layers.1.tf.values"   [batch, held, channels], oldest first
/// `held` is the largest number of positions any row still sees: min(position, window - 1). A row that sees fewer has
/// its positions last, behind zeros.
struct CarryState {
  std::vector<std::uint64_t> position;  // [batch], tokens seen in the row's segment
  std::vector<std::int32_t> segment;    // [batch], id of that segment
  std::map<std::string, Array<double>> arrays;

  [[nodiscard]] std::size_t rows() const { return position.size(); }
};

struct ForwardRequest {
  const Program* program = nullptr;
  const ParameterValues* parameters = nullptr;  // rounded to the number format by the engine
  NumberFormat format = NumberFormat::float64;
  std::size_t batch = 1;
  std::size_t time = 1;
  std::span<const std::int32_t> tokens;         // [batch, time]
  std::span<const std::int32_t> segments = {};  // [batch, time] where examples are packed, else empty
  std::span<const std::int32_t> targets = {};   // [batch, time], else empty: no loss
  std::int32_t valid_below = 0;                 // targets from here on (special tokens) and negative ones do not count
  const CarryState* carry_in = nullptr;         // fresh sequences where null
  bool carry_out = false;
  bool trace = false;
  /// Also the gradient of the loss; needs targets, a program with backward and fresh sequences (InputError). Dropout,
  /// where the program has any, is that of `dropout`.
  bool gradients = false;
  DropoutKey dropout;
};

struct ForwardResult {
  Array<double> logits;  // [batch, time, vocabulary]
  LossResult loss;       // over the positions of this call
  CarryState carry;      // where carry_out was asked for
  /// Where trace was asked for: "layers.0.ssm.steps" [batch, time, channels], "layers.0.ssm.states"
  /// [batch, time, channels, states], "layers.1.tf.probabilities" [batch, time, heads, distance]; distance 0 is the
  /// position itself.
  std::map<std::string, Array<double>> trace;
  ParameterValues gradients;  // where asked for, in the order of Program::parameters
};

/// A program's lists run on given buffers, for the engine suite: tests see every operation alone.
struct ExecuteRequest {
  const Program* program = nullptr;  // its lists may be anything that fits its buffers
  const ParameterValues* parameters = nullptr;
  NumberFormat format = NumberFormat::float64;
  std::size_t batch = 1;
  std::size_t time = 1;
  std::span<const std::int32_t> tokens = {};    // [batch, time]; empty: token 0 everywhere
  std::span<const std::int32_t> segments = {};  // [batch, time] or empty
  std::span<const std::int32_t> targets = {};   // [batch, time] or empty
  std::int32_t valid_below = 0;
  DropoutKey dropout;
  const std::vector<std::vector<double>>* buffers = nullptr;    // [buffer][batch, time, width]: values before
  const std::vector<std::vector<double>>* gradients = nullptr;  // likewise of the gradient buffers; null: all NaN
  bool backward = false;                                        // run the backward list behind the forward list
};

struct ExecuteResult {
  std::vector<std::vector<double>> buffers;    // after the lists
  std::vector<std::vector<double>> gradients;  // where backward ran
  ParameterValues parameter_gradients;         // where backward ran
};

/// One engine. Engines hold no state between calls and may be used from several threads.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::vector<NumberFormat> formats() const = 0;
  /// Where results are rounded, in one sentence.
  [[nodiscard]] virtual std::string_view rounding() const = 0;
  /// What becomes of subnormal numbers, in one sentence.
  [[nodiscard]] virtual std::string_view subnormals() const = 0;

  /// The instruction set in use, on which roundings may depend: "avx512"; "portable" for plain compiled code.
  [[nodiscard]] virtual std::string instructions() const { return "portable"; }

  /// InputError where sizes do not fit, a token lies outside the vocabulary or carry_in belongs to another model.
  [[nodiscard]] virtual ForwardResult forward(const ForwardRequest& request) const = 0;

  /// See ExecuteRequest. Carries start fresh.
  [[nodiscard]] virtual ExecuteResult execute(const ExecuteRequest& request) const = 0;

  /// The most members that one cohort of this program in this format holds well: the vector lanes of `lanes`, one for
  /// `dense`. 0 where the engine cannot train in that format.
  [[nodiscard]] virtual std::size_t cohort_size(NumberFormat format) const = 0;

  /// Bytes that such a cohort will take for steps of `rows` rows of the longest length, estimated from the shapes.
  [[nodiscard]] virtual std::size_t cohort_bytes(const CohortRequest& request, std::size_t rows) const = 0;
  /// Bytes that are free for it now.
  [[nodiscard]] virtual std::size_t free_bytes() const { return free_memory(); }

  /// A cohort of up to cohort_size members. InputError where the request does not fit.
  [[nodiscard]] virtual std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) const = 0;
};

/// The engines that can run here, fastest first; the last one is `reference`, which can execute everything.
[[nodiscard]] const std::vector<const Engine*>& engines();

/// The engine of that name. EnvironmentError, with the reason, for cuda where it cannot run, InputError for any other
/// unknown name.
[[nodiscard]] const Engine& find_engine(std::string_view name);

/// The oracle: one readable body per operation, every number format.
[[nodiscard]] const Engine& reference_engine();

}  // namespace hyseq::kernels
