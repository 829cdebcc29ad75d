// Models from files: the same probe on trained weights.
#include <algorithm>

#include "models/lowering.hpp"
#include "proofs_check/receptive_field/verify.hpp"

namespace hyseq::proofs_check {

bool StoredField::passed() const {
  const bool outside = !outside_checked || findings.outside_equal;
  return findings.finite && findings.causal && outside && findings.edge_seen;
}

StoredField probe_stored(const models::ModelFile& model, const kernels::Engine& engine, NumberFormat format,
                         std::uint64_t seed) {
  constexpr std::uint64_t kBeyond = 8;  // tokens farther back than attention and convolutions reach
  StoredField stored;
  stored.field = receptive_field(model.architecture);
  const kernels::Program program = models::lower(model.architecture);
  ProbeRequest request;
  request.engine = &engine;
  request.format = format;
  request.seed = seed;
  request.claimed = std::min(kLongestProbe, stored.field.tokens + (stored.field.unlimited ? kBeyond : 0));
  stored.outside_checked = !stored.field.unlimited && stored.field.tokens <= kLongestProbe;
  if (!stored.outside_checked) request.outside = 0;
  stored.distance = request.claimed - 1;
  stored.length = static_cast<std::size_t>(request.claimed) + request.outside;
  stored.findings = probe(program, model.parameters, request);
  return stored;
}

}  // namespace hyseq::proofs_check
