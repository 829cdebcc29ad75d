#include "proofs_check/receptive_field/verify.hpp"

#include "kernels/base/error.hpp"
#include "proofs_check/certificate_draft.hpp"
#include "proofs_check/receptive_field/checks.hpp"
#include "proofs_check/receptive_field/window_table.hpp"
#include "proofs_check/residual_classes/counting.hpp"

namespace hyseq::proofs_check {

results::Certificate verify_receptive_field_3_7(const ReceptiveFieldRequest& request) {
  constexpr std::uint64_t kMost = 1000000;
  if (request.architectures < 1 || request.architectures > kMost) {
    throw InputError("the number of architectures is " + std::to_string(request.architectures) +
                     ", allowed is 1 to 1000000");
  }
  CertificateDraft draft("3.7", "lower bound", "double", request.progress);
  results::Certificate& certificate = draft.certificate();
  certificate.parameters = {{"architectures", request.architectures}, {"stored_models", request.stored.size()}};
  draft.run("random_models", [&] { return random_models_check(request); });
  draft.run("engines", [&] { return engines_check(request); });
  draft.run("recurrent", [&] { return recurrent_check(request); });
  draft.run("trained_models", [&] { return trained_check(request); });
  if (!request.stored.empty()) draft.run("stored_models", [&] { return stored_check(request); });
  draft.run("pairs", [&] { return pairs_check(request); });
  draft.run("window", [&] {
    return window_check({selective_copy_windows({2, 0, 2}, 7), selective_copy_windows({2, 1, 2}, 7),
                         decode_recall_windows(1, 7), decode_recall_last_windows(2, 8)},
                        256);
  });
  draft.run("controls", [&] { return field_controls_check(request); });
  conclude(
      certificate, "certified",
      "in the sharp form sum (W_i - 1) >= R with windows that count their own position (the printed sum W_i >= R is "
      "sharp where they do not, true but " +
          std::string("too low by the number of layers where they do); every stack by proof, ") +
          std::to_string(request.architectures) + " random architectures in double, bit by bit");
  return draft.finish();
}

}  // namespace hyseq::proofs_check
