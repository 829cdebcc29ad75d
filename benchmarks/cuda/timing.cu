#include <algorithm>
#include <random>

#include "benchmarks/cuda/timing.hpp"

#include "kernels/adamw/cuda.hpp"
#include "kernels/base/error.hpp"
#include "kernels/cuda/gpu.hpp"
#include "kernels/cuda/session.hpp"
#include "kernels/cuda/watch.hpp"
#include "models/initialise.hpp"

namespace hyseq::benchmarks {

using namespace kernels;        // NOLINT(google-build-using-namespace)
using namespace kernels::cuda;  // NOLINT(google-build-using-namespace)

/// Does nothing for so many cycles: long enough for the host to give what comes behind it, which then follows without a
/// gap.
struct Spin {
  static constexpr bool kCooperative = false;
  long long cycles = 0;
  HYSEQ_DEVICE void operator()(const Thread& /*thread*/) const {
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
  }
};

/// Numbers of either sign around zero, which products of random data need: on equal ones a GPU draws less power and
/// runs faster.
struct Scatter {
  static constexpr bool kCooperative = false;
  Span<float> data;
  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t i = thread.global_index();
    if (i >= data.size()) return;
    auto bits = static_cast<unsigned>(i) * 2654435761U;
    bits ^= bits >> 15U;
    bits *= 2246822519U;
    bits ^= bits >> 13U;
    data[i] = static_cast<float>(bits) * 0x1p-31F - 1.0F;
  }
};

namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "make an event"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(Stream& stream) const { check(cudaEventRecord(event_, stream.handle()), "record an event"); }
  [[nodiscard]] double seconds_since(const Event& begin) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "tell a time");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Times every launch that a stream is given, one round after the other.
class StopWatch final : public Watch {
 public:
  explicit StopWatch(Stream& stream) : stream_(stream) {}

  void see(const std::type_info& what, const std::function<void()>& give) override {
    if (next_ == launches_.size()) launches_.push_back({kernel_name(what), {}, {}, {}});
    Launch& launch = launches_[next_++];
    if (!launch.begin) {
      launch.begin = std::make_unique<Event>();
      launch.end = std::make_unique<Event>();
    }
    stream_.show(nullptr);
    constexpr long long kCycles = 40000;  // about 20 microseconds
    cuda::launch(stream_, {{1, 1, 1}, 32, 0}, Spin{kCycles});
    stream_.show(this);
    launch.begin->record(stream_);
    give();
    launch.end->record(stream_);
  }

  /// All launches of a round have been given.
  void end_round() {
    stream_.wait();
    for (Launch& launch : launches_) launch.seconds.push_back(launch.end->seconds_since(*launch.begin));
    next_ = 0;
  }

  [[nodiscard]] std::vector<TimedLaunch> medians() const {
    std::vector<TimedLaunch> medians;
    for (const Launch& launch : launches_) medians.push_back({launch.kernel, median(launch.seconds)});
    return medians;
  }

 private:
  struct Launch {
    std::string kernel;
    std::unique_ptr<Event> begin;
    std::unique_ptr<Event> end;
    std::vector<double> seconds;
  };
  Stream& stream_;
  std::vector<Launch> launches_;
  std::size_t next_ = 0;
};

/// Runs round() as often, with all launches timed. The first time is for memory and caches.
template <class Round>
std::vector<TimedLaunch> watch_rounds(Stream& stream, int rounds, const Round& round) {
  round();
  stream.wait();
  StopWatch watch(stream);
  stream.show(&watch);
  for (int i = 0; i < rounds; ++i) {
    round();
    watch.end_round();
  }
  stream.show(nullptr);
  return watch.medians();
}

/// Of two events with nothing but an empty kernel between.
double empty_seconds(Stream& stream) {
  return watch_rounds(stream, 101, [&] { launch(stream, {{1, 1, 1}, 32, 0}, Spin{0}); }).front().seconds;
}

