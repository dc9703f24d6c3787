// What the code of a checked cell calls before each access (the interface of ThreadSanitizer) and where it overflows or
// leaves an array (that of UndefinedBehaviorSanitizer). Outside of a checked launch nothing is looked at.
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "visit.h"

using namespace warpcell::cpu;

namespace {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

uintptr_t code_of(void* address) { return reinterpret_cast<uintptr_t>(address); }

__attribute__((always_inline)) inline void accessed(const volatile void* at, u64 bytes, unsigned how, void* code) {
  Checker::Core* core = checked_core;
  if (core != nullptr) core->checker->access(*core, static_cast<u8*>(const_cast<void*>(at)), bytes, how, code_of(code));
}

template <u32 bytes, unsigned how>
__attribute__((always_inline)) inline void accessed(void* at, void* code) {
  Checker::Core* core = checked_core;
  if (core != nullptr) Checker::access<bytes, how>(*core, static_cast<u8*>(at), code_of(code));
}

// The order of memory in which others see what was written before: release, and what is stronger.
constexpr bool releases(int order) { return order >= __ATOMIC_RELEASE; }

void fenced() {
  Checker::Core* core = checked_core;
  if (core != nullptr) core->checker->fence(*core);
}

// What UndefinedBehaviorSanitizer lays down for each check.
struct SourceLocation {
  const char* file;
  u32 line;
  u32 column;
};
struct TypeDescriptor {
  u16 kind;   // 0: an integer
  u16 facts;  // of an integer: 1 where it is signed, and the logarithm of its bits above
  char name[1];
};
struct Place {
  SourceLocation location;
  const TypeDescriptor* type;
  const TypeDescriptor* other;
};
struct Alignment {
  SourceLocation location;
  const TypeDescriptor* type;
  u8 logarithm;
  u8 check;
};

std::string value_text(const TypeDescriptor& type, u64 value) {
  if (type.kind != 0) return "?";
  u32 bits = 1u << (type.facts >> 1);
  if (bits > 64) return "?";
  u64 kept = bits == 64 ? value : value & ((u64(1) << bits) - 1);
  if (!(type.facts & 1)) return std::to_string(kept);
  return std::to_string(int64_t(kept << (64 - bits)) >> (64 - bits));
}

void found(const char* kind, const SourceLocation& location, const std::string& detail, bool ends) {
  Checker::Core* core = checked_core;
  if (core == nullptr) return Proof::doubt(ends);
  Finding finding{};
  finding.kind = kind;
  finding.line = {location.file, location.line};
  finding.detail = detail;
  core->checker->report(*core, std::move(finding), ends);
}

void overflowed(const char* operation, const Place& place, u64 left, u64 right) {
  found("overflow", place.location,
        value_text(*place.type, left) + " " + operation + " " + value_text(*place.type, right), false);
}

}  // namespace

