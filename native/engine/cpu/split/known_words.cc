// Sets of words, each written as one text.
#include "known_words.h"

#include <cctype>
#include <set>
#include <sstream>

#include "../../host/text.h"

namespace warpcell::cpu {
namespace {

using Words = std::set<std::string>;

Words words_of(const char* text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

// With an f behind each, too.
const Words& mathematics() {
  static const Words words = [] {
    Words all = words_of(
        "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2 log10 log1p "
        "logb pow sqrt rsqrt cbrt rcbrt hypot rhypot norm3d norm4d fabs fmin fmax fmod remainder ceil floor trunc "
        "round rint nearbyint fma fdim copysign ldexp scalbn frexp modf erf erfc erfinv erfcinv erfcx normcdf "
        "normcdfinv lgamma tgamma sincos sinpi cospi sincospi j0 j1 y0 y1 lround llround lrint llrint ilogb nextafter "
        "fdivide saturate");
    for (const std::string& word : Words(all)) all.insert(word + "f");
    return all;
  }();
  return words;
}

const Words& plain_functions() {
  static const Words words = words_of(
      "min max abs labs llabs umin umax ullmin ullmax llmin llmax isnan isinf isfinite signbit printf assert "
      "memset memcpy clock clock64 dim3 make_uint3 "
      // casts and their kin, as the compiler's own words; and what arithmetic_text.cc writes
      "sizeof alignof decltype static_cast reinterpret_cast const_cast As truncating "
      "__popc __popcll __ffs __ffsll __clz __clzll __brev __brevll __byte_perm __mul24 __umul24 __mulhi __umulhi "
      "__mul64hi __umul64hi __sad __usad __hadd __rhadd __uhadd __urhadd __funnelshift_l __funnelshift_r "
      "__funnelshift_lc __funnelshift_rc __dp4a __int_as_float __float_as_int __uint_as_float __float_as_uint "
      "__longlong_as_double __double_as_longlong __hiloint2double __double2hiint __double2loint __ldg __ldca __ldcs "
      "__float2int_rn __float2int_rz __float2int_rd __float2int_ru __float2uint_rn __float2uint_rz __float2uint_rd "
      "__float2uint_ru __float2ll_rn __float2ll_rz __double2int_rn __double2int_rz __double2int_rd __double2int_ru "
      "__double2float_rn __int2float_rn __uint2float_rn __ll2float_rn __int2double_rn __uint2double_rn __sinf __cosf "
      "__tanf __expf __exp10f __logf __log2f __log10f __powf __fdividef __saturatef __sincosf __frcp_rn __fsqrt_rn "
      "__frsqrt_rn __fadd_rn __fsub_rn __fmul_rn __fdiv_rn __fmaf_rn __dadd_rn __dsub_rn __dmul_rn __ddiv_rn __fma_rn "
      "__float2half __half2float __float2half_rn __float2bfloat16 __bfloat162float __hadd2 __hmul __hmul2 __hfma "
      "__hfma2 __hsub __hdiv __hneg __habs __hlt __hgt __hle __hge __heq __hne __hmax __hmin __low2float __high2float "
      "tex1D tex2D tex3D tex1Dfetch tex1DLayered tex2DLayered tex1DLod tex2DLod tex3DLod surf1Dread surf1Dwrite "
      "surf2Dread surf2Dwrite surf3Dread surf3Dwrite "
      "__floats2half2_rn __half22float2 __float22half2_rn __halves2half2 __builtin_expect __builtin_assume __assume");
  return words;
}

const Words& atomics() {
  static const Words words = [] {
    Words all;
    for (const std::string& word : words_of("Add Sub Min Max Inc Dec And Or Xor Exch CAS")) {
      for (const char* scope : {"", "_block", "_system"}) all.insert("atomic" + word + scope);
    }
    return all;
  }();
  return words;
}

const Words& type_words() {
  static const Words words = words_of(
      "void bool char short int long float double unsigned signed const half __half half2 __half2 __nv_bfloat16 "
      "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t uchar "
      "ushort uint ulong cudaTextureObject_t cudaSurfaceObject_t");
  return words;
}

// char4, float2 …
bool is_vector_type(const std::string& word) {
  if (word.empty() || word.back() < '1' || word.back() > '4') return false;
  static const Words bases = words_of("char uchar short ushort int uint long ulong longlong ulonglong float double");
  return bases.count(word.substr(0, word.size() - 1)) != 0;
}

}  // namespace

bool is_known_function(const std::string& name) {
  if (starts_with(name, "make_")) return is_vector_type(name.substr(5));
  return mathematics().count(name) != 0 || plain_functions().count(name) != 0;
}

bool is_uniform_function(const std::string& name) {
  static const Words words = words_of(
      "min max abs umin umax sizeof alignof static_cast ceilf floorf ceil floor log2f log2 sqrtf sqrt __popc __ffs "
      "__clz As");
  return words.count(name) != 0;
}

bool is_atomic(const std::string& name) { return atomics().count(name) != 0; }

bool is_lock(const std::string& name) { return starts_with(name, "atomicCAS") || starts_with(name, "atomicExch"); }

bool is_waiting(const std::string& word) {
  static const Words words = words_of(
      "__syncthreads __syncwarp __activemask __nanosleep __syncthreads_count __syncthreads_and __syncthreads_or "
      "__brkpt __trap cooperative_groups this_thread_block this_grid tiled_partition coalesced_threads thread_block "
      "grid_group");
  if (words.count(word) != 0) return true;
  for (const char* start : {"__shfl", "__ballot", "__any", "__all", "__match", "__reduce"}) {
    if (starts_with(word, start)) return true;
  }
  return false;
}

std::string reason_to_keep(const std::string& word) {
  static const Words others = words_of("asm __asm__ __asm goto volatile try catch co_await co_yield co_return");
  // `spins` is what arithmetic_text.cc writes into the loops of such a cell.
  if (word == "volatile" || word == "spins") return "the cell uses volatile memory";
  if (others.count(word) != 0) return "it uses " + word;
  return word != "__syncthreads" && is_waiting(word) ? "it uses " + word : "";
}

bool is_block_vote(const std::string& name) { return starts_with(name, "__syncthreads_"); }

bool is_exchange(const std::string& name) {
  static const Words words = words_of(
      "__shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __any_sync __all_sync "
      "__match_any_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync "
      "__reduce_xor_sync __syncthreads_count __syncthreads_and __syncthreads_or");
  return words.count(name) != 0;
}

bool is_full_mask(std::string text) {
  while (text.size() > 2 && text.front() == '(' && text.find(')') == text.size() - 1)
    text = text.substr(1, text.size() - 2);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (!text.empty() && (text.back() == 'u' || text.back() == 'l')) text.pop_back();
  return text == "0xffffffff" || text == "~0" || text == "-1";
}

bool is_expression_word(const std::string& word) {
  static const std::set<std::string> words = {
      "sizeof",   "alignof",  "static_cast", "reinterpret_cast", "const_cast", "this", "decltype", "typename",
      "template", "operator", "new",         "delete",           "throw",      "and",  "or",       "not",
      "const"};
  return words.count(word) != 0;
}

bool is_type_word(const std::string& word) { return type_words().count(word) != 0 || is_vector_type(word); }

bool is_known_constant(const std::string& word) {
  static const Words words = words_of(
      "true false nullptr NULL warpSize CHAR_BIT CHAR_MAX CHAR_MIN SHRT_MAX SHRT_MIN INT_MAX INT_MIN UINT_MAX LONG_MAX "
      "LONG_MIN ULONG_MAX LLONG_MAX LLONG_MIN ULLONG_MAX FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON M_PI "
      "INFINITY NAN CUDART_INF_F CUDART_PI_F CUDART_NAN_F CUDART_INF CUDART_PI");
  return words.count(word) != 0;
}

bool is_plain_header(const std::string& name) {
  static const Words words = words_of(
      "cuda_fp16.h cuda_bf16.h cuda_runtime.h cuda_runtime_api.h cuda.h device_launch_parameters.h vector_types.h "
      "vector_functions.h math_constants.h cooperative_groups.h assert.h cassert stdint.h cstdint stddef.h cstddef "
      "limits.h climits float.h cfloat math.h cmath stdio.h cstdio stdlib.h cstdlib string.h cstring type_traits "
      "utility limits iostream vector");
  return words.count(name) != 0;
}

}  // namespace warpcell::cpu
