#include "tests/results/fixture.hpp"

#include <cmath>
#include <fstream>
#include <sstream>

#include <stdlib.h>

namespace hyseq::results::fixture {
namespace {

/// Significant bits of a format: sizes in the fixture fail once N log N passes them.
int precision(const std::string& number) {
  if (number == "double") return 53;
  if (number == "float") return 24;
  return number == "half" ? 11 : 8;
}

Json series(bool in_bits) {
  Json list = Json::array();
  for (const char* number : {"double", "float", "bfloat16", "half"})
    for (int k = 1; k <= (in_bits ? 10 : 14); ++k) {
      const double size = in_bits ? k : std::exp2(k), unit = std::exp2(-precision(number));
      const double mass = 0.93 - 0.2 * unit * std::exp2(k);
      list.push_back({{"size", size},
                      {"number", number},
                      {"target_mass", mass},
                      {"decoder_gap", 2 * (2 * mass - 1) * std::exp2(-k / 2.0) - 3 * unit * k},
                      {"holds", mass > 0.5 && k < precision(number)}});
    }
  return list;
}

Json largest(bool in_bits) {
  Json list = Json::array();
  for (const char* number : {"double", "float", "bfloat16", "half"}) {
    const int k = std::min(precision(number) - 1, 14);
    list.push_back({{"number", number},
                    {in_bits ? "bits" : "distances", in_bits ? std::min(k, 10) : std::exp2(k)},
                    {"at_least", k == 14},
                    {"predicted", in_bits ? std::min(k, 20) : std::exp2(std::min(precision(number) - 1, 18))}});
  }
  return list;
}

Json point(const char* axis, double vocabulary, double distances, double length, bool faithful, bool built) {
  const double code = std::ceil(std::log2(vocabulary)),
               width = 2 * code + (faithful ? 2 * std::ceil(std::log2(length)) + 1 : 7);
  return {{"axis", axis},
          {"vocabulary", vocabulary},
          {"distances", distances},
          {"length", length},
          {"width", width},
          {"width_bound", 2 * code + (faithful ? 2 * std::ceil(std::log2(length)) + 1 : 8)},
          {"nonzero_parameters", vocabulary * code},
          {"nonzero_parameters_bound", vocabulary * width},
          {"states", faithful ? distances + 1 : vocabulary / 2 + 1},
          {"states_bound", vocabulary + 1},
          {"window", distances},
          {"window_bound", 2 * distances},
          {"working_memory_bits", 2 * distances * width * 32},
          {"working_memory_bits_bound", 4 * distances * width * 32},
          {"pure_ssm_bits", distances * code},
          {"pure_window", length},
          {"instantiated", built}};
}

Json grid(bool faithful) {
  Json list = Json::array();
  for (int k = 6; k <= 16; k += 2) list.push_back(point("vocabulary", std::exp2(k), 16, 256, faithful, k < 13));
  for (int k = 1; k <= 10; ++k) list.push_back(point("distances", 2048, std::exp2(k), 4096, faithful, k < 8));
  for (int k = 6; k <= 20; k += 2) list.push_back(point("length", 64, 16, std::exp2(k), faithful, k < 14));
  return list;
}

LabelledMatrix matrix(const std::string& name, std::size_t tokens) {
  LabelledMatrix m{name, name == "embedding" ? "Embedding" : "Output", {}, {}, {}};
  for (std::size_t t = 0; t < tokens; ++t)
    m.column_labels.push_back(t < tokens / 2 ? std::string(1, static_cast<char>('a' + t))
                                             : std::to_string(t - tokens / 2 + 1));
  for (int b = 0; b < 3; ++b) m.row_labels.push_back("token code, bit " + std::to_string(b));
  for (int b = 0; b < 3; ++b) m.row_labels.push_back("number n, bit " + std::to_string(b));
  m.row_labels.emplace_back("is a number_token");
  for (int b = 0; b < 3; ++b) m.row_labels.push_back("copied code, bit " + std::to_string(b));
  for (std::size_t r = 0; r < m.row_labels.size(); ++r)
    for (std::size_t t = 0; t < tokens; ++t) {
      const bool number = t >= tokens / 2, set = ((t >> (r % 3)) & 1u) != 0;
      double value = 0;
      if (name == "embedding")
        value = r < 3 ? (set ? 1 : -1) : r < 6 ? (number ? (set ? .5 : -.5) : 0) : r == 6 ? number : 0;
      if (name == "output" && r > 6) value = set ? 1 : -1;
      m.values.push_back(value);
    }
  return m;
}

Json controls() {
  return {
      {"controls",
       {{{"name", "inverse temperature 0"}, {"caught", true}, {"caught_by", "domain"}, {"counterexample", "a b 2 c"}},
        {{"name", "window one too short"},
         {"caught", true},
         {"caught_by", "domain"},
         {"counterexample", "<b> & \"c\" 4"}},
        {{"name", "wrong code bit"}, {"caught", true}, {"caught_by", "margins"}, {"counterexample", "d 1"}}}}};
}

double success(int bits, int slots) { return 1 - std::pow(1 - std::exp2(-bits), slots); }

}  // namespace

Certificate selective_copying(const std::string& level, const std::string& number) {
  const bool holds = number != "bfloat16";
  Certificate c;
  c.theorem = "4.3";
  c.level = level;
  c.number = number;
  c.parameters = {{"vocabulary", 65536}, {"distances", 1024}};
  c.verdict = holds ? "certified" : "not shown";
  c.scope = "every input of every length, in " + number + ", round to nearest, no flush to zero";
  c.seconds = 3.25;
  c.command =
      "hyseq verify 4.3 --level " + level + " --vocabulary 65536 --distances 1024 --number " + number + " --check all";
  c.checks = {
      {"domain",
       true,
       "All 256 sequences of length 4 over 4 tokens: every one of the 240 defined inputs is right.",
       {{"defined", 240}, {"undefined", 16}, {"correct", 240}}},
      {"induction",
       true,
       "The recurrent state takes exactly 1,025 values and no token leads out of them.",
       {{"reachable_states", 1025}, {"promised_states", 1025}, {"closed", true}, {"transitions_checked", 67174400}}},
      {"margins",
       holds,
       holds ? "The target keeps more than half of the mass." : "The decoder's gap is negative at N = 1,024.",
       {{"target_mass_lower_bound", 0.8412},
        {"decoder_gap_lower_bound", holds ? 1.3e-4 : -0.02},
        {"largest_holding", {{"distances", 8388608}, {"at_least", true}, {"predicted", 4194304}}},
        {"series", series(false)},
        {"largest_holding_by_number", largest(false)}}},
      {"budgets",
       true,
       "Width, states, window and memory stay within the theorem's formulas.",
       {{"width", {{"value", 23}, {"bound", 24}}},
        {"states", {{"value", 1025}, {"bound", 65537}}},
        {"window", {{"value", 1024}, {"bound", 1024}}},
        {"working_memory_bits", {{"value", 1507328}, {"bound", 1572864}}},
        {"growth", {{"width per doubling of vocabulary", 1.0}, {"states against vocabulary", 1.0}}},
        {"grid", grid(level == "faithful")}}},
      {"streams",
       true,
       "Two streams of a million tokens: every position with an answer was right.",
       {{"streams",
         {{{"name", "random"}, {"length", 1000000}, {"correct", 999990}},
          {{"name", "adversarial"}, {"length", 1000000}, {"correct", 1000000}}}}}},
      {"controls", true, "Three broken constructions are each caught by the check that should catch them.",
       controls()}};
  c.matrices = {matrix("embedding", 8), matrix("output", 8)};
  return c;
}

Certificate recall(const std::string& level, const std::string& number, int bits) {
  Certificate c;
  c.theorem = "4.6";
  c.level = level;
  c.number = number;
  c.parameters = {{"bits", bits}, {"length", 4096}};
  c.verdict = "certified";
  c.scope = "uniform inputs with probability 99%, in " + number;
  c.seconds = 0.4 * bits;
  c.command =
      "hyseq verify 4.6 --level " + level + " --bits " + std::to_string(bits) + " --length 4096 --number " + number;
  const int slots = static_cast<int>(std::ceil(std::log(0.01) / std::log(1 - std::exp2(-bits)) - 1e-12));
  Json curve = Json::array();
  for (int k = std::max(1, slots - 6); k <= slots + 6; ++k)
    curve.push_back({{"slots", k}, {"success", success(bits, k)}});
  c.checks = {
      {"window",
       true,
       "The first number of word slots that reaches 99%, counted in exact rationals.",
       {{"window_slots", slots},
        {"success", {{"slots", slots}, {"fraction", "127/128"}, {"decimal", success(bits, slots)}}},
        {"success_one_less", {{"slots", slots - 1}, {"fraction", "63/64"}, {"decimal", success(bits, slots - 1)}}},
        {"curve", curve}}},
      {"margins",
       true,
       "The nearest word keeps its gap.",
       {{"target_mass_lower_bound", 0.9}, {"series", series(true)}, {"largest_holding_by_number", largest(true)}}}};
  return c;
}

std::vector<Certificate> everything() {
  std::vector<Certificate> all;
  for (const char* level : {"faithful", "streaming"})
    for (const char* number : {"double", "float", "bfloat16", "half"}) all.push_back(selective_copying(level, number));
  for (int bits = 1; bits <= 10; ++bits) all.push_back(recall("faithful", "float", bits));
  for (int bits = 1; bits <= 3; ++bits) all.push_back(recall("streaming", "float", bits));
  return all;
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "hyseq-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace hyseq::results::fixture
