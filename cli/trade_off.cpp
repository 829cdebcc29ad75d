#include "cli/trade_off.hpp"

#include <vector>

#include "results/figures/trade_off.hpp"
#include "results/run_store.hpp"
#include "results/store.hpp"

namespace hyseq::cli {

results::Figure stored_trade_off(const std::string& store) {
  const std::vector<results::Certificate> certificates = results::Store(store).load_certificates();
  const results::RunStore runs(store);
  const std::vector<results::TrainedModel> models =
      runs.ids().empty() ? std::vector<results::TrainedModel>{} : results::trained_models(runs.load_all());
  return results::trade_off_figure(results::trade_off(certificates, models));
}

}  // namespace hyseq::cli
