#include "kernels/lanes/plan.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

namespace hyseq::kernels {
namespace {

/// What a call touches: parameters, and columns of forward and gradient buffers.
struct Touched {
  std::size_t parameters = 0;  // elements
  std::size_t columns = 0;     // written per token
};

class Measure {
 public:
  explicit Measure(const Program& program) : program_(program) {}

  template <class Call>
  Touched operator()(const Call& call) const {
    Touched touched;
    if constexpr (requires { call.call; }) {
      const Touched forward = (*this)(call.call);
      touched.parameters = 2 * forward.parameters;  // and their gradients
      touched.columns = 2 * forward.columns;
    } else {
      if constexpr (requires { call.weight; }) touched.parameters += elements(call.weight);
      if constexpr (requires { call.bias; }) touched.parameters += elements(call.bias);
      if constexpr (requires { call.log_rate; }) touched.parameters += elements(call.log_rate);
      if constexpr (requires { call.out; }) touched.columns += static_cast<std::size_t>(call.out.width);
      if constexpr (requires { call.activation; }) touched.columns += static_cast<std::size_t>(call.out.width);
    }
    return touched;
  }
  Touched operator()(const CrossEntropyBackward& call) const {
    return {0, 2 * static_cast<std::size_t>(call.logits.width)};
  }

 private:
  [[nodiscard]] std::size_t elements(ParameterId id) const {
    return id == kNoParameter ? 0 : program_.parameters[static_cast<std::size_t>(id)].size();
  }

  const Program& program_;
};

// Measured on a second-level cache of 2 MiB; a group never fills both.
constexpr std::size_t kParameterBytes = std::size_t{1000} << 10;
constexpr std::size_t kRowBytes = std::size_t{700} << 10;
// Tokens come in multiples of this: the scan keeps a checkpoint so often.
constexpr std::size_t kStepTokens = 10;
constexpr std::size_t kMostTokens = 20;

template <class Operations>
std::vector<CallGroup> group(const Program& program, const Operations& list, std::size_t vector_bytes) {
  std::vector<CallGroup> groups;
  Touched sum;
  const auto close = [&](std::size_t last) {
    const std::size_t first = groups.empty() ? 0 : groups.back().last;
    if (first == last) return;
    const std::size_t row = std::max<std::size_t>(sum.columns * vector_bytes, 1);
    groups.push_back({first, last, std::clamp(kRowBytes / row / kStepTokens * kStepTokens, kStepTokens, kMostTokens)});
    sum = {};
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Touched next = std::visit(Measure(program), list[i]);
    const bool full = (sum.parameters + next.parameters) * vector_bytes > kParameterBytes ||
                      (sum.columns + next.columns) * vector_bytes * kStepTokens > kRowBytes;
    if (full) close(i);
    sum.parameters += next.parameters;
    sum.columns += next.columns;
  }
  close(list.size());
  return groups;
}

/// Columns of a list of buffers, as marks.
class Columns {
 public:
  explicit Columns(const std::vector<BufferInfo>& infos) {
    for (const BufferInfo& info : infos) marked_.emplace_back(static_cast<std::size_t>(info.width), false);
  }
  void mark(const View& view) { std::fill_n(first(view), view.width, true); }
  [[nodiscard]] bool all(const View& view) {
    return std::all_of(first(view), first(view) + view.width, [](bool marked) { return marked; });
  }

