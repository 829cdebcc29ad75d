#include "models/architecture.hpp"

#include <cmath>
#include <string>

#include "kernels/base/error.hpp"

namespace hyseq::models {
namespace {

/// Recursive descent over  list := item (',' item)*,  item := (name | '(' list ')') ['*' count].
class LayerParser {
 public:
  LayerParser(std::string_view text, const TransformerBlock& transformer, const SsmBlock& ssm)
      : text_(text), transformer_(transformer), ssm_(ssm) {}

  std::vector<Block> parse() {
    std::vector<Block> layers = list(0);
    if (at_ != text_.size()) fail("unexpected '" + std::string(text_.substr(at_)) + "'");
    return layers;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError("architecture '" + std::string(text_) + "': " + what +
                     "; write blocks TF and SSM separated by commas, repeated like SSM*3 or (SSM,TF)*2");
  }

  [[nodiscard]] bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

  std::vector<Block> list(int depth) {
    std::vector<Block> layers = item(depth);
    while (next_is(',')) {
      ++at_;
      const std::vector<Block> more = item(depth);
      layers.insert(layers.end(), more.begin(), more.end());
      if (layers.size() > kMostLayers) fail("more than 1000 layers");
    }
    return layers;
  }

  std::vector<Block> item(int depth) {
    std::vector<Block> layers;
    if (next_is('(')) {
      if (depth > 8) fail("parentheses nested more than 8 deep");
      ++at_;
      layers = list(depth + 1);
      if (!next_is(')')) fail("a ')' is missing");
      ++at_;
    } else if (text_.substr(at_, 3) == "SSM") {
      at_ += 3;
      layers.emplace_back(ssm_);
    } else if (text_.substr(at_, 2) == "TF") {
      at_ += 2;
      layers.emplace_back(transformer_);
    } else {
      fail("unknown block at '" + std::string(text_.substr(at_)) + "'");
    }
    if (!next_is('*')) return layers;
    ++at_;
    const std::size_t count = number();
    if (count < 1 || count * layers.size() > kMostLayers) fail("a repetition must give 1 to 1000 layers");
    std::vector<Block> repeated;
    for (std::size_t i = 0; i < count; ++i) repeated.insert(repeated.end(), layers.begin(), layers.end());
    return repeated;
  }

  std::size_t number() {
    std::size_t value = 0;
    std::size_t digits = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && digits < 5) {
      value = value * 10 + static_cast<std::size_t>(text_[at_] - '0');
      ++at_;
      ++digits;
    }
    if (digits == 0) fail("a number must follow '*'");
    return value;
  }

  static constexpr std::size_t kMostLayers = 1000;
  std::string_view text_;
  const TransformerBlock& transformer_;
  const SsmBlock& ssm_;
  std::size_t at_ = 0;
};

void require(bool condition, const std::string& sentence) {
  if (!condition) throw InputError(sentence);
}

std::string value(const char* name, int number) { return std::string(name) + " " + std::to_string(number); }

void validate_block(const TransformerBlock& block, int width) {
  require(block.heads >= 1 && width % block.heads == 0,
          value("heads", block.heads) + " must be at least 1 and divide the model width " + std::to_string(width));
  require(block.window >= 1, value("window", block.window) + " must be at least 1: it counts the position itself");
  const int head_width = width / block.heads;
  require(block.rotary_width >= 0 && block.rotary_width % 2 == 0 && block.rotary_width <= head_width,
          value("rotary width", block.rotary_width) + " must be even and at most the head width " +
              std::to_string(head_width));
  require(block.rotary_base > 1, "rotary base " + std::to_string(block.rotary_base) + " must be above 1");
}

void validate_block(const SsmBlock& block, int width) {
  require(block.state_size >= 1 && block.state_size <= 65536,
          value("state size", block.state_size) + " must lie in 1..65536");
  require(block.kernel >= 0 && block.kernel <= 1024,
          value("convolution width", block.kernel) + " must lie in 0..1024 (0 is off)");
  require(inner_width(block, width) >= 1, value("inner width", block.inner_width) + " must be at least 1");
  require(step_rank(block, width) >= 1, value("step rank", block.step_rank) + " must be at least 1");
}

}  // namespace

int inner_width(const SsmBlock& block, int width) { return block.inner_width != 0 ? block.inner_width : 2 * width; }

int step_rank(const SsmBlock& block, int width) { return block.step_rank != 0 ? block.step_rank : (width + 15) / 16; }

int rotary_width(double fraction, int head_width) {
  require(fraction >= 0 && fraction <= 1, "rotary fraction " + std::to_string(fraction) + " must lie in 0..1");
  const int width = 2 * static_cast<int>(std::ceil(fraction * head_width / 2));
  require(width <= head_width, "rotary fraction " + std::to_string(fraction) + " needs " + std::to_string(width) +
                                   " coordinates, more than the head width " + std::to_string(head_width));
  return width;
}

std::vector<Block> parse_layers(std::string_view text, const TransformerBlock& transformer, const SsmBlock& ssm) {
  return LayerParser(text, transformer, ssm).parse();
}

std::string layers_text(const Architecture& architecture) {
  std::string text;
  for (const Block& block : architecture.layers) {
    if (!text.empty()) text += ',';
    text += std::holds_alternative<SsmBlock>(block) ? "SSM" : "TF";
  }
  return text;
}

void validate(const Architecture& architecture) {
  constexpr int kMostWidth = 1 << 16;
  require(architecture.width >= 1 && architecture.width <= kMostWidth,
          value("model width", architecture.width) + " must lie in 1..65536");
  require(architecture.vocabulary >= 1 && architecture.vocabulary <= (1 << 24),
          value("vocabulary", architecture.vocabulary) + " must lie in 1..16777216");
  require(!architecture.layers.empty(), "a model needs at least one layer");
  for (const Block& block : architecture.layers) {
    std::visit([&](const auto& b) { validate_block(b, architecture.width); }, block);
  }
  for (const PositionCodeSpec& code : architecture.position_codes) {
    require(code.offset >= 0 && code.bits >= 1 && code.bits <= 63 && code.offset + code.bits <= architecture.width,
            value("position code bits", code.bits) + " must lie in 1..63 and fit into the model width");
    require(code.delay >= 0, value("position code delay", code.delay) + " must be at least 0");
  }
}

}  // namespace hyseq::models
