#include "models/model_file.hpp"

#include <cmath>
#include <set>

#include "kernels/base/error.hpp"
#include "models/architecture_json.hpp"
#include "models/lowering.hpp"

namespace hyseq::models {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw InputError("model file '" + path + "': " + what);
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

int size_attribute(const Hdf5Reader& file, const std::string& path, const std::string& name) {
  const std::int64_t value = file.integer_attribute(name);
  if (value < 0 || value > (1 << 30)) {
    fail(path, "attribute " + name + " is " + std::to_string(value) + ", allowed is 0 to 1073741824");
  }
  return static_cast<int>(value);
}

/// The architecture that the attributes of a golden file describe: all blocks of one kind alike.
Architecture from_attributes(const Hdf5Reader& file, const std::string& path) {
  Architecture architecture;
  architecture.width = size_attribute(file, path, "d");
  architecture.vocabulary = size_attribute(file, path, "V");
  const std::string layers = file.text_attribute("layers");
  TransformerBlock transformer;
  SsmBlock ssm;
  if (layers.find("TF") != std::string::npos) {
    transformer.heads = size_attribute(file, path, "heads");
    transformer.window = size_attribute(file, path, "window");
    transformer.rotary_width = size_attribute(file, path, "rotary_width");
    transformer.residual =
        size_attribute(file, path, "parallel_residual") != 0 ? Residual::parallel : Residual::sequential;
  }
  if (layers.find("SSM") != std::string::npos) {
    ssm.state_size = size_attribute(file, path, "N");
    ssm.kernel = size_attribute(file, path, "conv_width");
    const int expansion = size_attribute(file, path, "expansion");
    if (expansion < 1 || expansion > 1024) {
      fail(path, "attribute expansion is " + std::to_string(expansion) + ", allowed is 1 to 1024");
    }
    if (expansion != 2) ssm.inner_width = expansion * architecture.width;
  }
  architecture.layers = parse_layers(layers, transformer, ssm);
  return architecture;
}

Array<std::int32_t> read_tokens(const Hdf5Reader& file, const std::string& path, const std::string& name) {
  if (!file.has_dataset(name)) return {};
  Array<std::int32_t> tokens = file.read_integers(name);
  if (tokens.shape.size() != 2 || tokens.values.empty()) {
    fail(path, "dataset '" + name + "' has shape " + shape_text(tokens.shape) + ", needed is [batch, length]");
  }
  return tokens;
}

std::vector<double> read_parameter(const Hdf5Reader& file, const std::string& path,
                                   const kernels::ParameterInfo& info) {
  if (!file.has_dataset(info.name)) {
    fail(path, "parameter '" + info.name + "' " + shape_text(info.shape) + " is missing");
  }
  Array<double> data = file.read_reals(info.name);
  if (data.shape != info.shape) {
    fail(path, "parameter '" + info.name + "' has shape " + shape_text(data.shape) + ", the model needs " +
                   shape_text(info.shape));
  }
  for (const double value : data.values) {
    if (!std::isfinite(value)) fail(path, "parameter '" + info.name + "' holds a value that is not finite");
  }
  return std::move(data.values);
}

/// The first block of a kind, or its defaults where the architecture has none.
template <class Kind>
Kind first_block(const Architecture& architecture) {
  for (const Block& block : architecture.layers) {
    if (const auto* found = std::get_if<Kind>(&block)) return *found;
  }
  return {};
}

/// Attributes of the golden format, where they can say everything about the architecture.
struct UniformAttributes {
  TransformerBlock transformer;
  SsmBlock ssm;

  /// The first block of each kind speaks for all.
  explicit UniformAttributes(const Architecture& architecture)
      : transformer(first_block<TransformerBlock>(architecture)), ssm(first_block<SsmBlock>(architecture)) {}

  [[nodiscard]] int expansion(const Architecture& architecture) const {
    return inner_width(ssm, architecture.width) / architecture.width;
  }

  [[nodiscard]] bool describe(const Architecture& architecture) const {
    Architecture told;
    told.width = architecture.width;
    told.vocabulary = architecture.vocabulary;
    TransformerBlock tf;
    tf.heads = transformer.heads;
    tf.window = transformer.window;
    tf.rotary_width = transformer.rotary_width;
    tf.residual = transformer.residual == Residual::sequential ? Residual::sequential : Residual::parallel;
    SsmBlock mamba;
    mamba.state_size = ssm.state_size;
    mamba.kernel = ssm.kernel;
    if (expansion(architecture) != 2) mamba.inner_width = expansion(architecture) * architecture.width;
    told.layers = parse_layers(layers_text(architecture), tf, mamba);
    return to_json(told) == to_json(architecture);
  }

  void write(Hdf5Writer& file, const Architecture& architecture) const {
    file.attribute("N", ssm.state_size);
    file.attribute("window", transformer.window);
    file.attribute("heads", transformer.heads);
    file.attribute("rotary_width", transformer.rotary_width);
    file.attribute("parallel_residual", transformer.residual == Residual::parallel ? 1 : 0);
    file.attribute("conv_width", ssm.kernel);
    file.attribute("expansion", expansion(architecture));
  }
};

}  // namespace

ModelFile read_model_file(const std::string& path) {
  const Hdf5Reader file(path);
  ModelFile model;
  const bool described = file.has_dataset("architecture");
  try {
    model.architecture =
        described ? architecture_from_json(file.read_text("architecture")) : from_attributes(file, path);
    validate(model.architecture);
  } catch (const InputError& error) {
    const std::string text = error.what();
    if (text.find(path) != std::string::npos) throw;
    fail(path, text);
  }

  const kernels::Program program = lower(model.architecture);
  std::set<std::string> known = {"architecture", "input", "target", "logits", "loss"};
  for (const kernels::ParameterInfo& info : program.parameters) {
    model.parameters.push_back(read_parameter(file, path, info));
    known.insert(info.name);
  }
  for (const std::string& name : file.datasets()) {
    if (!known.contains(name)) {
      fail(path, "dataset '" + name + "' is no parameter of the model " + layers_text(model.architecture));
    }
  }

  model.input = read_tokens(file, path, "input");
  model.target = read_tokens(file, path, "target");
  if (model.has_target() && model.target.shape != model.input.shape) {
    fail(path, "target has shape " + shape_text(model.target.shape) + ", input has " + shape_text(model.input.shape));
  }
  if (file.has_attribute("bos")) {
    model.special = SpecialTokens{size_attribute(file, path, "bos"), size_attribute(file, path, "eos"),
                                  size_attribute(file, path, "null")};
  }
  return model;
}

void write_model_file(const std::string& path, const ModelFile& model) {
  const Architecture& architecture = model.architecture;
  const kernels::Program program = lower(architecture);
  if (model.parameters.size() != program.parameters.size()) {
    fail(path, "the model has " + std::to_string(program.parameters.size()) + " parameters, given are " +
                   std::to_string(model.parameters.size()));
  }
  Hdf5Writer file(path);
  file.attribute("format", "hyseq model");
  file.attribute("layers", layers_text(architecture));
  file.attribute("d", architecture.width);
  file.attribute("V", architecture.vocabulary);
  file.attribute("parameters", program.parameter_count());
  if (const UniformAttributes uniform(architecture); uniform.describe(architecture)) uniform.write(file, architecture);
  if (model.special) {
    file.attribute("bos", model.special->bos);
    file.attribute("eos", model.special->eos);
    file.attribute("null", model.special->null);
  }
  file.write_text("architecture", to_json(architecture));
  for (std::size_t p = 0; p < program.parameters.size(); ++p) {
    file.write(program.parameters[p].name, Array<double>{program.parameters[p].shape, model.parameters[p]});
  }
  if (model.has_input()) file.write("input", model.input);
  if (model.has_target()) file.write("target", model.target);
  file.commit();
}

}  // namespace hyseq::models
