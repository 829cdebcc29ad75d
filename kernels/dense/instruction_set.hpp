// The bodies of the operations, compiled once per instruction set.
//
// kernels/dense/target/ is compiled several times with different compiler flags, and with it everything that it
// includes: the bodies (kernels/<operation>/dense.hpp), Eigen, Highway, parts of the standard library. Inline functions
// of one copy must never stand in for those of another, or an older processor would meet instructions that it lacks;
// so each copy is linked into one object of which a single symbol stays visible, its table (see instruction_sets.cmake
// beside this file).
#pragma once

#include <string_view>
#include <vector>

#include "kernels/dense/context.hpp"
#include "kernels/dense/update.hpp"

namespace hyseq::kernels::dense {

template <class T>
struct Bodies {
  void (*forward)(const Operation& operation, const Context<T>& context) = nullptr;
  void (*backward)(const BackwardOperation& operation, const Context<T>& context) = nullptr;
  /// See softmax_cross_entropy/dense.hpp. losses, correct: [rows].
  void (*cross_entropy)(const View& logits, double* losses, std::uint8_t* correct, const Context<T>& context) = nullptr;
  double (*sum_of_squares)(const T* x, std::size_t count) = nullptr;
  void (*adamw)(const Update& update, std::size_t count, const T* gradient, T* parameter, T* first,
                T* second) = nullptr;
};

struct InstructionSet {
  const char* name = nullptr;
  void (*prepare)() = nullptr;  // called once, before anything else
  Bodies<float> in_float;
  Bodies<double> in_double;

  template <class T>
  [[nodiscard]] const Bodies<T>& bodies() const;
};
template <>
[[nodiscard]] inline const Bodies<float>& InstructionSet::bodies<float>() const {
  return in_float;
}
template <>
[[nodiscard]] inline const Bodies<double>& InstructionSet::bodies<double>() const {
  return in_double;
}

/// Those of this build that this processor has, the widest vectors first: x86-64-v4 (AVX-512), x86-64-v3 (AVX2), and
/// baseline, which is always there.
[[nodiscard]] const std::vector<const InstructionSet*>& instruction_sets();

/// The one that calls use from now on; the widest unless select_instruction_set() said otherwise. Cohorts keep the one
/// they were made with.
[[nodiscard]] const InstructionSet& instruction_set();

/// InputError for a name that is not among instruction_sets(). Results differ between instruction sets by rounding.
void select_instruction_set(std::string_view name);

}  // namespace hyseq::kernels::dense
