#include "results/figures/figures.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "kernels/base/error.hpp"
#include "tests/results/fixture.hpp"

namespace hyseq::results {
namespace {

using fixture::read_text;

TEST(Figures, EveryKindIsDrawnFromTheCertificates) {
  const std::vector<Certificate> certificates = fixture::everything();
  const auto names = [&](const std::string& kind) {
    std::set<std::string> set;
    for (const Figure& figure : make_figures(kind, certificates)) set.insert(figure.name);
    return set;
  };
  EXPECT_EQ(names("construction"), (std::set<std::string>{"construction-4.3-faithful", "construction-4.3-streaming"}));
  EXPECT_EQ(names("budgets"), (std::set<std::string>{"budgets-4.3"}));
  EXPECT_EQ(names("margins"), (std::set<std::string>{"margins-4.3-faithful", "margins-4.3-streaming",
                                                     "margins-4.6-faithful", "margins-4.6-streaming"}));
  EXPECT_EQ(names("window"), (std::set<std::string>{"window-4.6-faithful", "window-4.6-streaming"}));
}

TEST(Figures, SelectionKeepsOneTheoremAndLevel) {
  const std::vector<Figure> figures = make_figures("margins", fixture::everything(), {"4.6", "streaming"});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].name, "margins-4.6-streaming");
}

TEST(Figures, SvgPdfAndPngAreWhatTheirEndingsSay) {
  const fixture::TemporaryFolder folder;
  for (const std::string& kind : figure_names())
    for (const Figure& figure : make_figures(kind, fixture::everything())) {
      SCOPED_TRACE(figure.name);
      const std::string base = folder.path(figure.name);
      render(figure, base + ".svg");
      render(figure, base + ".pdf");
      render(figure, base + ".png");
      const std::string svg = read_text(base + ".svg");
      EXPECT_NE(svg.find("<svg"), std::string::npos);
      EXPECT_NE(svg.find("</svg>"), std::string::npos);
      EXPECT_EQ(read_text(base + ".pdf").rfind("%PDF-", 0), 0u);
      EXPECT_EQ(read_text(base + ".png").rfind("\x89PNG", 0), 0u);
      EXPECT_GT(read_text(base + ".png").size(), 5000u);
    }
}

TEST(Figures, TheScriptBesideTheImageCarriesTheData) {
  const fixture::TemporaryFolder folder;
  const Figure figure = make_figures("window", fixture::everything()).at(0);
  render(figure, folder.path("window.svg"));
  const std::string text = read_text(folder.path("window.svg.gnuplot"));
  EXPECT_NE(text.find("$window1 << end\n"), std::string::npos);
  EXPECT_NE(text.find("\n7 99.21875 2\n"), std::string::npos) << "W = 2: 7 slots reach 127/128";
  EXPECT_NE(text.find("\n6 98.4375 0\n"), std::string::npos) << "W = 2: 6 slots reach 63/64";
  // Nothing else stays behind.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator()),
            2);
}

/// gnuplot silently drops text that would lie outside the image.
void expect_texts(const std::string& kind, const std::vector<std::string>& texts) {
  const std::string svg = render_svg(make_figures(kind, fixture::everything()).at(0));
  for (const std::string& text : texts) EXPECT_NE(svg.find(text), std::string::npos) << kind << ": " << text;
}

TEST(Figures, AxesLegendsAndRowsAreLabelled) {
  expect_texts("construction", {"token code, bit 0", "is a number_token", "copied code, bit 2", "Embedding", "Output"});
  expect_texts("budgets", {"vocabulary |V|", "distances N", "length L", "width", "states", "window", "memory (bits)",
                           "streaming, formula", "least for a pure model"});
  expect_texts("margins", {"distances N", "mass on the target", "gap of the decoder", "bfloat16: holds to N = 128"});
  expect_texts("window", {"word slots in the window", "success", "b = 10,  W = 1,024", "4,714 slots"});
}

TEST(Figures, SeveralAreStackedUnderTheirTitles) {
  const std::vector<Figure> figures = make_figures("margins", fixture::everything());
  ASSERT_EQ(figures.size(), 4u);
  const Figure all = stacked(figures);
  const std::string svg = render_svg(all);
  int height = 0;
  for (const Figure& figure : figures) {
    EXPECT_NE(svg.find(figure.title), std::string::npos) << figure.title;
    height += figure.height;
  }
  EXPECT_GT(all.height, height);
  EXPECT_NE(svg.find("distances N"), std::string::npos);
  EXPECT_NE(svg.find("word bits b"), std::string::npos);
  EXPECT_EQ(stacked({figures[2]}).commands, figures[2].commands) << "one stays as it is";
}

