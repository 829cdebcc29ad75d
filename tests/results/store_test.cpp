#include "results/store.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "tests/results/fixture.hpp"

namespace hyseq::results {
namespace {

namespace fs = std::filesystem;

std::string load_error(const Store& store) {
  try {
    (void)store.load_certificates();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

std::vector<std::string> files(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  return names;
}

TEST(Store, RoundTripKeepsEverything) {
  const fixture::TemporaryFolder folder;
  Store store(folder.path("new/store"));
  const Certificate saved = fixture::selective_copying("streaming", "float");
  store.save(saved);
  const std::vector<Certificate> loaded = store.load_certificates();
  ASSERT_EQ(loaded.size(), 1u);
  EXPECT_EQ(to_json(loaded[0]), to_json(saved));
  EXPECT_EQ(loaded[0].checks.at(4).meaning, saved.checks.at(4).meaning);
  EXPECT_EQ(loaded[0].command, saved.command);
  ASSERT_EQ(loaded[0].matrices.size(), saved.matrices.size());
  for (std::size_t i = 0; i < saved.matrices.size(); ++i) {
    EXPECT_EQ(loaded[0].matrices[i].name, saved.matrices[i].name);
    EXPECT_EQ(loaded[0].matrices[i].title, saved.matrices[i].title);
    EXPECT_EQ(loaded[0].matrices[i].row_labels, saved.matrices[i].row_labels);
    EXPECT_EQ(loaded[0].matrices[i].column_labels, saved.matrices[i].column_labels);
    EXPECT_EQ(loaded[0].matrices[i].values, saved.matrices[i].values);
  }
}

TEST(Store, RerunReplacesAndOthersStay) {
  const fixture::TemporaryFolder folder;
  Store store(folder.path());
  Certificate first = fixture::selective_copying("streaming", "float");
  const std::string path = store.save(first);
  first.verdict = "not shown";
  first.seconds = 99;
  EXPECT_EQ(store.save(first), path);
  store.save(fixture::selective_copying("streaming", "half"));
  const std::vector<Certificate> loaded = store.load_certificates();
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(loaded[0].verdict, "not shown");
  EXPECT_EQ(loaded[0].seconds, 99);
  EXPECT_EQ(files(folder.path("certificates")).size(), 2u) << "no temporary file stays behind";
}

TEST(Store, TheHashCoversTheWholeConfigurationAndNothingElse) {
  const Certificate base = fixture::selective_copying("streaming", "float");
  std::set<std::string> names{file_name(base)};
  const auto different = [&](const std::function<void(Certificate&)>& change) {
    Certificate changed = base;
    change(changed);
    return names.insert(file_name(changed)).second;
  };
  EXPECT_TRUE(different([](Certificate& c) { c.theorem = "4.6"; }));
  EXPECT_TRUE(different([](Certificate& c) { c.level = "faithful"; }));
  EXPECT_TRUE(different([](Certificate& c) { c.number = "half"; }));
  EXPECT_TRUE(different([](Certificate& c) { c.parameters["distances"] = 1023; }));
  EXPECT_TRUE(different([](Certificate& c) { c.checks.pop_back(); })) << "a partial run must not replace a full one";
  EXPECT_FALSE(different([](Certificate& c) { c.verdict = "not shown"; }));
  EXPECT_FALSE(different([](Certificate& c) { c.seconds = 7; }));
  Certificate reordered = base;
  reordered.parameters = {{"distances", 1024}, {"vocabulary", 65536}};
  EXPECT_EQ(configuration_hash(reordered), configuration_hash(base));
}

TEST(Store, FileNamesStayWithinAFolder) {
  Certificate certificate = fixture::selective_copying("../../etc", "float");
  certificate.parameters[std::string(300, 'x')] = 1;
  const std::string name = file_name(certificate);
  EXPECT_EQ(name.find('/'), std::string::npos);
  EXPECT_LT(name.size(), 255u);
}

TEST(Store, CertificatesComeInTheOrderOfTheirNumbers) {
  const fixture::TemporaryFolder folder;
  Store store(folder.path());
  for (const int bits : {10, 2, 1}) store.save(fixture::recall("faithful", "float", bits));
  for (const char* number : {"half", "bfloat16", "double", "float"})
    store.save(fixture::selective_copying("faithful", number));
  std::vector<std::string> order;
  for (const Certificate& c : store.load_certificates())
    order.push_back(c.theorem == "4.3" ? c.number : c.parameters["bits"].dump());
  EXPECT_EQ(order, (std::vector<std::string>{"double", "float", "bfloat16", "half", "1", "2", "10"}));
}

TEST(Store, EmptyAndMissingFolders) {
  const fixture::TemporaryFolder folder;
  EXPECT_TRUE(Store(folder.path()).load_certificates().empty());
  EXPECT_EQ(
      load_error(Store(folder.path("absent"))),
      "the store " + folder.path("absent") + " is not a folder; give --store the folder that `hyseq verify` wrote to");
}

TEST(Store, UnreadableFilesAreNamedInOneSentence) {
  const fixture::TemporaryFolder folder;
  Store store(folder.path());
  const std::string path = store.save(fixture::selective_copying("streaming", "float"));
  const std::uintmax_t size = fs::file_size(path);
  for (const std::uintmax_t kept : {std::uintmax_t{0}, std::uintmax_t{100}, size / 2}) {
    SCOPED_TRACE(kept);
    fs::resize_file(path, kept);
    const std::string message = load_error(store);
    EXPECT_EQ(message.rfind("cannot read the certificate " + path + " (", 0), 0u) << message;
    EXPECT_NE(message.find("); delete the file and verify again"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Store, AFolderThatCannotBeMadeIsAnEnvironmentError) {
  const fixture::TemporaryFolder folder;
  std::ofstream(folder.path("file")) << "in the way";
  Store store(folder.path("file"));
  EXPECT_THROW(store.save(fixture::selective_copying("streaming", "float")), EnvironmentError);
}

TEST(Store, MatricesMustMatchTheirLabels) {
  const fixture::TemporaryFolder folder;
  Certificate certificate = fixture::selective_copying("streaming", "float");
  certificate.matrices[0].values.pop_back();
  EXPECT_THROW(Store(folder.path()).save(certificate), std::invalid_argument);
  EXPECT_TRUE(files(folder.path("certificates")).empty());
}

TEST(Store, LargeConfigurationsAreStored) {
  const fixture::TemporaryFolder folder;
  Store store(folder.path());
  Certificate certificate = fixture::selective_copying("streaming", "float");
  certificate.parameters["note"] = std::string(100000, 'n');
  store.save(certificate);
  EXPECT_EQ(store.load_certificates().at(0).parameters, certificate.parameters);
}

TEST(Store, ThreadsSaveTheSameAndDifferentCertificates) {
  const fixture::TemporaryFolder folder;
  Store store(folder.path());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&store, t] {
      for (int bits = 1; bits <= 5; ++bits) store.save(fixture::recall("faithful", "float", bits));
      store.save(fixture::recall("streaming", "float", t + 1));
      (void)store.load_certificates();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.load_certificates().size(), 13u);
  EXPECT_EQ(files(folder.path("certificates")).size(), 13u);
}

TEST(Store, ProcessesSaveTheSameAndDifferentCertificates) {
  const fixture::TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int p = 0; p < 8; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int code = 0;
      try {
        Store store(folder.path());
        for (int round = 0; round < 5; ++round) {
          store.save(fixture::recall("faithful", "float", 1));
          store.save(fixture::recall("streaming", "float", p + 1));
          (void)store.load_certificates();
        }
      } catch (...) {
        code = 1;
      }
      _exit(code);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Store(folder.path()).load_certificates().size(), 9u);
}

TEST(CertificateJson, NumbersThatAreNotFiniteBecomeNullWithAReason) {
  Certificate certificate = fixture::selective_copying("streaming", "float");
  certificate.seconds = std::numeric_limits<double>::quiet_NaN();
  certificate.checks[0].figures = {{"gap", std::numeric_limits<double>::infinity()},
                                   {"list", {1.0, -std::numeric_limits<double>::infinity()}}};
  const nlohmann::json parsed = nlohmann::json::parse(strict_text(to_json(certificate)));
  EXPECT_TRUE(parsed["seconds"].is_null());
  EXPECT_EQ(parsed["seconds_reason"], "not a number");
  EXPECT_TRUE(parsed["checks"][0]["gap"].is_null());
  EXPECT_EQ(parsed["checks"][0]["gap_reason"], "infinite");
  EXPECT_EQ(parsed["checks"][0]["list"], nlohmann::json::parse("[1.0, null]"));
}

TEST(CertificateJson, HasTheFieldsOfTheCommandLine) {
  const Json json = to_json(fixture::selective_copying("streaming", "float"));
  EXPECT_EQ(json["theorem"], "4.3");
  EXPECT_EQ(json["level"], "streaming");
  EXPECT_EQ(json["number"], "float");
  EXPECT_EQ(json["parameters"]["distances"], 1024);
  EXPECT_EQ(json["verdict"], "certified");
  EXPECT_EQ(json["seconds"], 3.25);
  EXPECT_EQ(json["checks"][0]["name"], "domain");
  EXPECT_EQ(json["checks"][0]["passed"], true);
  EXPECT_EQ(json["checks"][0]["defined"], 240) << "a check's figures stand beside its name";
}

TEST(CertificateJson, ACheckThatHadNothingToCheckStaysOne) {
  Certificate certificate = fixture::selective_copying("streaming", "float");
  EXPECT_FALSE(to_json(certificate)["checks"][0].contains("empty"));
  certificate.checks[0].passed = false;
  certificate.checks[0].empty = true;
  const Certificate again = certificate_from_json(to_json(certificate));
  EXPECT_TRUE(again.checks[0].empty);
  EXPECT_FALSE(again.checks[0].passed);
  EXPECT_FALSE(again.checks[1].empty);
  EXPECT_EQ(outcome_words(again.checks[0]), "nothing to check");
  EXPECT_EQ(outcome_words(again.checks[1]), "passed");
}

TEST(CertificateJson, TextThatIsNotUtf8DoesNotBreakTheFile) {
  Certificate certificate = fixture::selective_copying("streaming", "float");
  certificate.scope = "token \xff\xfe";
  EXPECT_TRUE(nlohmann::json::accept(strict_text(to_json(certificate))));
}

TEST(CertificateJson, MissingAndWrongFieldsAreNamed) {
  const auto message = [](const Json& json) {
    try {
      (void)certificate_from_json(json);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  Json json = to_json(fixture::selective_copying("streaming", "float"));
  json.erase("verdict");
  EXPECT_EQ(message(json), "a certificate lacks the field \"verdict\"");
  json["verdict"] = 3;
  EXPECT_EQ(message(json), "a certificate's field \"verdict\" is number, which is not what that field holds");
  EXPECT_EQ(message(Json::array()), "a certificate must be a JSON object, not array");
}

TEST(CertificateJson, AFigureMayNotHideTheChecksOwnFields) {
  Certificate certificate = fixture::selective_copying("streaming", "float");
  certificate.checks[0].figures["passed"] = true;
  EXPECT_THROW((void)to_json(certificate), std::invalid_argument);
}

}  // namespace
}  // namespace hyseq::results
