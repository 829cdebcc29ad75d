// Right answers on complete small domains with edge parameters, whole sequences from scratch, by naive labels.
#include <functional>

#include <gtest/gtest.h>

#include "tests/constructions/gadget_model.hpp"
#include "tests/constructions/naive_labels.hpp"

namespace hyseq::constructions {
namespace {

/// Every sequence over `allowed`, in one batch of whole sequences; each defined position must be answered.
template <class Scalar>
void expect_right(const Construction& c, const std::vector<Tokens>& allowed, bool every_position,
                  const std::function<std::int32_t(const Tokens&, int)>& label, const std::string& what) {
  kernels::ReferenceSession<Scalar> session(c.program, c.values, allowed.size());
  const auto vocabulary = static_cast<std::size_t>(c.program.vocabulary);
  std::size_t defined = 0;
  for (const Tokens& sequence : all_sequences(allowed)) {
    auto carry = session.fresh(1);
    session.forward({sequence, 1, sequence.size()}, carry);
    for (std::size_t t = every_position ? 0 : sequence.size() - 1; t < sequence.size(); ++t) {
      const std::int32_t expected = label(sequence, static_cast<int>(t));
      if (expected < 0) continue;
      ++defined;
      const auto logit = [&](std::size_t v) {
        return numbers::Numeric<Scalar>::to_double(session.logits()[t * vocabulary + v]);
      };
      for (std::size_t v = 0; v < vocabulary; ++v) {
        if (static_cast<std::int32_t>(v) == expected) continue;
        ASSERT_LT(logit(v), logit(static_cast<std::size_t>(expected)))
            << what << ": " << testing::PrintToString(sequence) << " at " << t;
      }
    }
  }
  EXPECT_GT(defined, 0U) << what;
}

template <class Scalar>
class Answers : public testing::Test {};
TYPED_TEST_SUITE(Answers, Scalars);

TYPED_TEST(Answers, selective_copy_on_edge_parameters) {
  struct Edge {
    int vocabulary, distances, length;
  };
  for (const Edge& edge : {Edge{2, 1, 2}, Edge{2, 2, 2}, Edge{2, 2, 7}, Edge{2, 1, 7}, Edge{3, 3, 3}, Edge{3, 3, 6},
                           Edge{4, 4, 4}, Edge{4, 2, 5}, Edge{5, 1, 4}, Edge{5, 4, 4}, Edge{9, 8, 8}}) {
    for (const Level level : {Level::faithful, Level::streaming}) {
      SelectiveCopySpec spec;
      spec.vocabulary = edge.vocabulary;
      spec.distances = edge.distances;
      spec.length = edge.length;
      spec.level = level;
      const auto c = build(spec);
      // Nine tokens, eight positions: too many to try all, so every position but four is one and the same token.
      std::vector<Tokens> allowed(static_cast<std::size_t>(edge.length), token_range(0, edge.vocabulary));
      for (std::size_t t = 1; edge.vocabulary > 5 && t + 3 < allowed.size(); ++t) allowed[t] = {0};
      expect_right<TypeParam>(
          c, allowed, level == Level::streaming, [&](const Tokens& x, int at) { return naive_copy(spec, x, at); },
          "V " + std::to_string(edge.vocabulary) + " N " + std::to_string(edge.distances) + " L " +
              std::to_string(edge.length) + " " + std::string(name(level)));
    }
  }
}

TYPED_TEST(Answers, faithful_recall_on_edge_parameters) {
  struct Edge {
    int bits, length, window;
  };
  for (const Edge& edge : {Edge{1, 3, 2}, Edge{1, 3, 3}, Edge{1, 4, 8}, Edge{1, 9, 8}, Edge{1, 9, 3}, Edge{2, 4, 3},
                           Edge{2, 7, 4}, Edge{2, 7, 7}, Edge{2, 7, 30}}) {
    DecodeRecallSpec spec;
    spec.bits = edge.bits;
    spec.length = edge.length;
    spec.window = edge.window;
    if (edge.window <= edge.bits) continue;  // nothing but query bits in view
    const auto c = build(spec);
    std::vector<Tokens> allowed(static_cast<std::size_t>(edge.length - edge.bits), token_range(0, spec.words()));
    allowed.insert(allowed.end(), static_cast<std::size_t>(edge.bits), token_range(spec.words(), 2));
    expect_right<TypeParam>(
        c, allowed, false, [&](const Tokens& x, int at) { return naive_recall(spec, edge.window, x, at); },
        "b " + std::to_string(edge.bits) + " L " + std::to_string(edge.length) + " W " + std::to_string(edge.window));
  }
}

TYPED_TEST(Answers, streaming_recall_on_edge_parameters) {
  for (const int window : {2, 3, 5, 8}) {
    DecodeRecallSpec spec;
    spec.bits = 1;
    spec.window = window;
    spec.level = Level::streaming;
    const auto c = build(spec);
    expect_right<TypeParam>(
        c, std::vector<Tokens>(6, token_range(0, 4)), true,
        [&](const Tokens& x, int at) { return naive_recall(spec, window, x, at); }, "window " + std::to_string(window));
  }
}

}  // namespace
}  // namespace hyseq::constructions
