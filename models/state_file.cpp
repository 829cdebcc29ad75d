#include "models/state_file.hpp"

#include <cmath>

#include "kernels/base/error.hpp"

namespace hyseq::models {

void write_state_file(const std::string& path, const kernels::CarryState& state) {
  Hdf5Writer file(path);
  file.attribute("format", "hyseq state");
  const std::vector<std::size_t> rows = {state.rows()};
  file.write("position", Array<double>{rows, {state.position.begin(), state.position.end()}});
  file.write("segment", Array<std::int32_t>{rows, state.segment});
  for (const auto& [name, array] : state.arrays) file.write(name, array);
  file.commit();
}

kernels::CarryState read_state_file(const std::string& path) {
  const Hdf5Reader file(path);
  kernels::CarryState state;
  const Array<double> positions = file.read_reals("position");
  constexpr double most = 0x1p53;
  for (const double position : positions.values) {
    if (!(position >= 0 && position <= most) || position != std::floor(position)) {
      throw InputError("state file '" + path + "': position " + std::to_string(position) +
                       " must be a whole number from 0 to 2^53");
    }
    state.position.push_back(static_cast<std::uint64_t>(position));
  }
  state.segment = file.read_integers("segment").values;
  if (state.segment.size() != state.position.size()) {
    throw InputError("state file '" + path + "': " + std::to_string(state.segment.size()) + " segments do not fit " +
                     std::to_string(state.position.size()) + " positions");
  }
  for (const std::string& name : file.datasets()) {
    if (name != "position" && name != "segment") state.arrays.emplace(name, file.read_reals(name));
  }
  return state;
}

}  // namespace hyseq::models
