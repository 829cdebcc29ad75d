#include "cli/options.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <system_error>
#include <thread>

#include "kernels/base/error.hpp"
#include "kernels/base/number_text.hpp"

namespace hyseq::cli {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& text, const std::string& allowed) {
  throw InputError(what + " is '" + text + "', allowed is " + allowed);
}

/// Before any work is done for a file that could not be written.
void check_output_folders(const po::variables_map& values) {
  namespace fs = std::filesystem;
  for (const char* option : {"output", "json", "csv", "export", "state-out"}) {
    if (!values.contains(option)) continue;
    const std::string file = values[option].as<std::string>();
    const fs::path folder = fs::path(file).parent_path();
    std::error_code unknown;  // of a folder that may not be looked at; writing will say so
    if (folder.empty() || fs::is_directory(folder, unknown) || unknown == std::errc::permission_denied) continue;
    refuse("--" + std::string(option), file,
           "a file in a folder that exists; the folder '" + folder.string() + "' does not exist");
  }
}

}  // namespace

std::optional<po::variables_map> parse(const CommandLine& line, const std::vector<std::string>& arguments) {
  if (std::ranges::any_of(arguments, [](const std::string& text) { return text == "--help" || text == "-h"; })) {
    po::options_description options;
    options.add(line.options).add_options()("help", "prints this text");
    std::cout << "usage: " << line.usage << "\n\n" << line.summary << "\n" << options;
    return std::nullopt;
  }
  po::options_description all;
  all.add(line.options);
  po::positional_options_description positions;
  for (const std::string& name : line.positionals) {
    all.add_options()(name.c_str(), po::value<std::string>());
    positions.add(name.c_str(), 1);
  }
  using namespace po::command_line_style;
  constexpr int style = allow_long | long_allow_adjacent | long_allow_next;
  try {
    po::variables_map values;
    po::store(po::command_line_parser(arguments).options(all).positional(positions).style(style).run(), values);
    po::notify(values);
    check_output_folders(values);
    return values;
  } catch (const po::unknown_option& error) {
    throw InputError("there is no option '" + error.get_option_name() + "'; `" + line.usage +
                     "` describes itself with --help");
  } catch (const po::too_many_positional_options_error&) {
    throw InputError("there are more arguments than `" + line.usage + "` takes");
  } catch (const po::error& error) {
    throw InputError(error.what());
  }
}

std::string required(const po::variables_map& values, const std::string& name) {
  if (!values.contains(name)) throw InputError("--" + name + " is missing");
  return values[name].as<std::string>();
}

std::int64_t parse_integer(const std::string& what, const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  if (!parse_number(text, value) || value < least || value > most) {
    refuse(what, text, "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

double parse_real(const std::string& what, const std::string& text, double least, double most) {
  double value = 0.0;
  if (!parse_number(text, value) || !(value >= least && value <= most)) {  // refuses NaN too
    refuse(what, text, "a number from " + plain_number(least) + " to " + plain_number(most));
  }
  return value;
}

std::pair<std::int64_t, std::int64_t> parse_range(const std::string& what, const std::string& text, std::int64_t least,
                                                  std::int64_t most) {
  const std::size_t dots = text.find("..");
  const std::string first = text.substr(0, dots);
  const std::string last = dots == std::string::npos ? first : text.substr(dots + 2);
  std::int64_t a = 0;
  std::int64_t b = 0;
  if (!parse_number(first, a) || !parse_number(last, b) || a < least || b > most || a > b) {
    refuse(what, text, "A or A..B with " + std::to_string(least) + " <= A <= B <= " + std::to_string(most));
  }
  return {a, b};
}

std::int64_t integer_option(const po::variables_map& values, const std::string& name, std::int64_t least,
                            std::int64_t most) {
  return parse_integer("--" + name, required(values, name), least, most);
}

std::uint64_t seed_option(const po::variables_map& values) {
  return static_cast<std::uint64_t>(integer_option(values, "seed", 0, std::numeric_limits<std::int64_t>::max()));
}

std::size_t threads_option(const po::variables_map& values) {
  const auto threads = static_cast<std::size_t>(integer_option(values, "threads", 0, 1024));
  return threads > 0 ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void refuse_same_file(const po::variables_map& values, const std::string& input, const std::string& output) {
  if (!values.contains(input) || !values.contains(output)) return;
  const std::string first = required(values, input);
  const std::string second = required(values, output);
  std::error_code unknown;  // a file that does not exist yet has no identity
  if (first == second || std::filesystem::equivalent(first, second, unknown)) {
    throw InputError("--" + output + " and --" + input + " are the same file '" + second +
                     "', allowed are two different ones, or one would be lost");
  }
}

}  // namespace hyseq::cli
