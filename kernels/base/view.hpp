// Names of things inside a program: columns of a buffer, parameters, carries.
#pragma once

namespace hyseq::kernels {

/// Columns [offset, offset + width) of a buffer. A buffer holds one row of numbers per (batch row, time step),
/// row-major.
struct View {
  int buffer = -1;
  int offset = 0;
  int width = 0;

  [[nodiscard]] View columns(int first, int count) const { return {buffer, offset + first, count}; }
};

/// Whether a gradient is the first to reach its columns or adds to what is there.
enum class GradientMode { overwrite, accumulate };

/// Columns of a gradient buffer (Program::gradients) that a backward call writes. A view without a buffer: nothing
/// needs this gradient, the call leaves it out. Gradients of parameters always accumulate.
struct GradientView {
  View view;
  GradientMode mode = GradientMode::overwrite;

  [[nodiscard]] bool wanted() const { return view.buffer >= 0; }
};

/// Index into Program::parameters; kNoParameter where an operation runs without (a linear map without bias).
using ParameterId = int;
inline constexpr ParameterId kNoParameter = -1;

/// Index into Program::carries.
using CarryId = int;

}  // namespace hyseq::kernels
