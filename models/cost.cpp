#include "models/cost.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace hyseq::models {
namespace {

using kernels::CarryInfo;
using kernels::CarryKind;

double size(int extent) { return extent; }

struct Flops {
  double visible_keys;

  double operator()(const kernels::Embedding& /*lookup*/) const { return 0; }
  double operator()(const kernels::PositionCode& call) const { return size(call.out.width); }
  double operator()(const kernels::LayerNorm& call) const { return 8 * size(call.in.width) + 4; }
  double operator()(const kernels::RmsNorm& call) const { return 4 * size(call.in.width) + 3; }
  double operator()(const kernels::Linear& call) const {
    const double bias = call.bias == kernels::kNoParameter ? 0 : size(call.out.width);
    return 2 * size(call.in.width) * size(call.out.width) + bias;
  }
  double operator()(const kernels::CausalConv& call) const { return size(call.in.width) * (2 * size(call.kernel) + 1); }
  double operator()(const kernels::SelectiveScan& call) const {
    return size(call.u.width) * (7 * size(call.input.width) + 3);
  }
  double operator()(const kernels::Rotary& call) const {
    return 6 * size(call.heads) * static_cast<double>(call.turns.size());
  }
  double operator()(const kernels::WindowAttention& call) const {
    return visible_keys * (4 * size(call.q.width) + 5 * size(call.heads));
  }
  double operator()(const kernels::Activate& call) const {
    switch (call.activation) {
      case kernels::Activation::identity:
        return 0;
      case kernels::Activation::silu:
        return 4 * size(call.in.width);
      case kernels::Activation::gelu:
        return 5 * size(call.in.width);
      case kernels::Activation::softplus:
        return 3 * size(call.in.width);
    }
    return 0;
  }
  double operator()(const kernels::Add& call) const { return size(call.out.width); }
  double operator()(const kernels::Multiply& call) const { return size(call.out.width); }
  double operator()(const kernels::Dropout& call) const { return size(call.out.width); }
};

/// The buffer that an operation writes, by which it is attributed to a layer.
struct Written {
  int operator()(const kernels::Rotary& call) const { return call.data.buffer; }
  template <class Call>
  int operator()(const Call& call) const {
    return call.out.buffer;
  }
};

std::uint64_t numbers_held(const CarryInfo& carry, std::uint64_t positions) {
  const auto channels = static_cast<std::uint64_t>(carry.channels);
  if (carry.kind == CarryKind::attention) return 2 * channels * positions;
  return channels * static_cast<std::uint64_t>(carry.depth);
}

std::uint64_t numbers_generating(const CarryInfo& carry, std::uint64_t length) {
  return numbers_held(carry, std::min(length, static_cast<std::uint64_t>(carry.depth)));
}

std::uint64_t bits(NumberFormat format) { return 8 * static_cast<std::uint64_t>(bytes(format)); }

}  // namespace

double operation_flops(const kernels::Operation& operation, double visible_keys) {
  return std::visit(Flops{visible_keys}, operation);
}

double mean_visible_keys(std::uint64_t length, int window) {
  // The first `growing` positions see 1, 2, .. keys, the others `growing`, which is the whole window.
  const auto growing = static_cast<double>(std::min(length, static_cast<std::uint64_t>(window)));
  const auto all = static_cast<double>(length);
  return (growing * (growing + 1) / 2 + (all - growing) * growing) / all;
}

std::uint64_t state_bytes(const kernels::Program& program, std::uint64_t length, NumberFormat format) {
  std::uint64_t numbers = 0;
  for (const CarryInfo& carry : program.carries) numbers += numbers_generating(carry, length);
  return numbers * static_cast<std::uint64_t>(bytes(format));
}

std::uint64_t working_memory_bits(const CarryInfo& carry, std::uint64_t length, NumberFormat format) {
  const std::uint64_t before = static_cast<std::uint64_t>(std::max(carry.depth, 1)) - 1;
  return numbers_held(carry, std::min(length, before)) * bits(format);
}

std::uint64_t working_memory_bits(const kernels::Program& program, std::uint64_t length, NumberFormat format) {
  std::uint64_t sum = 0;
  for (const CarryInfo& carry : program.carries) sum += working_memory_bits(carry, length, format);
  return sum;
}

Cost cost(const kernels::Program& program, std::uint64_t length, NumberFormat format) {
  if (length == 0) throw InputError("length 0 must be at least 1");
  Cost result;
  result.embedding.name = "embedding";
  result.head.name = "head";
  result.total.name = "model";
  const auto part = [&](const std::string& name) -> PartCost& {
    const std::string start = "layers.";
    if (name.rfind(start, 0) != 0) {
      return name.rfind("embedding", 0) == 0 ? result.embedding : result.head;
    }
    const std::string layer = name.substr(0, name.find('.', start.size()));
    if (result.layers.empty() || result.layers.back().name != layer) {
      for (PartCost& known : result.layers) {
        if (known.name == layer) return known;
      }
      result.layers.emplace_back().name = layer;
    }
    return result.layers.back();
  };

  for (const kernels::ParameterInfo& parameter : program.parameters) {
    part(parameter.name).parameters += parameter.size();
  }
  for (const kernels::Operation& operation : program.forward) {
    const auto* attention = std::get_if<kernels::WindowAttention>(&operation);
    const double keys = attention == nullptr ? 0 : mean_visible_keys(length, attention->window);
    const auto buffer = static_cast<std::size_t>(std::visit(Written{}, operation));
    part(program.buffers[buffer].name).flops_per_token_forward += operation_flops(operation, keys);
  }
  for (const CarryInfo& carry : program.carries) {
    PartCost& layer = part(carry.name);
    layer.state_bytes += numbers_generating(carry, length) * static_cast<std::uint64_t>(bytes(format));
    layer.working_memory_bits += working_memory_bits(carry, length, format);
  }

  const auto finish = [&](PartCost& each) {
    each.flops_per_token_training = 3 * each.flops_per_token_forward;
    result.total.parameters += each.parameters;
    result.total.flops_per_token_forward += each.flops_per_token_forward;
    result.total.flops_per_token_training += each.flops_per_token_training;
    result.total.state_bytes += each.state_bytes;
    result.total.working_memory_bits += each.working_memory_bits;
  };
  finish(result.embedding);
  for (PartCost& layer : result.layers) finish(layer);
  finish(result.head);
  return result;
}

}  // namespace hyseq::models
