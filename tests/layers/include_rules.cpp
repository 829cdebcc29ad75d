#include "tests/layers/include_rules.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace hyseq::layers {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string path;
  bool quoted = false;
};

/// The include named by a line, or nothing. A commented-out line does not start with '#' and so does not count.
std::optional<Include> parse_include(std::string_view line) {
  const auto skip_blanks = [&line] {
    const auto start = line.find_first_not_of(" \t");
    line.remove_prefix(start == std::string_view::npos ? line.size() : start);
  };
  const auto skip_word = [&](std::string_view word) {
    skip_blanks();
    if (line.substr(0, word.size()) != word) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip_word("#") || !skip_word("include")) return std::nullopt;
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return std::nullopt;
  const bool quoted = line.front() == '"';
  line.remove_prefix(1);
  const auto end = line.find(quoted ? '"' : '>');
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(0, end)), quoted};
}

std::string top_folder(const std::string& path) { return path.substr(0, path.find('/')); }

/// Height of a layer from the bottom, or nothing for a folder that is not a layer.
std::optional<std::ptrdiff_t> height(const std::string& folder) {
  const auto* const found = std::find(std::begin(kLayers), std::end(kLayers), folder);
  if (found == std::end(kLayers)) return std::nullopt;
  return found - std::begin(kLayers);
}

/// The broken rule of one include, empty when there is none.
std::string judge(const fs::path& root, const std::string& file, const Include& include) {
  const auto here = height(top_folder(file));
  const auto there = height(top_folder(include.path));
  const std::string folder = top_folder(include.path);
  const bool own = there.has_value() || folder == "tests" || folder == "benchmarks";
  if (!include.quoted) {
    return own && fs::exists(root / include.path) ? "includes <" + include.path + "> in angle brackets; use quotes"
                                                  : "";
  }
  if (!own) return "includes \"" + include.path + "\"; write it from the project's root, third-party files in <>";
  if (!fs::is_regular_file(root / include.path)) return "includes \"" + include.path + "\", which does not exist";
  if (!here) return "";
  if (!there) return "includes \"" + include.path + "\", which belongs to the " + folder;
  if (*there <= *here) return "";
  return "includes \"" + include.path + "\", a layer above " + top_folder(file);
}

bool is_source(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".hpp" || extension == ".cpp" || extension == ".cuh" || extension == ".cu";
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

/// Calls `visit` with every include of the project's own files and its line number.
template <class Visit>
void for_each_include(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    if (const auto include = parse_include(text.substr(0, end))) visit(number, *include);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

std::vector<Violation> check_text(const fs::path& root, const std::string& file, std::string_view text) {
  std::vector<Violation> violations;
  for_each_include(text, [&](int line, const Include& include) {
    if (auto reason = judge(root, file, include); !reason.empty())
      violations.push_back({file, line, std::move(reason)});
  });
  return violations;
}

TreeReport check_tree(const fs::path& root) {
  std::vector<std::string> folders(std::begin(kLayers), std::end(kLayers));
  folders.insert(folders.end(), {"tests", "benchmarks"});
  TreeReport report;
  for (const auto& folder : folders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const auto text = read(entry.path());
      ++report.files;
      for_each_include(text, [&](int, const Include& include) { report.includes += include.quoted ? 1U : 0U; });
      const auto found = check_text(root, entry.path().lexically_relative(root).generic_string(), text);
      report.violations.insert(report.violations.end(), found.begin(), found.end());
    }
  }
  return report;
}

}  // namespace hyseq::layers
