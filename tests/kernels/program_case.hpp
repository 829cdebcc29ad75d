// Programs of a single operation with everything that they run on, for the engine suite.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/engine.hpp"

namespace hyseq::kernels {

/// What becomes of one gradient of a backward call.
enum class Sink { overwrite, accumulate, unwanted };

struct ProgramCase {
  std::string name;
  Program program;
  ParameterValues parameters;
  std::vector<std::vector<double>> buffers;    // outputs are NaN before the run
  std::vector<std::vector<double>> gradients;  // likewise what a call overwrites
  std::size_t batch = 1;
  std::size_t time = 1;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> segments;
  std::vector<std::int32_t> targets;
  std::int32_t valid_below = 0;
  DropoutKey dropout{3, 17};

  /// The derivative that backward takes: of sum over `outputs` of value times gradient (or of the mean cross-entropy of
  /// `logits` where there are targets) by the elements of `inputs` and by all parameters.
  struct Link {
    View forward;
    View gradient;
  };
  std::vector<Link> outputs;
  struct Input {
    View forward;
    GradientView gradient;
  };
  std::vector<Input> inputs;
  bool small = true;  // cheap enough to differentiate by every element

  [[nodiscard]] std::size_t rows() const { return batch * time; }
  [[nodiscard]] bool has_backward() const { return !program.backward.empty(); }
  /// All values rounded to the format, as an engine of that format sees them.
  [[nodiscard]] ProgramCase rounded(NumberFormat format) const;
  [[nodiscard]] ExecuteRequest request(NumberFormat format) const;
};

/// Writes a ProgramCase. Every view lies somewhere inside a wider buffer whose other columns must come out untouched.
class CaseBuilder {
 public:
  CaseBuilder(std::string name, std::size_t batch, std::size_t time);

  View input(std::size_t width, double scale = 1);
  View input(std::size_t width, const std::vector<double>& values);
  View output(std::size_t width);
  ParameterId parameter(std::vector<std::size_t> shape, double scale = 1);
  CarryId carry(CarryKind kind, std::size_t channels, std::size_t depth);

  /// The gradient that arrives at an output of the forward call.
  View arriving(const View& output);
  /// The gradient that the call sends to one of its inputs.
  GradientView leaving(const View& input, Sink sink);

  /// Packs the rows: segments end after 1, 3, 4, 8, 9, 13 .. positions, differently in every row.
  void pack();
  void forward(Operation operation) { made_.program.forward = {std::move(operation)}; }
  void backward(BackwardOperation operation) { made_.program.backward = {std::move(operation)}; }
  [[nodiscard]] ProgramCase& made() { return made_; }
  [[nodiscard]] std::vector<double> normals(std::size_t count, double scale);

 private:
  View place(std::vector<BufferInfo>& infos, std::vector<std::vector<double>>& buffers, std::size_t width,
             const std::vector<double>& values);

  ProgramCase made_;
  std::uint64_t seed_ = 0;
};

/// All combinations worth having for a call with `count` gradients: all overwrite, all accumulate, alternating, none
/// wanted, and each one unwanted.
[[nodiscard]] std::vector<std::vector<Sink>> sink_choices(std::size_t count);
[[nodiscard]] std::string text(const std::vector<Sink>& sinks);

/// A named family of cases, one test of the suite each.
struct CaseGroup {
  const char* name;
  std::vector<ProgramCase> (*make)();
};
[[nodiscard]] const std::vector<CaseGroup>& case_groups();

}  // namespace hyseq::kernels
