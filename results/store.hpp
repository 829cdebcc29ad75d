// The store: a folder of finished results, one HDF5 file each, needing no server.
//
// A certificate lies at <folder>/certificates/<theorem>-<level>-<number>-<parameters>-<hash>.h5. The hash covers
// everything that determines the outcome (theorem, level, number, parameters, which checks ran), so that running the
// same verification again replaces its file and nothing else. Files appear whole or not at all (written aside, synced,
// renamed); several threads and processes may save and load at once.
//
// Layout of a file: attributes format = "hyseq-certificate", version = 1, configuration_hash; dataset `certificate`
// (the text of to_json); per matrix a group matrices/<index> with `values` [rows, columns] and `labels` (JSON text:
// name, title, row_labels, column_labels).
#pragma once

#include <string>
#include <vector>

#include "results/certificate.hpp"

namespace hyseq::results {

class Store {
 public:
  explicit Store(std::string folder);

  /// Makes the folders. EnvironmentError where that is not possible.
  void prepare() const;

  /// Writes one certificate, replacing an earlier one of the same configuration; returns the file's path.
  /// Throws EnvironmentError where the folder cannot be written, std::invalid_argument where a matrix's labels do not
  /// match its size.
  std::string save(const Certificate& certificate);

  /// All certificates, ordered by theorem, level, number format and parameters; empty where none was stored.
  /// Throws InputError where the folder does not exist, and naming the file where one cannot be read.
  [[nodiscard]] std::vector<Certificate> load_certificates() const;

  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// File name of a certificate in a store, without the folder.
[[nodiscard]] std::string file_name(const Certificate& certificate);

/// 16 hexadecimal digits that identify the configuration; the order of the parameters does not matter.
[[nodiscard]] std::string configuration_hash(const Certificate& certificate);

}  // namespace hyseq::results
