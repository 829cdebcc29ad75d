#include "results/figures/gnuplot.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.hpp"

namespace hyseq::results {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed with everything in it when the scope ends.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& parent) {
    std::string pattern = (parent / ".hyseq-figure-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw EnvironmentError("cannot write into the folder " + parent.string() + ": " +
                             std::error_code(errno, std::generic_category()).message());
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw EnvironmentError("cannot write " + path.string());
}

/// gnuplot repeats the command and points at the place; the reason stands on the line `"script" line 12: ...`.
std::string reason(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("\"script\" line ", 0) == 0) return line.substr(9);
  return log.empty() ? "it gave no reason" : log.substr(0, log.find('\n'));
}

/// Runs `gnuplot -d script` in `folder` (-d: no settings of the user's); its messages go to the file `log` there.
void run_gnuplot(const fs::path& folder) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::array<std::string, 3> words{"gnuplot", "-d", "script"};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT)
    throw EnvironmentError(
        "gnuplot draws the figures and is not installed; install it with: apt-get install gnuplot-nox");
  if (failed != 0)
    throw EnvironmentError("cannot start gnuplot: " + std::error_code(failed, std::generic_category()).message());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) throw EnvironmentError("gnuplot could not draw the figure: " + reason(read_text(folder / "log")));
}

/// Draws inside `scratch` and returns the image's path there.
fs::path draw(const Figure& figure, ImageFormat format, const fs::path& scratch, const std::string& file) {
  write_text(scratch / "script", script(figure, format, file));
  run_gnuplot(scratch);
  const fs::path image = scratch / file;
  std::error_code error;
  if (fs::file_size(image, error) == 0 || error)
    throw EnvironmentError("gnuplot left no image: " + reason(read_text(scratch / "log")));
  return image;
}

/// Where the figure lies in the image: the whole of it, until a figure made of several says otherwise.
constexpr const char* kFrame = "origin_x = 0.\norigin_y = 0.\nscale_x = 1.\nscale_y = 1.\nset multiplot\n";

std::string terminal(const Figure& figure, ImageFormat format) {
  const std::string w = std::to_string(figure.width), h = std::to_string(figure.height);
  switch (format) {
    case ImageFormat::svg:
      return "set terminal svg enhanced size " + w + "," + h + " font 'Arial,12' background '#ffffff'";
    case ImageFormat::png:  // twice the pixels, for screens and slides
      return "set terminal pngcairo enhanced size " + std::to_string(2 * figure.width) + "," +
             std::to_string(2 * figure.height) + " font 'Arial,12' fontscale 1.5 linewidth 2 pointscale 2";
    case ImageFormat::pdf:
      return "set terminal pdfcairo enhanced size " + w + "/96.," + h +
             "/96. font 'Arial,12' fontscale 0.75 linewidth 1.5";
  }
  return {};
}

}  // namespace

ImageFormat image_format(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".svg") return ImageFormat::svg;
  if (ending == ".pdf") return ImageFormat::pdf;
  if (ending == ".png") return ImageFormat::png;
  throw InputError("a figure's file must end in .svg, .pdf or .png, and \"" + path + "\" does not");
}

std::string script(const Figure& figure, ImageFormat format, const std::string& output) {
  return "# " + figure.title + "\n# Drawn by hyseq; this file holds the figure's data: `gnuplot` draws it again.\n" +
         "set encoding utf8\n" + terminal(figure, format) + "\nset output '" + output + "'\n" + kFrame + figure.data +
         figure.commands + "unset multiplot\nunset output\n";
}

void render(const Figure& figure, const std::string& path) {
  const ImageFormat format = image_format(path);
  const fs::path target(path);
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(parent)) throw EnvironmentError("the folder " + parent.string() + " does not exist");
  if (fs::exists(target) && !fs::is_regular_file(target))
    throw EnvironmentError("cannot write the figure " + path + ": it is not an ordinary file");

  const ScratchFolder scratch(parent);
  const std::string drawn = "figure" + target.extension().string();
  draw(figure, format, scratch.path(), drawn);
  // The script that stays beside the image names the image itself.
  std::string name;
  for (const char c : target.filename().string()) name += c == '\'' ? std::string("''") : std::string(1, c);
  write_text(scratch.path() / "script", script(figure, format, name));
  fs::rename(scratch.path() / "script", fs::path(path + ".gnuplot"));
  fs::rename(scratch.path() / drawn, target);
}

std::string render_svg(const Figure& figure) {
  const ScratchFolder scratch(fs::temp_directory_path());
  return read_text(draw(figure, ImageFormat::svg, scratch.path(), "figure.svg"));
}

}  // namespace hyseq::results
