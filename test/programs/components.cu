// Connected components: labels fall along edges, and shortcuts halve their ways.
#include <cstdio>
#include <cstdlib>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

template <class T>
T* upload(const std::vector<T>& from) {
  T* to;
  cudaMalloc(&to, from.size() * sizeof(T));
  cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  return to;
}
template <class T>
std::vector<T> download(const T* from, size_t n) {
  std::vector<T> to(n);
  cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return to;
}

template <class T>
long long checksum(const std::vector<T>& values) {
  long long sum = 0;
  for (size_t i = 0; i < values.size(); i++) sum += (long long)values[i] * (long long)(i % 97);
  return sum;
}

__global__ void hook(const int2* edges, int* label, int* changed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a = atomicAdd(&label[edges[i].x], 0), b = atomicAdd(&label[edges[i].y], 0);
  if (a == b) return;
  atomicMin(&label[max(a, b)], min(a, b));
  *changed = 1;
}

__global__ void shorten(int* label, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int mine = atomicAdd(&label[v], 0), next;
  while ((next = atomicAdd(&label[mine], 0)) != mine) mine = next;
  atomicExch(&label[v], mine);
}

int main(int argc, char** argv) {
  int vertices = atoi(argv[1]), n = vertices * 3 / 4;
  unsigned seed = atoi(argv[2]);
  std::vector<int2> edges(n);
  for (int i = 0; i < n; i++) edges[i] = make_int2(hash(i, seed) % vertices, hash(i, seed + 1) % vertices);
  std::vector<int> host(vertices);
  for (int v = 0; v < vertices; v++) host[v] = v;
  int2* e = upload(edges);
  int *label = upload(host), *changed = upload(std::vector<int>{1});
  while (download(changed, 1)[0]) {
    cudaMemset(changed, 0, sizeof(int));
    hook<<<(n + 127) / 128, 128>>>(e, label, changed, n);
    shorten<<<(vertices + 127) / 128, 128>>>(label, vertices);
  }
  host = download(label, vertices);
  int components = 0;
  for (int v = 0; v < vertices; v++) components += host[v] == v;
  printf("components %d checksum %lld\n", components, checksum(host));
  cudaFree(e);
  cudaFree(label);
  cudaFree(changed);
}
