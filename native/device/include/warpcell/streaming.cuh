// Stores past the caches, on the CPU: a result that is larger than these need not be read before it is written, and
// leaves them to what is read again.
#pragma once

#ifdef WARPCELL_SERIAL

namespace warpcell {

// Bytes of a result from which on it is stored so.
constexpr long long kStreamedBytes = 32 << 20;
constexpr int kLineBytes = 64;

// Whether `count` results are, made of elements that are not where the results come to lie.
template <class Out, class... In>
inline bool is_streamed(long long count, const Out* out, const In*... in) {
  return count * (long long)sizeof(Out) >= kStreamedBytes && !(((const void*)in == (const void*)out) || ...);
}

// To be followed by `end_streaming` before anybody is told that the bytes are there.
inline void store_streaming(void* to, const void* from, long long bytes) {
  char* out = (char*)to;
  const char* in = (const char*)from;
#ifdef __AVX__
  using Half = long long __attribute__((vector_size(kLineBytes / 2)));
  long long head = -(long long)out & (kLineBytes - 1);
  if (head > bytes) head = bytes;
  __builtin_memcpy(out, in, (unsigned long)(head));
  long long at = head;
  for (; at + kLineBytes <= bytes; at += kLineBytes) {
    Half halves[2];
    __builtin_memcpy(halves, in + at, kLineBytes);
    for (int i = 0; i < 2; i++) {
      Half* place = (Half*)(out + at) + i;
#ifdef __clang__
      __builtin_nontemporal_store(halves[i], place);
#else
      __builtin_ia32_movntdq256(place, halves[i]);
#endif
    }
  }
  __builtin_memcpy(out + at, in + at, (unsigned long)(bytes - at));
#else
  __builtin_memcpy(out, in, (unsigned long)(bytes));
#endif
}

// out[i] = each(i) for i < count, by way of the innermost cache.
template <class Out, class Each>
inline void stream_each(Out* out, long long count, Each each) {
  constexpr long long kStretch = 4096 / sizeof(Out);
  alignas(kLineBytes) Out results[kStretch];
  for (long long first = 0; first < count; first += kStretch) {
    const long long length = count - first < kStretch ? count - first : kStretch;
#pragma clang loop vectorize(assume_safety)
#pragma GCC ivdep
    for (long long i = 0; i < length; i++) results[i] = each(first + i);
    store_streaming(out + first, results, length * (long long)sizeof(Out));
  }
}

inline void end_streaming() {
#ifdef __AVX__
  __builtin_ia32_sfence();
#endif
}

}  // namespace warpcell
#endif
