// Names of contents: 128-bit hashes as text.
#pragma once

#include <cstddef>
#include <string>

namespace hyseq::trainers {

/// 32 hexadecimal digits of the bytes, an RFC 4122 version 5 name (SHA-1, 122 of its bits). With the hash of what came
/// before as `previous`, several pieces become one hash.
[[nodiscard]] std::string content_hash(const void* bytes, std::size_t size, const std::string& previous = "");
[[nodiscard]] std::string content_hash(const std::string& text);

}  // namespace hyseq::trainers
