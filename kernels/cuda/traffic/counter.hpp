// Counting one operation after the other: what traffic.cpp puts together.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "kernels/cuda/traffic/traffic.hpp"

namespace hyseq::kernels::cuda {

/// Sizes that all formulas share, and the launches so far.
struct Counter {
  const Program& program;
  StepSizes sizes;
  std::vector<KernelTraffic> launches{};
  Quantity members{"M", sizes.members};
  Quantity batch{"B", sizes.batch};
  Quantity time{"L", sizes.time};
  Quantity rows{"R", sizes.members* sizes.batch* sizes.time};  // M B L
  std::size_t member_rows = sizes.batch * sizes.time;

  struct Work {
    Quantity bytes;
    Quantity operations = 0;
    Quantity functions = 0;
    Quantity words = 0;
    Quantity products = 0;
  };
  void add(std::string kernel, std::string purpose, const Work& work) {
    launches.push_back({std::move(kernel), std::move(purpose), work.bytes, work.operations, work.functions, work.words,
                        work.products});
  }
};

/// 1 where a gradient adds to what is there, which it then reads, and else 0.
[[nodiscard]] inline Quantity adds(const GradientView& gradient) {
  return {"a", gradient.mode == GradientMode::accumulate ? 1 : 0};
}
/// The same of several gradients, and how many of them are wanted.
struct Gradients {
  int wanted = 0;
  Quantity adds = 0;

  explicit Gradients(std::initializer_list<GradientView> gradients) {
    std::string name = "a";
    for (const GradientView& gradient : gradients) {
      if (gradient.wanted()) {
        ++wanted;
        adds = adds + Quantity(name, hyseq::kernels::cuda::adds(gradient).value());
      }
      name += "'";
    }
  }
};
[[nodiscard]] inline std::size_t ceil_quotient(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

void count(const Embedding& call, Counter& counter);
void count(const PositionCode& call, Counter& counter);
void count(const LayerNorm& call, Counter& counter);
void count(const RmsNorm& call, Counter& counter);
void count(const Linear& call, Counter& counter);
void count(const CausalConv& call, Counter& counter);
void count(const SelectiveScan& call, Counter& counter);
void count(const Rotary& call, Counter& counter);
void count(const WindowAttention& call, Counter& counter);
void count(const Activate& call, Counter& counter);
void count(const Add& call, Counter& counter);
void count(const Multiply& call, Counter& counter);
void count(const Dropout& call, Counter& counter);

void count(const CrossEntropyBackward& call, Counter& counter);
void count(const EmbeddingBackward& call, Counter& counter);
void count(const LayerNormBackward& call, Counter& counter);
void count(const RmsNormBackward& call, Counter& counter);
void count(const LinearBackward& call, Counter& counter);
void count(const CausalConvBackward& call, Counter& counter);
void count(const SelectiveScanBackward& call, Counter& counter);
void count(const RotaryBackward& call, Counter& counter);
void count(const WindowAttentionBackward& call, Counter& counter);
void count(const ActivateBackward& call, Counter& counter);
void count(const AddBackward& call, Counter& counter);
void count(const MultiplyBackward& call, Counter& counter);
void count(const DropoutBackward& call, Counter& counter);

/// Losses and their sums.
void count_loss(const View& logits, Counter& counter);
/// Squares, their sums, and the update.
void count_update(Counter& counter);

}  // namespace hyseq::kernels::cuda
