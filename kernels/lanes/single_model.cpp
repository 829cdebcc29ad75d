#include "kernels/lanes/single_model.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/lanes/flush_subnormals.hpp"
#include "kernels/lanes/instruction_set.hpp"
#include "kernels/lanes/lane_carry.hpp"
#include "kernels/lanes/members.hpp"

namespace hyseq::kernels {
namespace {

template <class T>
constexpr NumberFormat kFormat = sizeof(T) == 4 ? NumberFormat::float32 : NumberFormat::float64;

template <class Request>
void check_request(const Request& request, bool tokens_may_be_missing) {
  if (request.batch == 0 || request.time == 0) throw InputError("a pass needs at least one token");
  const std::size_t rows = request.batch * request.time;
  if (!tokens_may_be_missing || !request.tokens.empty()) check_size(request.tokens.size(), rows, "tokens");
  if (!request.segments.empty()) check_size(request.segments.size(), rows, "segments");
  if (!request.targets.empty()) check_size(request.targets.size(), rows, "targets");
  check_tokens(*request.program, request.tokens, request.time);
  check_targets(request.targets, request.valid_below, request.program->vocabulary);
}

/// Tokens, targets and weights of the rows of one model, laid out for a session.
template <class T>
class Rows {
 public:
  /// `front` rows before the tokens; a loss is averaged over all valid targets of the request.
  template <class Request>
  Rows(const Request& request, std::size_t front, std::size_t lanes)
      : time_(request.time),
        front_(front),
        lanes_(lanes),
        request_tokens_(request.tokens),
        request_targets_(request.targets),
        valid_below_(request.valid_below),
        tokens_((front + request.time) * lanes, 0),
        targets_((front + request.time) * lanes, -1),
        seeds_(lanes, request.dropout.seed) {
    for (const std::int32_t target : request.targets) {
      if (is_valid_target(target, valid_below_)) ++valid_;
    }
    weight_ = AlignedArray<T>(lanes, valid_ == 0 ? T{0} : static_cast<T>(1 / static_cast<double>(valid_)));
    sequence_.tokens = tokens_.data();
    sequence_.targets = targets_.data();
    sequence_.loss_weight = weight_.data();
    sequence_.seeds = seeds_.data();
    sequence_.step = request.dropout.step;
  }

  [[nodiscard]] std::int64_t valid() const { return valid_; }

  /// Lane i gets row `first + i`, the last row again where there are no more; `apart` false: all lanes get `first`.
  LaneSequence<T>& place(std::size_t first, std::size_t rows, bool apart) {
    sequence_.row = first;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::size_t row = apart ? std::min(first + lane, rows - 1) : first;
      for (std::size_t t = 0; t < time_; ++t) {
        const std::size_t at = (front_ + t) * lanes_ + lane;
        if (!request_tokens_.empty()) tokens_.data()[at] = request_tokens_[row * time_ + t];
        if (request_targets_.empty()) continue;
        const std::int32_t target = request_targets_[row * time_ + t];
        targets_.data()[at] = is_valid_target(target, valid_below_) ? target : -1;
      }
    }
    return sequence_;
  }

  /// Adds the losses of the sequence that the session has run, of one lane.
  void add_losses(const LaneSession<T>& session, std::size_t lane, LossResult& result) const {
    for (std::size_t t = front_; t < front_ + time_; ++t) {
      result.loss += static_cast<double>(session.losses()[t * lanes_ + lane]);
      if (session.hits()[t * lanes_ + lane] > 0) ++result.correct;
    }
  }

