#include "results/report/report.hpp"

#include <filesystem>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "results/report/wording.hpp"
#include "tests/results/fixture.hpp"

namespace hyseq::results {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// Drawing takes a while; the tests that only read the page share one.
const std::string& page() {
  static const std::string html = report_html(fixture::everything());
  return html;
}

TEST(Report, HoldsVerdictsChecksFiguresAndCommands) {
  const std::string& html = page();
  EXPECT_NE(html.find("21 certificates: 19 certified, 2 not shown."), std::string::npos);
  EXPECT_EQ(count(html, "<details class=\"certificate\""), 21u);
  EXPECT_EQ(count(html, "<svg "), 9u) << "2 constructions, 1 budgets, 4 margins, 2 windows";
  EXPECT_NE(html.find("All 256 sequences of length 4 over 4 tokens"), std::string::npos) << "a check's meaning";
  EXPECT_NE(html.find("67,174,400"), std::string::npos) << "digits are grouped";
  EXPECT_NE(html.find("hyseq verify 4.3 --level streaming --vocabulary 65536"), std::string::npos);
  EXPECT_NE(html.find("caught by domain"), std::string::npos);
  EXPECT_NE(html.find("at least N = 8,388,608, predicted 4,194,304"), std::string::npos);
  EXPECT_NE(html.find("2603.08859"), std::string::npos);
  EXPECT_NE(html.find("Made by hyseq 0."), std::string::npos);
}

TEST(Report, LowerBoundsAndLemmasHaveTheirWords) {
  Certificate lemma = fixture::lower_bound();
  lemma.theorem = "3.5";
  lemma.level = "lemma";
  lemma.verdict = "certified";
  lemma.checks = {{"product", true, "", Json::object()}};
  const std::string html = report_html({fixture::lower_bound(), lemma});
  EXPECT_NE(html.find("2 certificates: 1 certified, 1 refuted as printed."), std::string::npos);
  for (const char* text :
       {"<div class=\"number\">Lemma 3.5</div>", "<span class=\"number\">Theorem 3.3</span>", "data-kind=\"Lemma\"",
        "<dt>Lower bound</dt>", "<dt>Lemma</dt>", "<dt>Tightness</dt>", "<dt>Product</dt>"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
  EXPECT_EQ(html.find("<dt>Streaming</dt>"), std::string::npos) << "only levels that occur";
  EXPECT_EQ(count(html, "<svg "), 1u);
  lemma.theorem = "model";
  lemma.checks[0].empty = true;
  const std::string model = report_html({lemma});
  for (const char* text :
       {"<div class=\"number\">Stored model</div>", "Search for counterexamples", "nothing to check"})
    EXPECT_NE(model.find(text), std::string::npos) << text;
  EXPECT_EQ(model.find("Theorem model"), std::string::npos);
  for (const char* check :
       {"printed", "stateless", "enumeration", "optimiser", "tightness", "machines", "layers", "product", "sequences"})
    EXPECT_FALSE(check_words(check).empty()) << check;
}

TEST(Report, TablesHoldBudgetsGrowthAndStreams) {
  const std::string& html = page();
  for (const char* row : {"<td>Width</td><td class=\"right\">23</td><td class=\"right\">24</td>",
                          "<td>States against vocabulary</td><td class=\"right\">1</td>",
                          "<td>adversarial</td><td class=\"right\">1,000,000</td><td class=\"right\">1,000,000</td>",
                          "<td>float</td><td class=\"right\">at least N = 16,384</td><td class=\"right\">262,144</td>"})
    EXPECT_NE(html.find(row), std::string::npos) << row;
}

TEST(Report, AControlThatIsNotCaughtStandsOut) {
  Certificate c = fixture::selective_copying("streaming", "float");
  c.checks = {{"controls",
               false,
               "",
               {{"controls",
                 {{{"name", "no fault"}, {"caught", true}, {"caught_by", ""}},
                  {{"name", "wrong bit"}, {"caught", false}, {"caught_by", ""}}}}}}};
  const std::string html = report_html({c});
  EXPECT_NE(html.find("<td>no fault</td><td>passes every check, as it should</td>"), std::string::npos);
  EXPECT_NE(html.find("<td>wrong bit</td><td><strong>not as it should be</strong></td>"), std::string::npos);
}

TEST(Report, EveryLinkLeadsSomewhere) {
  const std::string& html = page();
  std::set<std::string> ids;
  const std::regex id("\\bid=['\"]([^'\"]+)['\"]"), link("href=['\"]#([^'\"]+)['\"]");
  for (std::sregex_iterator i(html.begin(), html.end(), id), end; i != end; ++i)
    EXPECT_TRUE(ids.insert((*i)[1]).second) << "twice: " << (*i)[1];
  std::size_t links = 0;
  for (std::sregex_iterator i(html.begin(), html.end(), link), end; i != end; ++i, ++links)
    EXPECT_TRUE(ids.contains((*i)[1])) << (*i)[1];
  EXPECT_GT(links, 21u);
}

TEST(Report, LoadsNothing) {
  const std::string& html = page();
  // An address may stand in a link to click (and in the SVG name spaces), never where a browser would fetch it by
  // itself.
  for (const char* loading :
       {"src=", "<link", "@import", "<iframe", "<object", "<embed", "url(http", "url('http", "fetch("})
    EXPECT_EQ(html.find(loading), std::string::npos) << loading;
  const std::regex address("(\\S+)=['\"]https?://");
  for (std::sregex_iterator i(html.begin(), html.end(), address), end; i != end; ++i) {
    const std::string attribute = (*i)[1];
    EXPECT_TRUE(attribute == "href" || attribute == "xmlns" || attribute == "xmlns:xlink") << attribute;
  }
}

TEST(Report, IsForPhonesAndForBothColourSchemes) {
  EXPECT_NE(page().find("name=\"viewport\" content=\"width=device-width"), std::string::npos);
  EXPECT_NE(page().find("@media (prefers-color-scheme: dark)"), std::string::npos);
  EXPECT_NE(page().find("@media (max-width: 700px)"), std::string::npos);
}

TEST(Report, EscapesMarkupWhereverTextComesFromCertificates) {
  const std::string evil = "<script>alert('x')</script>&\"";
  Certificate c = fixture::selective_copying("streaming", "float");
  c.theorem = c.level = c.number = c.scope = c.command = c.verdict = evil;
  c.parameters = {{evil, evil}};
  c.matrices.clear();
  for (Check& check : c.checks) {
    check.name = check.name == "controls" || check.name == "margins" ? check.name : evil;
    check.meaning = evil;
    check.figures[evil] = evil;
  }
  for (const char* key : {"name", "caught_by", "counterexample"}) c.checks.back().figures["controls"][0][key] = evil;
  for (Json& entry : c.checks[2].figures["largest_holding_by_number"]) entry["number"] = evil;
  const std::string html = report_html({c});
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;"), std::string::npos);
}

TEST(Report, CounterexamplesAreShownAsTheyAre) {
  EXPECT_NE(page().find("<code>&lt;b&gt; &amp; &quot;c&quot; 4</code>"), std::string::npos);
}

TEST(Report, AnEmptyStoreSaysHowToFillIt) {
  const std::string html = report_html({});
  EXPECT_NE(html.find("The store holds no certificate yet"), std::string::npos);
  EXPECT_EQ(html.find("<table"), std::string::npos);
}

TEST(Report, IsWrittenWholeAndReplacesAnOlderOne) {
  const fixture::TemporaryFolder folder;
  write_report({}, folder.path("report.html"));
  write_report({fixture::recall("faithful", "float", 1)}, folder.path("report.html"));
  const std::string html = fixture::read_text(folder.path("report.html"));
  EXPECT_NE(html.find("1 certificate: 1 certified."), std::string::npos);
  EXPECT_NE(html.find("</html>"), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
            1);
  EXPECT_THROW(write_report({}, folder.path("absent/report.html")), EnvironmentError);
}

TEST(Wording, ValuesAreWrittenForPeople) {
  EXPECT_EQ(value_html(65536), "65,536");
  EXPECT_EQ(value_html(-1024), "−1,024");
  EXPECT_EQ(value_html(0.25), "0.25");
  EXPECT_EQ(value_html(4251733.7), "4,250,000");
  EXPECT_EQ(value_html(1.5e-7), "1.5&thinsp;×&thinsp;10<sup>−7</sup>");
  EXPECT_EQ(value_html(true), "yes");
  EXPECT_EQ(value_html(nullptr), "none");
  EXPECT_EQ(value_html("127/128"), "127/128");
  EXPECT_EQ(value_html(std::string(1000, '7')),
            std::string(20, '7') + "…" + std::string(20, '7') + " (1,000 characters)");
  EXPECT_EQ(value_html(Json{{"distances", 8}, {"at_least", true}}), "Distances 8; At least yes");
  EXPECT_EQ(key_words("working_memory_bits"), "Working memory bits");
  EXPECT_EQ(duration_words(0.43), "0.4 s");
  EXPECT_EQ(duration_words(8e-5), "under 1 ms");
  EXPECT_EQ(duration_words(75), "1 min 15 s");
  EXPECT_EQ(parameter_words({{"bits", 5}, {"length", 4096}}), "b\u00a0=\u00a05, L\u00a0=\u00a04,096");
}

TEST(Wording, AReasonStandsInPlaceOfAMissingNumber) {
  Certificate c = fixture::recall("faithful", "float", 1);
  c.checks = {{"domain", false, "It did not hold.", {{"gap", nullptr}, {"gap_reason", "not a number"}}}};
  const std::string html = report_html({c});
  EXPECT_NE(html.find("<dt>Gap</dt><dd>not a number</dd>"), std::string::npos);
  EXPECT_EQ(html.find("Gap reason"), std::string::npos);
}

}  // namespace
}  // namespace hyseq::results
