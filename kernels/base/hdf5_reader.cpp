#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"
#include "kernels/base/hdf5_handle.hpp"

namespace hyseq {

using namespace hdf5;

namespace {

H5I_type_t object_kind(hid_t file, const std::string& name) {
  if (!object_exists(file, name)) return H5I_BADID;
  const Handle object(H5Oopen(file, name.c_str(), H5P_DEFAULT), H5Oclose);
  return object.valid() ? H5Iget_type(object.id()) : H5I_BADID;
}

std::vector<std::size_t> shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

}  // namespace

struct Hdf5Reader::Impl {
  std::string path;
  Handle file;

  [[noreturn]] void fail(const std::string& what) const { throw InputError("file " + quoted(path) + ": " + what); }

  [[nodiscard]] std::vector<std::string> children(const std::string& group, H5I_type_t kind) const {
    if (object_kind(file.id(), group) != H5I_GROUP) fail("there is no group " + quoted(group));
    H5G_info_t info;
    if (H5Gget_info_by_name(file.id(), group.c_str(), &info, H5P_DEFAULT) < 0) fail("cannot list " + quoted(group));
    std::vector<std::string> names;
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      const auto name_at = [&](char* buffer, std::size_t size) {
        return H5Lget_name_by_idx(file.id(), group.c_str(), H5_INDEX_NAME, H5_ITER_INC, i, buffer, size, H5P_DEFAULT);
      };
      const ssize_t length = name_at(nullptr, 0);
      if (length < 0) fail("cannot list " + quoted(group));
      std::string name(static_cast<std::size_t>(length) + 1, '\0');  // the library ends it with a zero byte
      name_at(name.data(), name.size());
      name.pop_back();
      if (object_kind(file.id(), group == "/" ? name : group + "/" + name) == kind) names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  [[nodiscard]] Handle open_dataset(const std::string& name) const {
    if (object_kind(file.id(), name) != H5I_DATASET) fail("there is no dataset " + quoted(name));
    Handle dataset(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.valid()) fail("cannot open dataset " + quoted(name));
    return dataset;
  }

  [[nodiscard]] Handle type_of(const Handle& dataset) const { return {H5Dget_type(dataset.id()), H5Tclose}; }

  template <class T>
  [[nodiscard]] Array<T> read(const Handle& dataset, const std::string& name, hid_t memory_type) const {
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) fail("dataset " + quoted(name) + " holds no data");
    Array<T> data;
    data.shape = shape_of(space.id());
    data.values.resize(number_of_values(data.shape));
    if (data.values.empty()) return data;
    if (H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.values.data()) < 0) {
      fail("cannot read dataset " + quoted(name));
    }
    return data;
  }

