// hyseq collect: the finished training runs of one or more stores in one file.
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "kernels/base/error.hpp"
#include "results/run_store.hpp"

namespace hyseq::cli {

int run_collect(const std::vector<std::string>& arguments) {
  CommandLine line{"hyseq collect --store DIR [--store DIR2 ...] --output FILE.h5 [--csv FILE.csv]",
                   "Joins the finished training runs of stores into one file, each run once.",
                   {},
                   {}};
  line.options.add_options()("store", po::value<std::vector<std::string>>()->value_name("DIR")->composing(),
                             "folder that `hyseq sweep` or `hyseq train` wrote to; required, may be repeated")(
      "output", po::value<std::string>()->value_name("FILE"), "HDF5 file to write; required")(
      "csv", po::value<std::string>()->value_name("FILE"),
      "also write a table: a line per run, evaluation and slice, with integer counts");
  const auto values = parse(line, arguments);
  if (!values) return kSuccess;
  if (!values->contains("store")) throw InputError("--store is missing");
  const std::string output = required(*values, "output");
  const std::string csv = values->contains("csv") ? required(*values, "csv") : "";
  if (output == csv) throw InputError("--output and --csv are the same file '" + csv + "', allowed are different ones");
  const std::size_t runs = results::collect((*values)["store"].as<std::vector<std::string>>(), output, csv);
  std::cout << runs << (runs == 1 ? " run in " : " runs in ") << output << "\n";
  return kSuccess;
}

}  // namespace hyseq::cli
