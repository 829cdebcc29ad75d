// Members of cohorts with data, parameters, seeds and rates of their own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/engine.hpp"
#include "tests/models/golden.hpp"
#include "tests/models/small_models.hpp"

namespace hyseq::models {

using kernels::Cohort;
using kernels::MemberStep;

inline kernels::CohortRequest cohort_request(const SmallModel& training, const SmallModel& evaluation,
                                             NumberFormat format, std::size_t members, std::size_t longest) {
  kernels::CohortRequest request;
  request.training = &training.program;
  request.evaluation = &evaluation.program;
  request.format = format;
  request.members = members;
  request.longest = longest;
  return request;
}

/// Members with data, parameters, seeds and rates of their own, each a function of its identity alone.
struct Members {
  std::vector<std::uint64_t> seeds;
  std::vector<double> rates;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> targets;
  std::size_t rows;
  std::size_t time;

  Members(const std::vector<std::uint64_t>& ids, std::size_t batch_rows, std::size_t length)
      : seeds(ids), rows(batch_rows), time(length) {
    for (const std::uint64_t id : ids) {
      rates.push_back(0.001 * static_cast<double>(1 + id % 5));
      const SmallData data = small_data(9, rows, time, id);
      tokens.insert(tokens.end(), data.tokens.begin(), data.tokens.end());
      targets.insert(targets.end(), data.targets.begin(), data.targets.end());
    }
  }

  [[nodiscard]] kernels::CohortBatch batch() const { return {rows, time, tokens, targets, {}, 6}; }
  [[nodiscard]] std::vector<MemberStep> step(Cohort& cohort, std::uint64_t number) const {
    std::vector<MemberStep> results(seeds.size());
    cohort.step({batch(), number, seeds, rates}, results);
    return results;
  }
};

inline kernels::ParameterValues start_of(std::uint64_t id) {
  return SmallModel("", small_architecture(), {}, 100 + id).parameters;
}

inline std::unique_ptr<Cohort> start(const kernels::Engine& engine, const kernels::CohortRequest& request,
                                     const Members& members) {
  auto cohort = engine.make_cohort(request);
  for (std::size_t m = 0; m < members.seeds.size(); ++m) cohort->set_parameters(m, start_of(members.seeds[m]));
  return cohort;
}

inline bool same(const kernels::ParameterValues& a, const kernels::ParameterValues& b) {
  bool equal = a.size() == b.size();
  for (std::size_t p = 0; equal && p < a.size(); ++p) equal = first_difference(a[p], b[p]) == -1;
  return equal;
}

}  // namespace hyseq::models
