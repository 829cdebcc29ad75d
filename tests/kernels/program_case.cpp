#include "tests/kernels/program_case.hpp"

#include <cmath>
#include <limits>

#include "kernels/base/numbers/numbers.hpp"
#include "kernels/base/random.hpp"

namespace hyseq::kernels {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double round_to(NumberFormat format, double value) {
  switch (format) {
    case NumberFormat::float64:
      return value;
    case NumberFormat::float32:
      return static_cast<double>(static_cast<float>(value));
    case NumberFormat::bfloat16:
      return numbers::Numeric<numbers::BFloat16>::to_double(numbers::Numeric<numbers::BFloat16>::from_double(value));
    case NumberFormat::float16:
      return numbers::Numeric<numbers::Half>::to_double(numbers::Numeric<numbers::Half>::from_double(value));
  }
  return kNaN;
}

}  // namespace

ProgramCase ProgramCase::rounded(NumberFormat format) const {
  ProgramCase result = *this;
  for (auto* arrays : {&result.parameters, &result.buffers, &result.gradients}) {
    for (auto& array : *arrays) {
      for (double& value : array) value = round_to(format, value);
    }
  }
  return result;
}

ExecuteRequest ProgramCase::request(NumberFormat format) const {
  ExecuteRequest request;
  request.program = &program;
  request.parameters = &parameters;
  request.format = format;
  request.batch = batch;
  request.time = time;
  request.tokens = tokens;
  request.segments = segments;
  request.targets = targets;
  request.valid_below = valid_below;
  request.dropout = dropout;
  request.buffers = &buffers;
  request.gradients = &gradients;
  request.backward = has_backward();
  return request;
}

CaseBuilder::CaseBuilder(std::string name, std::size_t batch, std::size_t time) {
  made_.name = std::move(name) + ", batch " + std::to_string(batch) + ", time " + std::to_string(time);
  made_.batch = batch;
  made_.time = time;
  made_.program.vocabulary = 1;
}

std::vector<double> CaseBuilder::normals(std::size_t count, double scale) {
  std::vector<double> values;
  ++seed_;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(scale * normal_real({seed_, Purpose::verification}, 0, i));
  }
  return values;
}

View CaseBuilder::place(std::vector<BufferInfo>& infos, std::vector<std::vector<double>>& buffers, std::size_t width,
                        const std::vector<double>& values) {
  const std::size_t before = (buffers.size() * 2 + 1) % 4;
  const std::size_t stride = before + width + buffers.size() % 3;
  infos.push_back({"buffer." + std::to_string(buffers.size()), static_cast<int>(stride)});
  std::vector<double> whole = normals(made_.rows() * stride, 1);
  for (std::size_t row = 0; row < made_.rows(); ++row) {
    for (std::size_t c = 0; c < width; ++c) whole[row * stride + before + c] = values[row * width + c];
  }
  buffers.push_back(std::move(whole));
  return {static_cast<int>(buffers.size()) - 1, static_cast<int>(before), static_cast<int>(width)};
}

View CaseBuilder::input(std::size_t width, const std::vector<double>& values) {
  return place(made_.program.buffers, made_.buffers, width, values);
}
View CaseBuilder::input(std::size_t width, double scale) { return input(width, normals(made_.rows() * width, scale)); }
View CaseBuilder::output(std::size_t width) { return input(width, std::vector<double>(made_.rows() * width, kNaN)); }

ParameterId CaseBuilder::parameter(std::vector<std::size_t> shape, double scale) {
  const auto id = static_cast<ParameterId>(made_.parameters.size());
  made_.program.parameters.push_back({"parameter." + std::to_string(id), std::move(shape)});
  made_.parameters.push_back(normals(made_.program.parameters.back().size(), scale));
  return id;
}

CarryId CaseBuilder::carry(CarryKind kind, std::size_t channels, std::size_t depth) {
  made_.program.carries.push_back({"layer.carry", kind, static_cast<int>(channels), static_cast<int>(depth)});
  return static_cast<CarryId>(made_.program.carries.size()) - 1;
}

View CaseBuilder::arriving(const View& output) {
  const auto width = static_cast<std::size_t>(output.width);
  const View gradient = place(made_.program.gradients, made_.gradients, width, normals(made_.rows() * width, 1));
  made_.outputs.push_back({output, gradient});
  return gradient;
}

GradientView CaseBuilder::leaving(const View& input, Sink sink) {
  if (sink == Sink::unwanted) return {};
  const std::size_t size = made_.rows() * static_cast<std::size_t>(input.width);
  const bool overwrite = sink == Sink::overwrite;
  const View view = place(made_.program.gradients, made_.gradients, static_cast<std::size_t>(input.width),
                          overwrite ? std::vector<double>(size, kNaN) : normals(size, 1));
  const GradientView gradient{view, overwrite ? GradientMode::overwrite : GradientMode::accumulate};
  made_.inputs.push_back({input, gradient});
  return gradient;
}

void CaseBuilder::pack() {
  made_.name += ", packed";
  constexpr std::size_t lengths[] = {1, 2, 1, 4, 1, 4};
  for (std::size_t b = 0; b < made_.batch; ++b) {
    std::int32_t id = 7;
    std::size_t next = b;
    std::size_t left = lengths[next % 6];
    for (std::size_t t = 0; t < made_.time; ++t) {
      if (left == 0) {
        --id;  // any change of the id starts a segment
        left = lengths[++next % 6];
      }
      made_.segments.push_back(id);
      --left;
    }
  }
}

std::vector<std::vector<Sink>> sink_choices(std::size_t count) {
  std::vector<std::vector<Sink>> choices;
  for (const Sink sink : {Sink::overwrite, Sink::accumulate, Sink::unwanted}) choices.emplace_back(count, sink);
  if (count == 1) return choices;
  for (std::size_t one = 0; one < count; ++one) {
    std::vector<Sink> sinks;
    for (std::size_t i = 0; i < count; ++i) sinks.push_back(i % 2 == 0 ? Sink::overwrite : Sink::accumulate);
    choices.push_back(sinks);
    choices.back()[one] = Sink::unwanted;
  }
  return choices;
}

std::string text(const std::vector<Sink>& sinks) {
  std::string result;
  for (const Sink sink : sinks) {
    result += sink == Sink::overwrite ? " overwrite" : sink == Sink::accumulate ? " accumulate" : " unwanted";
  }
  return result.empty() ? result : "," + result;
}

}  // namespace hyseq::kernels
