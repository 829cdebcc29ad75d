// The labellers against the golden files, token by token.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/base/hdf5_file.hpp"
#include "tests/tasks/support.hpp"

namespace hyseq::tasks {
namespace {

struct GoldenFile {
  std::string name;
  std::unique_ptr<Task> task;
  Array<std::int32_t> input;
  Array<std::int32_t> target;
};

/// Options of the command line by the attributes of the files.
OptionMap options_of(const Hdf5Reader& file, const std::string& task) {
  OptionMap options;
  const auto take = [&](const std::string& attribute, const std::string& option) {
    if (file.has_attribute(attribute)) options[option] = std::to_string(file.integer_attribute(attribute));
  };
  if (task == "selective_copy") {
    take("n", "values");
    take("lo", "distance-min");
    take("count", "distance-count");
  } else if (task == "mkar") {
    take("n", "values");
    take("k", "key-length");
    take("published_edges", "published-edges");
  } else if (task == "needle") {
    take("n", "values");
  } else {
    take("bits", "bits");
  }
  return options;
}

std::vector<GoldenFile> golden_files() {
  std::vector<GoldenFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(HYSEQ_GOLDEN_DIR)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("tasks_")) continue;
    const Hdf5Reader file(entry.path().string());
    const std::string task = file.text_attribute("task");
    files.push_back(
        {name, make_task(task, options_of(file, task)), file.read_integers("input"), file.read_integers("target")});
    const Vocabulary& vocabulary = files.back().task->vocabulary();
    EXPECT_EQ(vocabulary.size(), file.integer_attribute("vocab")) << name;
    EXPECT_EQ(vocabulary.values(), file.integer_attribute("values")) << name;
    EXPECT_EQ(vocabulary.bos(), file.integer_attribute("bos")) << name;
    EXPECT_EQ(vocabulary.eos(), file.integer_attribute("eos")) << name;
    EXPECT_EQ(vocabulary.null(), file.integer_attribute("null")) << name;
  }
  return files;
}

std::size_t differences(const Task& task, const GoldenFile& file) {
  const std::size_t rows = file.input.shape.at(0);
  const std::vector<std::int32_t> target = label_rows(task, file.input.values, rows, file.input.shape.at(1));
  std::size_t count = 0;
  for (std::size_t i = 0; i < target.size(); ++i) count += target[i] != file.target.values.at(i) ? 1U : 0U;
  return count;
}

TEST(GoldenTasks, EveryFileIsRelabelledExactly) {
  const std::vector<GoldenFile> files = golden_files();
  EXPECT_EQ(files.size(), 25U);
  for (const GoldenFile& file : files) {
    ASSERT_EQ(file.input.shape, file.target.shape) << file.name;
    EXPECT_EQ(differences(*file.task, file), 0U) << file.name;
  }
}

TEST(GoldenTasks, WrongParametersAreNoticed) {
  const std::vector<std::pair<std::string, std::unique_ptr<Task>>> wrong = [] {
    std::vector<std::pair<std::string, std::unique_ptr<Task>>> list;
    list.emplace_back("tasks_mkar_edge_k2.h5", make_task("mkar", {{"values", "24"}, {"published-edges", "0"}}));
    list.emplace_back("tasks_mkar_default_L100.h5", make_task("mkar", {{"key-length", "3"}}));
    list.emplace_back("tasks_selective_copy_default_L100.h5", make_task("selective_copy", {{"distance-min", "4"}}));
    list.emplace_back("tasks_selective_copy_lo1_L64.h5", make_task("selective_copy"));
    return list;
  }();
  std::size_t tried = 0;
  for (const GoldenFile& file : golden_files()) {
    for (const auto& [name, task] : wrong) {
      if (file.name != name) continue;
      EXPECT_GT(differences(*task, file), 0U) << name;
      ++tried;
    }
  }
  EXPECT_EQ(tried, wrong.size());
}

}  // namespace
}  // namespace hyseq::tasks
