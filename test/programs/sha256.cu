// The SHA-256 of many messages, one a thread.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ unsigned rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ unsigned turned(unsigned x, int by) { return __funnelshift_r(x, x, by); }

// The digest of message + one letter for the thread; the message has at most 54 bytes.
__global__ void digest(const char* message, int length, unsigned* digests) {
  unsigned w[64] = {},
           h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int i = 0; i <= length + 1; i++) {
    unsigned byte = i < length ? (unsigned char)message[i] : i == length ? 'a' + threadIdx.x : 0x80;
    w[i / 4] |= byte << (24 - i % 4 * 8);
  }
  w[15] = (length + 1) * 8;
  for (int i = 16; i < 64; i++) {
    unsigned a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
  unsigned v[8];
  for (int k = 0; k < 8; k++) v[k] = h[k];
  for (int i = 0; i < 64; i++) {
    unsigned one = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
                   rounds[i] + w[i];
    unsigned two =
        (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    for (int k = 7; k > 0; k--) v[k] = v[k - 1];
    v[4] += one;
    v[0] = one + two;
  }
  for (int k = 0; k < 8; k++) digests[threadIdx.x * 8 + k] = h[k] + v[k];
}

int main(int argc, char** argv) {
  int length = (int)strlen(argv[1]);
  char* message;
  unsigned *digests, host[26 * 8];
  cudaMalloc(&message, length);
  cudaMalloc(&digests, sizeof(host));
  cudaMemcpy(message, argv[1], length, cudaMemcpyHostToDevice);
  digest<<<1, 26>>>(message, length, digests);
  cudaMemcpy(host, digests, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 26 * 8; i++) printf("%08x%s", host[i], i % 8 == 7 ? "\n" : "");
  cudaFree(message);
  cudaFree(digests);
}
