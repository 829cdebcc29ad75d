#include "kernels/cuda/emulated/global_memory.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "kernels/cuda/emulated/block.hpp"

namespace hyseq::kernels::cuda {
inline namespace HYSEQ_CUDA_DEVICE {
namespace {

struct Owned {
  std::size_t bytes = 0;
  std::thread::id owner;
};

struct Arrays {
  std::mutex mutex;
  std::map<const std::byte*, Owned> all;
};

/// Never destroyed: arrays may end after it would be.
Arrays& arrays() {
  static auto* const arrays = new Arrays;
  return *arrays;
}

struct Piece {
  std::byte* first = nullptr;
  std::vector<std::byte> bytes;
};

std::vector<Piece> copy_of_own() {
  Arrays& known = arrays();
  const std::lock_guard lock(known.mutex);
  std::vector<Piece> copy;
  for (const auto& [first, array] : known.all) {
    if (array.owner != std::this_thread::get_id()) continue;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): the map keeps addresses alone
    copy.push_back({const_cast<std::byte*>(first), {first, first + array.bytes}});
  }
  return copy;
}

void restore(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) std::ranges::copy(piece.bytes, piece.first);
}

void compare(const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces) {
    if (piece.bytes.empty() || std::memcmp(piece.bytes.data(), piece.first, piece.bytes.size()) == 0) continue;
    const auto mine = std::ranges::mismatch(piece.bytes, std::span(piece.first, piece.bytes.size())).in1;
    throw DeviceFault("a race: byte " + std::to_string(mine - piece.bytes.begin()) + " of " +
                      std::to_string(piece.bytes.size()) +
                      " of an array in global memory depends on the order of threads or blocks");
  }
}

thread_local int both_orders = 0;

}  // namespace

void add_global_memory(std::byte* first, std::size_t bytes) {
  Arrays& known = arrays();
  const std::lock_guard lock(known.mutex);
  known.all[first] = {bytes, std::this_thread::get_id()};
}

void remove_global_memory(const std::byte* first) {
  Arrays& known = arrays();
  const std::lock_guard lock(known.mutex);
  known.all.erase(first);
}

BothOrders::BothOrders() { ++both_orders; }
BothOrders::~BothOrders() { --both_orders; }
bool BothOrders::wanted() { return both_orders > 0; }

void run_in_both_orders(std::size_t blocks, const std::function<void(const Permutation&, bool)>& run) {
  const std::vector<Piece> before = copy_of_own();
  run({0, 1, blocks}, false);
  const std::vector<Piece> after = copy_of_own();
  restore(before);
  run({blocks - 1, blocks - 1, blocks}, true);
  compare(after);
}

}  // namespace HYSEQ_CUDA_DEVICE
}  // namespace hyseq::kernels::cuda
