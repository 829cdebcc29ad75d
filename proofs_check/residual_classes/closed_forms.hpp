// Numbers of residual classes in closed form; docs/residual-classes.md proves them. Exact integers.
#pragma once

#include <cstdint>

#include <boost/multiprecision/cpp_int.hpp>

#include "tasks/selective_copy.hpp"

namespace hyseq::proofs_check {

using Integer = boost::multiprecision::cpp_int;

/// log2 of a positive integer, to double precision, however large.
[[nodiscard]] double log2_of(const Integer& value);

/// Selective copying of M values, distances lo .. hi, N of them, asked always. With S = M + N:
///   S^0 + .. + S^hi + N M^hi,  and for M = 1  S^0 + .. + S^hi + 1.
[[nodiscard]] Integer copy_classes_always(const tasks::SelectiveCopyShape& shape);

/// The same task asked once by a number token behind exactly `length` values, after the first `time` of them: M^r, r
/// the number of distances c >= 1 with 0 <= length - c < time.
[[nodiscard]] Integer copy_classes_once(const tasks::SelectiveCopyShape& shape, int length, int time);

/// Asked once behind values of any number, nobody knows how many: M^0 + .. + M^hi.
[[nodiscard]] Integer copy_classes_once_any_length(const tasks::SelectiveCopyShape& shape);

/// Decode recall with `bits` bits, of whose 2^bits words the first `words` > 2^(bits-1) occur, asked always. F(n, r) =
/// r (n + r)^(n-1) counts the forests on n vertices and r roots (Cayley); then
///   2^bits ( sum_n C(words, n) F(n, 2)  +  words sum_n C(words - 1, n) F(n, 3) ).
[[nodiscard]] Integer recall_classes_always(int words, int bits);

/// Decode recall asked once behind `length` >= 2 `words` words, just before the question:
///   sum_a C(words, a) (connected maps of a + a (a - 1)^(a-2) [a >= 2]).
[[nodiscard]] Integer recall_classes_once(int words);

/// log2 of recall_classes_once to double precision, for any number of words: connected maps of a are a^(a-1) Q(a) with
/// Q(a) = 1 + (1 - 1/a) + (1 - 1/a)(1 - 2/a) + .. (Ramanujan's Q).
[[nodiscard]] double recall_bits_once(int words);

/// Asked once behind words of any number: 1 + sum_a C(words, a) (a^a + a (a - 1)^(a-2) [a >= 2] + [a = 1]).
[[nodiscard]] Integer recall_classes_once_any_length(int words);

/// Maps of a >= 1 points into themselves whose graph is connected: sum_k C(a, k) (k - 1)! k a^(a-k-1).
[[nodiscard]] Integer connected_maps(int points);

}  // namespace hyseq::proofs_check
