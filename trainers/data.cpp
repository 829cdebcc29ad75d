#include "trainers/data.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "tasks/registry.hpp"
#include "trainers/content_hash.hpp"

namespace hyseq::trainers {

struct DataSource::File {
  Array<std::int32_t> input;
  Array<std::int32_t> target;
  Array<std::int32_t> segment;  // or without shape
  std::int32_t vocabulary = 0;
  std::int32_t values = 0;
  std::int32_t valid_below = 0;

  explicit File(const std::string& path) {
    const Hdf5Reader reader(path);
    input = reader.read_integers("input");
    target = reader.read_integers("target");
    if (reader.has_dataset("segment")) segment = reader.read_integers("segment");
    const auto fail = [&](const std::string& what) { throw InputError("data file '" + path + "': " + what); };
    if (input.shape.size() != 2 || input.values.empty())
      fail("dataset input must be [rows, length], neither of them 0");
    if (target.shape != input.shape) fail("dataset target has another shape than input");
    if (!segment.shape.empty() && segment.shape != input.shape) fail("dataset segment has another shape than input");
    const auto [least, most] = std::ranges::minmax(input.values);
    if (least < 0) fail("dataset input holds the negative token " + std::to_string(least));
    const auto attribute = [&](const char* name, std::int32_t otherwise) {
      if (!reader.has_attribute(name)) return otherwise;
      const std::int64_t value = reader.integer_attribute(name);
      if (value < 1 || value > (1 << 24)) fail("attribute " + std::string(name) + " is " + std::to_string(value));
      return static_cast<std::int32_t>(value);
    };
    vocabulary = attribute("vocab", std::max(most, std::ranges::max(target.values)) + 1);
    if (most >= vocabulary) {
      fail("dataset input holds token " + std::to_string(most) + ", its vocabulary has " + std::to_string(vocabulary));
    }
    valid_below = attribute("bos", vocabulary);
    values = attribute("values", valid_below);
  }

  [[nodiscard]] std::size_t rows() const { return input.shape[0]; }
  [[nodiscard]] std::size_t length() const { return input.shape[1]; }

  [[nodiscard]] std::string hash() const {
    std::string text = std::to_string(length()) + " " + std::to_string(vocabulary) + " " + std::to_string(values) +
                       " " + std::to_string(valid_below);
    std::string hash = content_hash(text);
    for (const Array<std::int32_t>* array : {&input, &target, &segment})
      hash = content_hash(array->values.data(), array->values.size() * sizeof(std::int32_t), hash);
    return hash;
  }
};

FileDescription describe_file(const std::string& path) {
  const DataSource::File file(path);
  FileDescription description;
  description.data.file = path;
  description.data.file_hash = file.hash();
  description.data.lengths = {file.length(), file.length()};
  description.vocabulary = file.vocabulary;
  description.rows = static_cast<std::int64_t>(file.rows());
  return description;
}

DataSource::DataSource(const RunConfiguration& configuration)
    : data_(configuration.data), batch_(static_cast<std::size_t>(configuration.optimiser.batch)) {
  if (data_.file.empty()) {
    task_ = tasks::make_task(data_.task, data_.options);
    valid_below_ = task_->vocabulary().bos();
    values_ = task_->vocabulary().values();
    vocabulary_ = task_->vocabulary().size();
    return;
  }
  file_ = std::make_unique<File>(data_.file);
  if (file_->hash() != data_.file_hash)
    throw InputError("data file '" + data_.file + "' is not the one that the run was configured with");
  const auto held_out = static_cast<std::size_t>(configuration.evaluation.rows);
  if (file_->rows() <= held_out) {
    throw InputError("data file '" + data_.file + "' has " + std::to_string(file_->rows()) + " rows; besides the " +
                     std::to_string(held_out) + " for evaluation at least one is needed");
  }
  training_rows_ = file_->rows() - held_out;
  valid_below_ = file_->valid_below;
  values_ = file_->values;
  vocabulary_ = file_->vocabulary;
  if (vocabulary_ > configuration.architecture.vocabulary) {
    throw InputError("data file '" + data_.file + "' has " + std::to_string(vocabulary_) + " tokens, the model " +
                     std::to_string(configuration.architecture.vocabulary));
  }
}

DataSource::~DataSource() = default;

std::size_t DataSource::time() const { return data_.context > 0 ? data_.context : data_.lengths.max; }

std::size_t DataSource::evaluation_begin() const { return data_.context > 0 ? 1 : 0; }

std::size_t DataSource::evaluation_time(std::size_t length) const { return length + 2 * evaluation_begin(); }

tasks::PackedBatch DataSource::training(std::uint64_t seed, std::int64_t step) const {
  const StreamKey key{seed, data_.calibration ? Purpose::calibration_data : Purpose::training_data};
  const std::uint64_t first = static_cast<std::uint64_t>(step) * batch_;
  tasks::PackedBatch rows;
  if (file_ != nullptr) {
    rows = file_rows(first, training_rows_, batch_);
  } else if (data_.context > 0) {
    rows = tasks::sample_packed(*task_, key, first, batch_, data_.context, data_.lengths);
  } else {
    rows.batch = tasks::sample_rows(*task_, key, first, batch_, data_.lengths);
  }
  if (data_.random_targets) randomise(rows.batch, key, first);
  return rows;
}

tasks::PackedBatch DataSource::evaluation(std::uint64_t seed, std::size_t length, std::uint64_t first_row,
                                          std::size_t rows) const {
  const StreamKey key{seed, Purpose::evaluation_data};
  tasks::PackedBatch batch;
  if (file_ != nullptr) {
    batch = file_rows(training_rows_ + first_row, file_->rows(), rows);
  } else if (data_.context > 0) {
    batch = tasks::sample_packed(*task_, key, first_row, rows, evaluation_time(length), {length, length});
    batch.segment.clear();  // one example fills the row
  } else {
    batch.batch = tasks::sample_rows(*task_, key, first_row, rows, {length, length});
  }
  if (data_.random_targets) randomise(batch.batch, key, first_row);
  return batch;
}

tasks::PackedBatch DataSource::file_rows(std::uint64_t first, std::uint64_t wrap, std::size_t rows) const {
  const std::size_t length = file_->length();
  tasks::PackedBatch batch;
  batch.batch.rows = rows;
  batch.batch.length = length;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t begin = static_cast<std::size_t>((first + row) % wrap) * length;
    const auto append = [&](const Array<std::int32_t>& from, std::vector<std::int32_t>& to) {
      if (from.shape.empty()) return;
      const auto source = from.values.begin() + static_cast<std::ptrdiff_t>(begin);
      to.insert(to.end(), source, source + static_cast<std::ptrdiff_t>(length));
    };
    append(file_->input, batch.batch.input);
    append(file_->target, batch.batch.target);
    append(file_->segment, batch.segment);
  }
  return batch;
}

void DataSource::randomise(tasks::Batch& batch, StreamKey key, std::uint64_t first_row) const {
  // The sampler reads a row's words from the front; no row is long enough to reach these.
  constexpr std::uint64_t behind_the_sampler = std::uint64_t{1} << 55;
  for (std::size_t row = 0; row < batch.rows; ++row) {
    for (std::size_t t = 0; t < batch.length; ++t) {
      std::int32_t& target = batch.target[row * batch.length + t];
      if (target < 0 || target >= valid_below_) continue;
      const std::uint32_t word = random_block(key, first_row + row, behind_the_sampler + t)[0];
      target = static_cast<std::int32_t>(std::uint64_t{word} * static_cast<std::uint64_t>(values_) >> 32);
    }
  }
}

}  // namespace hyseq::trainers
