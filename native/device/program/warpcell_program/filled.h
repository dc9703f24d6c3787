// <curand.h> for the host code of a program: memory full of pseudo-random numbers, all of Philox4x32-10, whichever
// generator is asked for. (cuRAND, "Host API Overview".)
#pragma once
#include "thrust/primitives.h"
#include "../../include/warpcell/filled.cuh"

enum curandStatus_t {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999,
};
enum curandRngType_t {
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
};
enum curandOrdering_t {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
};

struct curandGenerator_st {
  bool is_hosts;
  cudaStream_t stream = nullptr;
  unsigned long long seed = 0;
  unsigned long long words = 0;  // that are used
};
typedef curandGenerator_st* curandGenerator_t;

namespace warpcell_rand {

inline curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool is_hosts) {
  // Here is no quasi-random generator.
  if (generator == nullptr || type < CURAND_RNG_PSEUDO_DEFAULT || type >= CURAND_RNG_QUASI_DEFAULT)
    return CURAND_STATUS_TYPE_ERROR;
  *generator = new curandGenerator_st{is_hosts};
  return CURAND_STATUS_SUCCESS;
}

template <class Spread>
curandStatus_t fill(curandGenerator_t generator, typename Spread::type* out, size_t n, Spread spread,
                    warpcell_algorithms::CallLine line) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (n == 0) return CURAND_STATUS_SUCCESS;
  constexpr unsigned long long width = 4 / Spread::count;
  unsigned long long first = (generator->words + width - 1) / width, blocks = 0;
  blocks = (first + n - 1) / Spread::count - first / Spread::count + 1;
  Filled<Spread> body{out, generator->seed, first, n, spread};
  try {
    if (generator->is_hosts)
      warpcell_algorithms::OnHost(false, nullptr).each(blocks, body);
    else
      warpcell_algorithms::OnDevice(generator->stream, line, false, nullptr).each(blocks, body);
  } catch (const std::bad_alloc&) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  } catch (const warpcell_thrust::system_error&) { return CURAND_STATUS_LAUNCH_FAILURE; }
  generator->words = (first + n) * width;
  return CURAND_STATUS_SUCCESS;
}
// Normal numbers come in pairs.
template <class Spread>
curandStatus_t fill_pairs(curandGenerator_t generator, typename Spread::type* out, size_t n, Spread spread,
                          warpcell_algorithms::CallLine line) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (n % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  return fill(generator, out, n, spread, line);
}

}  // namespace warpcell_rand

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return warpcell_rand::create(generator, type, false);
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return warpcell_rand::create(generator, type, true);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = 10300;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->words = 0;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->words = offset;
  return CURAND_STATUS_SUCCESS;
}
// There is one order.
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_SUCCESS;
}

// Templates, of which a program compiles what it calls.
template <int = 0>
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned* out, size_t n, WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill(generator, out, n, warpcell_rand::Integers(), line);
}
template <int = 0>
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* out, size_t n, WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill(generator, out, n, warpcell_rand::Uniform(), line);
}
template <int = 0>
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* out, size_t n, WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill(generator, out, n, warpcell_rand::UniformDouble(), line);
}
template <int = 0>
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* out, size_t n, float mean, float deviation,
                                    WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill_pairs(generator, out, n, warpcell_rand::Normal<false>{mean, deviation}, line);
}
template <int = 0>
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                          double deviation, WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill_pairs(generator, out, n, warpcell_rand::NormalDouble<false>{mean, deviation}, line);
}
template <int = 0>
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* out, size_t n, float mean, float deviation,
                                       WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill_pairs(generator, out, n, warpcell_rand::Normal<true>{mean, deviation}, line);
}
template <int = 0>
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double* out, size_t n, double mean,
                                             double deviation, WARPCELL_LINE_OF_CALL) {
  return warpcell_rand::fill_pairs(generator, out, n, warpcell_rand::NormalDouble<true>{mean, deviation}, line);
}
