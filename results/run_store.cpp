#include "results/run_store.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/error.hpp"
#include "results/run_file.hpp"

namespace hyseq::results {
namespace {

namespace fs = std::filesystem;

fs::path runs_folder(const std::string& folder) { return fs::path(folder) / "runs"; }
fs::path claims_folder(const std::string& folder) { return fs::path(folder) / "claims"; }

/// Whether the open file is still the one under this name: its owner may have removed it since it was opened.
bool is_current(int descriptor, const std::string& path) {
  struct stat open_file {};
  struct stat named_file {};
  return fstat(descriptor, &open_file) == 0 && stat(path.c_str(), &named_file) == 0 &&
         open_file.st_ino == named_file.st_ino && open_file.st_dev == named_file.st_dev;
}

/// What a killed process left of a run that is about to be trained again.
void remove_leftovers(const std::string& path) {
  const std::string prefix = fs::path(path).filename().string() + ".tmp-";
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(path).parent_path(), ignored))
    if (entry.path().filename().string().starts_with(prefix)) fs::remove(entry.path(), ignored);
}

}  // namespace

Claim::Claim(Claim&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

Claim& Claim::operator=(Claim&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

Claim::~Claim() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());  // while the lock is still held, so that nobody's newer file can be meant
  close(descriptor_);
}

RunStore::RunStore(std::string folder) : folder_(std::move(folder)) {}

void RunStore::prepare() const {
  for (const fs::path& folder : {runs_folder(folder_), claims_folder(folder_)}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw EnvironmentError("cannot make the folder " + folder.string() + ": " + error.message());
  }
}

std::string RunStore::path(const std::string& id) const { return (runs_folder(folder_) / (id + ".h5")).string(); }

std::string RunStore::save(const RunRecord& record) const {
  prepare();
  const std::string file = path(record.id);
  Hdf5Writer writer(file);
  write_run(writer, "/", record);
  writer.commit();
  return file;
}

bool RunStore::contains(const std::string& id) const {
  std::error_code ignored;
  return fs::is_regular_file(path(id), ignored);
}

std::vector<std::string> RunStore::ids() const {
  std::vector<std::string> found;
  const fs::path folder = runs_folder(folder_);
  if (!fs::is_directory(folder)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".h5") found.push_back(entry.path().stem().string());
  std::sort(found.begin(), found.end());
  return found;
}

RunRecord RunStore::load(const std::string& id) const {
  const std::string file = path(id);
  try {
    return read_run(Hdf5Reader(file), "/");
  } catch (const InputError& error) {
    throw InputError("cannot read the training run " + file + " (" + error.what() +
                     "); delete the file and train it again");
  }
}

std::vector<RunRecord> RunStore::load_all() const {
  if (!fs::is_directory(folder_)) throw InputError("the store " + folder_ + " is not a folder");
  std::vector<RunRecord> records;
  for (const std::string& id : ids()) records.push_back(load(id));
  return records;
}

std::optional<Claim> RunStore::claim(const std::string& id) const {
  const std::string lock = (claims_folder(folder_) / id).string();
  for (;;) {
    if (contains(id)) return std::nullopt;
    const int descriptor = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) throw EnvironmentError("cannot make the claim " + lock + ": " + std::strerror(errno));
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      close(descriptor);
      if (reason == EWOULDBLOCK) return std::nullopt;
      if (reason == EINTR) continue;
      throw EnvironmentError("cannot lock the claim " + lock + ": " + std::strerror(reason));
    }
    if (!is_current(descriptor, lock)) {
      close(descriptor);
      continue;
    }
    Claim claim(descriptor, lock);
    // The run may have been finished between the first look and the lock.
    if (contains(id)) return std::nullopt;
    remove_leftovers(path(id));
    return claim;
  }
}

}  // namespace hyseq::results
