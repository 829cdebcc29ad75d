// Plausible certificates for the tests of the store, the figures and the report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/certificate.hpp"

namespace hyseq::results::fixture {

/// Selective copying with every check, all formats' margins, a budgets' grid and heat maps.
[[nodiscard]] Certificate selective_copying(const std::string& level, const std::string& number);

/// Associative recall with decoding at W = 2^bits words, with the window's exact curve.
[[nodiscard]] Certificate recall(const std::string& level, const std::string& number, int bits);

/// The corrected bound: curves, enumerated and searched encoders, machines and gaps for M = 2 and 3.
[[nodiscard]] Certificate lower_bound();

/// Training from a construction: noise 0, 0.01 and 0.1 and drawn weights, two rates, two dropouts, three seeds.
[[nodiscard]] Certificate basin();

/// Both theorems, both levels, several formats, one of them past its limit ("not shown").
[[nodiscard]] std::vector<Certificate> everything();

/// A fresh folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_text(const std::string& path);

}  // namespace hyseq::results::fixture
