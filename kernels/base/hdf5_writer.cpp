#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "kernels/base/hdf5_handle.hpp"

namespace hyseq {

using namespace hdf5;

namespace {

constexpr std::size_t kLargestTextAttribute = 60000;  // HDF5 refuses attributes of 64 KiB and more

Handle make_space(const std::vector<std::size_t>& shape) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), H5Sclose};
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose};
}

}  // namespace

struct Hdf5Writer::Impl {
  std::string path;
  std::string temporary;
  Handle file;

  ~Impl() {
    file.close();
    if (!temporary.empty()) unlink(temporary.c_str());
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw EnvironmentError("cannot write file " + quoted(path) + ": " + what);
  }
  void require(bool success, const std::string& what) const {
    if (!success) fail(what + " (is the disk full?)");
  }

  void write(const std::string& name, const std::vector<std::size_t>& shape, std::size_t values, hid_t file_type,
             hid_t memory_type, const void* data) const {
    if (number_of_values(shape) != values) {
      throw InputError("dataset " + quoted(name) + ": the shape has " + std::to_string(number_of_values(shape)) +
                       " places for " + std::to_string(values) + " values");
    }
    if (object_exists(file.id(), name))
      throw InputError("dataset " + quoted(name) + " is written twice to " + quoted(path));
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    const Handle space = make_space(shape);
    Handle dataset(H5Dcreate2(file.id(), name.c_str(), file_type, space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
    require(dataset.valid(), "dataset " + quoted(name) + " could not be created");
    require(values == 0 || H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0,
            "dataset " + quoted(name) + " could not be written");
    require(dataset.close(), "dataset " + quoted(name) + " could not be closed");
  }

  void attribute(const std::string& name, const std::string& object, hid_t file_type, hid_t memory_type,
                 const void* data) const {
    if (!object_exists(file.id(), object)) {
      const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
      H5Pset_create_intermediate_group(links.id(), 1);
      const Handle group(H5Gcreate2(file.id(), object.c_str(), links.id(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
      require(group.valid(), "group " + quoted(object) + " could not be created");
    }
    if (H5Aexists_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0) {
      H5Adelete_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT);
    }
    const Handle space = make_space({});
    const Handle attribute(H5Acreate_by_name(file.id(), object.c_str(), name.c_str(), file_type, space.id(),
                                             H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    require(attribute.valid() && H5Awrite(attribute.id(), memory_type, data) >= 0,
            "attribute " + quoted(name) + " could not be written");
  }
};

Hdf5Writer::Hdf5Writer(std::string path) : impl_(std::make_unique<Impl>()) {
  const auto lock = lock_hdf5();
  static std::atomic<unsigned> counter{0};
  impl_->path = std::move(path);
  const std::filesystem::path folder = std::filesystem::path(impl_->path).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    impl_->fail("the folder " + quoted(folder.string()) + " does not exist");
  }
  if (std::filesystem::is_directory(impl_->path)) impl_->fail("it is a folder");
  // Renaming over a device would replace it by an ordinary file.
  if (std::filesystem::exists(impl_->path) && !std::filesystem::is_regular_file(impl_->path)) {
    impl_->fail("it is not an ordinary file");
  }
  const std::string temporary = impl_->path + ".tmp-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
  // The library's own error would not say why, so the system is asked first.
  const int descriptor = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) impl_->fail(std::strerror(errno));
  close(descriptor);
  impl_->temporary = temporary;
  impl_->file = Handle(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  impl_->require(impl_->file.valid(), "it could not be created");
}

Hdf5Writer::~Hdf5Writer() {
  const auto lock = lock_hdf5();
  impl_.reset();
}

void Hdf5Writer::write(const std::string& dataset, const Array<double>& data) {
  const auto lock = lock_hdf5();
  impl_->write(dataset, data.shape, data.values.size(), H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, data.values.data());
}

void Hdf5Writer::write(const std::string& dataset, const Array<std::int32_t>& data) {
  const auto lock = lock_hdf5();
  impl_->write(dataset, data.shape, data.values.size(), H5T_STD_I32LE, H5T_NATIVE_INT32, data.values.data());
}

void Hdf5Writer::write(const std::string& dataset, const Array<std::int64_t>& data) {
  const auto lock = lock_hdf5();
  impl_->write(dataset, data.shape, data.values.size(), H5T_STD_I64LE, H5T_NATIVE_INT64, data.values.data());
}

void Hdf5Writer::write_text(const std::string& dataset, const std::string& text) {
  const auto lock = lock_hdf5();
  impl_->write(dataset, {text.size()}, text.size(), H5T_STD_U8LE, H5T_NATIVE_UINT8, text.data());
}

void Hdf5Writer::attribute(const std::string& name, std::int64_t value, const std::string& object) {
  const auto lock = lock_hdf5();
  impl_->attribute(name, object, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Hdf5Writer::attribute(const std::string& name, double value, const std::string& object) {
  const auto lock = lock_hdf5();
  impl_->attribute(name, object, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Writer::attribute(const std::string& name, const std::string& value, const std::string& object) {
  const auto lock = lock_hdf5();
  if (value.size() > kLargestTextAttribute) {
    throw InputError("attribute " + quoted(name) + " has " + std::to_string(value.size()) + " bytes; at most " +
                     std::to_string(kLargestTextAttribute) + " fit, larger texts are stored as datasets");
  }
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::max<std::size_t>(value.size(), 1));  // an empty text is one padding byte
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  impl_->attribute(name, object, type.id(), type.id(), value.c_str());
}

void Hdf5Writer::attribute(const std::string& name, const char* value, const std::string& object) {
  attribute(name, std::string(value), object);
}

void Hdf5Writer::commit() {
  const auto lock = lock_hdf5();
  if (!impl_->file.valid()) throw std::logic_error("Hdf5Writer::commit() was called twice");
  impl_->require(H5Fflush(impl_->file.id(), H5F_SCOPE_GLOBAL) >= 0, "it could not be flushed");
  impl_->require(impl_->file.close(), "it could not be closed");

  const auto sync = [&](const std::string& place, int flags) {
    const int descriptor = open(place.c_str(), flags | O_CLOEXEC);
    const bool success = descriptor >= 0 && fsync(descriptor) == 0;
    const std::string reason = std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    if (!success) impl_->fail("it could not be synced (" + reason + ")");
  };
  sync(impl_->temporary, O_RDONLY);
  if (rename(impl_->temporary.c_str(), impl_->path.c_str()) != 0) impl_->fail(std::strerror(errno));
  impl_->temporary.clear();
  const std::string folder = std::filesystem::path(impl_->path).parent_path().string();
  sync(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace hyseq
