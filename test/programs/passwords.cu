// Words that have a given hash (FNV-1a), by trying all of them: a thread for each start, and a list that fills by an
// atomic.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define LENGTH 4
#define MAX_FOUND 64

struct Found {
  int count;
  char words[MAX_FOUND][LENGTH + 1];
};

__host__ __device__ unsigned fnv1a(const char* text, int length) {
  unsigned h = 2166136261u;
  for (int i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

__device__ Found found;

__global__ void search(unsigned target, unsigned mask) {
  char word[LENGTH + 1] = {};
  word[0] = 'a' + blockIdx.x;
  word[1] = 'a' + threadIdx.x;
  for (char c = 'a'; c <= 'z'; c++) {
    word[2] = c;
    for (char d = 'a'; d <= 'z'; d++) {
      word[3] = d;
      if ((fnv1a(word, LENGTH) & mask) != (target & mask)) continue;
      int at = atomicAdd(&found.count, 1);
      if (at < MAX_FOUND) memcpy(found.words[at], word, sizeof(word));
    }
  }
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    Found result = {};
    cudaMemcpyToSymbol(found, &result, sizeof(result));
    search<<<26, 26>>>(fnv1a(argv[i], strlen(argv[i])), 0xffff);
    cudaMemcpyFromSymbol(&result, found, sizeof(result));
    std::vector<std::string> words(result.words, result.words + std::min(result.count, MAX_FOUND));
    std::sort(words.begin(), words.end());
    printf("%s:", argv[i]);
    for (const auto& word : words) printf(" %s", word.c_str());
    printf("\n");
  }
}
