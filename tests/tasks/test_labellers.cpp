// The labellers against slow ones that follow the definitions word by word, and against the examples of the headers.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/tasks/support.hpp"

namespace hyseq::tasks {
namespace {

constexpr std::int32_t kN = -1;  // <null> in the expected targets below

Tokens with_null(Tokens target, const Task& task) {
  std::ranges::replace(target, kN, task.vocabulary().null());
  return target;
}

TEST(Labellers, ExamplesOfTheHeaders) {
  const auto check = [](const std::string& name, const OptionMap& options, const Tokens& input, const Tokens& target) {
    const auto task = make_task(name, options);
    EXPECT_EQ(label(*task, input), with_null(target, *task)) << name;
  };
  const OptionMap copy{{"values", "4"}, {"distance-min", "2"}, {"distance-count", "2"}};  // #2 = 4, #3 = 5
  check("selective_copy", copy, {3, 1, 4, 0, 5, 2}, {kN, kN, 3, 1, 1, 4});
  check("selective_copy_mixed", copy, {3, 1, 0, 5}, {kN, kN, kN, 3});
  const Tokens keys{0, 1, 2, 0, 1, 1, 2, 0, 1};
  check("mkar", {{"values", "3"}}, keys, {kN, kN, kN, kN, kN, kN, 0, 1, 1});
  check("mkar", {{"values", "3"}, {"published-edges", "0"}}, keys, {kN, kN, kN, kN, 2, kN, 0, 1, 1});
  check("decode_recall", {{"bits", "2"}}, {2, 3, 5, 4, 2, 1, 5}, {kN, kN, kN, 3, 3, 1, 5});
  check("decode_recall_last", {{"bits", "2"}}, {2, 0, 2, 1, 2, 5, 4}, {kN, kN, kN, kN, kN, kN, 1});
  check("needle", {{"values", "10"}}, {7, 10, 3, 9, 11}, {kN, 3, 3, 3, 3});
  check("needle_grid", {{"values", "10"}, {"needles", "2"}}, {10, 5, 11, 2, 9, 0, 4, 11},
        {kN, kN, kN, kN, kN, kN, kN, 2});
  check("mqar", {{"vocabulary", "8"}, {"pairs", "2"}}, {3, 6, 1, 4, 1, 0, 3, 0, 0}, {kN, kN, kN, kN, 4, kN, 6, kN, kN});
}

TEST(Labellers, EdgesWithoutAnAnswer) {
  const auto needle = make_task("needle", {{"values", "10"}});
  EXPECT_EQ(label(*needle, {1, 2, 11}), with_null({kN, kN, kN}, *needle));  // no marker
  EXPECT_EQ(label(*needle, {1, 2, 10}), with_null({kN, kN, kN}, *needle));  // nothing after the marker
  EXPECT_EQ(label(*needle, {10, 2, 10, 3, 11}), (Tokens{2, 2, 2, 2, 2}));   // the first marker counts
  const auto last = make_task("decode_recall_last", {{"bits", "2"}});
  EXPECT_EQ(label(*last, {1, 0, 3, 3}), with_null({kN, kN, kN, kN}, *last));  // the query is not spelt in bits
  EXPECT_EQ(label(*last, {0, 1, 5, 5}), with_null({kN, kN, kN, kN}, *last));  // the query is absent
  EXPECT_EQ(label(*last, {1, 3, 5, 5}), with_null({kN, kN, kN, kN}, *last));  // its follower would be a query bit
  const auto grid = make_task("needle_grid", {{"values", "10"}});
  EXPECT_EQ(label(*grid, {10, 4, 3, 2}), with_null({kN, kN, kN, kN}, *grid));   // the last token is no key
  EXPECT_EQ(label(*grid, {4, 3, 10, 10}), with_null({kN, kN, kN, kN}, *grid));  // its follower would be the query
  for (const TaskInfo& info : catalogue()) {
    const auto task = make_task(info.name);
    EXPECT_TRUE(label(*task, {}).empty()) << info.name;
    EXPECT_EQ(label(*task, {0}), with_null({kN}, *task)) << info.name;
  }
}

TEST(Labellers, RefuseWhatIsNoInput) {
  const auto task = make_task("mkar");
  Tokens target(2);
  EXPECT_NE(input_error([&] { task->label(Tokens{1, 2, 3}, target); }).find("length 2"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)label(*task, {1, 11}); }).find("position 1 is 11"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)label(*task, {-1}); }).find("0 to 10"), std::string::npos);
}

