// Sequences in pieces, packed examples, windows: all bit for bit.
#include <gtest/gtest.h>

#include "tests/models/golden.hpp"

namespace hyseq::models {
namespace {

using kernels::CarryState;
using kernels::ForwardRequest;
using kernels::ForwardResult;
using kernels::reference_engine;

/// Columns [begin, end) of the golden input through the engine's neutral carry.
ForwardResult run_piece(const Golden& golden, NumberFormat format, std::size_t begin, std::size_t end,
                        const CarryState* before) {
  const std::vector<std::int32_t> tokens = golden.tokens(begin, end);
  ForwardRequest request = golden.request(format);
  request.tokens = tokens;
  request.targets = {};
  request.time = end - begin;
  request.carry_in = before;
  request.carry_out = true;
  return reference_engine().forward(request);
}

void expect_piece(const Golden& golden, const ForwardResult& whole, const ForwardResult& piece, std::size_t begin,
                  std::size_t end) {
  for (std::size_t b = 0; b < golden.batch(); ++b) {
    ASSERT_EQ(first_difference(slice(piece.logits, b, 0, end - begin), slice(whole.logits, b, begin, end)), -1)
        << golden.name << " row " << b << " positions " << begin << ".." << end;
  }
}

void expect_same_state(const CarryState& a, const CarryState& b, const std::string& what) {
  EXPECT_EQ(a.position, b.position) << what;
  EXPECT_EQ(a.segment, b.segment) << what;
  ASSERT_EQ(a.arrays.size(), b.arrays.size()) << what;
  for (const auto& [name, array] : a.arrays) {
    ASSERT_TRUE(b.arrays.contains(name)) << what << " " << name;
    EXPECT_EQ(array.shape, b.arrays.at(name).shape) << what << " " << name;
    EXPECT_EQ(first_difference(array.values, b.arrays.at(name).values), -1) << what << " " << name;
  }
}

TEST(Carry, EveryCutEqualsTheWhole) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const std::size_t length = golden.length();
    for (const NumberFormat format : {NumberFormat::float64, NumberFormat::bfloat16}) {
      const ForwardResult whole = run_piece(golden, format, 0, length, nullptr);
      for (std::size_t cut = 1; cut < length; ++cut) {
        const ForwardResult first = run_piece(golden, format, 0, cut, nullptr);
        const ForwardResult second = run_piece(golden, format, cut, length, &first.carry);
        expect_piece(golden, whole, first, 0, cut);
        expect_piece(golden, whole, second, cut, length);
        expect_same_state(second.carry, whole.carry, name);
      }
    }
  }
}

TEST(Carry, TokenByTokenEqualsTheWhole) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    for (const NumberFormat format : kFormats) {
      const ForwardResult whole = run_piece(golden, format, 0, golden.length(), nullptr);
      CarryState state;
      for (std::size_t t = 0; t < golden.length(); ++t) {
        ForwardResult piece = run_piece(golden, format, t, t + 1, t == 0 ? nullptr : &state);
        expect_piece(golden, whole, piece, t, t + 1);
        state = std::move(piece.carry);
      }
      expect_same_state(state, whole.carry, name);
    }
  }
}

TEST(Carry, OneSessionStreamsLikeManyCalls) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    const ForwardResult whole = run_piece(golden, NumberFormat::float32, 0, golden.length(), nullptr);
    kernels::ReferenceSession<float> session(golden.program, golden.model.parameters, golden.length());
    auto carry = session.fresh(golden.batch());
    for (std::size_t t = 0; t < golden.length(); ++t) {
      const std::vector<std::int32_t> tokens = golden.tokens(t, t + 1);
      session.forward({tokens, golden.batch(), 1}, carry);
      const std::vector<double> logits(session.logits().begin(), session.logits().end());
      for (std::size_t b = 0; b < golden.batch(); ++b) {
        const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(b * golden.vocabulary());
        const std::vector<double> row(begin, begin + static_cast<std::ptrdiff_t>(golden.vocabulary()));
        ASSERT_EQ(first_difference(row, slice(whole.logits, b, t, t + 1)), -1) << name << " " << t;
      }
    }
  }
}

TEST(Carry, MovingTheCarryAloneGivesTheSameCarry) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    kernels::ReferenceSession<float> session(golden.program, golden.model.parameters, golden.length());
    const kernels::TokenBlock block{golden.model.input.values, golden.batch(), golden.length()};
    auto full = session.fresh(golden.batch());
    session.forward(block, full);
    for (const kernels::Depth depth : {kernels::Depth::carry, kernels::Depth::layers}) {
      auto moved = session.fresh(golden.batch());
      session.forward(block, moved, depth);
      EXPECT_EQ(std::memcmp(moved.data.data(), full.data.data(), full.data.size() * sizeof(float)), 0) << name;
      EXPECT_EQ(moved.position, full.position) << name;
    }
  }
}

