// A program: a flat list of operation calls over named parameters, buffers and carries. models/ writes programs,
// engines execute them, and nothing but the lowering knows an architecture.
//
// Sizes are symbolic: a buffer has `width` columns and as many rows as the engine is given (batch x time), so the same
// program runs whole sequences, single steps of a stream (time 1) and siblings of a prefix tree (batch). The backward
// program is a second list over the same parameters and buffers, with gradient buffers of its own; no forward buffer is
// overwritten later in the forward list (a rotation works in place), so what a backward call needs is still there.
// Backward runs on whole sequences: what a carry brings in is a constant to it.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "kernels/base/view.hpp"
#include "kernels/causal_conv/causal_conv.hpp"
#include "kernels/dropout/dropout.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/embedding/embedding.hpp"
#include "kernels/layer_norm/layer_norm.hpp"
#include "kernels/linear/linear.hpp"
#include "kernels/rms_norm/rms_norm.hpp"
#include "kernels/rotary/rotary.hpp"
#include "kernels/selective_scan/selective_scan.hpp"
#include "kernels/softmax_cross_entropy/softmax_cross_entropy.hpp"
#include "kernels/window_attention/window_attention.hpp"

namespace hyseq::kernels {

using Operation = std::variant<Embedding, PositionCode, LayerNorm, RmsNorm, Linear, CausalConv, SelectiveScan, Rotary,
                               WindowAttention, Activate, Add, Multiply, Dropout>;

using BackwardOperation =
    std::variant<CrossEntropyBackward, EmbeddingBackward, LayerNormBackward, RmsNormBackward, LinearBackward,
                 CausalConvBackward, SelectiveScanBackward, RotaryBackward, WindowAttentionBackward, ActivateBackward,
                 AddBackward, MultiplyBackward, DropoutBackward>;

/// How a parameter starts when it is trained (docs/models.md, section 4).
enum class Initialiser { normal, zeros, ones, convolution, log_index };

struct ParameterInfo {
  std::string name;                // "layers.0.ssm.in_proj.weight"
  std::vector<std::size_t> shape;  // weights are [out, in]
  Initialiser initialiser = Initialiser::normal;

  [[nodiscard]] std::size_t size() const {
    std::size_t product = 1;
    for (const std::size_t extent : shape) product *= extent;
    return product;
  }
};

struct BufferInfo {
  std::string name;  // "layers.0.ssm.step"
  int width = 0;
};

enum class CarryKind { scan_state, conv_tail, attention };

/// What one stateful operation hands from a piece of a sequence to the next, per batch row.
struct CarryInfo {
  std::string name;  // "layers.0.ssm.state"
  CarryKind kind = CarryKind::scan_state;
  int channels = 0;
  int depth = 0;  // states per channel; kernel - 1 inputs; attention window
};

struct Program {
  std::vector<ParameterInfo> parameters;
  std::vector<BufferInfo> buffers;
  std::vector<CarryInfo> carries;
  std::vector<Operation> forward;
  std::size_t head_begin = 0;  // forward[head_begin ..] is the final norm and the output head
  View hidden;                 // output of the last layer
  View logits;
  int vocabulary = 0;
  std::vector<BufferInfo> gradients;        // gradient buffers; one may serve several forward buffers in turn
  std::vector<BackwardOperation> backward;  // empty until models::differentiate has written it

  [[nodiscard]] std::size_t parameter_count() const {
    std::size_t sum = 0;
    for (const ParameterInfo& parameter : parameters) sum += parameter.size();
    return sum;
  }
};

/// Parameter values in the order of Program::parameters, in double; an engine rounds them to its number format.
using ParameterValues = std::vector<std::vector<double>>;

}  // namespace hyseq::kernels
