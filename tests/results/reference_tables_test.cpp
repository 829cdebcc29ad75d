#include "results/reference_tables.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tests/results/fixture.hpp"

namespace hyseq::results {
namespace {

std::optional<double> value_of(const std::vector<PublishedAccuracy>& values, const std::string& layers,
                               std::int64_t parameters) {
  for (const PublishedAccuracy& value : values)
    if (value.layers == layers && value.parameters == parameters) return value.accuracy;
  return std::nullopt;
}

TEST(ReferenceTables, AreThoseOfTheFile) {
  EXPECT_EQ(embedded_figures_toml(), fixture::read_text(HYSEQ_SOURCE_DIR "/results/reference/figures.toml"));
  EXPECT_EQ(reference_figures(), (std::vector<std::string>{"fig4", "fig6"}));
}

TEST(ReferenceTables, SelectiveCopyingIsReadWhole) {
  const ReferenceTable table = reference_table("fig4");
  EXPECT_EQ(table.threshold, 0.9);
  EXPECT_EQ(table.ratio, 6);
  EXPECT_EQ(table.claim, "6x fewer parameters than pure models at about 0.9");
  EXPECT_EQ(table.published.size(), 16u);
  EXPECT_EQ(value_of(table.published, "SSM,TF", 2000), 0.999);
  EXPECT_EQ(value_of(table.published, "TF,SSM", 12000), 0.908);
  EXPECT_EQ(table.audit.size(), 3u);
  EXPECT_EQ(value_of(table.audit, "SSM,SSM", 13488), 0.866493);
  EXPECT_EQ(value_of(table.audit, "TF,TF", 10608), 0.846271);
  EXPECT_EQ(table.audit_random_targets, 0.041856);
  ASSERT_EQ(table.audit_reach.size(), 3u);
  const auto ssm =
      std::ranges::find_if(table.audit_reach, [](const PublishedReach& reach) { return reach.layers == "SSM,SSM"; });
  EXPECT_EQ(ssm->parameters, 21056);
  EXPECT_FALSE(ssm->accuracy);
}

TEST(ReferenceTables, AssociativeRecallIsReadWhole) {
  const ReferenceTable table = reference_table("fig6");
  EXPECT_EQ(table.threshold, 0.6);
  EXPECT_EQ(table.ratio, 6);
  EXPECT_EQ(value_of(table.published, "TF,TF", 12000), 0.668);
  EXPECT_EQ(value_of(table.audit, "SSM,TF", 3684), 0.6726) << "means at first widths are means of the audit too";
  ASSERT_EQ(table.audit_reach.size(), 2u);
  for (const PublishedReach& reach : table.audit_reach) EXPECT_TRUE(reach.accuracy) << reach.layers;
  EXPECT_NEAR(*table.audit_ratio, 7100.0 / 3684.0, 5e-4) << "the printed ratio is that of the two sizes";
}

std::string refusal(const std::string& toml, const std::string& figure = "fig4") {
  try {
    (void)parse_reference_table(toml, "x.toml", figure);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReferenceTables, WhatIsMissingIsNamed) {
  const std::string paper =
      "[fig4_selective_copy]\nsetup = 's'\nclaim = '6x fewer'\nparameters = [1000, 2000]\n\"TF,TF\" = [0.1, 0.2]\n";
  const std::string audit = "[fig4_audit]\nsource = 'a'\nfirst_width_with_mean_090 = { \"TF,TF\" = 5 }\n";
  EXPECT_EQ(refusal(paper + audit), "accepted");
  EXPECT_EQ(refusal(paper), "x.toml has no table fig4_audit");
  EXPECT_EQ(refusal(paper + "\"SSM,TF\" = [0.1]\n" + audit),
            "x.toml, table fig4_selective_copy: 'SSM,TF' has 1 values for 2 parameter counts");
  EXPECT_EQ(refusal("[fig4_selective_copy]\nsetup = 's'\nclaim = 'better'\nparameters = []\n" + audit),
            "x.toml, table fig4_selective_copy: the claim names no ratio like '6x fewer'");
  EXPECT_EQ(refusal(paper + "[fig4_audit]\nsource = 'a'\n"),
            "x.toml, table fig4_audit: a table 'first_width_with_mean_...' is missing");
  EXPECT_EQ(refusal(paper + "[fig4_audit]\nsource = 'a'\nfirst_width_with_mean_090 = { \"TF,TF\" = [5] }\n"),
            "x.toml, table fig4_audit: 'first_width_with_mean_090' of TF,TF is not [parameters, mean accuracy]");
  EXPECT_EQ(refusal("a = \n").rfind("x.toml, line 1: ", 0), 0u);
  EXPECT_EQ(refusal(paper + audit, "fig5"),
            "there is no published table for the figure 'fig5', allowed are: fig4, fig6");
}

}  // namespace
}  // namespace hyseq::results
