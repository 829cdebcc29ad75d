#include "kernels/lanes/engine.hpp"

#include <algorithm>
#include <string>

#include "kernels/checks.hpp"
#include "kernels/lanes/cohort.hpp"
#include "kernels/lanes/flush_subnormals.hpp"
#include "kernels/lanes/instruction_set.hpp"
#include "kernels/lanes/single_model.hpp"

namespace hyseq::kernels {
namespace {

class LanesEngine final : public Engine {
 public:
  [[nodiscard]] std::string_view name() const override { return "lanes"; }
  [[nodiscard]] std::vector<NumberFormat> formats() const override {
    return {NumberFormat::float32, NumberFormat::float64};
  }
  [[nodiscard]] std::string_view rounding() const override {
    return "to nearest, ties to even, in the number format throughout; multiply-adds are fused where the instruction "
           "set fuses them, division and square root are exact, exp and log are off by a few units in the last place";
  }
  [[nodiscard]] std::string instructions() const override { return current_instruction_set(); }
  [[nodiscard]] std::string_view subnormals() const override {
    return "flushed to zero, as operands and as results, in float and double";
  }

  [[nodiscard]] ForwardResult forward(const ForwardRequest& request) const override {
    if (request.format == NumberFormat::float32) return forward_lanes<float>(request);
    if (request.format == NumberFormat::float64) return forward_lanes<double>(request);
    refuse_format("lanes", "computes", "float or double", request.format);
  }

  [[nodiscard]] ExecuteResult execute(const ExecuteRequest& request) const override {
    if (request.format == NumberFormat::float32) return execute_lanes<float>(request);
    if (request.format == NumberFormat::float64) return execute_lanes<double>(request);
    refuse_format("lanes", "computes", "float or double", request.format);
  }

  [[nodiscard]] std::size_t cohort_size(NumberFormat format) const override { return lane_count(format); }

  [[nodiscard]] std::size_t cohort_bytes(const CohortRequest& request, std::size_t /*rows*/) const override {
    // One row of all lanes at a time. Many buffers hold a few tokens only: what is left of them is on the safe side.
    const std::size_t numbers =
        numbers_per_member(*request.training) + request.longest * numbers_per_token(*request.training, true);
    return numbers * lane_count(request.format) * static_cast<std::size_t>(bytes(request.format));
  }
  [[nodiscard]] std::unique_ptr<Cohort> make_cohort(const CohortRequest& request) const override {
    return make_lanes_cohort(request);
  }
};

}  // namespace

const Engine& lanes_engine() {
  static const LanesEngine engine;
  return engine;
}

}  // namespace hyseq::kernels
