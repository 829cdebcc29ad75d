// The commands of the program. A command is one file with one run_... function, declared here and listed in main.cpp.
#pragma once

#include <string>
#include <vector>

namespace hyseq::cli {

/// Exit codes of the program.
enum ExitCode : int {
  kSuccess = 0,
  kCheckFailed = 1,    // a verification or a comparison did not hold
  kBadInput = 2,       // InputError
  kEnvironment = 3,    // EnvironmentError: no GPU, disk full, a missing program
  kInterrupted = 130,  // by Ctrl-C or SIGTERM; what was finished is stored
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
int run_train(const std::vector<std::string>& arguments);
int run_eval(const std::vector<std::string>& arguments);
int run_sweep(const std::vector<std::string>& arguments);
int run_reproduce(const std::vector<std::string>& arguments);
int run_collect(const std::vector<std::string>& arguments);
int run_store(const std::vector<std::string>& arguments);
int run_plot(const std::vector<std::string>& arguments);
int run_report(const std::vector<std::string>& arguments);
int run_info(const std::vector<std::string>& arguments);

}  // namespace hyseq::cli