TEST(Figures, LargeMatricesAreThinnedAndSaySo) {
  Certificate certificate = fixture::selective_copying("streaming", "float");
  LabelledMatrix wide{"embedding", "Embedding", {"a row's \"label\"", "second"}, {}, {}};
  for (int i = 0; i < 1000; ++i) wide.column_labels.push_back(std::to_string(i));
  wide.values.assign(2000, 0.25);
  certificate.matrices = {wide};
  const Figure figure = make_figures("construction", {certificate}).at(0);
  EXPECT_NE(figure.commands.find("48 of 1,000 columns"), std::string::npos);
  EXPECT_NE(figure.commands.find("'977' 46"), std::string::npos) << "evenly spread: 46 * 999 / 47";
  EXPECT_NE(render_svg(figure).find("<svg"), std::string::npos);
}

TEST(Figures, AThinnedCurveKeepsTheWindowItself) {
  Certificate certificate = fixture::recall("faithful", "float", 1);
  certificate.checks[0].figures["curve"] = {{{"slots", 2}, {"success", 0.75}}, {{"slots", 12}, {"success", 0.9997}}};
  const Figure figure = make_figures("window", {certificate}).at(0);
  EXPECT_NE(figure.data.find("\n2 75 0\n6 98.4375 0\n7 99.21875 2\n12 "), std::string::npos) << figure.data;
}

TEST(Figures, HollowPointsAreThoseThatWereNotBuilt) {
  const Figure figure = make_figures("budgets", fixture::everything()).at(0);
  EXPECT_NE(figure.commands.find("faithful, from lowering"), std::string::npos);
  EXPECT_NE(figure.commands.find("least for a pure model"), std::string::npos);
  // Along L, level faithful: 2^12 was built, 2^14 was not.
  EXPECT_NE(figure.data.find("\n4096 37 1 37 ?\n"), std::string::npos);
  EXPECT_NE(figure.data.find("\n16384 41 0 41 ?\n"), std::string::npos);
}

TEST(Figures, ValuesThatAreNotFiniteAreLeftOut) {
  Certificate certificate = fixture::selective_copying("streaming", "float");
  for (Json& entry : certificate.checks[2].figures["series"]) entry["decoder_gap"] = nullptr;
  for (Json& entry : certificate.checks[3].figures["grid"]) entry["states"] = 0;
  EXPECT_NE(render_svg(make_figures("margins", {certificate}).at(0)).find("<svg"), std::string::npos);
  EXPECT_NE(render_svg(make_figures("budgets", {certificate}).at(0)).find("<svg"), std::string::npos);
}

