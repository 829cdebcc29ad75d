// hyseq report: one self-contained page from stored results.
#include "results/report/report.hpp"

#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/learned.hpp"
#include "cli/options.hpp"
#include "cli/trade_off.hpp"
#include "results/store.hpp"

namespace hyseq::cli {
namespace {

CommandLine command_line() {
  CommandLine line{
      "hyseq report --store DIR --output FILE.html",
      "Writes one HTML page with the verdicts, what each check found and means, the figures with their\n"
      "data, the counterexamples of the negative controls and how to run each line again; where the store\n"
      "has training runs, the learned figures with their tables too. The page is complete in itself: it\n"
      "opens without a network, on a phone, light and dark.",
      {},
      {}};
  line.options.add_options()("store", text(),
                             "folder that `hyseq verify --store`, `sweep` or `reproduce` wrote to; required")(
      "output", text(), "page to write, an older one is replaced; required");
  return line;
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  const std::string store = required(*values, "store"), output = required(*values, "output");
  const std::vector<results::Certificate> certificates = results::Store(store).load_certificates();
  const std::vector<results::Learned> learned = all_stored_learned(results::RunStore(store));
  results::write_report(certificates, output, learned, stored_trade_off(store));
  std::cout << "wrote " << output << " (" << certificates.size()
            << (certificates.size() == 1 ? " certificate" : " certificates");
  if (!learned.empty())
    std::cout << ", " << learned.size() << (learned.size() == 1 ? " learned figure" : " learned figures");
  std::cout << ")\n";
  return kSuccess;
}

}  // namespace hyseq::cli
