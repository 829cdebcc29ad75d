#include "results/machine.hpp"

#include <fstream>
#include <thread>

namespace hyseq::results {

std::string program_version() { return HYSEQ_VERSION; }

std::vector<std::string> instruction_sets() {
  std::vector<std::string> found;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse2") != 0) found.emplace_back("sse2");
  if (__builtin_cpu_supports("sse4.2") != 0) found.emplace_back("sse4.2");
  if (__builtin_cpu_supports("avx") != 0) found.emplace_back("avx");
  if (__builtin_cpu_supports("fma") != 0) found.emplace_back("fma");
  if (__builtin_cpu_supports("avx2") != 0) found.emplace_back("avx2");
  if (__builtin_cpu_supports("avx512f") != 0) found.emplace_back("avx512f");
  if (__builtin_cpu_supports("avx512bf16") != 0) found.emplace_back("avx512bf16");
#elif defined(__aarch64__)
  found.emplace_back("neon");
#endif
  return found;
}

std::string machine_text() {
  std::string processor = "unknown processor";
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      processor = line.substr(colon + 2);
      break;
    }
  }
  return processor + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

}  // namespace hyseq::results
