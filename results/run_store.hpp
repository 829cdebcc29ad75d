// The store's finished training runs: one HDF5 file each, and claims on runs that somebody is training.
//
// <folder>/runs/<id>.h5     a finished run (layout in run_file.hpp); appears whole or not at all
// <folder>/claims/<id>      empty file, locked (flock) by the process that trains the run; a killed process's lock
//                           vanishes with it, whatever is left of the file
//
// Several threads and processes may use one store at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/run_record.hpp"

namespace hyseq::results {

/// The right to train one run, given back when the object ends.
class Claim {
 public:
  Claim(Claim&& other) noexcept;
  Claim& operator=(Claim&& other) noexcept;
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

 private:
  friend class RunStore;
  Claim(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor_ = -1;
  std::string path_;
};

class RunStore {
 public:
  /// Makes nothing yet.
  explicit RunStore(std::string folder);

  /// Makes the folders. EnvironmentError where that is not possible.
  void prepare() const;

  /// Writes a finished run, replacing an earlier file of the same id; returns the file's path. EnvironmentError where
  /// the folder cannot be written.
  std::string save(const RunRecord& record) const;

  [[nodiscard]] bool contains(const std::string& id) const;

  /// Ids of the finished runs, sorted; empty where the folder does not exist.
  [[nodiscard]] std::vector<std::string> ids() const;

  /// InputError naming the file where it is missing or cannot be read.
  [[nodiscard]] RunRecord load(const std::string& id) const;

  /// All finished runs in the order of their ids. InputError where the folder does not exist, and as `load`.
  [[nodiscard]] std::vector<RunRecord> load_all() const;

  /// The right to train this run; nothing where it is finished already or another thread or process has the claim.
  /// Needs a prepared store. EnvironmentError where the claim's file cannot be made.
  [[nodiscard]] std::optional<Claim> claim(const std::string& id) const;

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string path(const std::string& id) const;

 private:
  std::string folder_;
};

/// Joins the runs of stores into one HDF5 file (runs/<id>, layout in run_file.hpp) and, where `csv` is not empty, one
/// table: a line per run, evaluation and slice; lines of a whole evaluation have empty slice columns. A run that lies
/// in several stores is taken once. Returns the number of runs. Errors as `load_all`, and EnvironmentError where a file
/// cannot be written.
std::size_t collect(const std::vector<std::string>& stores, const std::string& output, const std::string& csv);

}  // namespace hyseq::results