 private:
  std::vector<bool>::iterator first(const View& view) {
    return marked_[static_cast<std::size_t>(view.buffer)].begin() + view.offset;
  }
  std::vector<std::vector<bool>> marked_;
};

/// Calls visit(view) with what a forward call reads.
template <class Call, class Visit>
void for_each_read(const Call& call, const Visit& visit) {
  if constexpr (requires { call.in; }) visit(call.in);
  if constexpr (requires { call.a; }) visit(call.a);
  if constexpr (requires { call.b; }) visit(call.b);
  if constexpr (requires { call.u; }) {
    for (const View* view : {&call.u, &call.step, &call.input, &call.output}) visit(*view);
  }
  if constexpr (requires { call.q; }) {
    for (const View* view : {&call.q, &call.k, &call.v}) visit(*view);
  }
  if constexpr (requires { call.data; }) visit(call.data);
  if constexpr (std::is_same_v<Call, PositionCode>) visit(call.out);
}

template <class Call>
const View& written_by(const Call& call) {
  if constexpr (requires { call.data; }) {
    return call.data;
  } else {
    return call.out;
  }
}

/// Calls visit(view) with the forward buffers that a backward body reads.
template <class Backward, class Visit>
void for_each_kept(const Backward& backward, const Visit& visit) {
  if constexpr (requires { backward.call; }) {
    using Call = std::decay_t<decltype(backward.call)>;
    // Slopes and masks are kept elsewhere, and a sum needs neither of its terms.
    constexpr bool kReadsNothing = std::is_same_v<Call, Activate> || std::is_same_v<Call, Dropout> ||
                                   std::is_same_v<Call, Add> || std::is_same_v<Call, Rotary>;
    if constexpr (!kReadsNothing) for_each_read(backward.call, visit);
    if constexpr (std::is_same_v<Call, WindowAttention>) visit(backward.call.out);
  }
}

/// Calls read(view) and write(view) for the gradient buffers of a backward call.
template <class Backward, class Read, class Write>
void for_each_gradient(const Backward& backward, const Read& read, const Write& write) {
  const auto sink = [&](const GradientView& gradient) {
    if (!gradient.wanted()) return;
    if (gradient.mode == GradientMode::accumulate) read(gradient.view);
    write(gradient.view);
  };
  if constexpr (requires { backward.out_gradient; }) read(backward.out_gradient);
  if constexpr (requires { backward.gradient; }) {
    read(backward.gradient);
    write(backward.gradient);
  }
  if constexpr (requires { backward.logits_gradient; }) write(backward.logits_gradient);
  if constexpr (requires { backward.in_gradient; }) sink(backward.in_gradient);
  if constexpr (requires { backward.a_gradient; }) {
    sink(backward.a_gradient);
    sink(backward.b_gradient);
  }
  if constexpr (requires { backward.q_gradient; }) {
    sink(backward.q_gradient);
    sink(backward.k_gradient);
    sink(backward.v_gradient);
  }
  if constexpr (requires { backward.u_gradient; }) {
    sink(backward.u_gradient);
    sink(backward.step_gradient);
    sink(backward.input_gradient);
    sink(backward.output_gradient);
  }
}

/// Rows of buffers: those of the group that uses them, or 0 once whole() has been asked for.
class BufferRows {
 public:
  explicit BufferRows(std::size_t count) : rows_(count, 0), whole_(count, false) {}
  void whole(const View& view) { whole_[static_cast<std::size_t>(view.buffer)] = true; }
  void at_least(const View& view, std::size_t tokens) {
    auto& rows = rows_[static_cast<std::size_t>(view.buffer)];
    rows = std::max(rows, tokens);
  }
  [[nodiscard]] std::vector<std::size_t> take() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (whole_[i]) rows_[i] = 0;
    }
    return std::move(rows_);
  }

 private:
  std::vector<std::size_t> rows_;
  std::vector<bool> whole_;
};

std::vector<std::size_t> forward_rows(const Program& program, const std::vector<CallGroup>& groups, KeptBuffers kept) {
  BufferRows rows(program.buffers.size());
  const auto whole = [&](const View& view) { rows.whole(view); };
  for (const CallGroup& group : groups) {
    Columns written(program.buffers);
    for (std::size_t i = group.first; i < group.last; ++i) {
      std::visit(
          [&](const auto& call) {
            for_each_read(call, [&](const View& view) {
              if (!written.all(view)) rows.whole(view);  // comes from another group
            });
            written.mark(written_by(call));
            rows.at_least(written_by(call), group.tokens);
            // These read earlier tokens as well.
            using Call = std::decay_t<decltype(call)>;
            if constexpr (std::is_same_v<Call, CausalConv> || std::is_same_v<Call, WindowAttention>) {
              for_each_read(call, whole);
            }
          },
          program.forward[i]);
    }
  }
  rows.whole(program.logits);
  if (kept == KeptBuffers::for_backward) {
    for (const BackwardOperation& operation : program.backward) {
      std::visit([&](const auto& call) { for_each_kept(call, whole); }, operation);
    }
  }
  return rows.take();
}

std::vector<std::size_t> gradient_rows(const Program& program, const std::vector<CallGroup>& groups) {
  BufferRows rows(program.gradients.size());
  for (const CallGroup& group : groups) {
    Columns written(program.gradients);
    for (std::size_t i = group.first; i < group.last; ++i) {
      std::visit(
          [&](const auto& call) {
            for_each_gradient(
                call,
                [&](const View& view) {
                  if (!written.all(view)) rows.whole(view);
                },
                [&](const View& view) {
                  written.mark(view);
                  rows.at_least(view, group.tokens);
                });
          },
          program.backward[i]);
    }
  }
  return rows.take();
}

}  // namespace

LanePlan plan_for_cache(const Program& program, std::size_t vector_bytes, KeptBuffers kept) {
  LanePlan plan;
  plan.forward = group(program, program.forward, vector_bytes);
  plan.backward = group(program, program.backward, vector_bytes);
  if (kept == KeptBuffers::all) {
    plan.buffer_rows.assign(program.buffers.size(), 0);
    plan.gradient_rows.assign(program.gradients.size(), 0);
  } else {
    plan.buffer_rows = forward_rows(program, plan.forward, kept);
    plan.gradient_rows = gradient_rows(program, plan.backward);
  }
  return plan;
}

LanePlan plan_call_by_call(const Program& program, std::size_t time) {
  LanePlan plan;
  const std::size_t tokens = std::max<std::size_t>(time, 1);
  for (std::size_t i = 0; i < program.forward.size(); ++i) plan.forward.push_back({i, i + 1, tokens});
  for (std::size_t i = 0; i < program.backward.size(); ++i) plan.backward.push_back({i, i + 1, tokens});
  plan.buffer_rows.assign(program.buffers.size(), 0);
  plan.gradient_rows.assign(program.gradients.size(), 0);
  return plan;
}

}  // namespace hyseq::kernels
