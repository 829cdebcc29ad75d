// What the HDF5 reader and writer share: the lock, an owner of identifiers, and a safe look-up of names.
// Private to kernels/base/hdf5_reader.cpp and hdf5_writer.cpp; everybody else uses hdf5_file.hpp.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace hyseq::hdf5 {

/// The lock of the whole library, held for the length of one public call.
inline std::unique_lock<std::mutex> lock_hdf5() {
  static std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  // Failures are reported by exceptions here; the library would otherwise print its own stack as well.
  static const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  (void)silenced;
  return lock;
}

/// Owns one identifier of the HDF5 library; a negative one means that the call which made it failed.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  [[nodiscard]] bool valid() const { return id_ >= 0; }
  [[nodiscard]] hid_t id() const { return id_; }
  /// False when the library could not close the object, for a file: could not write it out.
  bool close() { return !valid() || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

inline std::string quoted(const std::string& text) { return "'" + text + "'"; }

/// The link `name` exists and leads to an object; every group on the way is checked, as the library demands.
inline bool object_exists(hid_t file, const std::string& name) {
  if (name.empty() || name == "/") return true;
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string prefix = name.substr(0, end);
    if (H5Lexists(file, prefix.c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) break;
  }
  return H5Oexists_by_name(file, name.c_str(), H5P_DEFAULT) > 0;
}

inline std::size_t number_of_values(const std::vector<std::size_t>& shape) {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

}  // namespace hyseq::hdf5
