#include "trainers/content_hash.hpp"

#include <algorithm>

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/string_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

namespace hyseq::trainers {

std::string content_hash(const void* bytes, std::size_t size, const std::string& previous) {
  // The namespace of a version 5 name; a constant of the project for first pieces.
  const std::string before = previous.empty() ? "8e6b1c2e5d7f4a0f9b3a6f1d2c4e8a70" : previous;
  const boost::uuids::name_generator_sha1 generator(boost::uuids::string_generator()(before));
  std::string text = boost::uuids::to_string(generator(bytes, size));
  std::erase(text, '-');
  return text;
}

std::string content_hash(const std::string& text) { return content_hash(text.data(), text.size()); }

}  // namespace hyseq::trainers