TEST(Carry, StateNamesAndShapesAreThoseOfTheInterface) {
  const Golden golden("model_SSM-TF_d8_w7_h1.h5");
  const ForwardResult result = run_piece(golden, NumberFormat::float64, 0, 4, nullptr);
  using Shape = std::vector<std::size_t>;
  const auto& arrays = result.carry.arrays;
  ASSERT_EQ(arrays.size(), 4U);
  EXPECT_EQ(arrays.at("layers.0.ssm.state").shape, (Shape{3, 16, 16}));
  EXPECT_EQ(arrays.at("layers.0.ssm.conv_tail").shape, (Shape{3, 3, 16}));
  EXPECT_EQ(arrays.at("layers.1.tf.keys").shape, (Shape{3, 4, 8}));
  EXPECT_EQ(arrays.at("layers.1.tf.values").shape, (Shape{3, 4, 8}));
  const ForwardResult later = run_piece(golden, NumberFormat::float64, 4, 20, &result.carry);
  EXPECT_EQ(later.carry.arrays.at("layers.1.tf.keys").shape, (Shape{3, 6, 8}));
  EXPECT_EQ(later.carry.position, (std::vector<std::uint64_t>{20, 20, 20}));
}

TEST(Carry, AStateOfAnotherModelIsRefused) {
  const Golden mine("model_SSM-TF_d8_w7_h1.h5");
  const Golden other("model_TF-SSM_d12_w7_h4_rot0_seq.h5");
  const ForwardResult result = run_piece(other, NumberFormat::float64, 0, 4, nullptr);
  EXPECT_THROW(static_cast<void>(run_piece(mine, NumberFormat::float64, 4, 8, &result.carry)), InputError);
  ForwardResult own = run_piece(mine, NumberFormat::float64, 0, 4, nullptr);
  own.carry.position[0] = std::uint64_t{1} << 50;  // would need more keys than the state holds
  EXPECT_THROW(static_cast<void>(run_piece(mine, NumberFormat::float64, 4, 8, &own.carry)), InputError);
}

// ---------------------------------------------------------------------------------------------------------- packing

const std::vector<std::size_t> kPacked = {3, 5, 1, 7};

/// One row that packs examples of lengths 3, 5, 1, 7 taken from the golden input, run whole.
ForwardResult run_packed(const Golden& golden, NumberFormat format, const std::vector<std::int32_t>& tokens) {
  std::vector<std::int32_t> segments;
  for (std::size_t s = 0; s < kPacked.size(); ++s) segments.insert(segments.end(), kPacked[s], static_cast<int>(s) + 1);
  ForwardRequest request = golden.request(format);
  request.tokens = tokens;
  request.segments = segments;
  request.targets = {};
  request.batch = 1;
  request.time = tokens.size();
  return reference_engine().forward(request);
}

TEST(Packing, EqualsSeparateRunsAndNothingLeaks) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    for (const NumberFormat format : kFormats) {
      std::vector<std::int32_t> tokens = golden.tokens(0, 16);
      tokens.resize(16);
      const ForwardResult packed = run_packed(golden, format, tokens);
      std::size_t begin = 0;
      for (const std::size_t length : kPacked) {
        const std::vector<std::int32_t> own(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                                            tokens.begin() + static_cast<std::ptrdiff_t>(begin + length));
        ForwardRequest request = golden.request(format);
        request.tokens = own;
        request.targets = {};
        request.batch = 1;
        request.time = length;
        const ForwardResult alone = reference_engine().forward(request);
        ASSERT_EQ(first_difference(alone.logits.values, slice(packed.logits, 0, begin, begin + length)), -1)
            << name << " example of length " << length;
        begin += length;
      }
      // Another token in the second example changes it and leaves the others bit for bit.
      tokens[4] = (tokens[4] + 1) % golden.program.vocabulary;
      const ForwardResult edited = run_packed(golden, format, tokens);
      EXPECT_EQ(first_difference(slice(edited.logits, 0, 0, 4), slice(packed.logits, 0, 0, 4)), -1) << name;
      EXPECT_NE(first_difference(slice(edited.logits, 0, 4, 8), slice(packed.logits, 0, 4, 8)), -1) << name;
      EXPECT_EQ(first_difference(slice(edited.logits, 0, 8, 16), slice(packed.logits, 0, 8, 16)), -1) << name;
    }
  }
}

// ----------------------------------------------------------------------------------------------------------- poison

template <class Scalar>
void expect_unpoisoned(const Golden& golden) {
  using Numeric = numbers::Numeric<Scalar>;
  const kernels::TokenBlock block{golden.model.input.values, golden.batch(), golden.length()};
  kernels::ReferenceSession<Scalar> clean(golden.program, golden.model.parameters, golden.length());
  kernels::ReferenceSession<Scalar> poisoned(golden.program, golden.model.parameters, golden.length());
  auto clean_carry = clean.fresh(golden.batch());
  auto poisoned_carry = poisoned.fresh(golden.batch());
  clean.forward(block, clean_carry);
  poisoned.poison(golden.batch() * golden.length() + 3);
  // What a fresh row has not seen must not matter either.
  for (Scalar& number : poisoned_carry.data) number = Numeric::from_double(std::nan(""));
  poisoned.forward(block, poisoned_carry);
  const auto expected = clean.logits();
  const auto found = poisoned.logits();
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(same_bits(Numeric::to_double(expected[i]), Numeric::to_double(found[i]))) << golden.name << " " << i;
  }
}

TEST(Carry, NothingIsReadThatWasNotWritten) {
  for (const std::string& name : golden_models()) {
    const Golden golden(name);
    expect_unpoisoned<double>(golden);
    expect_unpoisoned<float>(golden);
    expect_unpoisoned<numbers::BFloat16>(golden);
    expect_unpoisoned<numbers::Half>(golden);
  }
}

}  // namespace
}  // namespace hyseq::models
