#include "proofs_check/pictures.hpp"

#include <algorithm>

#include "kernels/reference/session.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr int kMostTokens = 36;
constexpr std::size_t kMostPositions = 24;

/// All tokens, or the first and the last ones: ordinary tokens come first, numbers or bits last.
std::vector<int> shown_tokens(int vocabulary) {
  std::vector<int> tokens;
  for (int id = 0; id < vocabulary; ++id) {
    if (vocabulary <= kMostTokens || id < kMostTokens / 2 || id >= vocabulary - kMostTokens / 2) tokens.push_back(id);
  }
  return tokens;
}

/// The token table: width x tokens.
results::LabelledMatrix token_table(const constructions::Construction& construction) {
  results::LabelledMatrix matrix{"embedding", "Embedding of each token", construction.row_labels, {}, {}};
  const std::vector<int> tokens = shown_tokens(construction.architecture.vocabulary);
  for (const int id : tokens) matrix.column_labels.push_back(construction.token_labels[static_cast<std::size_t>(id)]);
  for (int row = 0; row < construction.architecture.width; ++row) {
    for (const int id : tokens) matrix.values.push_back(construction.embedding(id, row));
  }
  return matrix;
}

}  // namespace

std::vector<results::LabelledMatrix> pictures(const constructions::Construction& construction,
                                              const std::vector<std::int32_t>& example) {
  kernels::ReferenceSession<double> session(construction.program, construction.values, example.size());
  auto carry = session.fresh(1);
  session.forward({example, 1, example.size()}, carry, kernels::Depth::layers);
  const std::size_t first = example.size() > kMostPositions ? example.size() - kMostPositions : 0;
  // The first operation is the embedding; position codes are added to its output in place.
  const kernels::View embedded = std::get<kernels::Embedding>(construction.program.forward.front()).out;
  const auto by_position = [&](std::string name, std::string title, const kernels::View& view) {
    results::LabelledMatrix matrix{std::move(name), std::move(title), construction.row_labels, {}, {}};
    for (std::size_t t = first; t < example.size(); ++t) {
      matrix.column_labels.push_back(construction.token_labels[static_cast<std::size_t>(example[t])]);
    }
    for (int row = 0; row < construction.architecture.width; ++row) {
      for (std::size_t t = first; t < example.size(); ++t) matrix.values.push_back(session.row(view, t)[row]);
    }
    return matrix;
  };
  const bool positioned = !construction.architecture.position_codes.empty();
  return {positioned ? by_position("embedding", "Embedding of an example, position codes added", embedded)
                     : token_table(construction),
          by_position("output", "Output of the last layer on an example", construction.program.hidden)};
}

}  // namespace hyseq::proofs_check
