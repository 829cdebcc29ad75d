#include "trainers/memory.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::trainers {

std::size_t cohort_memory(const RunConfiguration& run, std::size_t members) {
  const kernels::Program training = models::lower(run.architecture, run.dropout);
  const kernels::Program evaluation = models::lower(run.architecture);
  kernels::CohortRequest request;
  request.training = &training;
  request.evaluation = &evaluation;
  request.format = run.format;
  request.members = members;
  request.longest = std::max(run.data.lengths.max, run.data.context);
  for (const std::int64_t length : run.evaluation.lengths) {
    request.longest = std::max(request.longest, static_cast<std::size_t>(length));
  }
  return kernels::find_engine(run.engine).cohort_bytes(request, static_cast<std::size_t>(run.optimiser.batch));
}

void check_memory(const kernels::Engine& engine, const kernels::CohortRequest& request, std::size_t rows) {
  const std::size_t needed = engine.cohort_bytes(request, rows);
  const std::size_t free = engine.free_bytes();
  if (needed <= free) return;
  throw EnvironmentError(
      "training " + std::to_string(request.members) + " x " + std::to_string(request.training->parameter_count()) +
      " parameters takes about " + memory_text(needed) + " on engine " + std::string(engine.name()) + ", where " +
      memory_text(free) + " are free; a smaller width, shorter rows or fewer runs at once take less");
}

std::string memory_text(std::size_t bytes) {
  double value = static_cast<double>(bytes) / 1e6;
  const char* unit = "MB";
  if (value >= 999.5) {
    value /= 1e3;
    unit = "GB";
  }
  char text[32];
  (void)std::snprintf(text, sizeof text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
  return text;
}

}  // namespace hyseq::trainers
