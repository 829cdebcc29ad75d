// Whoever wants to see what is given to a stream, for benchmarks and tests.
#pragma once

#include <functional>
#include <string>
#include <typeinfo>

namespace hyseq::kernels::cuda {

class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual ~Watch() = default;

  /// A kernel, or a product. give() gives it to the stream, and has to be called. what: type of the kernel, or Product.
  virtual void see(const std::type_info& what, const std::function<void()>& give) = 0;
};

/// "ScanForward": the type's name without namespaces and arguments; of kernels that run a body over groups of columns
/// or sum terms over rows, that of the body or the terms.
[[nodiscard]] std::string kernel_name(const std::type_info& what);

}  // namespace hyseq::kernels::cuda
