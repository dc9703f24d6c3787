// Attention of few queries over many keys on a processor, see attention/decoding_serial.cuh: parts of the keys first,
// then their results in one.
#ifdef WARPCELL_SERIAL
#include <warpcell/attention/decoding_serial.cuh>

using namespace warpcell;
using attention::Problem;

template <class T>
__global__ void decode_serial(const T* q, const T* k, const T* v, T* out, Sum<T>* lse, Sum<T>* kept,
                              long long part_keys, long long parts, Problem p) {
  attention::decode_lines<T>(q, k, v, out, lse, kept, p, part_keys, parts, blockIdx.x);
}

template <class T>
__global__ void decode_join_serial(const Sum<T>* kept, T* out, Sum<T>* lse, long long parts, Problem p) {
  attention::decode_joined_line<T>(kept, out, lse, p, parts, blockIdx.x);
}
#endif
