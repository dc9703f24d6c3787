// A block cipher in counter mode: what is enciphered comes back, and the text between is noise.
#include <cstdio>
#include <cstdlib>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}
template <class T>
T* managed(size_t n) {
  T* values;
  cudaMallocManaged(&values, n * sizeof(T));
  for (size_t i = 0; i < n; i++) values[i] = T();
  return values;
}

__constant__ unsigned key[4];

__global__ void cipher(const uint2* from, uint2* to, int n, unsigned nonce) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = nonce, b = i, sum = 0;
  for (int round = 0; round < 32; round++) {
    a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + key[sum & 3]);
    sum += 0x9e3779b9u;
    b += (((a << 4) ^ (a >> 5)) + a) ^ (sum + key[sum >> 11 & 3]);
  }
  to[i] = make_uint2(from[i].x ^ a, from[i].y ^ b);
}

int main(int argc, char** argv) {
  int n = atoi(argv[1]);
  unsigned seed = atoi(argv[2]);
  unsigned host[4];
  for (int k = 0; k < 4; k++) host[k] = hash(k, seed);
  cudaMemcpyToSymbol(key, host, sizeof(host));
  uint2 *plain = managed<uint2>(n), *secret = managed<uint2>(n), *again = managed<uint2>(n);
  for (int i = 0; i < n; i++) plain[i] = make_uint2(i, 3 * i);
  cipher<<<(n + 127) / 128, 128>>>(plain, secret, n, seed);
  cipher<<<(n + 127) / 128, 128>>>(secret, again, n, seed);
  cudaDeviceSynchronize();
  unsigned all = 0;
  int same = 0;
  for (int i = 0; i < n; i++) {
    all = all * 31 + (secret[i].x ^ secret[i].y);
    same += again[i].x == plain[i].x && again[i].y == plain[i].y;
  }
  printf("%08x same %d\n", all, same);
  cudaFree(plain);
  cudaFree(secret);
  cudaFree(again);
}
