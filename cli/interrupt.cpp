#include "cli/interrupt.hpp"

#include <csignal>
#include <iostream>

#include <signal.h>

#include "cli/command.hpp"

namespace hyseq::cli {
namespace {

// A handler may touch nothing but lock-free atomics.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void handle(int /*signal*/) { interrupted = true; }

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // One signal asks, the next one means it.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  interrupted = false;
  install(handle);
}

Interrupt::~Interrupt() { install(SIG_DFL); }

const std::atomic<bool>& Interrupt::requested() const {
  return interrupted;
}  // NOLINT(readability-convert-member-functions-to-static)

int end_interrupted() {
  std::cerr << "hyseq: interrupted\n";
  return kInterrupted;
}

}  // namespace hyseq::cli
