// Fibers on stacks of their own, for test/sanitizers.test.ts: the first and the last of a block's throw and catch, then
// read element `index` of an array of four that lies on their stack; so does main after them. `fibers INDEX`.
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "../../native/device/cpu/warpcell_cpu/switch.h"
#include "../../native/engine/cpu/run/stack_bounds.h"

using warpcell_cpu::Slot;

namespace {

Slot home;
Slot start;
volatile int wanted;

[[gnu::noinline]] void fail() { throw 1; }

[[gnu::noinline]] int element() {
  int values[4] = {1, 2, 3, 4};
  return static_cast<volatile int*>(values)[wanted];
}

void catch_and_read() {
  try {
    fail();
  } catch (int) { std::printf("%d\n", element()); }
}

void fiber() {
  catch_and_read();
  Slot discarded;
  warpcell_cpu::switch_to(&discarded, &home);
  __builtin_unreachable();
}

[[gnu::noinline]] void enter(Slot* from, Slot* to) { warpcell_cpu::switch_to(from, to); }

}  // namespace

int main(int, char** arguments) {
  wanted = std::atoi(arguments[1]);
  constexpr uint32_t kThreads = 960;
  warpcell::cpu::Stacks stacks;
  stacks.ensure(kThreads + 1, warpcell::cpu::Stacks::kBytes);
  for (uint32_t number : {0u, kThreads}) {
    warpcell_cpu::prepare(&start, stacks.top(number), fiber);
    warpcell::cpu::StackBounds bounds(stacks);
    enter(&home, &start);
  }
  catch_and_read();
}
