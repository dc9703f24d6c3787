// Attention of few queries over many keys on tensor cores, see attention/decoding_mma.cuh; attention_decode.cu joins
// the parts.
#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
#include <warpcell/attention/decoding_mma.cuh>
#endif

// Blocks that a multiprocessor holds at a time, as far as registers go.
template <int width, int tiles>
constexpr int kHeldBlocks = width > 128 || width / 64 + tiles > 3 ? 2 : 6 - width / 64 - tiles;

#if defined(WARPCELL_SIXTEEN_BITS) && !defined(WARPCELL_CPU)
using namespace warpcell;
using attention::kDecodingThreads;

template <class T, int width, int tiles>
__global__ void __launch_bounds__(kDecodingThreads, kHeldBlocks<width, tiles>)
    decode_mma(const T* q, const T* k, const T* v, T* out, float* lse, float* kept, long long part_keys,
               long long parts, long long chunks, attention::Problem p) {
  attention::decode_part_mma<T, width, tiles>(q, k, v, out, lse, kept, p, part_keys, parts, chunks, blockIdx.x);
}
#endif
