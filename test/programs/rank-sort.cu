// A sort by counting how many are smaller, for all pairs on a grid of two axes, of records with a name.
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace std;

// Numbers that the test makes too (a permuted congruential step).
unsigned hash_of(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

struct Student {
  char name[6];
  short year;
  float mark;
};

__host__ __device__ bool comes_before(const Student& a, int at_a, const Student& b, int at_b) {
  if (a.year != b.year) return a.year < b.year;
  if (a.mark != b.mark) return a.mark > b.mark;
  return at_a < at_b;
}

__global__ void count_before(const Student* students, int* ranks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n && comes_before(students[j], j, students[i], i)) atomicAdd(&ranks[i], 1);
}

__global__ void place(const Student* students, const int* ranks, Student* sorted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sorted[ranks[i]] = students[i];
}

int main(int argc, char** argv) {
  const int n = stoi(argv[1]);
  const unsigned seed = stoul(argv[2]);
  vector<Student> students(n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 5; k++) students[i].name[k] = 'a' + hash_of(5 * i + k, seed) % 26;
    students[i].name[5] = '\0';
    students[i].year = 2000 + hash_of(i, seed + 1) % 4;
    students[i].mark = 1 + hash_of(i, seed + 2) % 13 * 0.25f;
  }
  Student *from, *to;
  int* ranks;
  cudaMalloc(&from, n * sizeof(Student));
  cudaMalloc(&to, n * sizeof(Student));
  cudaMalloc(&ranks, n * sizeof(int));
  cudaMemset(ranks, 0, n * sizeof(int));
  cudaMemcpy(from, &students[0], n * sizeof(Student), cudaMemcpyHostToDevice);
  const dim3 threads{16, 16}, blocks{(n + 15u) / 16, (n + 15u) / 16};
  count_before<<<blocks, threads>>>(from, ranks, n);
  place<<<(n + 31) / 32, 32>>>(from, ranks, to, n);
  cudaMemcpy(students.data(), to, n * sizeof(Student), cudaMemcpyDeviceToHost);
  for (const Student& student : students)
    cout << left << setw(8) << student.name << student.year << right << setw(6) << fixed << setprecision(2)
         << student.mark << endl;
  cudaFree(from);
  cudaFree(to);
  cudaFree(ranks);
}
