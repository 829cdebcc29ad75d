#include "models/architecture_json.hpp"

#include <array>
#include <limits>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "kernels/base/error.hpp"

namespace hyseq::models {
namespace {

using Json = nlohmann::ordered_json;

template <class Enum>
using Names = std::vector<std::pair<Enum, const char*>>;

const Names<Norm>& names(Norm /*of*/) {
  static const Names<Norm> all = {{Norm::layer, "layer"}, {Norm::rms, "rms"}, {Norm::none, "none"}};
  return all;
}
const Names<Residual>& names(Residual /*of*/) {
  static const Names<Residual> all = {
      {Residual::parallel, "parallel"}, {Residual::sequential, "sequential"}, {Residual::none, "none"}};
  return all;
}
const Names<Positions>& names(Positions /*of*/) {
  static const Names<Positions> all = {{Positions::rotary, "rotary"}, {Positions::none, "none"}};
  return all;
}
const Names<StepSize>& names(StepSize /*of*/) {
  static const Names<StepSize> all = {{StepSize::softplus, "softplus"}, {StepSize::identity, "identity"}};
  return all;
}
const Names<Activation>& names(Activation /*of*/) {
  static const Names<Activation> all = {{Activation::identity, "identity"},
                                        {Activation::silu, "silu"},
                                        {Activation::gelu, "gelu"},
                                        {Activation::softplus, "softplus"}};
  return all;
}

/// One object being read: remembers which fields were asked for, so that the others can be refused.
class Reading {
 public:
  Reading(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("must be an object");
  }

  void field(const char* key, int& value) {
    const Json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_number_integer() || *found < std::numeric_limits<int>::min() ||
        *found > std::numeric_limits<int>::max()) {
      fail(std::string(key) + " must be an integer");
    }
    value = found->get<int>();
  }
  void field(const char* key, double& value) {
    const Json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_number()) fail(std::string(key) + " must be a number");
    value = found->get<double>();
  }
  void field(const char* key, bool& value) {
    const Json* found = find(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) fail(std::string(key) + " must be true or false");
    value = found->get<bool>();
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void field(const char* key, Enum& value) {
    const Json* found = find(key);
    if (found == nullptr) return;
    std::string allowed;
    for (const auto& [each, text] : names(value)) {
      if (*found == text) {
        value = each;
        return;
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(text);
    }
    fail(std::string(key) + " is " + found->dump() + "; allowed are " + allowed);
  }

  [[nodiscard]] const Json* find(const char* key) {
    asked_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  void finish() const {
    for (const auto& [key, unused] : object_.items()) {
      if (!asked_.contains(key)) fail("'" + key + "' is not a known field");
    }
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError("architecture: " + place_ + ": " + what); }

 private:
  const Json& object_;
  std::string place_;
  std::set<std::string> asked_;
};

class Writing {
 public:
  explicit Writing(Json& object) : object_(object) {}

  template <class T>
  void field(const char* key, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [each, text] : names(value)) {
        if (each == value) object_[key] = text;
      }
    } else {
      object_[key] = value;
    }
  }

 private:
  Json& object_;
};

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
  Reading reading(object, place);
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
  Writing writing(root);
  writing.field("width", architecture.width);
  writing.field("vocabulary", architecture.vocabulary);
  writing.field("final_norm", architecture.final_norm);
  root["position_codes"] = Json::array();
  for (const PositionCodeSpec& code : architecture.position_codes) {
    Writing fields(root["position_codes"].emplace_back(Json::object()));
    code_fields(fields, code);
  }
  root["layers"] = Json::array();
  for (const Block& block : architecture.layers) {
    Json& object = root["layers"].emplace_back(Json::object());
    Writing fields(object);
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
  Reading reading(root, "model");
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
    Reading fields(object, place);
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