/// Operations a second of square products.
double product_rate(Stream& stream, std::size_t size, Factors factors) {
  DeviceArray<float> a(size * size);
  DeviceArray<float> b(size * size);
  DeviceArray<float> c(size * size);
  for (DeviceArray<float>* array : {&a, &b}) {
    launch(stream, {blocks(array->size(), 256), 256, 0}, Scatter{array->span()});
  }
  Product<float> product;
  product.rows = product.columns = product.inner = size;
  product.a = {a.span(), size, 0};
  product.b = {b.span(), size, 0};
  product.c = {c.span(), size, 0};
  product.factors = factors;
  const std::vector<TimedLaunch> launches = watch_rounds(stream, 20, [&] { multiply(stream, product); });
  const double edge = static_cast<double>(size);
  return 2 * edge * edge * edge / launches.back().seconds;
}

}  // namespace

std::vector<TimedLaunch> time_launches(const Program& training, const StepSizes& sizes, int rounds) {
  Stream stream;
  const ParameterLayout layout(training);
  const std::size_t numbers = sizes.members * layout.step;
  DeviceArray<float> values(numbers);
  DeviceArray<float> gradients(numbers);
  DeviceArray<float> first(numbers);
  DeviceArray<float> second(numbers);
  DeviceArray<LossSums> sums(sizes.members);
  for (DeviceArray<float>* array : {&first, &second}) zero(stream, array->span());
  for (std::size_t m = 0; m < sizes.members; ++m) {
    upload_member(layout, models::initialise(training, m), m, stream, values);
  }
  Session<float> session(training, layout, stream, sizes.members, values.span(), gradients.span(),
                         sizes.bfloat16 ? Factors::bfloat16 : Factors::full);
  Optimiser<float> optimiser(layout, sizes.members, AdamW(), Clip(), stream);

  const std::size_t cells = sizes.batch * sizes.time;
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int32_t> any(0, training.vocabulary - 1);
  std::vector<std::int32_t> tokens(sizes.members * cells);
  std::vector<std::int32_t> targets(tokens.size());
  for (std::int32_t& token : tokens) token = any(random);
  for (std::int32_t& target : targets) target = any(random);
  Rows rows;
  rows.members = sizes.members;
  rows.batch = sizes.batch;
  rows.time = sizes.time;
  rows.tokens = tokens;
  rows.targets = targets;
  rows.valid_below = training.vocabulary;
  session.place(rows, true);
  StepValues step;
  step.correction1 = 0.1;
  step.correction2 = 0.001;
  session.set_step(step, std::vector<MemberStepValues>(sizes.members, {7, 1 / static_cast<double>(cells), 1e-4}));

  const double empty = empty_seconds(stream);
  std::vector<TimedLaunch> launches = watch_rounds(stream, rounds, [&] {
    zero(stream, gradients.span());
    zero(stream, sums.span());
    session.forward();
    session.loss(sums.span());
    session.backward();
    optimiser.update(stream, {values.span(), gradients.span(), first.span(), second.span()}, sums.span(),
                     session.step(), session.member_steps());
  });
  for (TimedLaunch& launch : launches) launch.seconds = std::max(0.0, launch.seconds - empty);
  return launches;
}

MeasuredCeilings measure_ceilings() {
  const GpuState state = find_gpu();
  if (!state.gpu) throw EnvironmentError("nothing can be timed: " + state.reason);
  Stream stream;
  MeasuredCeilings measured;
  measured.processors = state.gpu->processors;
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0), "tell its clock");
  measured.clock = 1e3 * kilohertz;
  {
    constexpr std::size_t kBytes = std::size_t{2} << 30;
    DeviceArray<float> from(kBytes / sizeof(float));
    DeviceArray<float> to(from.size());
    launch(stream, {blocks(from.size(), 256), 256, 0}, Scatter{from.span()});
    const auto copy = [&] {
      check(cudaMemcpyAsync(to.span().data(), from.span().data(), kBytes, cudaMemcpyDeviceToDevice, stream.handle()),
            "copy");
    };
    const auto timed = watch_rounds(stream, 20, [&] { stream.submit(typeid(Scatter), copy); });
    measured.copy = 2 * static_cast<double>(kBytes) / timed.front().seconds;
  }
  measured.products_bfloat16 = product_rate(stream, 8192, Factors::bfloat16);
  measured.products_float = product_rate(stream, 4096, Factors::full);
  return measured;
}

}  // namespace hyseq::benchmarks
