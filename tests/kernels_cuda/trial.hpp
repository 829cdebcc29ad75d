// Programs run for several members at once on the device in hand, and for each of them alone by the reference engine.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "kernels/cuda/session.hpp"
#include "kernels/engine.hpp"

namespace hyseq::kernels::cuda {

/// What one member brings.
struct Member {
  ParameterValues parameters;
  std::vector<std::int32_t> tokens;   // [batch, time]
  std::vector<std::int32_t> targets;  // [batch, time]
  std::vector<std::vector<double>> buffers;
  std::vector<std::vector<double>> gradients;
  std::uint64_t seed = 0;
};

struct Trial {
  Program program;
  std::size_t batch = 1;
  std::size_t time = 1;
  std::int32_t valid_below = 0;
  std::uint64_t step = 0;
  std::vector<Member> members;

  [[nodiscard]] std::size_t rows() const { return batch * time; }
};

/// What comes out for one member.
struct MemberResult {
  std::vector<std::vector<double>> buffers;
  std::vector<std::vector<double>> gradients;
  ParameterValues parameter_gradients;
};

/// Adds `count` members of normally distributed numbers, tokens and targets.
inline void add_members(Trial& trial, std::size_t count, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;  // of floats, so that both formats begin with the same numbers
  const auto numbers = [&](std::size_t size) {
    std::vector<double> values(size);
    for (double& value : values) value = static_cast<double>(normal(random));
    return values;
  };
  for (std::size_t m = 0; m < count; ++m) {
    Member member;
    for (const ParameterInfo& parameter : trial.program.parameters) {
      member.parameters.push_back(numbers(parameter.size()));
    }
    for (const BufferInfo& buffer : trial.program.buffers) {
      member.buffers.push_back(numbers(trial.rows() * static_cast<std::size_t>(buffer.width)));
    }
    for (const BufferInfo& buffer : trial.program.gradients) {
      member.gradients.push_back(numbers(trial.rows() * static_cast<std::size_t>(buffer.width)));
    }
    const auto vocabulary = static_cast<std::uint32_t>(trial.program.vocabulary);
    for (std::size_t row = 0; row < trial.rows(); ++row) {
      member.tokens.push_back(static_cast<std::int32_t>(random() % vocabulary));
      member.targets.push_back(static_cast<std::int32_t>(random() % vocabulary));
    }
    member.seed = 100 + m;
    trial.members.push_back(member);
  }
}

/// [member] of an array that has all members' numbers one after the other.
inline std::vector<double> part(const std::vector<double>& all, std::size_t member, std::size_t members) {
  const std::size_t size = all.size() / members;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(member * size);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

template <class T>
class TrialSession {
 public:
  explicit TrialSession(const Trial& trial)
      : trial_(trial),
        layout_(trial.program),
        parameters_(members() * layout_.step),
        gradients_(members() * layout_.step),
        session_(trial.program, layout_, stream_, members(), parameters_.span(), gradients_.span()) {
    for (std::size_t m = 0; m < members(); ++m) {
      upload_member(layout_, trial.members[m].parameters, m, stream_, parameters_);
    }
    zero(stream_, gradients_.span());
    Rows block;
    block.members = members();
    block.batch = trial.batch;
    block.time = trial.time;
    block.valid_below = trial.valid_below;
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> targets;
    std::vector<MemberStepValues> steps;
    for (const Member& member : trial.members) {
      tokens.insert(tokens.end(), member.tokens.begin(), member.tokens.end());
      targets.insert(targets.end(), member.targets.begin(), member.targets.end());
      const std::int64_t valid = count_valid(member.targets, trial.valid_below);
      steps.push_back({member.seed, valid > 0 ? 1 / static_cast<double>(valid) : 0, 0});
    }
    block.tokens = tokens;
    block.targets = targets;
    session_.place(block, true);
    StepValues step;
    step.step = trial.step;
    session_.set_step(step, steps);
    const auto all = [&](auto values) {
      ParameterValues joined((trial.members[0].*values).size());
      for (const Member& member : trial.members) {
        for (std::size_t i = 0; i < joined.size(); ++i) {
          joined[i].insert(joined[i].end(), (member.*values)[i].begin(), (member.*values)[i].end());
        }
      }
      return joined;
    };
    const ParameterValues buffers = all(&Member::buffers);
    session_.fill_buffers(&buffers);
    const ParameterValues gradients = all(&Member::gradients);
    session_.fill_gradient_buffers(&gradients);
  }

  [[nodiscard]] std::size_t members() const { return trial_.members.size(); }
  [[nodiscard]] Session<T>& session() { return session_; }
  [[nodiscard]] Stream& stream() { return stream_; }

  [[nodiscard]] MemberResult result(std::size_t member) {
    MemberResult result;
    for (const auto& all : session_.buffers()) result.buffers.push_back(part(all, member, members()));
    for (const auto& all : session_.gradient_buffers()) result.gradients.push_back(part(all, member, members()));
    result.parameter_gradients = download_member(trial_.program, layout_, member, stream_, gradients_);
    return result;
  }

 private:
  const Trial& trial_;
  ParameterLayout layout_;
  Stream stream_;
  DeviceArray<T> parameters_;
  DeviceArray<T> gradients_;
  Session<T> session_;
};

/// Forward and backward of all members together.
template <class T>
[[nodiscard]] std::vector<MemberResult> run(const Trial& trial) {
  TrialSession<T> session(trial);
  session.session().forward();
  session.session().backward();
  std::vector<MemberResult> results;
  for (std::size_t m = 0; m < trial.members.size(); ++m) results.push_back(session.result(m));
  return results;
}

/// One member alone, by the reference engine.
[[nodiscard]] inline MemberResult reference_result(const Trial& trial, std::size_t m, NumberFormat format) {
  const Member& member = trial.members[m];
  ExecuteRequest request;
  request.program = &trial.program;
  request.parameters = &member.parameters;
  request.format = format;
  request.batch = trial.batch;
  request.time = trial.time;
  request.tokens = member.tokens;
  request.targets = member.targets;
  request.valid_below = trial.valid_below;
  request.dropout = {member.seed, trial.step};
  request.buffers = &member.buffers;
  request.gradients = &member.gradients;
  request.backward = true;
  ExecuteResult result = reference_engine().execute(request);
  return {std::move(result.buffers), std::move(result.gradients), std::move(result.parameter_gradients)};
}

}  // namespace hyseq::kernels::cuda
