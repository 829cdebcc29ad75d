#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"

namespace hyseq {
namespace {

using Integers = Array<std::int32_t>;
using Reals = Array<double>;

class Hdf5File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("hyseq-hdf5-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

/// The text of the InputError that `action` throws; fails without one.
template <class Action>
std::string input_error(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return "";
}

TEST_F(Hdf5File, WhatIsWrittenIsRead) {
  const Integers tokens{{2, 3}, {1, -2, 3, 2147483647, -2147483647 - 1, 0}};
  const Reals scalar{{}, {0.1}};
  const Reals empty{{0, 4}, {}};
  const std::string text(100000, 'x');
  {
    Hdf5Writer writer(path("a.h5"));
    writer.write("input", tokens);
    writer.write("loss", scalar);
    writer.write("grad/layers.0.tf.qkv.weight", Reals{{2, 1}, {1e-300, -1e300}});
    writer.write("nothing", empty);
    writer.write_text("configuration", text);
    writer.attribute("seed", std::int64_t{1} << 62);
    writer.attribute("rows", std::size_t{3});
    writer.attribute("flag", true);
    writer.attribute("p", 0.2);
    writer.attribute("task", "mkar");
    writer.attribute("empty", "");
    writer.attribute("unit", "ns", "loss");
    writer.attribute("note", "of a new group", "extra/deep");
    writer.attribute("p", 0.3);  // replaces
    writer.commit();
  }
  const Hdf5Reader reader(path("a.h5"));
  EXPECT_EQ(reader.read_integers("input").shape, tokens.shape);
  EXPECT_EQ(reader.read_integers("input").values, tokens.values);
  EXPECT_TRUE(reader.read_reals("loss").shape.empty());
  EXPECT_EQ(reader.read_reals("loss").values, scalar.values);
  EXPECT_EQ(reader.read_reals("nothing").shape, empty.shape);
  EXPECT_EQ(reader.read_reals("grad/layers.0.tf.qkv.weight").values, (std::vector<double>{1e-300, -1e300}));
  EXPECT_EQ(reader.read_reals("input").values[3], 2147483647.0);
  EXPECT_EQ(reader.read_text("configuration"), text);
  EXPECT_EQ(reader.integer_attribute("seed"), std::int64_t{1} << 62);
  EXPECT_EQ(reader.integer_attribute("rows"), 3);
  EXPECT_EQ(reader.integer_attribute("flag"), 1);
  EXPECT_EQ(reader.real_attribute("p"), 0.3);
  EXPECT_EQ(reader.real_attribute("rows"), 3.0);
  EXPECT_EQ(reader.text_attribute("task"), "mkar");
  EXPECT_EQ(reader.text_attribute("empty"), "");
  EXPECT_EQ(reader.text_attribute("unit", "loss"), "ns");
  EXPECT_EQ(reader.text_attribute("note", "extra/deep"), "of a new group");
  EXPECT_EQ(reader.datasets(), (std::vector<std::string>{"configuration", "input", "loss", "nothing"}));
  EXPECT_EQ(reader.groups(), (std::vector<std::string>{"extra", "grad"}));
  EXPECT_EQ(reader.datasets("grad"), (std::vector<std::string>{"layers.0.tf.qkv.weight"}));
  EXPECT_TRUE(reader.has_dataset("grad/layers.0.tf.qkv.weight"));
  EXPECT_FALSE(reader.has_dataset("grad"));
  EXPECT_FALSE(reader.has_dataset("none/at/all"));
  EXPECT_TRUE(reader.has_attribute("unit", "loss"));
  EXPECT_FALSE(reader.has_attribute("unit"));
}

TEST_F(Hdf5File, ReadsTheGoldenFiles) {
  const Hdf5Reader reader(std::string(HYSEQ_GOLDEN_DIR) + "/model_SSM-TF_d8_w7_h1.h5");
  EXPECT_EQ(reader.text_attribute("layers"), "SSM,TF");
  EXPECT_EQ(reader.integer_attribute("V"), 34);
  EXPECT_EQ(reader.real_attribute("rotary_fraction"), 0.25);
  EXPECT_EQ(reader.read_reals("layers.0.ssm.conv.weight").shape, (std::vector<std::size_t>{16, 4}));
  EXPECT_NEAR(reader.read_reals("loss").values.at(0), 5.352171, 1e-6);
  EXPECT_TRUE(reader.has_dataset("grad/embedding"));
}

TEST_F(Hdf5File, NothingAppearsWithoutCommit) {
  {
    Hdf5Writer writer(path("a.h5"));
    writer.write("x", Integers{{1}, {1}});
    EXPECT_FALSE(std::filesystem::exists(path("a.h5")));
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(Hdf5File, AnOlderFileStaysUntilCommit) {
  for (const std::int32_t value : {1, 2}) {
    Hdf5Writer writer(path("a.h5"));
    writer.write("x", Integers{{1}, {value}});
    if (value == 2) {
      EXPECT_EQ(Hdf5Reader(path("a.h5")).read_integers("x").values.at(0), 1);
    }
    writer.commit();
  }
  EXPECT_EQ(Hdf5Reader(path("a.h5")).read_integers("x").values.at(0), 2);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Hdf5File, ManyThreadsWriteAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        Hdf5Writer writer(path(std::to_string(t) + "-" + std::to_string(i)));
        writer.write("x", Integers{{1}, {100 * t + i}});
        writer.write_text("configuration", std::string(100000, 'c'));
        writer.commit();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(files(), 80U);
  for (int t = 0; t < 8; ++t) {
    const Hdf5Reader reader(path(std::to_string(t) + "-9"));
    EXPECT_EQ(reader.read_integers("x").values.at(0), 100 * t + 9);
  }
}

TEST_F(Hdf5File, UnreadableFilesAreNamed) {
  EXPECT_NE(input_error([&] { Hdf5Reader reader(path("none.h5")); }).find("none.h5"), std::string::npos);
  EXPECT_NE(input_error([&] { Hdf5Reader reader(folder_.string()); }).find("folder"), std::string::npos);
  std::ofstream(path("text.h5")) << "not HDF5";
  EXPECT_NE(input_error([&] { Hdf5Reader reader(path("text.h5")); }).find("not an HDF5 file"), std::string::npos);
}

TEST_F(Hdf5File, ACutFileIsRefused) {
  {
    Hdf5Writer writer(path("a.h5"));
    writer.write("x", Reals{{10000}, std::vector<double>(10000, 1.0)});
    writer.commit();
  }
  std::filesystem::resize_file(path("a.h5"), std::filesystem::file_size(path("a.h5")) / 2);
  EXPECT_NE(input_error([&] { (void)Hdf5Reader(path("a.h5")).read_reals("x"); }).find("a.h5"), std::string::npos);
}

TEST_F(Hdf5File, WrongObjectsAreNamed) {
  {
    Hdf5Writer writer(path("a.h5"));
    writer.write("x", Reals{{1}, {0.5}});
    writer.attribute("p", 0.5);
    writer.attribute("task", "mkar");
    writer.commit();
  }
  const Hdf5Reader reader(path("a.h5"));
  EXPECT_NE(input_error([&] { (void)reader.read_reals("y"); }).find("'y'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.read_integers("x"); }).find("'x'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.read_text("x"); }).find("'x'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.datasets("grad"); }).find("'grad'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.integer_attribute("p"); }).find("'p'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.real_attribute("task"); }).find("'task'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.text_attribute("p"); }).find("'p'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.text_attribute("q"); }).find("'q'"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)reader.text_attribute("q", "z"); }).find("'z'"), std::string::npos);
}

TEST_F(Hdf5File, BadWritesAreRefused) {
  Hdf5Writer writer(path("a.h5"));
  EXPECT_THROW(writer.write("x", Reals{{3}, {1.0}}), InputError);
  writer.write("x", Reals{{1}, {1.0}});
  EXPECT_THROW(writer.write("x", Reals{{1}, {1.0}}), InputError);
  EXPECT_THROW(writer.attribute("big", std::string(70000, 'x')), InputError);
  EXPECT_THROW(Hdf5Writer(path("no/such/folder.h5")), EnvironmentError);
  EXPECT_THROW(Hdf5Writer(folder_.string()), EnvironmentError);
}

}  // namespace
}  // namespace hyseq