 private:
  std::size_t time_;
  std::size_t front_;
  std::size_t lanes_;
  std::span<const std::int32_t> request_tokens_;
  std::span<const std::int32_t> request_targets_;
  std::int32_t valid_below_;
  std::int64_t valid_ = 0;
  AlignedArray<LaneIndex<T>> tokens_;
  AlignedArray<LaneIndex<T>> targets_;
  AlignedArray<T> weight_;
  std::vector<std::uint64_t> seeds_;
  LaneSequence<T> sequence_;
};

/// The layout of one row behind a carry, and the segment in which it ends.
SequenceLayout carried_layout(std::size_t front, std::size_t time, std::span<const std::int32_t> segments,
                              std::uint64_t position, std::int32_t& segment) {
  SequenceLayout layout;
  layout.front = front;
  layout.position.assign(front, 0);
  layout.starts.assign(front, 0);
  for (std::size_t t = 0; t < time; ++t) {
    if (!segments.empty() && segments[t] != segment) {
      segment = segments[t];
      position = 0;
    }
    layout.position.push_back(position);
    layout.starts.push_back(position == 0 ? 1 : 0);
    ++position;
  }
  return layout;
}

/// Values of one model in all lanes, and gradients.
template <class T>
struct Model {
  AlignedArray<T> memory;
  MemberValues<T> values;
  MemberValues<T> gradients;

  Model(const Program& program, const ParameterValues& parameters, std::size_t lanes)
      : memory(2 * program.parameter_count() * lanes),
        values(program, lanes, memory.data()),
        gradients(program, lanes, memory.data() + program.parameter_count() * lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) values.set(lane, parameters);
  }
};

bool drops(const Program& program) {
  return std::any_of(program.forward.begin(), program.forward.end(), [](const Operation& operation) {
    if (const auto* attention = std::get_if<WindowAttention>(&operation)) return attention->dropout.active();
    return std::holds_alternative<Dropout>(operation);
  });
}

}  // namespace

template <class T>
ForwardResult forward_lanes(const ForwardRequest& request) {
  check_request(request, false);
  const Program& program = *request.program;
  if (request.trace) throw InputError("the lanes engine records no trace; use the reference engine");
  check_gradients(request);
  check_carried_rows(request);
  if (request.carry_in != nullptr) check_carry(program, *request.carry_in);
  const FlushSubnormals flush;
  const std::size_t lanes = lane_count(kFormat<T>);
  check_table<T>(program, lanes);
  const std::size_t front = request.carry_in != nullptr ? front_rows(program, *request.carry_in) : 0;
  const auto session = make_lane_session<T>(
      {&program, front + request.time,
       plan_for_cache(program, lanes * sizeof(T),
                      request.gradients ? KeptBuffers::for_backward : KeptBuffers::for_evaluation)});
  Model<T> model(program, *request.parameters, lanes);
  session->bind(model.values.arrays());

  const bool apart = !request.gradients && request.segments.empty() && request.carry_in == nullptr && !drops(program);
  const auto vocabulary = static_cast<std::size_t>(program.vocabulary);
  ForwardResult result;
  result.logits.shape = {request.batch, request.time, vocabulary};
  result.logits.values.resize(request.batch * request.time * vocabulary);
  Rows<T> rows(request, front, lanes);
  std::vector<SequenceLayout> layouts;
  std::vector<std::uint64_t> positions;
  std::vector<std::int32_t> segments(request.batch, 0);
  for (std::size_t b = 0; b < request.batch; ++b) {
    std::uint64_t position = 0;
    if (request.carry_in != nullptr) {
      position = request.carry_in->position[b];
      segments[b] = request.carry_in->segment[b];
    }
    const auto own =
        request.segments.empty() ? request.segments : request.segments.subspan(b * request.time, request.time);
    layouts.push_back(carried_layout(front, request.time, own, position, segments[b]));
    positions.push_back(layouts.back().position.back() + 1);
  }
  if (request.carry_out) result.carry = blank_carry(program, positions, segments);

  for (std::size_t b = 0; b < request.batch; b += apart ? lanes : 1) {
    session->place(layouts[b]);
    session->reset();
    if (request.carry_in != nullptr) load_carry(*session, program, *request.carry_in, b, front);
    LaneSequence<T>& sequence = rows.place(b, request.batch, apart);
    sequence.keep = request.gradients;
    sequence.parameter_gradients = model.gradients.arrays();
    session->forward(sequence);
    if (request.gradients) {
      session->backward(sequence);
    } else if (!request.targets.empty()) {
      session->loss(sequence);
    }
    const std::size_t used = apart ? std::min(lanes, request.batch - b) : 1;
    for (std::size_t lane = 0; lane < used; ++lane) {
      for (std::size_t t = 0; t < request.time; ++t) {
        const T* from = session->row(static_cast<std::size_t>(program.logits.buffer), front + t);
        double* to = result.logits.values.data() + ((b + lane) * request.time + t) * vocabulary;
        for (std::size_t v = 0; v < vocabulary; ++v) to[v] = static_cast<double>(from[v * lanes + lane]);
      }
      if (!request.targets.empty()) rows.add_losses(*session, lane, result.loss);
      if (request.carry_out) store_carry(*session, program, front + request.time, lane, b + lane, result.carry);
    }
  }
  if (!request.targets.empty()) {
    result.loss.valid = rows.valid();
    if (rows.valid() > 0) result.loss.loss /= static_cast<double>(rows.valid());
  }
  if (request.gradients) result.gradients = model.gradients.get(0);
  return result;
}