// ------------------------------------------------------------------- slow labellers, quadratic or worse in length

Tokens slow_selective_copy(const Tokens& x, std::int32_t null, std::int32_t values, std::int32_t lo,
                           std::int32_t count) {
  Tokens target(x.size(), null);
  for (int i = 0; i < std::ssize(x); ++i) {
    for (int j = i; j >= 0; --j) {
      const std::int32_t number = x[static_cast<std::size_t>(j)];
      if (number < values || number >= values + count) continue;
      const int source = i - (lo + number - values);
      if (source >= 0) target[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(source)];
      break;
    }
  }
  return target;
}

Tokens slow_mkar(const Tokens& x, std::int32_t null, std::size_t k, bool published) {
  Tokens target(x.size(), null);
  for (std::size_t i = k; i < x.size(); ++i) {
    for (std::size_t j = i; j-- > (published ? k : k - 1);) {
      bool equal = true;
      for (std::size_t m = 0; m < k; ++m) equal = equal && x[j - m] == x[i - m];
      if (!equal) continue;
      target[i] = x[j + 1];
      break;
    }
  }
  return target;
}

Tokens slow_decode_recall(const Tokens& x, std::int32_t null, int bits) {
  const std::int32_t words = 1 << bits;
  Tokens target(x.size(), null);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::string spelt(static_cast<std::size_t>(bits), '0');
    for (std::size_t j = 0; j <= i; ++j) {
      if (x[j] == words || x[j] == words + 1) spelt += x[j] == words ? '0' : '1';
    }
    const std::int32_t word = std::stoi(spelt.substr(spelt.size() - static_cast<std::size_t>(bits)), nullptr, 2);
    for (std::size_t j = 0; j + 1 <= i; ++j) {
      if (x[j] == word) target[i] = x[j + 1];
    }
  }
  return target;
}

Tokens slow_mqar(const Tokens& x, std::int32_t null, std::size_t pairs) {
  Tokens target(x.size(), null);
  for (std::size_t i = 2 * pairs; i < x.size(); ++i) {
    for (std::size_t p = 0; p < pairs; ++p) {
      if (x[2 * p] == x[i]) target[i] = x[2 * p + 1];
    }
  }
  return target;
}

/// Inputs over the whole vocabulary, with a bias to few tokens so that repetitions are common.
Tokens draw_input(std::int32_t vocabulary, std::size_t most = 60) {
  const auto length = *rc::gen::inRange<std::size_t>(0, most);
  const auto tokens = *rc::gen::inRange<std::int32_t>(1, vocabulary + 1);
  return *rc::gen::container<Tokens>(length, rc::gen::inRange<std::int32_t>(0, tokens));
}

TEST(LabellerProperties, SelectiveCopy) {
  EXPECT_TRUE(rc::check("equals the slow labeller", [] {
    const auto values = *rc::gen::inRange(1, 6);
    const auto lo = *rc::gen::inRange(0, 12);
    const auto count = *rc::gen::inRange(1, 12);
    for (const std::string name : {"selective_copy", "selective_copy_mixed"}) {
      const auto task = make_task(name, {{"values", std::to_string(values)},
                                         {"distance-min", std::to_string(lo)},
                                         {"distance-count", std::to_string(count)}});
      const Tokens x = draw_input(task->vocabulary().size());
      RC_ASSERT(label(*task, x) == slow_selective_copy(x, task->vocabulary().null(), values, lo, count));
    }
  }));
}

TEST(LabellerProperties, Mkar) {
  EXPECT_TRUE(rc::check("equals the slow labeller, short and long keys", [] {
    const auto values = *rc::gen::inRange(1, 4);
    const auto k = *rc::gen::inRange<std::size_t>(1, 20);
    const auto published = *rc::gen::inRange(0, 2);
    const auto task = make_task("mkar", {{"values", std::to_string(values)},
                                         {"key-length", std::to_string(k)},
                                         {"published-edges", std::to_string(published)}});
    const Tokens x = draw_input(values);
    RC_ASSERT(label(*task, x) == slow_mkar(x, task->vocabulary().null(), k, published == 1));
  }));
}

