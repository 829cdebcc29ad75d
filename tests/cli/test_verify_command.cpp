// hyseq verify, end to end: fields, verdicts, exit codes, refusals, what it leaves behind.
#include <set>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"

namespace hyseq::cli {
namespace {

using Json = nlohmann::json;

class VerifyCommand : public Program {
 protected:
  [[nodiscard]] Json verified(const std::string& arguments, int code = 0) const {
    const Outcome outcome = run("verify " + arguments + " --json -");
    EXPECT_EQ(outcome.code, code) << arguments << "\n" << outcome.error;
    return Json::parse(outcome.out, nullptr, false);  // strict: no NaN, nothing before or after
  }

  [[nodiscard]] static const Json& check(const Json& certificate, const std::string& name) {
    static const Json none = Json::object();
    for (const Json& each : certificate.at("checks")) {
      if (each.at("name") == name) return each;
    }
    ADD_FAILURE() << "no check " << name;
    return none;
  }

  static void expect_fields(const Json& object, const std::vector<std::string>& fields) {
    for (const std::string& field : fields) EXPECT_TRUE(object.contains(field)) << field << " is missing";
  }
};

const char* const kQuick = " --stream-length 2000 --inputs 2000 ";

TEST_F(VerifyCommand, selective_copy_has_the_documented_fields) {
  const Json json = verified("4.3 --vocabulary 4 --distances 2 --length 4 --number double --threads 1");
  ASSERT_TRUE(json.is_object());
  expect_fields(json, {"theorem", "level", "number", "parameters", "verdict", "scope", "checks", "seconds"});
  EXPECT_EQ(json["theorem"], "4.3");
  EXPECT_EQ(json["level"], "faithful");
  EXPECT_EQ(json["number"], "double");
  EXPECT_EQ(json["parameters"], (Json{{"vocabulary", 4}, {"distances", 2}, {"length", 4}}));
  EXPECT_EQ(json["verdict"], "certified");
  EXPECT_EQ(json["scope"], "the last position of every sequence of length 4 with a number token, in double arithmetic");
  EXPECT_TRUE(json["seconds"].is_number());
  std::set<std::string> names;
  for (const Json& each : json["checks"]) {
    expect_fields(each, {"name", "passed"});
    EXPECT_EQ(each["passed"], true);
    names.insert(each["name"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{"domain", "induction", "margins", "streams", "budgets", "controls"}));
  EXPECT_EQ(check(json, "domain")["defined"], 240);
  EXPECT_EQ(check(json, "domain")["undefined"], 16);
  EXPECT_EQ(check(json, "domain")["correct"], 240);
  EXPECT_EQ(check(json, "induction")["reachable_states"], 3);
  EXPECT_EQ(check(json, "induction")["promised_states"], 3);
  EXPECT_EQ(check(json, "induction")["closed"], true);
  EXPECT_EQ(check(json, "induction")["transitions_checked"], 9);
  const Json& margins = check(json, "margins");
  EXPECT_GT(margins["target_mass_lower_bound"], 0.5);
  EXPECT_GT(margins["decoder_gap_lower_bound"], 0);
  EXPECT_TRUE(margins["largest_holding"]["distances"].is_number_integer());
  EXPECT_TRUE(margins["largest_holding"]["at_least"].is_boolean());
  EXPECT_TRUE(margins["largest_holding"]["predicted"].is_number());
  for (const char* quantity : {"width", "nonzero_parameters", "states", "window", "working_memory_bits"}) {
    const Json& budget = check(json, "budgets")[quantity];
    EXPECT_LE(budget["value"].get<double>(), budget["bound"].get<double>()) << quantity;
  }
  const Json& controls = check(json, "controls")["controls"];
  EXPECT_GE(controls.size(), 6U);
  for (const Json& control : controls) {
    expect_fields(control, {"name", "caught", "caught_by", "counterexample"});
    EXPECT_EQ(control["caught"], true);
  }
}

TEST_F(VerifyCommand, recall_has_the_documented_fields) {
  const Json json = verified("4.6 --bits 1 --length 9" + std::string(kQuick));
  EXPECT_EQ(json["parameters"], (Json{{"bits", 1}, {"length", 9}, {"window", 8}}));
  EXPECT_EQ(json["verdict"], "certified");
  const Json& window = check(json, "window");
  EXPECT_EQ(window["window_slots"], 7);
  EXPECT_EQ(window["success"]["fraction"], "127/128");
  EXPECT_EQ(window["success"]["decimal"], 127.0 / 128);
  EXPECT_EQ(window["success_one_less"]["fraction"], "63/64");
  EXPECT_EQ(window["success_one_less"]["decimal"], 63.0 / 64);
  EXPECT_EQ(window["exhaustive"], true);
  // 2^8 contexts and two queries; the query's word is missing among the first seven in two of them each.
  EXPECT_EQ(check(json, "domain")["defined"], 508);
  EXPECT_EQ(check(json, "domain")["undefined"], 4);
  EXPECT_TRUE(check(json, "margins")["largest_holding"]["bits"].is_number_integer());
  EXPECT_EQ(check(json, "induction")["reachable_states"], 3);
}

TEST_F(VerifyCommand, streaming_domains_are_all_tokens_at_all_positions) {
  const Json copy = verified("4.3 --level streaming --vocabulary 4 --distances 2 --length 5 --check domain");
  EXPECT_EQ(check(copy, "domain")["sequences"], 1024);
  EXPECT_EQ(copy["verdict"], "certified");
  EXPECT_EQ(copy["scope"], "the 1,024 sequences of the domain, in float arithmetic");
  EXPECT_FALSE(copy["parameters"].contains("length")) << "nothing depends on a length";
  const Json recall = verified("4.6 --level streaming --bits 1 --length 5 --check domain,induction");
  EXPECT_EQ(check(recall, "domain")["sequences"], 1024);
  EXPECT_EQ(check(recall, "induction")["reachable_states"], 2);
}

TEST_F(VerifyCommand, all_is_a_list_of_results) {
  const Json json = verified("all --vocabulary 6 --distances 3 --bits 1 --length 6 --check domain,induction");
  ASSERT_TRUE(json.contains("results"));
  EXPECT_EQ(json.size(), 1U);
  ASSERT_EQ(json["results"].size(), 4U);
  std::set<std::pair<std::string, std::string>> kinds;
  for (const Json& each : json["results"]) {
    kinds.emplace(each["theorem"], each["level"]);
    EXPECT_EQ(each["verdict"], "certified");
  }
  EXPECT_EQ(kinds.size(), 4U);
}

TEST_F(VerifyCommand, a_lower_bound_has_a_certificate_of_its_own) {
  const Json json = verified("4.5 --seed 2");
  expect_fields(json, {"theorem", "level", "number", "parameters", "verdict", "scope", "checks", "seconds"});
  EXPECT_EQ(json["theorem"], "4.5");
  EXPECT_EQ(json["level"], "lower bound");
  EXPECT_EQ(json["verdict"], "certified");
  EXPECT_GE(json["checks"].size(), 5U);
  for (const Json& control : check(json, "controls")["controls"]) EXPECT_EQ(control["caught"], true);
}

TEST_F(VerifyCommand, a_construction_in_standard_blocks_is_where_training_can_start) {
  const std::string file = path("trainable.h5");
  const Json json = verified("4.3 --level trainable --inputs 20000 --check positions,controls --export '" + file + "'");
  EXPECT_EQ(json["level"], "trainable");
  EXPECT_EQ(json["verdict"], "certified");
  const std::string train =
      "train SSM,TF --task selective_copy --width 8 --window 20 --steps 2 --eval-rows 16 --store '" + path("store") +
      "' --init '" + file + "' --json -";
  const Outcome kept = run(train + " --learning-rate 1e-9");
  ASSERT_EQ(kept.code, 0) << kept.error;
  const Json solved = Json::parse(kept.out)["runs"][0]["evaluations"][0]["positions"];
  EXPECT_GT(solved["valid"], 1000);
  EXPECT_EQ(solved["correct"], solved["valid"]);
  const Outcome lost = run(train + " --learning-rate 1e-9 --init-noise 3");
  ASSERT_EQ(lost.code, 0) << lost.error;
  EXPECT_LT(Json::parse(lost.out)["runs"][0]["evaluations"][0]["positions"]["correct"], solved["valid"].get<int>() / 2);
  expect_refused(train + " --width 12", {"--width"});
  expect_refused("train SSM,TF --task selective_copy --width 12 --window 20 --store x --init '" + file + "'",
                 {"architecture"});
  expect_refused("train SSM,TF --task selective_copy --width 8 --store x --init-noise 1", {"--init"});
}

TEST_F(VerifyCommand, past_its_margin_the_verdict_is_not_shown) {
  for (const auto& [arguments, reason] :
       {std::pair{"4.6 --level streaming --bits 6 --check induction,margins", "decoder's gap"},
        {"4.6 --bits 4 --number bfloat16 --check induction,margins", "decoder's gap"},
        {"4.6 --level streaming --bits 4 --number half --check margins", "above the format's largest"}}) {
    const Json json = verified(arguments, 1);
    EXPECT_EQ(json["verdict"], "not shown") << arguments;
    EXPECT_EQ(check(json, "margins")["passed"], false);
    const std::string failing = check(json, "margins")["failing"];
    EXPECT_NE(failing.find(reason), std::string::npos) << failing;
    EXPECT_NE(json["scope"].get<std::string>().find(failing), std::string::npos) << json["scope"];
  }
  // No check that applies proves nothing either.
}

TEST_F(VerifyCommand, text_and_json_go_where_they_should) {
  const std::string quick = "verify 4.3 --vocabulary 5 --distances 2 --length 4 --check domain,controls";
  const Outcome text = run(quick + " --json '" + path("out.json") + "'");
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("certified"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("-> expected"), std::string::npos) << "no counterexample of a control: " << text.out;
  EXPECT_EQ(Json::parse(read("out.json"))["verdict"], "certified");
  const Outcome json = run(quick + " --json -");
  EXPECT_EQ(json.out.front(), '{');
  EXPECT_EQ(json.out.find("nan"), std::string::npos);
  EXPECT_NE(json.error.find("domain"), std::string::npos) << "progress belongs on standard error";
}

/// Everything that a clock or the command line itself says.
void drop_times(Json& json) {
  for (const char* key : {"seconds", "core_seconds", "sequences_per_core_second", "command"}) {
    if (json.is_object()) json.erase(key);
  }
  if (json.is_structured()) {
    for (Json& member : json) drop_times(member);
  }
}

TEST_F(VerifyCommand, threads_do_not_change_the_result) {
  for (const std::string arguments :
       {"4.6 --bits 2 --length 9 --window 7 --check domain,induction,margins,window,controls",
        "4.3 --level streaming --vocabulary 7 --distances 3 --length 6 --check domain,streams"}) {
    Json one = verified(arguments + kQuick + "--threads 1");
    Json two = verified(arguments + kQuick + "--threads 2");
    drop_times(one);
    drop_times(two);
    EXPECT_EQ(one, two) << arguments;
  }
}

TEST_F(VerifyCommand, the_seed_draws_other_inputs) {
  const auto present = [&](const std::string& seed) {
    return check(verified("4.6 --bits 3 --check window" + std::string(kQuick) + "--seed " + seed), "window")["present"];
  };
  EXPECT_EQ(present("4"), present("4"));
  EXPECT_NE(present("4"), present("5"));
}

TEST_F(VerifyCommand, a_stored_certificate_can_be_listed_plotted_and_reported) {
  const std::string store = " --store '" + path("store") + "'";
  for (const std::string arguments : {"4.3 --vocabulary 6 --distances 3 --length 5", "4.6 --bits 1 --length 9"}) {
    EXPECT_EQ(run("verify " + arguments + kQuick + store).code, 0) << arguments;
  }
  const Outcome list = run("store list" + store);
  EXPECT_EQ(list.code, 0) << list.error;
  EXPECT_NE(list.out.find("4.3"), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("4.6"), std::string::npos) << list.out;
  for (const char* figure : {"construction", "budgets", "margins", "window", "trade-off"}) {
    const Outcome plot = run("plot " + std::string(figure) + store + " --output '" + path("figure.svg") + "'");
    EXPECT_EQ(plot.code, 0) << figure << ": " << plot.error;
    EXPECT_NE(read("figure.svg").find("<svg"), std::string::npos) << figure;
  }
  const Outcome report = run("report" + store + " --output '" + path("report.html") + "'");
  EXPECT_EQ(report.code, 0) << report.error;
  const std::string page = read("report.html");
  EXPECT_NE(page.find("certified"), std::string::npos);
  EXPECT_NE(page.find("hyseq verify 4.3 --level faithful --vocabulary 6"), std::string::npos) << "how to rerun";
  EXPECT_NE(page.find("<section id=\"cover\">"), std::string::npos);
  EXPECT_EQ(run("plot trade-off --level faithful" + store + " --output '" + path("figure.svg") + "'").code, 2);
}

TEST_F(VerifyCommand, refuses_what_it_cannot_check) {
  expect_refused("verify 4.4", {"4.4", "4.3", "4.6", "all"});
  expect_refused("verify 4.3 --check domain,magic", {"--check", "magic", "induction"});
  expect_refused("verify 4.3 --bits 3", {"--bits", "--vocabulary"});
  expect_refused("verify 4.3 --window 3", {"--window", "distances"});
  expect_refused("verify 4.6 --vocabulary 8", {"--vocabulary", "--bits"});
  expect_refused("verify 4.6 --distances 8", {"--distances", "--bits"});
  expect_refused("verify 4.3 --level learned", {"learned", "faithful", "streaming"});
  expect_refused("verify 4.2 --level trainable", {"'4.2'", "4.3, 4.6"});
  expect_refused("verify 4.3 --level trainable --bits 4", {"--bits does not apply"});
  expect_refused("verify 4.3 --level trainable --width 3", {"width", "3", "4"});
  expect_refused("verify 4.6 --level trainable --layers TF,SSM", {"--layers is 'TF,SSM'", "SSM,TF,TF"});
  expect_refused("verify 4.6 --level trainable --check basin", {"'basin'", "4.3 alone"});
  expect_refused("verify 4.6 --level trainable --step-bias -12", {"--step-bias does not apply"});
  expect_refused("verify 4.3 --level trainable --step-bias 1", {"--step-bias", "-1000"});
  expect_refused("verify 4.2 --bits 4", {"--bits does not apply", "no construction"});
  expect_refused("verify 4.3 --number fp8", {"fp8", "bfloat16"});
  expect_refused("verify 4.3 --vocabulary 1", {"--vocabulary", "1", "2"});
  expect_refused("verify 4.3 --vocabulary 10 --distances 11", {"--distances", "11", "1 to 10"});
  expect_refused("verify 4.3 --length 3", {"length", "3", "distances"});
  expect_refused("verify 4.6 --bits 17", {"--bits", "17", "1 to 16"});
  expect_refused("verify 4.6 --bits 3 --length 4", {"length", "4", "5"});
  expect_refused("verify 4.6 --window 1", {"--window", "1", "2"});
  expect_refused("verify 4.3 --threads many", {"--threads", "many"});
  expect_refused("verify 4.3 --seed -1", {"--seed", "-1"});
  expect_refused("verify 4.3 --inputs 10", {"--inputs", "10", "1000"});
  expect_refused("verify 4.3 --stream-length 1", {"--stream-length", "1", "10"});
  expect_refused("verify 4.3 --nonsense 1", {"--nonsense"});
  expect_refused("verify 4.3 --check window", {"--check window", "4.6", "faithful"});
  expect_refused("verify 4.6 --bits 5 --window 5", {"window", "5", "bits + 1 (6)"});
  expect_refused("verify 4.3 --level streaming --length 13 --check domain --threads 1", {"10^12", "--length"}, 2);
}

}  // namespace
}  // namespace hyseq::cli
