// Model files: a model's architecture and parameters in HDF5, optionally with tokens to run it on.
//
// The format is that of the golden files (tests/golden/README.md): one float64 dataset per parameter at the root, int32
// `input` and `target` [batch, length], sizes as attributes. Those attributes describe uniform blocks alone; a dataset
// `architecture` (JSON, see architecture_json.hpp) holds every switch of every block and overrules them where present.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/base/hdf5_file.hpp"
#include "kernels/program.hpp"
#include "models/architecture.hpp"

namespace hyseq::models {

/// Ids of the tokens that are never an answer. They are the largest ids of the vocabulary.
struct SpecialTokens {
  std::int32_t bos = 0;
  std::int32_t eos = 0;
  std::int32_t null = 0;
};

struct ModelFile {
  Architecture architecture;
  kernels::ParameterValues parameters;  // in the order of lower(architecture).parameters
  Array<std::int32_t> input;            // [batch, length]; empty shape where the file has none
  Array<std::int32_t> target;           // of the same shape, or empty
  std::optional<SpecialTokens> special;

  [[nodiscard]] bool has_input() const { return !input.shape.empty(); }
  [[nodiscard]] bool has_target() const { return !target.shape.empty(); }
  /// Targets below this id are answers: `<bos>` where there is one, else the vocabulary.
  [[nodiscard]] std::int32_t valid_below() const { return special ? special->bos : architecture.vocabulary; }
};

/// InputError naming the file and the dataset or attribute that is missing, has the wrong shape, holds a value that is
/// not finite, or that the model has no use for.
[[nodiscard]] ModelFile read_model_file(const std::string& path);

/// Writes what read_model_file reads. EnvironmentError where the file cannot be written.
void write_model_file(const std::string& path, const ModelFile& model);

}  // namespace hyseq::models
