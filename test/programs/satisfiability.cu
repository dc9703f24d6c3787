// How many settings of truth fit a formula of clauses of three, 32 settings to a thread as bits of words.
#include <cstdio>
#include <cstdlib>

#define MAX_CLAUSES 128

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Clause {
  signed char literal[3];  // ±(variable + 1)
};
struct Formula {
  int variables, clauses;
  Clause clause[MAX_CLAUSES];
};
__constant__ Formula formula;
__device__ unsigned long long satisfied;
__device__ unsigned first = ~0u;

// Bit k of the result: the variable in setting 32 i + k.
__device__ unsigned valuesOf(int variable, unsigned i) {
  constexpr unsigned low[5] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
  if (variable < 5) return low[variable];
  return (i >> (variable - 5)) & 1 ? 0xffffffff : 0;
}

__global__ void count() {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, fits = 0xffffffff;
  if (i >= 1u << (formula.variables - 5)) return;
  for (int c = 0; c < formula.clauses && fits != 0; c++) {
    unsigned any = 0;
    for (signed char literal : formula.clause[c].literal) {
      unsigned values = valuesOf(abs(literal) - 1, i);
      any |= literal > 0 ? values : ~values;
    }
    fits &= any;
  }
  if (fits == 0) return;
  atomicAdd(&satisfied, (unsigned long long)__popc(fits));
  atomicMin(&first, 32 * i + __ffs(fits) - 1);
}

int main(int argc, char** argv) {
  Formula host = {atoi(argv[1]), atoi(argv[2]), {}};
  unsigned seed = atoi(argv[3]), settings = 1u << (host.variables - 5);
  for (int c = 0; c < host.clauses; c++)
    for (int k = 0; k < 3; k++) {
      int variable = hash(6 * c + k, seed) % host.variables;
      host.clause[c].literal[k] = hash(6 * c + k + 3, seed) % 2 ? variable + 1 : -(variable + 1);
    }
  cudaMemcpyToSymbol(formula, &host, sizeof host);
  count<<<(settings + 127) / 128, 128>>>();
  unsigned long long found;
  unsigned at;
  cudaMemcpyFromSymbol(&found, satisfied, sizeof found);
  cudaMemcpyFromSymbol(&at, first, sizeof at);
  if (found > 0)
    printf("%llu settings, the first %u\n", found, at);
  else
    printf("none\n");
}
