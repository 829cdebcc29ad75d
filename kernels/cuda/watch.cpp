#include "kernels/cuda/watch.hpp"

#include <string_view>

#include <boost/core/demangle.hpp>

namespace hyseq::kernels::cuda {

std::string kernel_name(const std::type_info& what) {
  const std::string demangled = boost::core::demangle(what.name());
  std::string_view rest = demangled;
  for (;;) {
    const auto arguments = rest.find_first_of("<>,");
    std::string_view own = rest.substr(0, arguments);
    if (const auto scope = own.rfind(':'); scope != std::string_view::npos) own.remove_prefix(scope + 1);
    if (arguments == std::string_view::npos || (own != "OverGroups" && own != "SlabSums")) return std::string(own);
    rest.remove_prefix(arguments + 1);
  }
}

}  // namespace hyseq::kernels::cuda
