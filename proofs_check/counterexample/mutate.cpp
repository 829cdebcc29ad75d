#include "proofs_check/counterexample/mutate.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"

namespace hyseq::proofs_check {
namespace {

std::size_t place(std::size_t count, RandomStream& random) { return random.below(static_cast<std::uint32_t>(count)); }

std::int32_t any_token(std::int32_t tokens, RandomStream& random) {
  return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(tokens)));
}

auto at(Sequence& sequence, std::size_t position) { return sequence.begin() + static_cast<std::ptrdiff_t>(position); }
auto at(const Sequence& sequence, std::size_t position) {
  return sequence.begin() + static_cast<std::ptrdiff_t>(position);
}

bool sampled(const Question& question, RandomStream& random, Sequence& sequence) {
  try {
    question.task->sample(random, sequence);
    return true;
  } catch (const InputError&) {  // the sampler needs longer sequences than the labeller
    return false;
  }
}

void insert_token(Sequence& sequence, std::int32_t tokens, RandomStream& random) {
  const std::int32_t token =
      random.below(2) == 0 ? any_token(tokens, random) : sequence[place(sequence.size(), random)];
  sequence.insert(at(sequence, place(sequence.size() + 1, random)), token);
}

void delete_token(Sequence& sequence, RandomStream& random) {
  sequence.erase(at(sequence, place(sequence.size(), random)));
}

void copy_block(Sequence& sequence, RandomStream& random) {
  const std::size_t size = 1 + place(std::min<std::size_t>(sequence.size(), 8), random);
  const std::size_t from = place(sequence.size() - size + 1, random);
  const std::size_t to = place(sequence.size() - size + 1, random);
  const Sequence block(at(sequence, from), at(sequence, from + size));
  std::copy(block.begin(), block.end(), at(sequence, to));
}

void splice(Sequence& sequence, const Sequence& other, RandomStream& random) {
  const std::size_t head = place(sequence.size(), random);
  const std::size_t tail = place(other.size(), random);
  sequence.resize(head);
  sequence.insert(sequence.end(), at(other, tail), other.end());
}

void change(Sequence& sequence, const Sequence& other, std::int32_t tokens, RandomStream& random) {
  switch (random.below(8)) {
    case 0:
    case 1:
      sequence[place(sequence.size(), random)] = any_token(tokens, random);
      break;
    case 2:
      std::swap(sequence[place(sequence.size(), random)], sequence[place(sequence.size(), random)]);
      break;
    case 3:
      copy_block(sequence, random);
      break;
    case 4:
      insert_token(sequence, tokens, random);
      break;
    case 5:
      if (sequence.size() > 1) delete_token(sequence, random);
      break;
    case 6:  // everything between the two places moves by one
      if (sequence.size() > 1) delete_token(sequence, random);
      insert_token(sequence, tokens, random);
      break;
    default:
      splice(sequence, other, random);
  }
}

}  // namespace

Sequence starting_sequence(const Question& question, std::size_t length, std::size_t kind, RandomStream& random) {
  const std::int32_t tokens = question.tokens();
  Sequence sequence(length);
  if (kind % 4 == 0 && sampled(question, random, sequence)) return sequence;
  if (kind % 4 == 2) {
    Sequence few(2 + random.below(3));
    for (std::int32_t& token : few) token = any_token(tokens, random);
    for (std::int32_t& token : sequence) token = few[place(few.size(), random)];
    return sequence;
  }
  const std::int32_t usual = any_token(tokens, random);
  for (std::int32_t& token : sequence)
    token = kind % 4 == 3 && random.below(8) != 0 ? usual : any_token(tokens, random);
  return sequence;
}

void fit(const Question& question, Sequence& sequence) {
  for (std::size_t t = 0; t < sequence.size(); ++t) {
    const TokenRange range = question.allowed(t, sequence.size());
    if (!range.contains(sequence[t])) sequence[t] = range.first + sequence[t] % range.count();
  }
}

Sequence mutate(const Sequence& parent, const Sequence& other, std::int32_t tokens, tasks::LengthRange lengths,
                RandomStream& random) {
  Sequence child = parent;
  for (std::uint32_t changes = 1 + random.below(3); changes > 0; --changes) change(child, other, tokens, random);
  while (child.size() > lengths.max) {
    if (random.below(2) == 0) {
      child.pop_back();
    } else {
      child.erase(child.begin());
    }
  }
  while (child.size() < lengths.min) insert_token(child, tokens, random);
  return child;
}

}  // namespace hyseq::proofs_check
