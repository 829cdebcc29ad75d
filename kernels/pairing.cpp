#include "kernels/pairing.hpp"

#include <type_traits>
#include <variant>

#include "kernels/base/error.hpp"

namespace hyseq::kernels {
namespace {

/// The columns that tell a call from all others of its kind: those it writes.
template <class Call>
const View& written(const Call& call) {
  if constexpr (requires { call.data; }) {
    return call.data;
  } else {
    return call.out;
  }
}

}  // namespace

std::size_t forward_index(const Program& program, const BackwardOperation& backward) {
  return std::visit(
      [&](const auto& operation) -> std::size_t {
        if constexpr (requires { operation.call; }) {
          using Call = std::decay_t<decltype(operation.call)>;
          const View& out = written(operation.call);
          for (std::size_t i = 0; i < program.forward.size(); ++i) {
            const auto* call = std::get_if<Call>(&program.forward[i]);
            if (call == nullptr) continue;
            const View& view = written(*call);
            if (view.buffer == out.buffer && view.offset == out.offset && view.width == out.width) return i;
          }
          throw InputError("a backward call can only run behind its forward call, which the program lacks");
        } else {
          return program.forward.size();
        }
      },
      backward);
}

}  // namespace hyseq::kernels
