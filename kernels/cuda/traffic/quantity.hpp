// Numbers that know the formula they came from, so that a table of formulas and a table of figures are one.
#pragma once

#include <charconv>
#include <concepts>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

namespace hyseq::kernels::cuda {

/// A sum of products of named sizes. The text has a blank for "times".
class Quantity {
 public:
  Quantity() : Quantity(0) {}
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  // NOLINTNEXTLINE(google-explicit-constructor): numbers are quantities
  Quantity(Number number) : value_(static_cast<double>(number)), text_(number_text(value_)) {}
  /// A size with a name. What is 0 or 1 keeps its name: formulas are those of any sizes.
  template <class Number>
  Quantity(std::string name, Number value) : value_(static_cast<double>(value)), text_(std::move(name)) {}

  [[nodiscard]] double value() const { return value_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  friend Quantity operator+(const Quantity& a, const Quantity& b) {
    if (a.text_ == "0") return b;
    if (b.text_ == "0") return a;
    Quantity sum(a.text_ + " + " + b.text_, a.value_ + b.value_);
    sum.is_sum_ = true;
    return sum;
  }
  friend Quantity operator*(const Quantity& a, const Quantity& b) {
    if (a.text_ == "0" || b.text_ == "1") return a;
    if (b.text_ == "0" || a.text_ == "1") return b;
    return {a.factor() + " " + b.factor(), a.value_ * b.value_};
  }

 private:
  [[nodiscard]] std::string factor() const { return is_sum_ ? "(" + text_ + ")" : text_; }
  static std::string number_text(double number) {
    char buffer[32];
    const std::to_chars_result end = std::to_chars(std::begin(buffer), std::end(buffer), number);
    return {std::begin(buffer), end.ptr};
  }

  double value_ = 0;
  std::string text_;
  bool is_sum_ = false;
};

}  // namespace hyseq::kernels::cuda
