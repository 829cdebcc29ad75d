#include "trainers/checkpoint.hpp"

#include <filesystem>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "results/run_file.hpp"

namespace hyseq::trainers {
namespace {

constexpr const char* kFormat = "hyseq-checkpoint";
constexpr std::int64_t kLayout = 1;

void write_values(Hdf5Writer& file, const std::string& group, const kernels::Program& program,
                  const kernels::ParameterValues& values) {
  for (std::size_t p = 0; p < program.parameters.size(); ++p)
    file.write(group + "/" + program.parameters[p].name, Array<double>{program.parameters[p].shape, values[p]});
}

kernels::ParameterValues read_values(const Hdf5Reader& file, const std::string& group,
                                     const kernels::Program& program) {
  kernels::ParameterValues values;
  for (const kernels::ParameterInfo& info : program.parameters) {
    Array<double> array = file.read_reals(group + "/" + info.name);
    if (array.shape != info.shape) throw InputError("dataset " + info.name + " has another shape than the model's");
    values.push_back(std::move(array.values));
  }
  return values;
}

}  // namespace

void save_checkpoint(const std::string& path, const kernels::Program& program, const Checkpoint& checkpoint) {
  Hdf5Writer file(path);
  file.attribute("format", kFormat);
  file.attribute("layout", kLayout);
  file.attribute("step", checkpoint.step);
  write_values(file, "parameters", program, checkpoint.parameters);
  write_values(file, "first_moments", program, checkpoint.moments.first);
  write_values(file, "second_moments", program, checkpoint.moments.second);
  results::write_run(file, "record", checkpoint.record);
  file.commit();
}

std::optional<Checkpoint> load_checkpoint(const std::string& path, const kernels::Program& program) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const Hdf5Reader file(path);
    if (file.text_attribute("format") != kFormat || file.integer_attribute("layout") != kLayout)
      throw InputError("it is not a checkpoint of this program");
    Checkpoint checkpoint;
    checkpoint.step = file.integer_attribute("step");
    checkpoint.parameters = read_values(file, "parameters", program);
    checkpoint.moments = {read_values(file, "first_moments", program), read_values(file, "second_moments", program)};
    checkpoint.record = results::read_run(file, "record");
    return checkpoint;
  } catch (const InputError& error) {
    throw InputError("cannot read the checkpoint " + path + " (" + error.what() +
                     "); delete the file to start the run anew");
  }
}

}  // namespace hyseq::trainers