extern "C" {

// In front of each statement of a cell whose lines are counted.
void warpcell_cpu_ran(u32 statement, const char* file, u32 line) {
  Checker::Core* core = checked_core;
  if (core != nullptr) core->checker->ran(*core, statement, file, line);
}

// The same of a cell whose variables are told; answers whether it is the thread that is followed.
bool warpcell_cpu_steps(u32, const char* file, u32 line, const char* function) {
  Checker::Core* core = checked_core;
  return core != nullptr && core->checker->steps(*core, file, line, function);
}

// What compilers fill variables with that are given no value (-ftrivial-auto-var-init=pattern).
static bool is_filling(u64 bits, u32 bytes) {
  for (u64 byte : {0xaa, 0xfe, 0xff}) {
    u64 filling = byte * 0x0101010101010101u;
    if (bytes < 8) filling &= (u64(1) << (8 * bytes)) - 1;
    if (bytes < 8) bits &= (u64(1) << (8 * bytes)) - 1;
    if (bits == filling && (byte != 0xff || bytes >= 4)) return true;
  }
  return false;
}

// Of the followed thread. `is_set`: it was given a value.
void warpcell_cpu_tell(const char* name, int index, char kind, u32 bytes, u64 bits, bool is_set) {
  Checker::Core* core = checked_core;
  if (core == nullptr || (!is_set && is_filling(bits, bytes))) return;
  core->checker->tell(name, index, kind, bits);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// X(name, how)
#define WARPCELL_ACCESSES(X)                  \
  X(read, kRead)                              \
  X(write, kWrite)                            \
  X(read_write, kRead | kWrite)               \
  X(unaligned_read, kRead)                    \
  X(unaligned_write, kWrite)                  \
  X(unaligned_read_write, kRead | kWrite)     \
  X(volatile_read, kRead | kAtomic)           \
  X(volatile_write, kWrite | kAtomic)         \
  X(unaligned_volatile_read, kRead | kAtomic) \
  X(unaligned_volatile_write, kWrite | kAtomic)
#define X(name, how)                                                                     \
  void __tsan_##name##1(void* at) { accessed<1, how>(at, __builtin_return_address(0)); } \
  void __tsan_##name##2(void* at) { accessed<2, how>(at, __builtin_return_address(0)); } \
  void __tsan_##name##4(void* at) { accessed<4, how>(at, __builtin_return_address(0)); } \
  void __tsan_##name##8(void* at) { accessed<8, how>(at, __builtin_return_address(0)); } \
  void __tsan_##name##16(void* at) { accessed<16, how>(at, __builtin_return_address(0)); }
WARPCELL_ACCESSES(X)
#undef X

void __tsan_read_range(void* at, unsigned long bytes) { accessed(at, bytes, kRead, __builtin_return_address(0)); }
void __tsan_write_range(void* at, unsigned long bytes) { accessed(at, bytes, kWrite, __builtin_return_address(0)); }

// The linker gives the cell's calls of memcpy and its kin these names.
static void* copied(void* to, const void* from, size_t bytes, void* code, bool moves) {
  if (bytes > 0) {
    accessed(from, bytes, kRead, code);
    accessed(to, bytes, kWrite, code);
  }
  return moves ? std::memmove(to, from, bytes) : std::memcpy(to, from, bytes);
}
void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  return copied(to, from, bytes, __builtin_return_address(0), false);
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  return copied(to, from, bytes, __builtin_return_address(0), true);
}
void* __wrap_memset(void* to, int value, size_t bytes) {
  if (bytes > 0) accessed(to, bytes, kWrite, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  return copied(to, from, bytes, __builtin_return_address(0), false);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  return copied(to, from, bytes, __builtin_return_address(0), true);
}
void* __tsan_memset(void* to, int value, size_t bytes) {
  if (bytes > 0) accessed(to, bytes, kWrite, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

void __tsan_atomic_thread_fence(int) {
  fenced();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {
  fenced();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// X(bits), Y(bits, name, builtin)
#define WARPCELL_BITS(X) X(8) X(16) X(32) X(64)
// clang-format off
#define WARPCELL_FETCHES(Y, bits) \
  Y(bits, exchange, __atomic_exchange_n) Y(bits, fetch_add, __atomic_fetch_add) Y(bits, fetch_sub, __atomic_fetch_sub) \
  Y(bits, fetch_and, __atomic_fetch_and) Y(bits, fetch_or, __atomic_fetch_or) Y(bits, fetch_xor, __atomic_fetch_xor) \
  Y(bits, fetch_nand, __atomic_fetch_nand)
// clang-format on
#define Y(bits, name, builtin)                                                                           \
  u##bits __tsan_atomic##bits##_##name(volatile u##bits* at, u##bits value, int order) {                 \
    if (releases(order)) fenced();                                                                       \
    accessed<bits / 8, kRead | kWrite | kAtomic>(const_cast<u##bits*>(at), __builtin_return_address(0)); \
    return builtin(at, value, __ATOMIC_SEQ_CST);                                                         \
  }
#define X(bits)                                                                                                        \
  u##bits __tsan_atomic##bits##_load(const volatile u##bits* at, int) {                                                \
    accessed(at, bits / 8, kRead | kAtomic, __builtin_return_address(0));                                              \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                                                      \
  }                                                                                                                    \
  void __tsan_atomic##bits##_store(volatile u##bits* at, u##bits value, int order) {                                   \
    if (releases(order)) fenced();                                                                                     \
    accessed(at, bits / 8, kWrite | kAtomic, __builtin_return_address(0));                                             \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                                                     \
  }                                                                                                                    \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile u##bits* at, u##bits* expected, u##bits value, int order, \
                                                    int) {                                                             \
    if (releases(order)) fenced();                                                                                     \
    accessed(at, bits / 8, kRead | kWrite | kAtomic, __builtin_return_address(0));                                     \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
  }                                                                                                                    \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile u##bits* at, u##bits* expected, u##bits value, int order,   \
                                                  int) {                                                               \
    if (releases(order)) fenced();                                                                                     \
    accessed(at, bits / 8, kRead | kWrite | kAtomic, __builtin_return_address(0));                                     \
    return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
  }                                                                                                                    \
  u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits* at, u##bits expected, u##bits value, int order, \
                                                     int) {                                                            \
    if (releases(order)) fenced();                                                                                     \
    accessed(at, bits / 8, kRead | kWrite | kAtomic, __builtin_return_address(0));                                     \
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                      \
    return expected;                                                                                                   \
  }                                                                                                                    \
  WARPCELL_FETCHES(Y, bits)
WARPCELL_BITS(X)
#undef X
#undef Y

// X(name of the check, sign of the operation)
#define WARPCELL_OVERFLOWS(X) X(add, "+") X(sub, "-") X(mul, "*")
#define X(name, sign)                                                              \
  void __ubsan_handle_##name##_overflow(const Place* place, u64 left, u64 right) { \
    overflowed(sign, *place, left, right);                                         \
  }
WARPCELL_OVERFLOWS(X)
#undef X

void __ubsan_handle_negate_overflow(const Place* place, u64 value) {
  found("overflow", place->location, "-(" + value_text(*place->type, value) + ")", false);
}

void __ubsan_handle_divrem_overflow(const Place* place, u64 left, u64 right) {
  found("division", place->location, value_text(*place->type, left) + "," + value_text(*place->type, right), true);
}

void __ubsan_handle_shift_out_of_bounds(const Place* place, u64 left, u64 right) {
  found("shift", place->location, value_text(*place->type, left) + "," + value_text(*place->other, right), false);
}

void __ubsan_handle_out_of_bounds(const Place* place, u64 index) {
  found("index", place->location, value_text(*place->other, index) + " " + place->type->name, true);
}

void __ubsan_handle_type_mismatch_v1(const Alignment* place, u64 address) {
  found(address == 0 ? "null" : "alignment", place->location,
        std::to_string(u64(1) << place->logarithm) + " " + place->type->name, true);
}
}
