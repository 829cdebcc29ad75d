// hyseq: picks the command and turns errors into one sentence and an exit code.
#include <exception>
#include <iomanip>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "kernels/base/error.hpp"

namespace hyseq::cli {
namespace {

constexpr Command kCommands[] = {
    {"tasks", "list tasks, show examples, sample data sets, label your own inputs", run_tasks},
    {"cost", "parameters, operations and memory of an architecture", run_cost},
    {"run", "run a model file: logits, loss, state, trace", run_model},
    {"verify", "certify the theorem constructions", run_verify},
    {"train", "train models of one architecture on a task or a data file", run_train},
    {"eval", "evaluate a model on held-out rows, by length, distance, depth and key", run_eval},
    {"sweep", "train what a preset asks for and the store does not have", run_sweep},
    {"reproduce", "train, draw and tabulate a learned figure of the paper", run_reproduce},
    {"store", "list and show stored certificates and training runs", run_store},
    {"collect", "join the training runs of stores into one file", run_collect},
    {"plot", "draw a figure from stored certificates as SVG, PDF or PNG", run_plot},
    {"report", "write one self-contained HTML page about a store", run_report},
    {"info", "version, engines and their arithmetic, instruction sets, libraries", run_info},
};

void print_help(std::ostream& out) {
  out << "usage: hyseq COMMAND [options]\n\ncommands:\n";
  for (const Command& command : kCommands) {
    out << "  " << std::left << std::setw(11) << command.name << command.summary << "\n";
  }
  out << "\n`hyseq COMMAND --help` describes the options of a command, with units and defaults.\n"
         "Exit codes: 0 success, 1 a check failed, 2 bad usage or input, 3 the environment (no GPU, disk full),\n"
         "130 interrupted.\n";
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    print_help(std::cerr);
    return kBadInput;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    print_help(std::cout);
    return kSuccess;
  }
  std::string names;
  for (const Command& command : kCommands) {
    if (name == command.name) return command.run({arguments.begin() + 1, arguments.end()});
    names += (names.empty() ? "" : ", ") + std::string(command.name);
  }
  throw InputError("there is no command '" + name + "', allowed are: " + names);
}

int run(const std::vector<std::string>& arguments) {
  try {
    const int code = dispatch(arguments);
    if (!std::cout.flush()) throw EnvironmentError("standard output cannot be written");
    return code;
  } catch (const InputError& error) {
    std::cerr << "hyseq: " << error.what() << "\n";
    return kBadInput;
  } catch (const EnvironmentError& error) {
    std::cerr << "hyseq: " << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "hyseq: there is not enough memory for what was asked\n";
  } catch (const std::length_error&) {
    std::cerr << "hyseq: there is not enough memory for what was asked\n";
  } catch (const std::exception& error) {
    std::cerr << "hyseq: internal error: " << error.what() << "\n";
  }
  return kEnvironment;
}

}  // namespace
}  // namespace hyseq::cli

int main(int count, char** values) { return hyseq::cli::run({values + 1, values + count}); }
