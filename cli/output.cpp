#include "cli/output.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

#include "kernels/base/error.hpp"

namespace hyseq::cli {

void write_json(const std::string& destination, const nlohmann::ordered_json& value) {
  const std::string text = value.dump(2) + "\n";
  if (destination == "-") {
    std::cout << text;
    return;
  }
  std::ofstream file(destination);
  file << text;
  if (!file.flush()) throw EnvironmentError("the file '" + destination + "' cannot be written");
}

std::size_t terminal_width() {
  constexpr std::size_t least = 20;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<std::size_t>(size.ws_col, least);
  const char* columns = std::getenv("COLUMNS");
  const long given = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return given > 0 ? std::max(static_cast<std::size_t>(given), least) : 80;
}

}  // namespace hyseq::cli
