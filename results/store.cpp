#include "results/store.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/base/hdf5_file.hpp"

namespace hyseq::results {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "hyseq-certificate";
constexpr std::int64_t kVersion = 1;

/// The HDF5 library is not safe for threads, and two threads would share a temporary name; processes need no lock.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

fs::path certificates_folder(const std::string& folder) { return fs::path(folder) / "certificates"; }

/// FNV-1a, 64 bits: enough to tell the configurations of one store apart, and the same on every machine.
std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Letters, digits, dots and signs pass; everything else would be trouble in a file name.
std::string file_safe(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    out += keep ? c : '_';
  }
  return out;
}

void write_matrix(Hdf5Writer& writer, const std::string& group, const LabelledMatrix& matrix) {
  const std::size_t rows = matrix.row_labels.size(), columns = matrix.column_labels.size();
  if (matrix.values.size() != rows * columns || matrix.values.empty())
    throw std::invalid_argument("matrix " + matrix.name + " has " + std::to_string(matrix.values.size()) +
                                " values, but labels for " + std::to_string(rows) + " x " + std::to_string(columns));
  writer.write(group + "/values", Array<double>{{rows, columns}, matrix.values});
  writer.write_text(group + "/labels", strict_text(Json{{"name", matrix.name},
                                                        {"title", matrix.title},
                                                        {"row_labels", matrix.row_labels},
                                                        {"column_labels", matrix.column_labels}}));
}

LabelledMatrix read_matrix(const Hdf5Reader& reader, const std::string& group) {
  const Json labels = Json::parse(reader.read_text(group + "/labels"));
  Array<double> values = reader.read_reals(group + "/values");
  LabelledMatrix matrix{labels.at("name"), labels.at("title"), labels.at("row_labels"), labels.at("column_labels"),
                        std::move(values.values)};
  if (matrix.values.size() != matrix.row_labels.size() * matrix.column_labels.size())
    throw InputError("the labels of " + group + " do not match its size");
  return matrix;
}

Certificate read_file(const fs::path& path) {
  try {
    const Hdf5Reader reader(path.string());
    if (reader.text_attribute("format") != kFormat) throw InputError("it is not a certificate");
    if (const std::int64_t version = reader.integer_attribute("version"); version != kVersion)
      throw InputError("its version is " + std::to_string(version) + " and this program reads version " +
                       std::to_string(kVersion));
    Certificate certificate = certificate_from_json(Json::parse(reader.read_text("certificate")));
    if (const std::vector<std::string> groups = reader.groups(); std::count(groups.begin(), groups.end(), "matrices"))
      for (const std::string& group : reader.groups("matrices"))
        certificate.matrices.push_back(read_matrix(reader, "matrices/" + group));
    return certificate;
  } catch (const InputError& error) {
    throw InputError("cannot read the certificate " + path.string() + " (" + error.what() +
                     "); delete the file and verify again");
  } catch (const Json::exception&) {
    throw InputError("cannot read the certificate " + path.string() +
                     " (its text is not a certificate's JSON); delete the file and verify again");
  }
}

int number_rank(const std::string& number) {
  constexpr std::array<const char*, 4> order{"double", "float", "bfloat16", "half"};
  return static_cast<int>(std::find(order.begin(), order.end(), number) - order.begin());
}

/// Numbers compare as numbers, so that N = 8 comes before N = 16.
bool parameters_less(const Json& a, const Json& b) {
  for (auto [i, j] = std::pair(a.begin(), b.begin()); i != a.end() && j != b.end(); ++i, ++j)
    if (*i != *j) return *i < *j;
  return a.size() < b.size();
}

bool before(const Certificate& a, const Certificate& b) {
  const auto key = [](const Certificate& c) { return std::tuple(c.theorem, c.level, number_rank(c.number)); };
  if (key(a) != key(b)) return key(a) < key(b);
  return parameters_less(a.parameters, b.parameters);
}

}  // namespace

std::string configuration_hash(const Certificate& certificate) {
  std::vector<std::string> checks;
  for (const Check& check : certificate.checks) checks.push_back(check.name);
  // nlohmann::json, unlike the ordered kind, sorts its keys.
  const nlohmann::json configuration{{"theorem", certificate.theorem},
                                     {"level", certificate.level},
                                     {"number", certificate.number},
                                     {"parameters", nlohmann::json(certificate.parameters)},
                                     {"checks", checks}};
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(fnv1a(configuration.dump())));
  return text.data();
}

std::string file_name(const Certificate& certificate) {
  std::string name = certificate.theorem + "-" + certificate.level + "-" + certificate.number;
  for (const auto& [key, value] : certificate.parameters.items())
    if (value.is_number()) name += "-" + key + value.dump();
  // Leaves room for the hash within the 255 bytes of a file name.
  if (name.size() > 180) name.resize(180);
  std::string safe;
  for (const char c : name) safe += c == '-' ? std::string("-") : file_safe(std::string(1, c));
  return safe + "-" + configuration_hash(certificate) + ".h5";
}

Store::Store(std::string folder) : folder_(std::move(folder)) {}

void Store::prepare() const {
  const fs::path folder = certificates_folder(folder_);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw EnvironmentError("cannot make the folder " + folder.string() + ": " + error.message());
}

std::string Store::save(const Certificate& certificate) {
  prepare();
  const fs::path folder = certificates_folder(folder_);
  const std::string path = (folder / file_name(certificate)).string();
  const std::lock_guard lock(library_mutex());
  Hdf5Writer writer(path);
  writer.attribute("format", kFormat);
  writer.attribute("version", kVersion);
  writer.attribute("configuration_hash", configuration_hash(certificate));
  writer.write_text("certificate", strict_text(to_json(certificate)));
  for (std::size_t i = 0; i < certificate.matrices.size(); ++i) {
    // Four digits, so that the groups' alphabetical order is the matrices' order.
    const std::string index = std::to_string(10000 + i).substr(1);
    write_matrix(writer, "matrices/" + index, certificate.matrices[i]);
  }
  writer.commit();
  return path;
}

std::vector<Certificate> Store::load_certificates() const {
  if (!fs::is_directory(folder_))
    throw InputError("the store " + folder_ + " is not a folder; give --store the folder that `hyseq verify` wrote to");
  std::vector<fs::path> paths;
  if (const fs::path folder = certificates_folder(folder_); fs::is_directory(folder))
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".h5") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());

  std::vector<Certificate> certificates;
  const std::lock_guard lock(library_mutex());
  for (const fs::path& path : paths) certificates.push_back(read_file(path));
  std::stable_sort(certificates.begin(), certificates.end(), before);
  return certificates;
}

}  // namespace hyseq::results
