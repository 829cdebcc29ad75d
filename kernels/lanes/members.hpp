// Numbers of several models side by side: from values of one model in double to [element][lane] and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/checks.hpp"
#include "kernels/lanes/scratch.hpp"
#include "kernels/lanes/session.hpp"
#include "kernels/program.hpp"

namespace hyseq::kernels {

/// One array of numbers per parameter of a program for every lane, in memory of the caller's; zero at first.
template <class T>
class MemberValues {
 public:
  /// memory: [program.parameter_count()][lanes]
  MemberValues(const Program& program, std::size_t lanes, T* memory)
      : program_(&program), lanes_(lanes), data_(memory), elements_(program.parameter_count()) {
    clear();
    T* next = memory;
    for (const ParameterInfo& parameter : program.parameters) {
      arrays_.push_back(next);
      next += parameter.size() * lanes;
    }
  }

  [[nodiscard]] T* const* arrays() { return arrays_.data(); }
  [[nodiscard]] T* array(std::size_t parameter) { return arrays_[parameter]; }
  void clear() { std::fill_n(data_, elements_ * lanes_, T{0}); }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t elements() const { return elements_; }

  /// InputError where the shapes are not the program's.
  void set(std::size_t lane, const ParameterValues& values) {
    check_shapes(*program_, values, "the values");
    for (std::size_t p = 0; p < values.size(); ++p) {
      for (std::size_t i = 0; i < values[p].size(); ++i) {
        arrays_[p][i * lanes_ + lane] = static_cast<T>(values[p][i]);
      }
    }
  }

  [[nodiscard]] ParameterValues get(std::size_t lane) const {
    ParameterValues values;
    for (std::size_t p = 0; p < arrays_.size(); ++p) {
      auto& array = values.emplace_back();
      for (std::size_t i = 0; i < program_->parameters[p].size(); ++i) {
        array.push_back(static_cast<double>(arrays_[p][i * lanes_ + lane]));
      }
    }
    return values;
  }

 private:
  const Program* program_;
  std::size_t lanes_;
  T* data_;
  std::size_t elements_;
  std::vector<T*> arrays_;
};

/// Positions and starts of one fresh row; segments: [time], or empty where the row is one example.
[[nodiscard]] inline SequenceLayout fresh_layout(std::size_t time, std::span<const std::int32_t> segments) {
  SequenceLayout layout;
  std::uint64_t position = 0;
  for (std::size_t t = 0; t < time; ++t) {
    if (t > 0 && !segments.empty() && segments[t] != segments[t - 1]) position = 0;
    layout.position.push_back(position);
    layout.starts.push_back(position == 0 ? 1 : 0);
    ++position;
  }
  return layout;
}

/// The members' rows of the embedding table are addressed by 32-bit numbers. InputError where these do not reach.
template <class T>
void check_table(const Program& program, std::size_t lanes) {
  for (const Operation& operation : program.forward) {
    const auto* embedding = std::get_if<Embedding>(&operation);
    if (embedding == nullptr) continue;
    const std::size_t size = program.parameters[static_cast<std::size_t>(embedding->table)].size() * lanes;
    if (sizeof(T) == 4 && size >= (std::size_t{1} << 31)) {
      throw InputError("an embedding table of " + std::to_string(size / lanes) + " numbers is too large for " +
                       std::to_string(lanes) + " members on the lanes engine; use the dense engine");
    }
  }
}

}  // namespace hyseq::kernels
