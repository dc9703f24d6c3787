// A sparse matrix in jagged diagonals (JDS): rows by length, their k-th entries side by side; and ELL with the rest in
// COO.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

// Numbers that the test makes too (a permuted congruential step).
unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct JDSMatrix {
  int rows, diagonals;
  int *values, *columns, *starts, *order;
};

__global__ void spmv_jds(JDSMatrix a, const int* x, int* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  int sum = 0;
  for (int t = 0; t < a.diagonals; t++) {
    if (row >= a.starts[t + 1] - a.starts[t]) break;
    int i = a.starts[t] + row;
    sum += a.values[i] * x[a.columns[i]];
  }
  y[a.order[row]] = sum;
}

__global__ void spmv_ell(int rows, int width, const int* values, const int* columns, const int* x, int* y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int t = 0; t < width; t++) sum += values[t * rows + row] * x[columns[t * rows + row]];
  y[row] = sum;
}

__global__ void spmv_coo(int n, const int3* entries, const int* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&y[entries[i].x], entries[i].z * x[entries[i].y]);
}

template <class T>
T* managed(const std::vector<T>& from) {
  T* to;
  cudaMallocManaged(&to, std::max<size_t>(1, from.size()) * sizeof(T));
  std::copy(from.begin(), from.end(), to);
  return to;
}

int main(int argc, char** argv) {
  const int rows = atoi(argv[1]), width = 3;
  const unsigned seed = atoi(argv[2]);
  std::vector<std::vector<int2>> matrix(rows);
  for (int r = 0; r < rows; r++)
    for (unsigned k = 0; k < hash(r, seed) % 9; k++)
      matrix[r].push_back(make_int2(hash(r * 9 + k, seed + 1) % rows, int(hash(r * 9 + k, seed + 2) % 19) - 9));
  std::vector<int> host(rows);
  for (int i = 0; i < rows; i++) host[i] = hash(i, seed + 3) % 100;
  int *x = managed(host), *y = managed(host), *z = managed(host);

  std::vector<int> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return matrix[a].size() > matrix[b].size(); });
  std::vector<int> values, columns, starts{0};
  for (size_t t = 0; t < matrix[order[0]].size(); t++) {
    for (int row : order)
      if (t < matrix[row].size()) {
        columns.push_back(matrix[row][t].x);
        values.push_back(matrix[row][t].y);
      }
    starts.push_back(values.size());
  }
  JDSMatrix jds{rows, int(starts.size()) - 1, managed(values), managed(columns), managed(starts), managed(order)};
  spmv_jds<<<(rows + 63) / 64, 64>>>(jds, x, y);

  std::vector<int> padded(width * rows, 0), places(width * rows, 0);
  std::vector<int3> rest;
  for (int r = 0; r < rows; r++)
    for (size_t t = 0; t < matrix[r].size(); t++) {
      auto [column, value] = matrix[r][t];
      if (t < width) {
        padded[t * rows + r] = value;
        places[t * rows + r] = column;
      } else
        rest.push_back({r, column, value});
    }
  int *ell = managed(padded), *ell_columns = managed(places);
  int3* coo = managed(rest);
  spmv_ell<<<(rows + 63) / 64, 64>>>(rows, width, ell, ell_columns, x, z);
  if (!rest.empty()) spmv_coo<<<(rest.size() + 63) / 64, 64>>>(rest.size(), coo, x, z);
  cudaDeviceSynchronize();
  long long of_y = 0, of_z = 0;
  for (int i = 0; i < rows; i++) {
    of_y += (long long)y[i] * (i % 97);
    of_z += (long long)z[i] * (i % 97);
  }
  printf("entries %d diagonals %d rest %d JDS %lld hybrid %lld\n", (int)values.size(), jds.diagonals, (int)rest.size(),
         of_y, of_z);
  for (void* each : {(void*)x, (void*)y, (void*)z, (void*)jds.values, (void*)jds.columns, (void*)jds.starts,
                     (void*)jds.order, (void*)ell, (void*)ell_columns, (void*)coo})
    cudaFree(each);
}
