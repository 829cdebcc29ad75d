// Certificates of the bound of Theorem 3.3 and of a basin of attraction.
#include <cmath>

#include "tests/results/fixture.hpp"

namespace hyseq::results::fixture {

Certificate lower_bound() {
  Json curve = Json::array(), found = Json::array(), all = Json::array(), table = Json::array();
  for (const int letters : {2, 3}) {
    const double most = std::log2(letters);
    for (int i = 0; i <= 4; ++i)
      curve.push_back({{"values", letters},
                       {"bits_per_position", most * i / 4},
                       {"success", 1 - (1 - 1.0 / letters) * (1 - i / 4.0)}});
    for (int states = 1; states <= 4; ++states) {
      found.push_back({{"values", letters},
                       {"length", 2},
                       {"states", states},
                       {"optimal", states != 3},
                       {"bits_per_position", std::log2(states) / 2},
                       {"success", 0.5 + states / 8.0},
                       {"gap_per_position", 0.1}});
      all.push_back({{"values", letters},
                     {"length", 2},
                     {"queries", 2},
                     {"states", states},
                     {"bits_per_position", std::log2(states) / 2},
                     {"success", 0.5 + states / 8.0}});
    }
  }
  all.push_back(
      {{"values", 2}, {"length", 3}, {"queries", 7}, {"states", 1}, {"bits_per_position", 7.25}, {"success", 0.5}});
  for (const double rate : {0.25, 0.5})
    for (int n = 2; n <= 12; ++n)
      table.push_back(
          {{"rate", rate}, {"length", n}, {"states", n}, {"gap_per_position", 0.4 * rate / n}, {"optimal", n < 9}});
  Json trained = Json::array();
  const auto add = [&](const char* model, int letters, double bits, double input, double success) {
    trained.push_back(
        {{"model", model}, {"values", letters}, {"bits", bits}, {"input_bits", input}, {"success", success}});
  };
  add("p", 2, 4, 4, 1);
  add("p", 2, 3, 4, 0.75);
  add("p", 2, 1, 4, 0.4375);  // worse than a guess
  add("q", 3, 6, 6, 0.375);
  add("r", 7, 3, 6, 0.625);  // no curve for seven letters
  Certificate c;
  c.theorem = "3.3";
  c.level = "lower bound";
  c.number = "exact";
  c.parameters = {{"seed", 1}};
  c.verdict = "refuted as printed";
  c.scope = "corrected: bits >= N R(eps)";
  c.command = "hyseq verify 3.3";
  c.checks = {{"enumeration", true, "", {{"series", all}}},
              {"optimiser", true, "", {{"series", found}, {"curve", curve}}},
              {"tightness", true, "", {{"table", table}}},
              {"machines",
               true,
               "",
               {{"series",
                 {{{"machine", "a"}, {"uniform", true}, {"bits", 5}, {"input_bits", 6}, {"success", 0.9}},
                  {{"machine", "b"}, {"uniform", false}, {"bits", 4}, {"input_bits", 6}, {"success", 0.8}}}}}},
              {"trained", true, "", {{"series", trained}}}};
  return c;
}

Certificate basin() {
  Json series = Json::array();
  for (const double dropout : {0.0, 0.1})
    for (const double noise : {0.0, 0.01, 0.1, -1.0})
      for (const double rate : {1e-4, 1e-2}) {
        Json entry{{"dropout", dropout}, {"start", noise < 0 ? "drawn" : "construction"}};
        if (noise >= 0) entry["noise"] = noise;
        entry["rate"] = rate;
        entry["valid"] = {100, 100, 100};
        entry["correct_before"] = noise < 0 ? Json{3, 2, 4} : noise < 0.1 ? Json{100, 100, 100} : Json{50, 40, 30};
        entry["correct_after"] = noise < 0 ? Json{9, 8, 99} : noise < 0.1 ? Json{100, 100, 99} : Json{100, 20, 60};
        series.push_back(entry);
      }
  Certificate c;
  c.theorem = "4.3";
  c.level = "trainable";
  c.number = "float";
  c.parameters = {{"width", 8}};
  c.verdict = "certified";
  c.scope = "only what was asked for: basin";
  c.command = "hyseq verify 4.3 --level trainable --check basin";
  c.checks = {{"basin", true, "", {{"steps", 1000}, {"seeds", 3}, {"series", series}}}};
  return c;
}

}  // namespace hyseq::results::fixture
