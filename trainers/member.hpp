// One run among the members of a cohort: its record, and the files that it leaves besides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/cohort.hpp"
#include "kernels/program.hpp"
#include "results/run_record.hpp"
#include "trainers/configuration.hpp"
#include "trainers/data.hpp"

namespace hyseq::trainers {

struct Member {
  const RunConfiguration* configuration = nullptr;
  results::RunRecord record;
  /// Of a diverged run: what it had before the step that was not finite.
  std::optional<kernels::ParameterValues> last_parameters;

  [[nodiscard]] bool active() const { return record.diverged_at < 0; }
};

/// A run that has done no step. The configuration is borrowed.
[[nodiscard]] Member new_member(const RunConfiguration& configuration, const kernels::Program& program);

/// Fills in where and how a record is made.
void describe(results::RunRecord& record, const std::string& engine);

/// <folder>/<id>.h5.
[[nodiscard]] std::string run_file(const std::string& folder, const std::string& id);

/// EnvironmentError where the folder neither exists nor can be made.
void make_folder(const std::string& folder);

/// Writes the weights as a model file, except where one of them is not finite: model files hold none such.
void write_final_model(const std::string& folder, const Member& member, const DataSource& data,
                       const kernels::ParameterValues& parameters);

}  // namespace hyseq::trainers
