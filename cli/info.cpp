// hyseq info: what this build can do on this machine.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <boost/version.hpp>
#include <hdf5.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/engine.hpp"
#include "results/machine.hpp"

namespace hyseq::cli {
namespace {

/// Name and version of the libraries, as compiled against; HDF5 as loaded.
std::vector<std::pair<std::string, std::string>> libraries() {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  H5get_libversion(&major, &minor, &patch);
  const auto dotted = [](auto a, auto b, auto c) {
    return std::to_string(a) + "." + std::to_string(b) + "." + std::to_string(c);
  };
  return {
      {"HDF5", dotted(major, minor, patch)},
      {"Boost", dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"nlohmann-json", dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
}

std::string compiler() {
#if defined(__clang__)
  return __VERSION__;  // names itself
#else
  return std::string("GCC ") + __VERSION__;
#endif
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

nlohmann::ordered_json describe() {
  nlohmann::ordered_json json = {{"version", HYSEQ_VERSION}, {"compiler", compiler()}};
  json["engines"] = nlohmann::ordered_json::array();
  for (const kernels::Engine* engine : kernels::engines()) {
    std::vector<std::string> formats;
    for (const NumberFormat format : engine->formats()) formats.emplace_back(name(format));
    json["engines"].push_back({{"name", engine->name()},
                               {"numbers", formats},
                               {"rounding", engine->rounding()},
                               {"subnormals", engine->subnormals()},
                               {"instructions", engine->instructions()}});
  }
  json["instruction_sets"] = results::instruction_sets();
  const kernels::cuda::GpuState state = kernels::cuda::find_gpu();
  json["gpu"] = nullptr;
  if (state.gpu) {
    const kernels::cuda::Gpu& gpu = *state.gpu;
    json["gpu"] = {
        {"name", gpu.name},
        {"compute_capability", std::to_string(gpu.capability_major) + "." + std::to_string(gpu.capability_minor)},
        {"multiprocessors", gpu.processors},
        {"memory", gpu.memory},
        {"free_memory", gpu.free_memory},
        {"driver", gpu.driver},
        {"toolkit", gpu.toolkit},
        {"cublas", gpu.cublas}};
  } else {
    json["gpu_reason"] = state.reason;
  }
  json["libraries"] = nlohmann::ordered_json::object();
  for (const auto& [library, version] : libraries()) json["libraries"][library] = version;
  return json;
}

std::string gpu_text(const nlohmann::ordered_json& json) {
  const nlohmann::ordered_json& gpu = json["gpu"];
  if (gpu.is_null()) return "none: " + json["gpu_reason"].get<std::string>();
  return gpu["name"].get<std::string>() + ", compute capability " + gpu["compute_capability"].get<std::string>() +
         ", " + std::to_string(gpu["multiprocessors"].get<int>()) + " multiprocessors, " +
         std::to_string(gpu["memory"].get<std::size_t>() / 1'000'000'000) + " GB, driver for CUDA " +
         gpu["driver"].get<std::string>() + ", cuBLAS " + gpu["cublas"].get<std::string>();
}

}  // namespace

int run_info(const std::vector<std::string>& arguments) {
  CommandLine line{
      "hyseq info [options]", "Version, engines and their arithmetic, instruction sets, GPU, libraries.", {}, {}};
  line.options.add_options()("json", po::value<std::string>()->value_name("X"),
                             "write JSON to this file, - for standard output");
  const auto values = parse(line, arguments);
  if (!values) return kSuccess;
  const nlohmann::ordered_json json = describe();
  if (values->contains("json")) {
    write_json(required(*values, "json"), json);
    return kSuccess;
  }
  std::cout << "hyseq " << json["version"].get<std::string>() << ", compiled by " << json["compiler"].get<std::string>()
            << "\n\nengines\n";
  for (const auto& engine : json["engines"]) {
    std::cout << "  " << engine["name"].get<std::string>() << "\n    numbers     "
              << joined(engine["numbers"].get<std::vector<std::string>>()) << "\n    rounding    "
              << engine["rounding"].get<std::string>() << "\n    subnormals  "
              << engine["subnormals"].get<std::string>() << "\n    compiled for "
              << engine["instructions"].get<std::string>() << "\n";
  }
  std::cout << "instruction sets  " << joined(results::instruction_sets()) << "\nGPU               " << gpu_text(json)
            << "\nlibraries\n";
  for (const auto& [library, version] : json["libraries"].items()) {
    std::cout << "  " << library << " " << version.get<std::string>() << "\n";
  }
  return kSuccess;
}

}  // namespace hyseq::cli
