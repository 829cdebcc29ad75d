#pragma once

#include "kernels/cuda/groups.hpp"
#include "kernels/embedding/embedding.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {

template <class T>
struct EmbeddingGroup {
  MemberArray<const T> table;
  Groups<T> out;
  Span<const std::int32_t> tokens;
  std::size_t member_rows;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    const std::size_t member = row / member_rows;
    const std::size_t first = static_cast<std::size_t>(tokens[row]) * out.width() + kGroup * group;
    Group<T> x;
    for (unsigned k = 0; k < kGroup; ++k) x[k] = k < out.size(group) ? table.at(member, first + k) : T(0);
    out.store(row, group, x);
  }
};

template <class T>
void forward(const Embedding& call, const Context<T>& context) {
  const EmbeddingGroup<T> body{context.parameter(call.table), Groups<T>(context.at(call.out)), context.tokens,
                               context.member_rows()};
  for_groups(*context.stream, context.rows(), body.out.width(), body);
}

template <class T>
struct PositionCodeGroup {
  Groups<T> out;
  Span<const std::uint32_t> position;
  std::size_t member_rows;
  std::uint32_t delay;

  HYSEQ_DEVICE void operator()(std::size_t row, unsigned group) const {
    const std::uint32_t place = position[row % member_rows];
    const std::uint64_t code = place < delay ? 0 : place - delay;
    Group<T> x = out.load(row, group);
    for (unsigned k = 0; k < kGroup; ++k) {
      const unsigned bit = kGroup * group + k;
      x[k] += bit < 64 && (code >> bit & 1U) != 0 ? T(1) : T(-1);
    }
    out.store(row, group, x);
  }
};

template <class T>
void forward(const PositionCode& call, const Context<T>& context) {
  const PositionCodeGroup<T> body{Groups<T>(context.at(call.out)), context.position, context.member_rows(),
                                  static_cast<std::uint32_t>(call.delay)};
  for_groups(*context.stream, context.rows(), body.out.width(), body);
}

// The gradient of a table sums rows of the same token. TokenIndex lists a member's rows by token; its list is cut into
// slabs, however the tokens are spread, so that one that is everywhere is the work of many threads. A token whose rows
// lie in one slab is done there. Of one that goes over several, each slab has a sum: of the token that it begins
// within, and of the token that it ends within, where this began in the slab.

inline constexpr std::size_t kTokenSlab = 64;

/// A member's rows by token, and where the slabs cut them.
template <class T>
struct TokenSlabs {
  std::size_t rows;   // of a member
  std::size_t slabs;  // of a member
  std::size_t vocabulary;
  TokenIndex index;
  Span<const std::int32_t> tokens;
  MemberArray<T> table;
  Span<T> partials;  // [members, slabs, {begun before, begun here}, width]

  [[nodiscard]] HYSEQ_DEVICE std::size_t row(std::size_t member, std::size_t place) const {
    return member * rows + index.order[member * rows + place];
  }
  [[nodiscard]] HYSEQ_DEVICE std::size_t token(std::size_t member, std::size_t place) const {
    return static_cast<std::size_t>(tokens[row(member, place)]);
  }
  /// Of the token's rows in the member's list: the first, and one past the last.
  [[nodiscard]] HYSEQ_DEVICE std::size_t begin(std::size_t member, std::size_t token) const {
    return index.starts[member * (vocabulary + 1) + token];
  }
  [[nodiscard]] HYSEQ_DEVICE std::size_t end(std::size_t member, std::size_t token) const {
    return begin(member, token + 1);
  }
  [[nodiscard]] HYSEQ_DEVICE T& partial(std::size_t member, std::size_t slab, bool begun_here, unsigned width,
                                        unsigned column) const {
    return partials[((member * slabs + slab) * 2 + (begun_here ? 1 : 0)) * width + column];
  }
};

/// A thread has one column of a slab.
template <class T>
struct SumTokenSlabs {
  static constexpr bool kCooperative = false;
  TokenSlabs<T> list;
  std::size_t members;
  Columns<T> out_gradient;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const unsigned width = out_gradient.width;
    const std::size_t index = thread.global_index();
    const std::size_t place = index / width;  // [members, slabs]
    if (place >= members * list.slabs) return;
    const auto column = static_cast<unsigned>(index - place * width);
    const std::size_t member = place / list.slabs;
    const std::size_t slab = place - member * list.slabs;
    const std::size_t first = slab * kTokenSlab;
    const std::size_t last = first + kTokenSlab < list.rows ? first + kTokenSlab : list.rows;
    for (std::size_t i = first; i < last;) {
      const std::size_t token = list.token(member, i);
      const std::size_t end = list.end(member, token);
      const std::size_t stop = end < last ? end : last;
      const bool begun_here = list.begin(member, token) >= first;
      T sum = 0;
      for (; i < stop; ++i) sum += out_gradient.at(list.row(member, i), column);
      if (begun_here && end <= last) {
        list.table.at(member, token * width + column) += sum;
      } else {
        list.partial(member, slab, begun_here, width, column) = sum;
      }
    }
  }
};

/// Of the tokens that go over several slabs: each by the slab in which it begins.
template <class T>
struct SumTokenPartials {
  static constexpr bool kCooperative = false;
  TokenSlabs<T> list;
  std::size_t members;
  unsigned width;

  HYSEQ_DEVICE void operator()(const Thread& thread) const {
    const std::size_t index = thread.global_index();
    const std::size_t place = index / width;  // [members, slabs]
    if (place >= members * list.slabs) return;
    const auto column = static_cast<unsigned>(index - place * width);
    const std::size_t member = place / list.slabs;
    const std::size_t slab = place - member * list.slabs;
    const std::size_t last = (slab + 1) * kTokenSlab;
    if (last >= list.rows) return;
    const std::size_t token = list.token(member, last - 1);
    const std::size_t end = list.end(member, token);
    if (end <= last || list.begin(member, token) < last - kTokenSlab) return;
    T sum = list.partial(member, slab, true, width, column);
    for (std::size_t next = slab + 1; next * kTokenSlab < end; ++next) {
      sum += list.partial(member, next, false, width, column);
    }
    list.table.at(member, token * width + column) += sum;
  }
};

template <class T>
void backward(const EmbeddingBackward& call, const Context<T>& context) {
  const Columns<T> out_gradient = context.gradient_at(call.out_gradient);
  const std::size_t slabs = (context.member_rows() + kTokenSlab - 1) / kTokenSlab;
  const Workspace::Scope scope(*context.workspace);
  TokenSlabs<T> list{context.member_rows(),
                     slabs,
                     static_cast<std::size_t>(context.program->vocabulary),
                     context.token_index,
                     context.tokens,
                     context.parameter_gradient(call.call.table),
                     {}};
  if (slabs > 1) list.partials = context.workspace->template take<T>(context.members * slabs * 2 * out_gradient.width);
  constexpr unsigned kThreads = 128;
  const Shape shape{blocks(context.members * slabs * out_gradient.width, kThreads), kThreads, 0};
  launch(*context.stream, shape, SumTokenSlabs<T>{list, context.members, out_gradient});
  if (slabs > 1) launch(*context.stream, shape, SumTokenPartials<T>{list, context.members, out_gradient.width});
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
