// hyseq cost: parameters, floating-point operations and memory of an architecture.
#include "models/cost.hpp"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "kernels/base/error.hpp"
#include "models/lowering.hpp"

namespace hyseq::cli {
namespace {

CommandLine command_line() {
  CommandLine line{
      "hyseq cost ARCHITECTURE --width D --vocabulary V [options]",
      "Counts parameters, floating-point operations per token (a multiply-add is 2; training is three times\n"
      "the forward pass), the bytes held while generating token L, and the working memory in bits between two\n"
      "tokens. ARCHITECTURE: blocks TF and SSM left to right, like SSM,TF or (SSM*5,TF)*4.",
      {},
      {"architecture"}};
  add_block_options(line.options);
  line.options.add_options()("width", text(), "model width d, 1 to 65536; required")(
      "vocabulary", text(), "tokens, 1 to 16777216; required")("length", text("100"),
                                                               "sequence length L in tokens, 1 to 2^40")(
      "format", text("fp32"), "number format of memory: fp64, fp32, bf16, fp16 (or double, float, bfloat16, half)")(
      "json", text(), "write JSON to this file, - for standard output");
  return line;
}

NumberFormat parse_format(const std::string& format) {
  if (format == "fp64") return NumberFormat::float64;
  if (format == "fp32") return NumberFormat::float32;
  if (format == "bf16") return NumberFormat::bfloat16;
  if (format == "fp16") return NumberFormat::float16;
  try {
    return parse_number_format(format);
  } catch (const InputError&) {
    throw InputError("--format is '" + format +
                     "', allowed are: fp64, fp32, bf16, fp16, double, float, bfloat16, half");
  }
}

/// Counts of operations are whole unless attention averages them; whole ones are written as integers.
nlohmann::ordered_json count_json(double count) {
  constexpr double exact = 0x1p53;
  if (count == std::floor(count) && count < exact) return static_cast<std::int64_t>(count);
  return count;
}

nlohmann::ordered_json part_json(const models::PartCost& part) {
  return {{"parameters", part.parameters},
          {"flops_per_token_forward", count_json(part.flops_per_token_forward)},
          {"flops_per_token_training", count_json(part.flops_per_token_training)},
          {"state_bytes", part.state_bytes},
          {"working_memory_bits", part.working_memory_bits}};
}

void print_row(const std::string& name, const models::PartCost& part) {
  std::cout << std::left << std::setw(16) << name << std::right << std::setw(14) << part.parameters << std::setw(18)
            << part.flops_per_token_forward << std::setw(18) << part.flops_per_token_training << std::setw(14)
            << part.state_bytes << std::setw(16) << part.working_memory_bits << "\n";
}

std::string block_name(const models::Architecture& architecture, std::size_t layer) {
  return std::holds_alternative<models::SsmBlock>(architecture.layers[layer]) ? "SSM" : "TF";
}

}  // namespace

int run_cost(const std::vector<std::string>& arguments) {
  const auto values = parse(command_line(), arguments);
  if (!values) return kSuccess;
  if (!values->contains("architecture")) throw InputError("the architecture is missing, like SSM,TF");
  const auto vocabulary = static_cast<int>(integer_option(*values, "vocabulary", 1, std::numeric_limits<int>::max()));
  const models::Architecture architecture = architecture_option(*values, vocabulary);
  const auto length = static_cast<std::uint64_t>(integer_option(*values, "length", 1, std::int64_t{1} << 40));
  const NumberFormat format = parse_format(required(*values, "format"));
  const models::Cost cost = models::cost(models::lower(architecture), length, format);

  if (values->contains("json")) {
    nlohmann::ordered_json json = {{"architecture", models::layers_text(architecture)},
                                   {"width", architecture.width},
                                   {"vocabulary", architecture.vocabulary},
                                   {"length", length},
                                   {"format", name(format)}};
    json.update(part_json(cost.total));
    json["embedding"] = part_json(cost.embedding);
    json["head"] = part_json(cost.head);
    json["per_layer"] = nlohmann::ordered_json::array();
    for (std::size_t layer = 0; layer < cost.layers.size(); ++layer) {
      nlohmann::ordered_json entry = {{"layer", layer}, {"block", block_name(architecture, layer)}};
      entry.update(part_json(cost.layers[layer]));
      json["per_layer"].push_back(std::move(entry));
    }
    write_json(required(*values, "json"), json);
    return kSuccess;
  }
  std::cout << std::left << std::setw(16) << "" << std::right << std::setw(14) << "parameters" << std::setw(18)
            << "forward/token" << std::setw(18) << "training/token" << std::setw(14) << "state bytes" << std::setw(16)
            << "memory bits"
            << "\n"
            << std::fixed << std::setprecision(1);
  print_row("embedding", cost.embedding);
  for (std::size_t layer = 0; layer < cost.layers.size(); ++layer) {
    print_row(std::to_string(layer) + " " + block_name(architecture, layer), cost.layers[layer]);
  }
  print_row("head", cost.head);
  print_row("model", cost.total);
  return kSuccess;
}

}  // namespace hyseq::cli
