#include "trainers/member.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "kernels/base/error.hpp"
#include "kernels/engine.hpp"
#include "models/model_file.hpp"
#include "results/machine.hpp"

namespace hyseq::trainers {

Member new_member(const RunConfiguration& configuration, const kernels::Program& program) {
  Member member;
  member.configuration = &configuration;
  member.record.id = identity(configuration);
  member.record.configuration = to_json(configuration);
  member.record.seed = configuration.seed;
  member.record.parameters = static_cast<std::int64_t>(program.parameter_count());
  describe(member.record, configuration.engine);
  return member;
}

void describe(results::RunRecord& record, const std::string& engine) {
  record.version = results::program_version();
  record.instructions = kernels::find_engine(engine).instructions();
  record.machine = results::machine_text();
}

std::string run_file(const std::string& folder, const std::string& id) {
  return (std::filesystem::path(folder) / (id + ".h5")).string();
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw EnvironmentError("cannot make the folder " + folder + ": " + error.message());
}

void write_final_model(const std::string& folder, const Member& member, const DataSource& data,
                       const kernels::ParameterValues& parameters) {
  for (const std::vector<double>& values : parameters)
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return;
  models::ModelFile file;
  file.architecture = member.configuration->architecture;
  file.parameters = parameters;
  if (data.task() != nullptr) {
    const tasks::Vocabulary& vocabulary = data.task()->vocabulary();
    file.special = models::SpecialTokens{vocabulary.bos(), vocabulary.eos(), vocabulary.null()};
  }
  models::write_model_file(run_file(folder, member.record.id), file);
}

}  // namespace hyseq::trainers