template <class T>
ExecuteResult execute_lanes(const ExecuteRequest& request) {
  check_request(request, true);
  const Program& program = *request.program;
  const FlushSubnormals flush;
  const std::size_t lanes = lane_count(kFormat<T>);
  check_table<T>(program, lanes);
  const auto session = make_lane_session<T>({&program, request.time, plan_call_by_call(program, request.time)});
  session->poison();
  Model<T> model(program, *request.parameters, lanes);
  session->bind(model.values.arrays());
  Rows<T> rows(request, 0, lanes);

  // Copies one batch row of all buffers between the request's layout and the session's.
  const auto each_number = [&](const std::vector<BufferInfo>& infos, bool gradient, std::size_t b, const auto& visit) {
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const auto width = static_cast<std::size_t>(infos[i].width);
      for (std::size_t t = 0; t < request.time; ++t) {
        T* row = gradient ? session->gradient_row(i, t) : session->row(i, t);
        for (std::size_t c = 0; c < width; ++c) {
          visit(i, (b * request.time + t) * width + c, row + c * lanes);
        }
      }
    }
  };
  const auto load = [&](const std::vector<std::vector<double>>& from) {
    return [&](std::size_t buffer, std::size_t element, T* to) { detail::spread(from[buffer][element], lanes, to); };
  };
  const auto store = [&](std::vector<std::vector<double>>& to) {
    return [&](std::size_t buffer, std::size_t element, const T* from) {
      to[buffer][element] = static_cast<double>(*from);
    };
  };
  ExecuteResult result;
  const auto blank = [&](const std::vector<BufferInfo>& infos) {
    std::vector<std::vector<double>> all;
    for (const BufferInfo& info : infos) {
      all.emplace_back(request.batch * request.time * static_cast<std::size_t>(info.width));
    }
    return all;
  };
  result.buffers = blank(program.buffers);
  if (request.backward) result.gradients = blank(program.gradients);
  for (std::size_t b = 0; b < request.batch; ++b) {
    session->place(fresh_layout(request.time, request.segments.empty()
                                                  ? request.segments
                                                  : request.segments.subspan(b * request.time, request.time)));
    session->reset();
    each_number(program.buffers, false, b, load(*request.buffers));
    LaneSequence<T>& sequence = rows.place(b, request.batch, false);
    sequence.keep = request.backward;
    sequence.parameter_gradients = model.gradients.arrays();
    session->forward(sequence);
    if (request.backward) {
      if (request.gradients != nullptr) {
        each_number(program.gradients, true, b, load(*request.gradients));
      } else {
        const auto poison = [&](std::size_t /*buffer*/, std::size_t /*element*/, T* to) {
          detail::spread(std::numeric_limits<double>::quiet_NaN(), lanes, to);
        };
        each_number(program.gradients, true, b, poison);
      }
      session->backward(sequence);
      each_number(program.gradients, true, b, store(result.gradients));
    }
    each_number(program.buffers, false, b, store(result.buffers));
  }
  if (request.backward) result.parameter_gradients = model.gradients.get(0);
  return result;
}

template ForwardResult forward_lanes<float>(const ForwardRequest& request);
template ForwardResult forward_lanes<double>(const ForwardRequest& request);
template ExecuteResult execute_lanes<float>(const ExecuteRequest& request);
template ExecuteResult execute_lanes<double>(const ExecuteRequest& request);

}  // namespace hyseq::kernels
