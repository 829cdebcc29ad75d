// What a search for counterexamples found, as a certificate and in words.
#pragma once

#include <string>

#include "proofs_check/counterexample/search.hpp"
#include "results/certificate.hpp"

namespace hyseq::proofs_check {

/// "V0 #2 V1 -> expected V0 at position 2, got V1"; of a long sequence the tokens before the wrong position.
[[nodiscard]] std::string failure_text(const Failure& failure, const tasks::Vocabulary& vocabulary);

/// theorem "model", level: the task's name. Certified means that no sequence of up to so many tokens fails and that the
/// planted failures were found; what a guided search did not find is said and certifies nothing. The caller adds the
/// parameters that name the model and the task's options.
[[nodiscard]] results::Certificate certificate_of(const SearchRequest& request, const SearchResult& result);

}  // namespace hyseq::proofs_check
