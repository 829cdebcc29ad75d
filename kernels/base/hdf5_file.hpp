// A small RAII face of the HDF5 C library: whole datasets and scalar attributes, nothing else.
//
// Errors: a file that cannot be read, a missing or wrongly typed object, a wrong rank -> InputError naming file and object.
//         A file that cannot be written (folder missing, disk full) -> EnvironmentError.
// Writing is atomic: `Hdf5Writer` writes to "<path>.tmp-<pid>" and `commit()` flushes, syncs and renames, so that a reader
// never sees a half-written file; without commit() the temporary is removed.
#pragma once

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

  /// Any HDF5 floating-point (real) or integer (integers) type is converted; reals are refused by `read_integers`.
  [[nodiscard]] Array<double> read_reals(const std::string& dataset) const;
  [[nodiscard]] Array<std::int32_t> read_integers(const std::string& dataset) const;
  [[nodiscard]] std::string read_text(const std::string& dataset) const;  // uint8 [bytes]

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

  /// Groups in a dataset's name ("grad/embedding") are created as needed.
  void write(const std::string& dataset, const Array<double>& data);
  void write(const std::string& dataset, const Array<std::int32_t>& data);
  /// Text of any size (attributes are limited to 64 KiB by HDF5), stored as uint8 [bytes].
  void write_text(const std::string& dataset, const std::string& text);
  void attribute(const std::string& name, std::int64_t value, const std::string& object = "/");
  void attribute(const std::string& name, double value, const std::string& object = "/");
  void attribute(const std::string& name, const std::string& value, const std::string& object = "/");
  void attribute(const std::string& name, const char* value, const std::string& object = "/");

  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyseq
