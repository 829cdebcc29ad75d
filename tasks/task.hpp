// What every task offers: a vocabulary, a labeller (input -> target) and a sampler (random stream -> input).
//
// Both are pure functions. A target has the length of its input and holds <null> where there is nothing to predict.
// The labeller takes any input over the vocabulary, users' own included, in time linear in its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/base/random.hpp"
#include "tasks/vocabulary.hpp"

namespace hyseq::tasks {

/// A task parameter under its name in data files ("n", "lo", "p" ...).
struct Parameter {
  std::string name;
  std::variant<std::int64_t, double> value;
};

/// Turns positions that targets are copied from into the targets: input[source], or <null> for a source of -1.
inline void targets_from_sources(std::span<const std::int32_t> input, std::int32_t null,
                                 std::span<std::int32_t> target) {
  for (std::int32_t& entry : target) entry = entry < 0 ? null : input[static_cast<std::size_t>(entry)];
}

class Task {
 public:
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }

  /// Throws InputError where sequences of this length cannot hold the task, naming the parameter that is in the way.
  void check_length(std::size_t length) const { check_room(length); }

  /// Writes the target of `input`. Throws InputError for differing lengths and for tokens outside the vocabulary.
  void label(std::span<const std::int32_t> input, std::span<std::int32_t> target) const;

  /// Draws one input of length `input.size()`. Throws InputError as `check_length` does.
  void sample(RandomStream& stream, std::span<std::int32_t> input) const;

 protected:
  Task(std::string name, Vocabulary vocabulary, std::vector<Parameter> parameters)
      : name_(std::move(name)), vocabulary_(std::move(vocabulary)), parameters_(std::move(parameters)) {}

  /// The refusal of a length: "<task>: length is <length>, allowed is <least> or more, because <reason>".
  void require_length(std::size_t length, std::size_t least, const std::string& reason) const;

 private:
  virtual void check_room(std::size_t length) const = 0;
  virtual void write_target(std::span<const std::int32_t> input, std::span<std::int32_t> target) const = 0;
  virtual void draw_input(RandomStream& stream, std::span<std::int32_t> input) const = 0;

  std::string name_;
  Vocabulary vocabulary_;
  std::vector<Parameter> parameters_;
};

}  // namespace hyseq::tasks
