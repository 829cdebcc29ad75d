// The two levels of Theorem 4.6's construction; callers use decode_recall.hpp.
#pragma once

#include "constructions/decode_recall.hpp"

namespace hyseq::constructions {

/// Both fill in a construction whose spec and token labels are set.
void build_faithful(DecodeRecallConstruction& c);
void build_streaming(DecodeRecallConstruction& c);

}  // namespace hyseq::constructions
