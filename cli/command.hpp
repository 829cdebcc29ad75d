// The commands of the program. A command is one file with one run_... function, declared here and listed in main.cpp.
#pragma once

#include <string>
#include <vector>

namespace hyseq::cli {

/// Exit codes of the program.
enum ExitCode : int {
  kSuccess = 0,
  kCheckFailed = 1,  // a verification or a comparison did not hold
  kBadInput = 2,     // InputError
  kEnvironment = 3,  // EnvironmentError: no GPU, disk full, a missing program
};

/// `arguments` are those after the command's name. Returns an ExitCode; throws InputError and EnvironmentError, which
/// main.cpp turns into one sentence and the exit code.
using Run = int (*)(const std::vector<std::string>& arguments);

struct Command {
  const char* name;
  const char* summary;  // one line
  Run run;
};

int run_tasks(const std::vector<std::string>& arguments);
int run_cost(const std::vector<std::string>& arguments);
int run_model(const std::vector<std::string>& arguments);  // hyseq run
int run_verify(const std::vector<std::string>& arguments);
int run_store(const std::vector<std::string>& arguments);
int run_plot(const std::vector<std::string>& arguments);
int run_report(const std::vector<std::string>& arguments);
int run_info(const std::vector<std::string>& arguments);

}  // namespace hyseq::cli
