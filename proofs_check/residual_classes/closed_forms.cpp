#include "proofs_check/residual_classes/closed_forms.hpp"

#include <cmath>

namespace hyseq::proofs_check {
namespace {

Integer power(const Integer& base, int exponent) {
  return boost::multiprecision::pow(base, static_cast<unsigned>(exponent));
}

Integer choose(int n, int k) {
  Integer product = 1;
  for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

/// Forests on `vertices` labelled vertices in trees that hang on `roots` further, given ones: r (n + r)^(n - 1).
Integer forests(int vertices, int roots) {
  return vertices == 0 ? Integer(1) : roots * power(Integer(vertices + roots), vertices - 1);
}

/// Trees on `points` vertices rooted at a vertex with exactly one child; for a single point the point itself.
Integer trees_with_one_child(int points) {
  return points == 1 ? Integer(1) : points * power(Integer(points - 1), points - 2);
}

/// base^0 + .. + base^most
Integer geometric(const Integer& base, int most) {
  Integer sum = 0;
  Integer term = 1;
  for (int i = 0; i <= most; ++i, term *= base) sum += term;
  return sum;
}

}  // namespace

double log2_of(const Integer& value) {
  const auto bits = static_cast<int>(boost::multiprecision::msb(value));
  constexpr int kKept = 60;
  const int shift = bits > kKept ? bits - kKept : 0;
  return std::log2(Integer(value >> static_cast<unsigned>(shift)).convert_to<double>()) + shift;
}

Integer copy_classes_always(const tasks::SelectiveCopyShape& shape) {
  const int most = shape.distance_max();
  const Integer known = geometric(Integer(shape.values + shape.distance_count), most);
  if (shape.values == 1) return known + 1;
  return known + shape.distance_count * power(Integer(shape.values), most);
}

Integer copy_classes_once(const tasks::SelectiveCopyShape& shape, int length, int time) {
  int read = 0;
  for (int c = shape.distance_min; c <= shape.distance_max(); ++c) {
    read += c >= 1 && length - c >= 0 && length - c < time ? 1 : 0;
  }
  return power(Integer(shape.values), read);
}

Integer copy_classes_once_any_length(const tasks::SelectiveCopyShape& shape) {
  return geometric(Integer(shape.values), shape.distance_max());
}

Integer recall_classes_always(int words, int bits) {
  Integer behind_bit = 0;   // the last token was a bit, or there was none
  Integer behind_word = 0;  // of a given last word
  for (int n = 0; n <= words; ++n) behind_bit += choose(words, n) * forests(n, 2);
  for (int n = 0; n < words; ++n) behind_word += choose(words - 1, n) * forests(n, 3);
  return (Integer(1) << static_cast<unsigned>(bits)) * (behind_bit + words * behind_word);
}

Integer connected_maps(int points) {
  Integer sum = 0;
  Integer cycles = 1;  // (k - 1)!
  for (int k = 1; k <= points; ++k) {
    sum += choose(points, k) * cycles * forests(points - k, k);
    cycles *= k;
  }
  return sum;
}

Integer recall_classes_once(int words) {
  Integer sum = 0;
  for (int a = 1; a <= words; ++a) {
    sum += choose(words, a) * (connected_maps(a) + (a >= 2 ? trees_with_one_child(a) : Integer(0)));
  }
  return sum;
}

double recall_bits_once(int words) {
  // The terms from a = words down, each relative to words^(words-1), until they no longer count.
  const double all = words;
  double sum = 0;
  double chosen = 0;  // log2 C(words, a)
  for (double a = all; a >= 1; chosen += std::log2(a / (all - a + 1)), --a) {
    double ramanujan = 0;
    double product = 1;
    for (double k = 1; k <= a && product > 1e-20; ++k) {
      ramanujan += product;
      product *= 1 - k / a;
    }
    const double open = a >= 2 ? std::pow(1 - 1 / a, a - 2) : 0;
    const double term = std::exp2(chosen + (a - 1) * std::log2(a) - (all - 1) * std::log2(all)) * (ramanujan + open);
    sum += term;
    if (term < 1e-20 * sum) break;
  }
  return (all - 1) * std::log2(all) + std::log2(sum);
}

Integer recall_classes_once_any_length(int words) {
  Integer sum = 1;
  for (int a = 1; a <= words; ++a) sum += choose(words, a) * (power(Integer(a), a) + trees_with_one_child(a));
  return sum;
}

}  // namespace hyseq::proofs_check
