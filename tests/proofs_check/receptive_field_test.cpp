// Receptive fields: the probe and what it must catch, defeating pairs, stored models, the verdict.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "models/lowering.hpp"
#include "models/model_file.hpp"
#include "proofs_check/receptive_field/defeating_pair.hpp"
#include "proofs_check/receptive_field/edge_reader.hpp"
#include "proofs_check/receptive_field/random_models.hpp"
#include "proofs_check/receptive_field/verify.hpp"
#include "proofs_check/residual_classes/selective_copy_classes.hpp"

namespace hyseq::proofs_check {
namespace {

std::string golden(const std::string& name) { return std::string(HYSEQ_GOLDEN_DIR) + "/" + name + ".h5"; }

models::Architecture windows(const std::vector<int>& list) {
  models::Architecture architecture;
  architecture.width = 4;
  architecture.vocabulary = 5;
  for (const int window : list) {
    models::TransformerBlock block;
    block.window = window;
    architecture.layers.emplace_back(block);
  }
  return architecture;
}

TEST(ReceptiveField, of_a_stack) {
  EXPECT_EQ(receptive_field(windows({1})).tokens, 1U);
  EXPECT_EQ(receptive_field(windows({4})).tokens, 4U);
  EXPECT_EQ(receptive_field(windows({4, 1, 3})).tokens, 6U);
  EXPECT_EQ(receptive_field(windows({4, 1, 3})).total_window, 8U);
  EXPECT_EQ(receptive_field(windows({1 << 30, 1 << 30, 1 << 30})).tokens, 3 * ((std::uint64_t{1} << 30) - 1) + 1);
  models::Architecture hybrid = windows({4});
  hybrid.layers.emplace_back(models::SsmBlock{});
  EXPECT_TRUE(receptive_field(hybrid).unlimited);
  EXPECT_EQ(receptive_field(hybrid).tokens, 7U) << "a convolution of width 4 adds 3";
  EXPECT_FALSE(receptive_field(windows({4})).unlimited);
}

TEST(Probe, finds_the_field_on_every_engine_and_nothing_else) {
  const models::Architecture architecture = windows({3, 1, 4});
  const kernels::Program program = models::lower(architecture);
  RandomStream stream({1, Purpose::verification}, 0);
  const kernels::ParameterValues values = unit_weights(program, stream);
  for (const kernels::Engine* engine : kernels::engines()) {
    for (std::uint64_t claimed = 1; claimed <= 9; ++claimed) {
      ProbeRequest request;
      request.engine = engine;
      request.claimed = claimed;
      const ProbeFindings findings = probe(program, values, request);
      EXPECT_TRUE(findings.finite && findings.causal);
      EXPECT_EQ(findings.outside_equal, claimed >= 6) << claimed << " on " << engine->name();
      EXPECT_EQ(findings.edge_seen, claimed <= 6) << claimed << " on " << engine->name();
      EXPECT_EQ(findings.sharp(), claimed == 6);
      EXPECT_EQ(findings.counterexample.empty(), claimed >= 6);
    }
  }
}

TEST(Probe, compares_bits_and_only_the_rows_asked_for) {
  const std::vector<double> a{1, 2, 3, 4};
  EXPECT_TRUE(same_rows(a, {1, 2, 3, 5}, 2, 0, 1));
  EXPECT_FALSE(same_rows(a, {1, 2, 3, 5}, 2, 1, 2));
  EXPECT_FALSE(same_rows({0.0}, {-0.0}, 1, 0, 1)) << "bitwise";
}

TEST(Probe, refuses_a_single_token) {
  models::Architecture architecture = windows({2});
  architecture.vocabulary = 1;
  const kernels::Program program = models::lower(architecture);
  RandomStream stream({1, Purpose::verification}, 0);
  ProbeRequest request;
  request.engine = &kernels::reference_engine();
  EXPECT_THROW((void)probe(program, unit_weights(program, stream), request), InputError);
}

TEST(DefeatingPairs, hold_for_every_length) {
  const tasks::SelectiveCopyShape shape{3, 2, 4};
  for (std::size_t length = 4; length <= 40; ++length) {
    const DefeatingPair pair = selective_copy_pair(shape, length);
    EXPECT_TRUE(defeats(pair, copy_labeller(shape))) << length;
    EXPECT_EQ(pair.shared, length - 1);
    EXPECT_TRUE(defeats(decode_recall_pair(1, length), decode_recall_labeller(1))) << length;
    EXPECT_TRUE(defeats(decode_recall_pair(3, length), decode_recall_labeller(3))) << length;
    EXPECT_TRUE(defeats(decode_recall_last_pair(2, length), decode_recall_last_labeller(2))) << length;
    EXPECT_EQ(decode_recall_last_pair(2, length).shared, length - 2);
  }
  DefeatingPair wrong = selective_copy_pair(shape, 9);
  std::swap(wrong.first_answer, wrong.second_answer);
  EXPECT_FALSE(defeats(wrong, copy_labeller(shape)));
  wrong = selective_copy_pair(shape, 9);
  wrong.second = wrong.first;
  EXPECT_FALSE(defeats(wrong, copy_labeller(shape)));
}

TEST(DefeatingPairs, refuse_what_has_none) {
  const auto refused = [](const auto& action, const std::string& names) {
    try {
      (void)action();
      ADD_FAILURE() << names;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(names), std::string::npos) << error.what();
    }
  };
  refused([] { return selective_copy_pair({1, 0, 2}, 9); }, "values");
  refused([] { return selective_copy_pair({2, 0, 1}, 9); }, "distances");
  refused([] { return selective_copy_pair({2, 5, 2}, 6); }, "length is 6, allowed is 7");
  refused([] { return decode_recall_last_pair(1, 9); }, "bits is 1");
  refused([] { return decode_recall_last_pair(3, 4); }, "length");
  refused([] { return decode_recall_pair(1, 3); }, "length");
}

TEST(DefeatingPairs, are_as_long_as_the_deciding_suffix) {
  const std::vector<std::int32_t> tokens{0, 1, 2, 3};
  for (std::size_t length = 2; length <= 6; ++length) {
    const std::vector<std::vector<std::int32_t>> allowed(length, tokens);
    EXPECT_EQ(deciding_suffix(allowed, copy_labeller({2, 0, 2}), false), length);
    // One distance: the number token changes nothing, only the source counts.
    EXPECT_EQ(
        deciding_suffix(std::vector<std::vector<std::int32_t>>(length, {0, 1, 2}), copy_labeller({2, 1, 1}), false),
        2U);
    EXPECT_EQ(deciding_suffix(
                  allowed, [](auto) { return 0; }, false),
              0U)
        << "a constant needs nothing";
  }
}

TEST(EdgeReader, is_right_exactly_from_the_needed_window_on) {
  const DefeatingPair pair = selective_copy_pair({2, 0, 3}, 9);
  const auto answer = [&](const RandomModel& model, const std::vector<std::int32_t>& input) {
    const auto logits =
        sequence_logits(kernels::reference_engine(), NumberFormat::float64, model.program, model.values, input);
    const auto last = logits.end() - 5;
    return static_cast<std::int32_t>(std::max_element(last, logits.end()) - last);
  };
  const RandomModel wide = edge_reader(pair, 5, {4, 6});
  EXPECT_EQ(answer(wide, pair.first), pair.first_answer);
  EXPECT_EQ(answer(wide, pair.second), pair.second_answer);
  const RandomModel narrow = edge_reader(pair, 5, {4, 5});
  EXPECT_EQ(answer(narrow, pair.first), answer(narrow, pair.second));
}

TEST(RandomModels, differ_and_do_not_depend_on_one_another) {
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const RandomModel model = random_transformer(3, i);
    EXPECT_EQ(model.values, random_transformer(3, i).values);
    EXPECT_FALSE(receptive_field(model.architecture).unlimited);
    EXPECT_TRUE(receptive_field(random_hybrid(3, i).architecture).unlimited);
    texts.insert(std::to_string(model.architecture.width) + " " + std::to_string(model.values[0][0]));
  }
  EXPECT_EQ(texts.size(), 50U);
}