  [[nodiscard]] Handle open_attribute(const std::string& name, const std::string& object) const {
    const std::string place = object == "/" ? "" : " of " + quoted(object);
    if (!object_exists(file.id(), object)) fail("there is no object " + quoted(object));
    if (H5Aexists_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT) <= 0) {
      fail("there is no attribute " + quoted(name) + place);
    }
    Handle attribute(H5Aopen_by_name(file.id(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (!attribute.valid()) fail("cannot open attribute " + quoted(name) + place);
    const Handle space(H5Aget_space(attribute.id()), H5Sclose);
    if (H5Sget_simple_extent_npoints(space.id()) != 1) fail("attribute " + quoted(name) + place + " is not one value");
    return attribute;
  }

  template <class T>
  [[nodiscard]] T number_attribute(const std::string& name, const std::string& object, hid_t memory_type,
                                   bool reals) const {
    const Handle attribute = open_attribute(name, object);
    const Handle type(H5Aget_type(attribute.id()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.id());
    if (kind != H5T_INTEGER && !(reals && kind == H5T_FLOAT)) {
      fail("attribute " + quoted(name) + " is not " + (reals ? "a number" : "an integer"));
    }
    T value{};
    if (H5Aread(attribute.id(), memory_type, &value) < 0) fail("cannot read attribute " + quoted(name));
    return value;
  }
};

Hdf5Reader::Hdf5Reader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  const auto lock = lock_hdf5();
  impl_->path = path;
  if (access(path.c_str(), R_OK) != 0) impl_->fail(std::string("cannot be read (") + std::strerror(errno) + ")");
  if (std::filesystem::is_directory(path)) impl_->fail("is a folder, not an HDF5 file");
  if (H5Fis_hdf5(path.c_str()) <= 0) impl_->fail("is not an HDF5 file");
  impl_->file = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!impl_->file.valid()) impl_->fail("is damaged or held open by a writer");
}

Hdf5Reader::~Hdf5Reader() {
  const auto lock = lock_hdf5();
  impl_.reset();
}

std::vector<std::string> Hdf5Reader::datasets(const std::string& group) const {
  const auto lock = lock_hdf5();
  return impl_->children(group, H5I_DATASET);
}

std::vector<std::string> Hdf5Reader::groups(const std::string& group) const {
  const auto lock = lock_hdf5();
  return impl_->children(group, H5I_GROUP);
}

bool Hdf5Reader::has_dataset(const std::string& name) const {
  const auto lock = lock_hdf5();
  return object_kind(impl_->file.id(), name) == H5I_DATASET;
}

bool Hdf5Reader::has_attribute(const std::string& name, const std::string& object) const {
  const auto lock = lock_hdf5();
  return object_exists(impl_->file.id(), object) &&
         H5Aexists_by_name(impl_->file.id(), object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

Array<double> Hdf5Reader::read_reals(const std::string& name) const {
  const auto lock = lock_hdf5();
  const Handle dataset = impl_->open_dataset(name);
  const H5T_class_t kind = H5Tget_class(impl_->type_of(dataset).id());
  if (kind != H5T_FLOAT && kind != H5T_INTEGER) impl_->fail("dataset " + quoted(name) + " does not hold numbers");
  return impl_->read<double>(dataset, name, H5T_NATIVE_DOUBLE);
}

Array<std::int32_t> Hdf5Reader::read_integers(const std::string& name) const {
  const auto lock = lock_hdf5();
  const Handle dataset = impl_->open_dataset(name);
  const Handle type = impl_->type_of(dataset);
  if (H5Tget_class(type.id()) != H5T_INTEGER) impl_->fail("dataset " + quoted(name) + " does not hold integers");
  const bool is_signed = H5Tget_sign(type.id()) == H5T_SGN_2;
  const std::size_t bytes = H5Tget_size(type.id());
  if (bytes < 4 || (bytes == 4 && is_signed)) return impl_->read<std::int32_t>(dataset, name, H5T_NATIVE_INT32);

  // Wider integers go through 64 bits, because the library would silently clip what does not fit.
  const Array<std::int64_t> wide = impl_->read<std::int64_t>(dataset, name, H5T_NATIVE_INT64);
  Array<std::int32_t> narrow{wide.shape, {}};
  narrow.values.reserve(wide.values.size());
  for (const std::int64_t value : wide.values) {
    if (!std::in_range<std::int32_t>(value)) {
      impl_->fail("dataset " + quoted(name) + " holds " + std::to_string(value) + ", which is outside 32 bits");
    }
    narrow.values.push_back(static_cast<std::int32_t>(value));
  }
  return narrow;
}

std::string Hdf5Reader::read_text(const std::string& name) const {
  const auto lock = lock_hdf5();
  const Handle dataset = impl_->open_dataset(name);
  const Handle type = impl_->type_of(dataset);
  if (H5Tget_class(type.id()) != H5T_INTEGER || H5Tget_size(type.id()) != 1) {
    impl_->fail("dataset " + quoted(name) + " does not hold text (bytes)");
  }
  const Array<char> bytes = impl_->read<char>(dataset, name, type.id());
  return {bytes.values.begin(), bytes.values.end()};
}

std::int64_t Hdf5Reader::integer_attribute(const std::string& name, const std::string& object) const {
  const auto lock = lock_hdf5();
  return impl_->number_attribute<std::int64_t>(name, object, H5T_NATIVE_INT64, false);
}

double Hdf5Reader::real_attribute(const std::string& name, const std::string& object) const {
  const auto lock = lock_hdf5();
  return impl_->number_attribute<double>(name, object, H5T_NATIVE_DOUBLE, true);
}

std::string Hdf5Reader::text_attribute(const std::string& name, const std::string& object) const {
  const auto lock = lock_hdf5();
  const Handle attribute = impl_->open_attribute(name, object);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING) impl_->fail("attribute " + quoted(name) + " is not text");
  if (H5Tis_variable_str(type.id()) > 0) {
    char* text = nullptr;
    if (H5Aread(attribute.id(), type.id(), static_cast<void*>(&text)) < 0)
      impl_->fail("cannot read attribute " + quoted(name));
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type.id()), '\0');
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) impl_->fail("cannot read attribute " + quoted(name));
  text.resize(std::min(text.size(), text.find('\0')));
  if (H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace hyseq
