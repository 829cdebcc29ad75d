// Parsing shared by the commands, on top of Boost.Program_options. Everything wrong with a command line becomes an
// InputError of one sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/program_options.hpp>

namespace hyseq::cli {

namespace po = boost::program_options;

/// The value of an option that takes one, as text, with a default where the option has one.
[[nodiscard]] inline po::typed_value<std::string>* text() { return po::value<std::string>()->value_name("X"); }
[[nodiscard]] inline po::typed_value<std::string>* text(const char* default_value) {
  return text()->default_value(default_value);
}

/// What a command accepts. `options` is printed by --help as it stands: give units, ranges and defaults in its texts.
struct CommandLine {
  std::string usage;                     // "hyseq tasks show TASK [options]"
  std::string summary;                   // what the command does, one or more lines
  po::options_description options;       // --help is added by `parse`
  std::vector<std::string> positionals;  // names; values arrive as strings under these names, all of them optional
};

/// Parses the arguments; with --help (or -h) among them prints usage, summary and options and returns nothing, and the
/// command ends with success. Long options only, never abbreviated. Throws InputError for unknown, repeated, incomplete
/// or malformed options, for surplus arguments and for an output file (--output, --json, --csv, --export, --state-out)
/// in a folder that does not exist.
[[nodiscard]] std::optional<po::variables_map> parse(const CommandLine& line,
                                                     const std::vector<std::string>& arguments);

/// The text of a required option or positional argument. Throws InputError naming it when it is missing.
[[nodiscard]] std::string required(const po::variables_map& values, const std::string& name);

/// Refuses to write `output` over `input`: both are given by the options of these names and are one and the same file.
void refuse_same_file(const po::variables_map& values, const std::string& input, const std::string& output);

/// Numbers from text, whole and in range, else InputError: "--rows is '-3', allowed is an integer from 1 to 1000".
[[nodiscard]] std::int64_t parse_integer(const std::string& what, const std::string& text, std::int64_t least,
                                         std::int64_t most);
[[nodiscard]] double parse_real(const std::string& what, const std::string& text, double least, double most);

/// "A..B" or "A" (both ends alike), least <= A <= B <= most.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> parse_range(const std::string& what, const std::string& text,
                                                                std::int64_t least, std::int64_t most);

/// The value of an integer option that has a default or is required.
[[nodiscard]] std::int64_t integer_option(const po::variables_map& values, const std::string& name, std::int64_t least,
                                          std::int64_t most);

/// --seed as 0 .. 2^63-1 (HDF5 attributes are signed), and --threads as 1 .. 1024, 0 for one per core.
[[nodiscard]] std::uint64_t seed_option(const po::variables_map& values);
[[nodiscard]] std::size_t threads_option(const po::variables_map& values);

}  // namespace hyseq::cli
