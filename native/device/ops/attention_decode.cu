// Attention of few queries over many keys, see attention/decoding.cuh: parts of the keys first, then their results in
// one.
#include <warpcell/attention/decoding.cuh>

using namespace warpcell;
using attention::kDecodingThreads;
using attention::Problem;

constexpr int kMostRows = 4;

template <class T, int bytes, int R>
__global__ void __launch_bounds__(kDecodingThreads)
    decode(const T* q, const T* k, const T* v, T* out, float* lse, float* kept, long long part_keys, long long parts,
           long long chunks, Problem p) {
  attention::decode_part<T, bytes, R>(q, k, v, out, lse, kept, p, part_keys, parts, chunks, blockIdx.x);
}

template <class T>
__global__ void __launch_bounds__(kDecodingThreads)
    decode_join(const float* kept, T* out, float* lse, long long parts, Problem p) {
  attention::decode_joined<T>(kept, out, lse, p, int(parts), blockIdx.x);
}