TEST(LabellerProperties, MkarWithMoreKeysThanAMachineWord) {
  const auto task = make_task("mkar", {{"values", "1000000"}, {"key-length", "5"}});  // 10^30 keys
  Tokens x;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (std::int32_t i = 0; i < 30; ++i) x.push_back(999999 - (i * i) % 7 * 11111);
  }
  const Tokens target = label(*task, x);
  EXPECT_EQ(target, slow_mkar(x, task->vocabulary().null(), 5, true));
  EXPECT_NE(target.back(), task->vocabulary().null());
}

TEST(LabellerProperties, DecodeRecall) {
  EXPECT_TRUE(rc::check("equals the slow labeller", [] {
    const auto bits = *rc::gen::inRange(1, 5);
    const auto task = make_task("decode_recall", {{"bits", std::to_string(bits)}});
    const Tokens x = draw_input(task->vocabulary().size());
    RC_ASSERT(label(*task, x) == slow_decode_recall(x, task->vocabulary().null(), bits));
  }));
}

TEST(LabellerProperties, DecodeRecallLastAgreesWithTheStreamingTask) {
  // With b bits at the end the register of the streaming task holds the query; its answer counts where the pair lies in
  // the context, and the context of the samples below is words alone.
  EXPECT_TRUE(rc::check("equals the slow labeller cut to the context", [] {
    const auto bits = *rc::gen::inRange(1, 5);
    const auto task = make_task("decode_recall_last", {{"bits", std::to_string(bits)}});
    Tokens context = *rc::gen::container<Tokens>(*rc::gen::inRange<std::size_t>(2, 40),
                                                 rc::gen::inRange<std::int32_t>(0, 1 << bits));
    Tokens query = *rc::gen::container<Tokens>(static_cast<std::size_t>(bits), rc::gen::inRange<std::int32_t>(0, 2));
    std::int32_t word = 0;
    for (const std::int32_t bit : query) word = word * 2 + bit;
    Tokens expected(context.size() + query.size(), task->vocabulary().null());
    for (std::size_t j = 0; j + 1 < context.size(); ++j) {
      if (context[j] == word) expected.back() = context[j + 1];
    }
    for (const std::int32_t bit : query) context.push_back((1 << bits) + bit);
    RC_ASSERT(label(*task, context) == expected);
  }));
}

TEST(LabellerProperties, Mqar) {
  EXPECT_TRUE(rc::check("equals the slow labeller", [] {
    const auto pairs = *rc::gen::inRange<std::size_t>(1, 6);
    const auto task = make_task("mqar", {{"vocabulary", "16"}, {"pairs", std::to_string(pairs)}});
    const Tokens x = draw_input(task->vocabulary().size());
    RC_ASSERT(label(*task, x) == slow_mqar(x, task->vocabulary().null(), pairs));
  }));
}

TEST(LabellerProperties, LabelsArePrefixStable) {
  // The streaming tasks never look ahead: the target of a prefix is the prefix of the target.
  EXPECT_TRUE(rc::check("prefix", [] {
    for (const std::string name : {"selective_copy", "mkar", "decode_recall"}) {
      const auto task = make_task(name);
      const Tokens x = draw_input(task->vocabulary().size());
      const auto cut = static_cast<std::ptrdiff_t>(*rc::gen::inRange<std::size_t>(0, x.size() + 1));
      const Tokens whole = label(*task, x);
      RC_ASSERT(label(*task, Tokens(x.begin(), x.begin() + cut)) == Tokens(whole.begin(), whole.begin() + cut));
    }
  }));
}

TEST(Labellers, TakeLongStreams) {
  // Linear time: a million tokens of each task; a quadratic labeller would need minutes here.
  for (const TaskInfo& info : catalogue()) {
    const auto task = make_task(info.name);
    const Batch batch = sample_rows(*task, kTraining, 0, 1, {1000000, 1000000});
    const auto answers = std::ranges::count_if(batch.target, [&](auto t) { return t != task->vocabulary().null(); });
    EXPECT_GT(answers, 0) << info.name;
  }
}

}  // namespace
}  // namespace hyseq::tasks
