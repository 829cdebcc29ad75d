#include "models/architecture_json.hpp"

#include "kernels/base/error.hpp"
#include "models/json_fields.hpp"

namespace hyseq::models {

template <>
const EnumNames<Norm>& enum_names() {
  static const EnumNames<Norm> all = {{Norm::layer, "layer"}, {Norm::rms, "rms"}, {Norm::none, "none"}};
  return all;
}
template <>
const EnumNames<Residual>& enum_names() {
  static const EnumNames<Residual> all = {
      {Residual::parallel, "parallel"}, {Residual::sequential, "sequential"}, {Residual::none, "none"}};
  return all;
}
template <>
const EnumNames<Positions>& enum_names() {
  static const EnumNames<Positions> all = {{Positions::rotary, "rotary"}, {Positions::none, "none"}};
  return all;
}
template <>
const EnumNames<StepSize>& enum_names() {
  static const EnumNames<StepSize> all = {{StepSize::softplus, "softplus"}, {StepSize::identity, "identity"}};
  return all;
}
template <>
const EnumNames<Activation>& enum_names() {
  static const EnumNames<Activation> all = {{Activation::identity, "identity"},
                                            {Activation::silu, "silu"},
                                            {Activation::gelu, "gelu"},
                                            {Activation::softplus, "softplus"}};
  return all;
}

namespace {

using Json = nlohmann::ordered_json;

// One list of fields for both directions, so that neither can forget one.
template <class Direction, class Block>
void transformer_fields(Direction& json, Block& block) {
  json.field("norm", block.norm);
  json.field("residual", block.residual);
  json.field("positions", block.positions);
  json.field("heads", block.heads);
  json.field("window", block.window);
  json.field("rotary_width", block.rotary_width);
  json.field("rotary_divisor", block.rotary_divisor);
  json.field("rotary_base", block.rotary_base);
  json.field("mlp", block.mlp);
  json.field("activation", block.activation);
}

template <class Direction, class Block>
void ssm_fields(Direction& json, Block& block) {
  json.field("norm", block.norm);
  json.field("residual", block.residual);
  json.field("state_size", block.state_size);
  json.field("kernel", block.kernel);
  json.field("gate", block.gate);
  json.field("activation", block.activation);
  json.field("step", block.step);
  json.field("step_rank", block.step_rank);
  json.field("inner_width", block.inner_width);
}

template <class Direction, class Code>
void code_fields(Direction& json, Code& code) {
  json.field("offset", code.offset);
  json.field("bits", code.bits);
  json.field("delay", code.delay);
}

Block read_block(const Json& object, const std::string& place) {
  JsonReading reading(object, "architecture: " + place);
  const Json* kind = reading.find("block");
  if (kind != nullptr && *kind == "TF") {
    TransformerBlock block;
    transformer_fields(reading, block);
    reading.finish();
    return block;
  }
  if (kind != nullptr && *kind == "SSM") {
    SsmBlock block;
    ssm_fields(reading, block);
    reading.finish();
    return block;
  }
  reading.fail("block must be \"TF\" or \"SSM\"");
}

}  // namespace

std::string to_json(const Architecture& architecture) {
  Json root;
  JsonWriting writing(root);
  writing.field("width", architecture.width);
  writing.field("vocabulary", architecture.vocabulary);
  writing.field("final_norm", architecture.final_norm);
  root["position_codes"] = Json::array();
  for (const PositionCodeSpec& code : architecture.position_codes) {
    JsonWriting fields(root["position_codes"].emplace_back(Json::object()));
    code_fields(fields, code);
  }
  root["layers"] = Json::array();
  for (const Block& block : architecture.layers) {
    Json& object = root["layers"].emplace_back(Json::object());
    JsonWriting fields(object);
    if (const auto* transformer = std::get_if<TransformerBlock>(&block)) {
      object["block"] = "TF";
      transformer_fields(fields, *transformer);
    } else {
      object["block"] = "SSM";
      ssm_fields(fields, std::get<SsmBlock>(block));
    }
  }
  return root.dump();
}

Architecture architecture_from_json(const std::string& text) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) throw InputError("architecture: the text is not valid JSON");
  Architecture architecture;
  JsonReading reading(root, "architecture: model");
  reading.field("width", architecture.width);
  reading.field("vocabulary", architecture.vocabulary);
  reading.field("final_norm", architecture.final_norm);
  const auto list = [&](const char* key, const auto& each) {
    const Json* found = reading.find(key);
    if (found == nullptr) return;
    if (!found->is_array()) reading.fail(std::string(key) + " must be a list");
    for (std::size_t i = 0; i < found->size(); ++i) each((*found)[i], std::string(key) + " " + std::to_string(i));
  };
  list("position_codes", [&](const Json& object, const std::string& place) {
    JsonReading fields(object, "architecture: " + place);
    code_fields(fields, architecture.position_codes.emplace_back());
    fields.finish();
  });
  list("layers",
       [&](const Json& object, const std::string& place) { architecture.layers.push_back(read_block(object, place)); });
  reading.finish();
  validate(architecture);
  return architecture;
}

}  // namespace hyseq::models
