#include "tests/models/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

constexpr std::int32_t kValidBelow = 6;

/// Rows of all members of a cohort.
struct Rows {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::vector<std::int32_t> segments;
  std::size_t rows;
  std::size_t time;

  Rows(const std::vector<std::uint64_t>& members, const PlannedStep& step) : rows(step.rows), time(step.time) {
    for (const std::uint64_t member : members) {
      const SmallData own = small_data(9, rows, time, 1000 * member + step.data);
      tokens.insert(tokens.end(), own.tokens.begin(), own.tokens.end());
      targets.insert(targets.end(), own.targets.begin(), own.targets.end());
    }
    for (std::size_t row = 0; step.packed && row < rows; ++row) {
      std::int32_t segment = 0;
      for (std::size_t t = 0, left = row; t < time; ++t) {
        segments.push_back(segment);
        if (left-- > 0) continue;
        ++segment;
        left = static_cast<std::size_t>(segment) + row;
      }
    }
  }

  [[nodiscard]] kernels::CohortBatch batch() const { return {rows, time, tokens, targets, segments, kValidBelow}; }
};

std::size_t longest(const Training& training) { return std::ranges::max(training.steps, {}, &PlannedStep::time).time; }

/// Rows that no step trains on.
PlannedStep held_out(const Training& training) { return {4, longest(training), false, 999, 0, 0, 1}; }

void train(const Training& training, const kernels::Engine& engine, NumberFormat format,
           const std::vector<std::uint64_t>& members, Trajectory& trajectory) {
  kernels::CohortRequest request;
  request.training = &training.training->program;
  request.evaluation = &training.evaluation->program;
  request.format = format;
  request.members = members.size();
  request.longest = longest(training);
  request.micro_batch = training.micro_batch;
  request.clip = training.clip;
  for (const kernels::ParameterInfo& info : training.training->program.parameters) {
    request.optimiser.decays.push_back(info.shape.size() == 2 ? 1 : 0);
  }
  const auto cohort = engine.make_cohort(request);
  for (std::size_t m = 0; m < members.size(); ++m) {
    SmallModel model = *training.training;
    for (std::size_t p = 0; p < model.parameters.size(); ++p) {
      for (std::size_t i = 0; i < model.parameters[p].size(); ++i) {
        // Representable in float, so that all formats start at one place.
        const double noise = 0.1 * normal_real({members[m], Purpose::verification}, p, i);
        model.parameters[p][i] = static_cast<double>(static_cast<float>(model.parameters[p][i] + noise));
      }
    }
    cohort->set_parameters(m, model.parameters);
  }
  for (std::size_t s = 0; s < training.steps.size(); ++s) {
    const PlannedStep& step = training.steps[s];
    const Rows rows(members, step);
    std::vector<std::uint64_t> seeds;
    std::vector<double> rates;
    for (const std::uint64_t member : members) {
      seeds.push_back(0x123456789abcdefULL * member + step.seed);
      const bool ill = member == training.diverges && s >= 2;
      rates.push_back(step.rate * (ill ? 1e25 : 0.001 * static_cast<double>(1 + member % 4)));
    }
    std::vector<kernels::MemberStep> results(members.size());
    cohort->step({rows.batch(), step.number, seeds, rates}, results);
    auto& all = trajectory.steps[s];
    all.insert(all.end(), results.begin(), results.end());
  }
  const Rows rows(members, held_out(training));
  std::vector<kernels::LossResult> losses(members.size());
  cohort->evaluate(rows.batch(), losses, {});
  trajectory.evaluation.insert(trajectory.evaluation.end(), losses.begin(), losses.end());
  for (std::size_t m = 0; m < members.size(); ++m) {
    trajectory.parameters.push_back(cohort->parameters(m));
    kernels::ForwardRequest forward;
    forward.program = &training.evaluation->program;
    forward.parameters = &trajectory.parameters.back();
    // Engines that compute single models in fewer formats than they train in.
    forward.format = format == NumberFormat::float64 ? format : NumberFormat::float32;
    forward.batch = rows.rows;
    forward.time = rows.time;
    forward.tokens = std::span(rows.tokens).subspan(m * rows.rows * rows.time, rows.rows * rows.time);
    trajectory.logits.push_back(engine.forward(forward).logits.values);
  }
}

double gap(double a, double b) {
  const double difference = std::abs(a - b);
  return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

}  // namespace

Trajectory train(const Training& training, const kernels::Engine& engine, NumberFormat format) {
  Trajectory trajectory;
  trajectory.steps.resize(training.steps.size());
  const std::size_t most = engine.cohort_size(format);
  const auto& members = training.members;
  for (std::size_t first = 0; first < members.size(); first += most) {
    const std::size_t count = std::min(most, members.size() - first);
    const auto begin = members.begin() + static_cast<std::ptrdiff_t>(first);
    train(training, engine, format, {begin, begin + static_cast<std::ptrdiff_t>(count)}, trajectory);
  }
  return trajectory;
}

Distance distance(const Trajectory& found, const Trajectory& exact, const Trajectory& rounded) {
  Distance distance;
  double scale = 0;
  for (std::size_t s = 0; s < exact.steps.size(); ++s) {
    double error = 0;
    for (std::size_t m = 0; m < exact.steps[s].size(); ++m) {
      const double loss = exact.steps[s][m].loss.loss;
      scale = std::max({scale, unit_roundoff(NumberFormat::float32) * loss, gap(rounded.steps[s][m].loss.loss, loss)});
      error = std::max(error, gap(found.steps[s][m].loss.loss, loss));
    }
    distance.losses = std::max(distance.losses, error / scale);
  }
  double error = 0;
  scale = 0;
  for (std::size_t m = 0; m < exact.logits.size(); ++m) {
    scale = std::max(scale, largest_difference(rounded.logits[m], exact.logits[m]));
    error = std::max(error, largest_difference(found.logits[m], exact.logits[m]));
  }
  distance.logits = error / scale;
  return distance;
}

Distance distance(const Trajectory& found, const Trajectory& exact) {
  Distance distance;
  for (std::size_t s = 0; s < exact.steps.size(); ++s) {
    for (std::size_t m = 0; m < exact.steps[s].size(); ++m) {
      distance.losses = std::max(distance.losses, gap(found.steps[s][m].loss.loss, exact.steps[s][m].loss.loss));
    }
  }
  for (std::size_t m = 0; m < exact.logits.size(); ++m) {
    distance.logits = std::max(distance.logits, largest_difference(found.logits[m], exact.logits[m]));
  }
  return distance;
}

}  // namespace hyseq::models
