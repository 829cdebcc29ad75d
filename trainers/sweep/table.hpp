// Reads one table of a document key by key and refuses what is left over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tasks/batch.hpp"
#include "trainers/sweep/document.hpp"

namespace hyseq::trainers {

/// Every accessor returns the fallback where the key is absent, and throws InputError with file, line, key, value and
/// what is allowed where its value does not fit.
class Table {
 public:
  /// The table at `path`; none there is an empty one, anything else there an InputError.
  Table(const Document& document, std::string path);

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least,
                                     std::int64_t most = std::numeric_limits<int>::max());
  [[nodiscard]] double real(const std::string& key, double fallback, double least, double most);
  [[nodiscard]] bool flag(const std::string& key, bool fallback);
  [[nodiscard]] std::string text(const std::string& key, const std::string& fallback);
  [[nodiscard]] std::vector<double> reals(const std::string& key, double least, double most);
  /// A list of integers, one integer, or "A..B" with both ends.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& key, std::int64_t least, std::int64_t most);
  /// One integer, or "A..B" as smallest and largest.
  [[nodiscard]] tasks::LengthRange range(const std::string& key, tasks::LengthRange fallback, std::int64_t most);

  template <class T>
  [[nodiscard]] T choice(const std::string& key, T fallback, std::initializer_list<std::pair<const char*, T>> allowed) {
    const nlohmann::ordered_json* value = find(key);
    if (value == nullptr) return fallback;
    std::string names;
    for (const auto& [name, result] : allowed) {
      if (*value == name) return result;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    refuse(key, names);
  }

  /// Marks the key as known; nullptr where it is absent.
  const nlohmann::ordered_json* find(const std::string& key);

  /// InputError for the first key that nobody asked for.
  void finish() const;

  [[nodiscard]] std::string path(const std::string& key) const { return Document::child(path_, key); }
  /// "fig4.toml, line 12"
  [[nodiscard]] std::string place(const std::string& key) const { return document_.place(path(key)); }
  /// "fig4.toml, line 12: model.width is 0, allowed is ..."
  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const;

 private:
  const Document& document_;
  std::string path_;
  std::vector<std::string> known_;
};

/// "A..B" -> {A, B}; false for any other text.
[[nodiscard]] bool parse_span(const std::string& text, std::int64_t& first, std::int64_t& last);

}  // namespace hyseq::trainers
