#include "proofs_check/pictures.hpp"

#include <algorithm>

#include "kernels/reference/session.hpp"

namespace hyseq::proofs_check {
namespace {

constexpr int kMostTokens = 36;

/// All tokens, or the first and the last ones: ordinary tokens come first, numbers or bits last.
std::vector<int> shown_tokens(int vocabulary) {
  std::vector<int> tokens;
  for (int id = 0; id < vocabulary; ++id) {
    if (vocabulary <= kMostTokens || id < kMostTokens / 2 || id >= vocabulary - kMostTokens / 2) tokens.push_back(id);
  }
  return tokens;
}

}  // namespace

std::vector<results::LabelledMatrix> pictures(const constructions::Construction& construction,
                                              const std::vector<std::int32_t>& example) {
  const int width = construction.architecture.width;
  results::LabelledMatrix embedding;
  embedding.name = "embedding";
  embedding.title = "Embedding of each token";
  embedding.row_labels = construction.row_labels;
  const std::vector<int> tokens = shown_tokens(construction.architecture.vocabulary);
  for (const int id : tokens)
    embedding.column_labels.push_back(construction.token_labels[static_cast<std::size_t>(id)]);
  for (int row = 0; row < width; ++row) {
    for (const int id : tokens) embedding.values.push_back(construction.embedding(id, row));
  }

  results::LabelledMatrix output;
  output.name = "output";
  output.title = "Output of the last layer, position by position of an example";
  output.row_labels = construction.row_labels;
  kernels::ReferenceSession<double> session(construction.program, construction.values, example.size());
  auto carry = session.fresh(1);
  session.forward({example, 1, example.size()}, carry, kernels::Depth::layers);
  for (const std::int32_t token : example) {
    output.column_labels.push_back(construction.token_labels[static_cast<std::size_t>(token)]);
  }
  for (int row = 0; row < width; ++row) {
    for (std::size_t t = 0; t < example.size(); ++t) {
      output.values.push_back(session.row(construction.program.hidden, t)[row]);
    }
  }
  return {embedding, output};
}

}  // namespace hyseq::proofs_check
