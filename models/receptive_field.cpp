#include "models/receptive_field.hpp"

#include <variant>

namespace hyseq::models {

ReceptiveField receptive_field(const Architecture& architecture) {
  ReceptiveField field;
  for (const Block& block : architecture.layers) {
    if (const auto* attention = std::get_if<TransformerBlock>(&block)) {
      field.tokens += static_cast<std::uint64_t>(attention->window) - 1;
      field.total_window += static_cast<std::uint64_t>(attention->window);
      ++field.attention_layers;
    } else if (const auto* ssm = std::get_if<SsmBlock>(&block)) {
      field.tokens += ssm->kernel > 0 ? static_cast<std::uint64_t>(ssm->kernel) - 1 : 0;
      field.unlimited = true;
    }
  }
  return field;
}

}  // namespace hyseq::models
