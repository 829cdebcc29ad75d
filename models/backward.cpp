#include "models/backward.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

namespace hyseq::models {
namespace {

using kernels::GradientMode;
using kernels::GradientView;
using kernels::View;

/// While the list is written, gradient buffer i belongs to forward buffer i; sharing comes last.
class Differentiation {
 public:
  explicit Differentiation(kernels::Program& program) : program_(program) {
    for (const kernels::BufferInfo& buffer : program.buffers) {
      reached_.emplace_back(static_cast<std::size_t>(buffer.width), false);
    }
  }

  void run() {
    program_.backward.clear();
    const GradientView logits = sink(program_.logits);
    emit(kernels::CrossEntropyBackward{program_.logits, logits.view});
    const std::vector<kernels::Operation> reversed(program_.forward.rbegin(), program_.forward.rend());
    for (const kernels::Operation& operation : reversed) {
      std::visit([&](const auto& call) { reverse(call); }, operation);
    }
  }

 private:
  void reverse(const kernels::Embedding& call) {
    if (reached(call.out)) emit(kernels::EmbeddingBackward{call, call.out});
  }
  void reverse(const kernels::PositionCode& /*constant*/) {}
  void reverse(const kernels::LayerNorm& call) {
    if (reached(call.out)) emit(kernels::LayerNormBackward{call, call.out, sink(call.in)});
  }
  void reverse(const kernels::RmsNorm& call) {
    if (reached(call.out)) emit(kernels::RmsNormBackward{call, call.out, sink(call.in)});
  }
  void reverse(const kernels::Linear& call) {
    if (reached(call.out)) emit(kernels::LinearBackward{call, call.out, sink(call.in)});
  }
  void reverse(const kernels::CausalConv& call) {
    if (reached(call.out)) emit(kernels::CausalConvBackward{call, call.out, sink(call.in)});
  }
  void reverse(const kernels::SelectiveScan& call) {
    if (!reached(call.out)) return;
    // Braces evaluate from left to right, which matters where two operands are the same columns.
    emit(kernels::SelectiveScanBackward{call, call.out, sink(call.u), sink(call.step), sink(call.input),
                                        sink(call.output)});
  }
  void reverse(const kernels::Rotary& call) {
    if (reached(call.data)) emit(kernels::RotaryBackward{call, call.data});
  }
  void reverse(const kernels::WindowAttention& call) {
    if (reached(call.out)) {
      emit(kernels::WindowAttentionBackward{call, call.out, sink(call.q), sink(call.k), sink(call.v)});
    }
  }
  void reverse(const kernels::Activate& call) {
    if (reached(call.out)) emit(kernels::ActivateBackward{call, call.out, sink(call.in)});
  }
  void reverse(const kernels::Add& call) {
    if (reached(call.out)) emit(kernels::AddBackward{call, call.out, sink(call.a), sink(call.b)});
  }
  void reverse(const kernels::Multiply& call) {
    if (reached(call.out)) emit(kernels::MultiplyBackward{call, call.out, sink(call.a), sink(call.b)});
  }
  void reverse(const kernels::Dropout& call) {
    if (reached(call.out)) emit(kernels::DropoutBackward{call, call.out, sink(call.in)});
  }

  void emit(kernels::BackwardOperation operation) { program_.backward.push_back(std::move(operation)); }

  /// Whether gradients have reached these columns: all of them or none.
  bool reached(const View& view) {
    const auto first = reached_[static_cast<std::size_t>(view.buffer)].begin() + view.offset;
    const auto count = std::count(first, first + view.width, true);
    if (count != 0 && count != view.width) {
      throw std::logic_error("gradients reach only some of the columns of " +
                             program_.buffers[static_cast<std::size_t>(view.buffer)].name);
    }
    return count != 0;
  }

  GradientView sink(const View& view) {
    const GradientMode mode = reached(view) ? GradientMode::accumulate : GradientMode::overwrite;
    std::fill_n(reached_[static_cast<std::size_t>(view.buffer)].begin() + view.offset, view.width, true);
    return {view, mode};
  }

  kernels::Program& program_;
  std::vector<std::vector<bool>> reached_;  // per buffer and column
};

/// Calls `visit` with every gradient view of a backward operation.
template <class Visit>
void for_each_gradient(kernels::BackwardOperation& operation, const Visit& visit) {
  const auto optional = [&](GradientView& gradient) {
    if (gradient.wanted()) visit(gradient.view);
  };
  std::visit(
      [&](auto& call) {
        if constexpr (requires { call.logits_gradient; }) visit(call.logits_gradient);
        if constexpr (requires { call.out_gradient; }) visit(call.out_gradient);
        if constexpr (requires { call.gradient; }) visit(call.gradient);
        if constexpr (requires { call.in_gradient; }) optional(call.in_gradient);
        if constexpr (requires { call.a_gradient; }) {
          optional(call.a_gradient);
          optional(call.b_gradient);
        }
        if constexpr (requires { call.q_gradient; }) {
          optional(call.q_gradient);
          optional(call.k_gradient);
          optional(call.v_gradient);
        }
        if constexpr (requires { call.u_gradient; }) {
          optional(call.u_gradient);
          optional(call.step_gradient);
          optional(call.input_gradient);
          optional(call.output_gradient);
        }
      },
      operation);
}

/// Gives every gradient a buffer for the span of calls that touch it; a buffer that has become free serves the next
/// gradient of the same width.
void share_buffers(kernels::Program& program) {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last(program.buffers.size(), kNever);
  for (std::size_t i = 0; i < program.backward.size(); ++i) {
    for_each_gradient(program.backward[i], [&](const View& view) { last[static_cast<std::size_t>(view.buffer)] = i; });
  }
  std::vector<int> home(program.buffers.size(), -1);
  std::vector<int> free;
  program.gradients.clear();
  for (std::size_t i = 0; i < program.backward.size(); ++i) {
    std::vector<int> ended;
    for_each_gradient(program.backward[i], [&](View& view) {
      const auto buffer = static_cast<std::size_t>(view.buffer);
      const int width = program.buffers[buffer].width;
      if (home[buffer] < 0) {
        const auto fits = std::find_if(free.begin(), free.end(), [&](int candidate) {
          return program.gradients[static_cast<std::size_t>(candidate)].width == width;
        });
        if (fits != free.end()) {
          home[buffer] = *fits;
          free.erase(fits);
        } else {
          home[buffer] = static_cast<int>(program.gradients.size());
          program.gradients.push_back({"gradient." + std::to_string(program.gradients.size()), width});
        }
      }
      view.buffer = home[buffer];
      if (last[buffer] == i) {
        last[buffer] = kNever;  // an operation may name a buffer twice
        ended.push_back(home[buffer]);
      }
    });
    // Not before the call is over: what it reads and what it writes must not share memory.
    free.insert(free.end(), ended.begin(), ended.end());
  }
}

}  // namespace

void differentiate(kernels::Program& program, GradientMemory memory) {
  Differentiation(program).run();
  if (memory == GradientMemory::shared) {
    share_buffers(program);
  } else {
    program.gradients = program.buffers;
  }
}

}  // namespace hyseq::models
