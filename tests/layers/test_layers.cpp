// The include layers of docs/design.md hold in this tree, and the checker that says so catches planted violations.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/layers/include_rules.hpp"

namespace hyseq::layers {
namespace {

namespace fs = std::filesystem;

std::string describe(const std::vector<Violation>& violations) {
  std::string text;
  for (const auto& v : violations) text += v.file + ":" + std::to_string(v.line) + ": " + v.reason + "\n";
  return text;
}

TEST(Layers, TheTreeKeepsThem) {
  const auto report = check_tree(HYSEQ_SOURCE_DIR);
  EXPECT_TRUE(report.violations.empty()) << describe(report.violations);
  // A checker that looked in the wrong place would be content with nothing: these two sources are certainly there.
  EXPECT_GE(report.files, 10U);
  EXPECT_GE(report.includes, 10U);
}

/// A small project in a temporary folder: one header per layer, then whatever a test plants.
class PlantedTree : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("hyseq-layers-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    for (const auto layer : kLayers) plant(std::string(layer) + "/base.hpp", "#pragma once\n");
    plant("tests/support.hpp", "#pragma once\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void plant(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  [[nodiscard]] TreeReport check() const { return check_tree(root_); }

  /// Expects exactly one violation, in `file` at `line`, whose reason holds `words`.
  void expect_one(const std::string& file, int line, const std::string& words) const {
    const auto found = check().violations;
    ASSERT_EQ(found.size(), 1U) << describe(found);
    EXPECT_EQ(found[0].file, file);
    EXPECT_EQ(found[0].line, line);
    EXPECT_NE(found[0].reason.find(words), std::string::npos) << found[0].reason;
  }

 private:
  fs::path root_;
};

TEST_F(PlantedTree, EveryPairOfLayersIsJudgedByItsOrder) {
  for (std::size_t from = 0; from < std::size(kLayers); ++from) {
    for (std::size_t to = 0; to < std::size(kLayers); ++to) {
      const auto file = std::string(kLayers[from]) + "/probe.cpp";
      plant(file, "#include \"" + std::string(kLayers[to]) + "/base.hpp\"\n");
      EXPECT_EQ(check().violations.size(), to > from ? 1U : 0U) << kLayers[from] << " including " << kLayers[to];
      plant(file, "");
    }
  }
}

TEST_F(PlantedTree, AnUpwardIncludeInASubfolderIsCaughtWithItsLine) {
  plant("kernels/scan/scan.cpp", "// A comment.\n#include <vector>\n\n  #  include \"models/base.hpp\"  // sneaky\n");
  expect_one("kernels/scan/scan.cpp", 4, "a layer above kernels");
}

TEST_F(PlantedTree, IncludesAreWrittenFromTheRoot) {
  plant("models/lowering.cpp", "#include \"base.hpp\"\n");
  expect_one("models/lowering.cpp", 1, "from the project's root");
}

TEST_F(PlantedTree, RelativePathsCannotClimb) {
  plant("kernels/climb.hpp", "#include \"../cli/base.hpp\"\n");
  expect_one("kernels/climb.hpp", 1, "from the project's root");
}

TEST_F(PlantedTree, AngleBracketsDoNotHideAnInclude) {
  plant("tasks/hidden.cpp", "#include <results/base.hpp>\n");
  expect_one("tasks/hidden.cpp", 1, "angle brackets");
}

TEST_F(PlantedTree, AMissingFileIsNamed) {
  plant("cli/main.cpp", "#include \"results/nowhere.hpp\"\n");
  expect_one("cli/main.cpp", 1, "does not exist");
}

TEST_F(PlantedTree, LayersDoNotIncludeTests) {
  plant("results/store.cpp", "#include \"tests/support.hpp\"\n");
  expect_one("results/store.cpp", 1, "belongs to the tests");
}

TEST_F(PlantedTree, CudaSourcesCountAsWell) {
  plant("kernels/scan/scan.cu", "#include \"tasks/base.hpp\"\n");
  expect_one("kernels/scan/scan.cu", 1, "a layer above kernels");
}

TEST_F(PlantedTree, TestsIncludeEveryLayerAndCommentsAreNotIncludes) {
  plant("tests/cli/test_all.cpp", "#include \"cli/base.hpp\"\n#include \"tests/support.hpp\"\n");
  plant("kernels/commented.cpp", "// #include \"cli/base.hpp\"\n#include <cli/base>\n");
  const auto report = check();
  EXPECT_TRUE(report.violations.empty()) << describe(report.violations);
  EXPECT_EQ(report.includes, 2U);
}

}  // namespace
}  // namespace hyseq::layers
