// Rows of a run: for training, fresh at every step, and held out for evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "models/model_file.hpp"
#include "tasks/batch.hpp"
#include "tasks/task.hpp"
#include "trainers/configuration.hpp"

namespace hyseq::trainers {

/// A data file as a configuration names it: hash and length filled in.
struct FileDescription {
  DataConfiguration data;
  std::int32_t vocabulary = 0;  // attribute `vocab`, else one more than the largest token
  std::int64_t rows = 0;
};

/// Reads a data file: datasets `input` and `target`, int32 [rows, length], optionally `segment` of packed rows, and the
/// attributes of golden/README.md where it has them: targets from `bos` on (or, without that, from the vocabulary on)
/// and negative ones do not count. InputError naming file and dataset where they do not fit.
[[nodiscard]] FileDescription describe_file(const std::string& path);

/// The rows of one configuration (without its seed). Row r of step s is row s * batch + r of the stream
/// {seed, training_data or calibration_data}; evaluation takes rows 0, 1 ... of {seed, evaluation_data}. Rows of a data
/// file are taken in turn, the same for every seed; its last `evaluation.rows` rows are for evaluation alone.
/// Row numbers and lengths alone decide the segments of packed rows, so that they are common to all seeds.
class DataSource {
 public:
  /// InputError where a file cannot be read, is not the one with this hash, or has no row for training.
  explicit DataSource(const RunConfiguration& configuration);
  ~DataSource();
  DataSource(const DataSource&) = delete;
  DataSource& operator=(const DataSource&) = delete;

  /// The rows of one training step [batch, time]; `segment` is empty where rows are single examples.
  [[nodiscard]] tasks::PackedBatch training(std::uint64_t seed, std::int64_t step) const;
  /// Tokens of a training row.
  [[nodiscard]] std::size_t time() const;

  /// Held-out rows [rows, evaluation_time(length)], each one example of that length; between <bos> and <eos> where
  /// training rows are packed. A data file has rows of its own length alone.
  [[nodiscard]] tasks::PackedBatch evaluation(std::uint64_t seed, std::size_t length, std::uint64_t first_row,
                                              std::size_t rows) const;
  [[nodiscard]] std::size_t evaluation_time(std::size_t length) const;
  /// Column where the example of an evaluation row begins.
  [[nodiscard]] std::size_t evaluation_begin() const;

  /// Targets from here on and negative ones do not count.
  [[nodiscard]] std::int32_t valid_below() const { return valid_below_; }
  [[nodiscard]] std::int32_t vocabulary() const { return vocabulary_; }
  /// The task, or nullptr for a data file.
  [[nodiscard]] const tasks::Task* task() const { return task_.get(); }

 private:
  struct File;
  friend FileDescription describe_file(const std::string& path);

  [[nodiscard]] tasks::PackedBatch file_rows(std::uint64_t first, std::uint64_t wrap, std::size_t rows) const;
  /// The control: valid targets become uniform value tokens, keyed by the rows' own stream.
  void randomise(tasks::Batch& batch, StreamKey key, std::uint64_t first_row) const;

  DataConfiguration data_;
  std::size_t batch_ = 0;
  std::unique_ptr<tasks::Task> task_;
  std::unique_ptr<File> file_;
  std::uint64_t training_rows_ = 0;  // of the file
  std::int32_t values_ = 0;
  std::int32_t valid_below_ = 0;
  std::int32_t vocabulary_ = 0;
};

}  // namespace hyseq::trainers
