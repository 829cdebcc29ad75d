#include <limits>

#include "kernels/softmax_cross_entropy/reference.hpp"
#include "tests/kernels/suite.hpp"

namespace hyseq::kernels {
namespace {

template <class Scalar>
class CrossEntropy : public Operations<Scalar> {};
TYPED_TEST_SUITE(CrossEntropy, NumberTypes);

TYPED_TEST(CrossEntropy, IsTheMeanOverTheValidRows) {
  using Numeric = numbers::Numeric<TypeParam>;
  using P = Precision<TypeParam>;
  for (const std::size_t vocabulary : {2U, 3U, 11U, 34U}) {
    const std::vector<double> raw = normals(vocabulary, 5 * vocabulary, 3);
    std::vector<TypeParam> logits;
    for (const double value : raw) logits.push_back(Numeric::from_double(value));
    const auto valid_below = static_cast<std::int32_t>(vocabulary) - 1;
    const std::vector<std::int32_t> targets = {0, valid_below, valid_below - 1, -1, 0};
    double expected = 0;
    double largest = 0;
    for (const std::size_t row : {0U, 2U, 4U}) {
      double sum = 0;
      for (std::size_t v = 0; v < vocabulary; ++v) {
        const double x = Numeric::to_double(logits[row * vocabulary + v]);
        sum += std::exp(x);
        largest = std::max(largest, std::abs(x));
      }
      const auto target = row * vocabulary + static_cast<std::size_t>(targets[row]);
      expected += (std::log(sum) - Numeric::to_double(logits[target])) / 3;
    }
    const LossResult found = cross_entropy<TypeParam>(logits, targets, valid_below);
    EXPECT_EQ(found.valid, 3);
    const double tolerance = (static_cast<double>(vocabulary) + 16) * P::sums * (1 + 2 * largest);
    EXPECT_NEAR(found.loss, expected, tolerance);
  }
}

TEST(CrossEntropy, HugeLogitsGiveAFiniteLoss) {
  const std::vector<float> logits = {1e10F, -1e10F, 1e11F, 0.0F};
  const LossResult right = cross_entropy<float>(logits, std::vector<std::int32_t>{2}, 4);
  EXPECT_EQ(right.loss, 0);
  EXPECT_EQ(right.correct, 1);
  const LossResult wrong = cross_entropy<float>(logits, std::vector<std::int32_t>{0}, 4);
  EXPECT_NEAR(wrong.loss, 9e10, 1e5);
  EXPECT_EQ(wrong.correct, 0);
}

TEST(CrossEntropy, NothingValidIsNoLossAndNotNaN) {
  const std::vector<float> logits = {1, 2, 3, 4};
  const LossResult found = cross_entropy<float>(logits, std::vector<std::int32_t>{3, -1}, 1);
  EXPECT_EQ(found.valid, 0);
  EXPECT_EQ(found.loss, 0);
}

TEST(CrossEntropy, TiesAndNaNCountAsWrong) {
  const std::vector<float> tie = {1, 5, 5};
  EXPECT_EQ(unique_argmax(tie.data(), 3), -1);
  EXPECT_EQ(cross_entropy<float>(tie, std::vector<std::int32_t>{1}, 3).correct, 0);
  const std::vector<float> overtaken = {5, 5, 6};
  EXPECT_EQ(unique_argmax(overtaken.data(), 3), 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> broken = {{nan, 1, 2}, {1, nan, 2}, {1, 2, nan}};
  for (const auto& logits : broken) EXPECT_EQ(unique_argmax(logits.data(), 3), -1);
}

}  // namespace
}  // namespace hyseq::kernels