TEST(Figures, RateShowsBoundEncodersMachinesAndGaps) {
  const std::vector<Figure> figures = make_figures("rate", {fixture::lower_bound()});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].name, "rate-3.3");
  const std::string svg = render_svg(figures[0]);
  for (const char* text :
       {"M = 3: bound, best codes", "best of all encoders", "SSM stacks", "trained SSMs", "right: rate 0.5",
        "bits of state per letter", "letters N", "success: share of right answers"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  const std::string& data = figures[0].data;
  EXPECT_NE(data.find("\n1 1.584962500721156\n"), std::string::npos) << "the bound without error, M = 3";
  EXPECT_NE(data.find("\n0.9 0.8333333333333334 5 6\n"), std::string::npos) << "a machine, by its own entropy";
  EXPECT_EQ(data.find("\n0.8 0.6666666666666666 "), std::string::npos)
      << "one whose inputs are not uniform has another bound";
  EXPECT_NE(data.find("\n1 1 4 4\n0.75 0.75 3 4\n"), std::string::npos) << "one trained model's path";
  EXPECT_EQ(data.find("\n0.4375 "), std::string::npos) << "which ends at a guess";
  EXPECT_NE(data.find("\n0.375 1.584962500721156 6 6\n"), std::string::npos) << "bits per letter of three";
  EXPECT_EQ(data.find("\n0.625 1.40"), std::string::npos) << "no line to judge it by";
  EXPECT_NE(figures[0].commands.find("$trained1"), std::string::npos);
  EXPECT_EQ(figures[0].commands.find("$trained2"), std::string::npos);
  EXPECT_EQ(data.find("7.25"), std::string::npos) << "so has a problem other than copying";
  EXPECT_NE(data.find("$gap2 << end"), std::string::npos);
}

TEST(Figures, RateWithoutTrainedModelsHasNoEntryForThem) {
  Certificate certificate = fixture::lower_bound();
  certificate.checks.pop_back();
  const Figure figure = make_figures("rate", {certificate}).at(0);
  EXPECT_EQ(figure.commands.find("trained SSMs"), std::string::npos);
  EXPECT_NE(figure.commands.find("SSM stacks"), std::string::npos);
}

TEST(Figures, RateNeedsItsCurve) {
  Certificate certificate = fixture::lower_bound();
  certificate.checks[1].figures.erase("curve");
  EXPECT_TRUE(make_figures("rate", {certificate}).empty());
  certificate = fixture::lower_bound();
  certificate.checks.erase(certificate.checks.begin() + 2);
  const std::vector<Figure> figures = make_figures("rate", {certificate});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(render_svg(figures[0]).find("letters N"), std::string::npos) << "no gaps, one panel";
}

TEST(Figures, BasinShowsEverySeedBesideDrawnWeights) {
  const std::vector<Figure> figures = make_figures("basin", {fixture::basin()});
  ASSERT_EQ(figures.size(), 1u);
  EXPECT_EQ(figures[0].name, "basin-4.3-trainable");
  const std::string svg = render_svg(figures[0]);
  for (const char* text : {"learning rate 1e-4", "learning rate 1e-2", "accuracy, no dropout", "accuracy, dropout 0.1",
                           "none", "drawn", "0.1", "noise on the weights", "before training, median"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_NE(figures[0].caption.find("after 1,000 training steps, a dot for each of 3 seeds"), std::string::npos);
  const std::string& data = figures[0].data;
  EXPECT_NE(data.find("dropout 0.1, rate 1e-2: place accuracy noise drawn\n"), std::string::npos);
  // Counts 100, 60 and 20 of 100 at noise 0.1: each its dot, and the middle one the median.
  for (const char* dot : {"\n-1 1 0.1 0\n", "\n-1 0.6 0.1 0\n", "\n-1 0.2 0.1 0\n", "\n-1 0.4 0.6 0.1 0\n"})
    EXPECT_NE(data.find(dot), std::string::npos) << dot << data;
}

TEST(Figures, BasinNeedsNoiseAndSeeds) {
  Certificate certificate = fixture::basin();
  certificate.checks[0].figures["series"] = {certificate.checks[0].figures["series"][0]};
  EXPECT_TRUE(make_figures("basin", {certificate}).empty()) << "no noise above 0, no axis";
  certificate = fixture::basin();
  for (Json& entry : certificate.checks[0].figures["series"]) entry["valid"] = {0, 0, 0};
  EXPECT_TRUE(make_figures("basin", {certificate}).empty()) << "no valid position, no accuracy";
}

TEST(Figures, CertificatesWithoutDataGiveNoFigure) {
  Certificate certificate = fixture::recall("faithful", "float", 2);
  certificate.checks.clear();
  for (const std::string& kind : figure_names()) EXPECT_TRUE(make_figures(kind, {certificate}).empty()) << kind;
}

template <class Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Figures, ErrorsNameWhatIsWrong) {
  const Figure figure = make_figures("window", fixture::everything()).at(0);
  const fixture::TemporaryFolder folder;
  EXPECT_EQ(message_of<InputError>([&] { render(figure, folder.path("window.jpg")); }),
            "a figure's file must end in .svg, .pdf or .png, and \"" + folder.path("window.jpg") + "\" does not");
  EXPECT_EQ(message_of<InputError>([] { (void)make_figures("pie", {}); }),
            "there is no figure \"pie\"; the figures are construction, budgets, margins, window, rate and basin");
  EXPECT_NE(
      message_of<EnvironmentError>([&] { render(figure, folder.path("absent/window.svg")); }).find("does not exist"),
      std::string::npos);
  Figure broken = figure;
  broken.commands = "plot $nothing_of_that_name\n";
  EXPECT_NE(message_of<EnvironmentError>([&] { (void)render_svg(broken); }).find("gnuplot could not draw the figure: "),
            std::string::npos);
}

TEST(Figures, MissingGnuplotSaysWhatToInstall) {
  const Figure figure = make_figures("window", fixture::everything()).at(0);
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const std::string message = message_of<EnvironmentError>([&] { (void)render_svg(figure); });
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(message, "gnuplot draws the figures and is not installed; install it with: apt-get install gnuplot-nox");
}

}  // namespace
}  // namespace hyseq::results
