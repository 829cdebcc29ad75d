// Runs the built program and collects what it says.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hyseq::cli {

struct Outcome {
  int code = -1;
  std::string out;
  std::string error;
};

/// A folder of its own for every test, removed afterwards.
class Program : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("hyseq-cli-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// `arguments` as written on a command line; `environment` as in "COLUMNS=60".
  [[nodiscard]] Outcome run(const std::string& arguments, const std::string& environment = "") const {
    const std::string command = environment + " '" HYSEQ_PROGRAM "' " + arguments + " >'" + path("stdout") + "' 2>'" +
                                path("stderr") + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("stdout"), read("stderr")};
  }

  /// Bad input: exit code 2, nothing on standard output, one line on standard error that holds every part.
  void expect_refused(const std::string& arguments, const std::vector<std::string>& parts, int code = 2) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
    for (const std::string& part : parts) {
      EXPECT_NE(outcome.error.find(part), std::string::npos) << arguments << ": " << outcome.error << " lacks " << part;
    }
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace hyseq::cli