TEST(StoredModels, golden_weights_see_exactly_as_far_as_their_windows) {
  const auto probe_golden = [](const std::string& name) {
    return probe_stored(models::read_model_file(golden(name)), kernels::reference_engine(), NumberFormat::float64, 1);
  };
  const StoredField windowed = probe_golden("model_TF-TF_d8_w7_h1");
  EXPECT_EQ(windowed.field.tokens, 13U);
  EXPECT_TRUE(windowed.outside_checked);
  EXPECT_TRUE(windowed.findings.sharp()) << windowed.findings.counterexample;
  const StoredField pointwise = probe_golden("model_TF-TF_d12_w1_h4");
  EXPECT_EQ(pointwise.field.tokens, 1U);
  EXPECT_TRUE(pointwise.findings.sharp());
  const StoredField hybrid = probe_golden("model_SSM-TF_d8_w7_h1");
  EXPECT_TRUE(hybrid.field.unlimited);
  EXPECT_FALSE(hybrid.outside_checked);
  EXPECT_GT(hybrid.distance, 9U);
  EXPECT_TRUE(hybrid.passed());
}

TEST(StoredModels, a_wrong_window_in_the_file_is_caught) {
  // The file says 7 and 7; weights that were made for more would be read with too short a window, and the reverse.
  models::ModelFile model = models::read_model_file(golden("model_TF-TF_d8_w7_h1"));
  ProbeRequest request;
  request.engine = &kernels::reference_engine();
  request.claimed = receptive_field(model.architecture).tokens;
  std::get<models::TransformerBlock>(model.architecture.layers[1]).window = 8;
  EXPECT_FALSE(probe(models::lower(model.architecture), model.parameters, request).outside_equal);
  std::get<models::TransformerBlock>(model.architecture.layers[1]).window = 6;
  EXPECT_FALSE(probe(models::lower(model.architecture), model.parameters, request).edge_seen);
}

TEST(Verify37, ends_as_certified_in_the_sharp_form) {
  ReceptiveFieldRequest request;
  request.architectures = 40;
  request.threads = 2;
  request.stored = {{"golden", models::read_model_file(golden("model_TF-TF_d8_w7_h1"))}};
  const results::Certificate certificate = verify_receptive_field_3_7(request);
  for (const results::Check& check : certificate.checks) EXPECT_TRUE(check.passed) << check.name << check.figures;
  EXPECT_EQ(certificate.verdict, "certified") << certificate.scope;
  EXPECT_NE(results::find_check(certificate, "stored_models"), nullptr);
  EXPECT_NO_THROW((void)results::to_json(certificate));
  request.architectures = 0;
  EXPECT_THROW((void)verify_receptive_field_3_7(request), InputError);
}

}  // namespace
}  // namespace hyseq::proofs_check
