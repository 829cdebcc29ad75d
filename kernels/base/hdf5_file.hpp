// A small RAII face of the HDF5 C library: whole datasets and scalar attributes, nothing else.
//
// Errors: a file that cannot be read, a missing or wrongly typed object, a value that does not fit -> InputError naming
//         file and object. A file that cannot be written (folder missing, disk full) -> EnvironmentError.
// Writing is atomic: `Hdf5Writer` writes to "<path>.tmp-<pid>-<n>" and `commit()` flushes, syncs and renames, so that a
// reader never sees a half-written file; without commit() the temporary is removed.
// Threads: the HDF5 library is not assumed to be thread-safe; every call here takes one process-wide lock. Different
// readers and writers may be used from different threads, one object from one thread at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hyseq {

/// A dataset in memory, row-major, last index fastest. Rank 0 (empty shape) holds one value.
template <class T>
struct Array {
  std::vector<std::size_t> shape;
  std::vector<T> values;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// Names of the datasets directly in `group` ("/" is the root), sorted.
  [[nodiscard]] std::vector<std::string> datasets(const std::string& group = "/") const;
  [[nodiscard]] std::vector<std::string> groups(const std::string& group = "/") const;
  [[nodiscard]] bool has_dataset(const std::string& name) const;
  [[nodiscard]] bool has_attribute(const std::string& name, const std::string& object = "/") const;

  /// Numbers of any width and byte order are converted. `read_reals` takes integers too; `read_integers` refuses reals
  /// and integers outside int32.
  [[nodiscard]] Array<double> read_reals(const std::string& dataset) const;
  [[nodiscard]] Array<std::int32_t> read_integers(const std::string& dataset) const;
  [[nodiscard]] std::string read_text(const std::string& dataset) const;  // uint8 [bytes]

  /// Attributes of an object ("/" is the file itself). Text may be of fixed or variable length; padding is removed.
  [[nodiscard]] std::int64_t integer_attribute(const std::string& name, const std::string& object = "/") const;
  [[nodiscard]] double real_attribute(const std::string& name, const std::string& object = "/") const;
  [[nodiscard]] std::string text_attribute(const std::string& name, const std::string& object = "/") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Hdf5Writer {
 public:
  explicit Hdf5Writer(std::string path);
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  /// Shape and number of values must agree and a name can be written once, else InputError. Groups in a
  /// dataset's name ("grad/embedding") are created as needed.
  void write(const std::string& dataset, const Array<double>& data);
  void write(const std::string& dataset, const Array<std::int32_t>& data);
  void write(const std::string& dataset, const Array<std::int64_t>& data);
  /// Text of any size (attributes are limited to 64 KiB by HDF5), stored as uint8 [bytes].
  void write_text(const std::string& dataset, const std::string& text);
  /// A scalar attribute of the file, a dataset or a group (created as needed); a second write replaces the first. Text
  /// is stored with fixed length, at most 60,000 bytes: larger texts belong into `write_text`.
  void attribute(const std::string& name, std::int64_t value, const std::string& object = "/");
  void attribute(const std::string& name, double value, const std::string& object = "/");
  void attribute(const std::string& name, const std::string& value, const std::string& object = "/");
  void attribute(const std::string& name, const char* value, const std::string& object = "/");
  template <std::integral T>
  void attribute(const std::string& name, T value, const std::string& object = "/") {
    attribute(name, static_cast<std::int64_t>(value), object);
  }

  /// Makes the file visible under its name; nothing can be written afterwards.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyseq
