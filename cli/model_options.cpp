#include "cli/model_options.hpp"

#include <limits>
#include <string>

#include "cli/options.hpp"
#include "kernels/base/error.hpp"

namespace hyseq::cli {
namespace {

models::Residual parse_residual(const std::string& name) {
  if (name == "parallel") return models::Residual::parallel;
  if (name == "sequential") return models::Residual::sequential;
  if (name == "none") return models::Residual::none;
  throw InputError("--residual is '" + name + "', allowed are: parallel, sequential, none");
}

models::Activation parse_activation(const std::string& name) {
  if (name == "silu") return models::Activation::silu;
  if (name == "gelu") return models::Activation::gelu;
  if (name == "identity") return models::Activation::identity;
  throw InputError("--activation is '" + name + "', allowed are: silu, gelu, identity");
}

}  // namespace

void add_block_options(po::options_description& options) {
  options.add_options()("state", text("16"), "states per channel of SSM blocks, 1 to 65536")(
      "kernel", text("4"), "convolution width of SSM blocks in tokens, 0 for none")(
      "heads", text("1"), "heads of TF blocks, a divisor of the width")(
      "window", text(), "attention window in tokens, the position itself included; default: all")(
      "rotary-fraction", text("0.25"), "rotated part of a head, 0 to 1")("residual", text("parallel"),
                                                                         "of TF blocks: parallel, sequential or none")(
      "activation", text("silu"), "of the MLP of TF blocks: silu, gelu or identity");
}

models::Architecture architecture_option(const po::variables_map& values, int vocabulary) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const auto integer = [&](const char* name, std::int64_t least) {
    return static_cast<int>(integer_option(values, name, least, most));
  };
  if (!values.contains("architecture")) throw InputError("the architecture is missing, like SSM,TF");
  models::Architecture architecture;
  architecture.width = integer("width", 1);
  architecture.vocabulary = vocabulary;
  models::SsmBlock ssm;
  ssm.state_size = integer("state", 1);
  ssm.kernel = integer("kernel", 0);
  models::TransformerBlock transformer;
  transformer.heads = integer("heads", 1);
  if (values.contains("window")) transformer.window = integer("window", 1);
  transformer.residual = parse_residual(required(values, "residual"));
  transformer.activation = parse_activation(required(values, "activation"));
  const std::string layers = required(values, "architecture");
  architecture.layers = models::parse_layers(layers, transformer, ssm);
  // The head width is known to be one only where heads divide the width, so that is checked first.
  models::validate(architecture);
  if (models::layers_text(architecture).find("TF") != std::string::npos) {
    const double fraction = parse_real("--rotary-fraction", required(values, "rotary-fraction"), 0, 1);
    transformer.rotary_width = models::rotary_width(fraction, architecture.width / transformer.heads);
    architecture.layers = models::parse_layers(layers, transformer, ssm);
  }
  return architecture;
}

}  // namespace hyseq::cli
