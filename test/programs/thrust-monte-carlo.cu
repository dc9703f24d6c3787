// Pi by throwing darts: each number of a counting iterator seeds a generator of its own.
#include <cstdio>
#include <cstdlib>

#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/random.h>
#include <thrust/transform_reduce.h>

__host__ __device__ unsigned int hash(unsigned int a) {
  a = (a + 0x7ed55d16) + (a << 12);
  a = (a ^ 0xc761c23c) ^ (a >> 19);
  a = (a + 0x165667b1) + (a << 5);
  a = (a + 0xd3a2646c) ^ (a << 9);
  a = (a + 0xfd7046c5) + (a << 3);
  a = (a ^ 0xb55a4f09) ^ (a >> 16);
  return a;
}

struct hits : public thrust::unary_function<unsigned int, int> {
  int throws;
  __host__ __device__ hits(int throws) : throws(throws) {}
  __host__ __device__ int operator()(unsigned int thread_id) {
    int sum = 0;
    thrust::default_random_engine rng(hash(thread_id));
    thrust::uniform_real_distribution<double> u01(0, 1);
    for (int i = 0; i < throws; ++i) {
      double x = u01(rng);
      double y = u01(rng);
      if (x * x + y * y < 1.0) sum++;
    }
    return sum;
  }
};

int main(int argc, char** argv) {
  const unsigned seeds = argc > 1 ? atoi(argv[1]) : 1000;
  const unsigned first = argc > 2 ? atoi(argv[2]) : 7;
  const int throws = 200;
  int inside = thrust::transform_reduce(thrust::counting_iterator<unsigned>(first),
                                        thrust::counting_iterator<unsigned>(first + seeds), hits(throws), 0,
                                        thrust::plus<int>());
  printf("%d inside, pi is about %.6f\n", inside, 4.0 * inside / (double(seeds) * throws));

  // One stream of numbers, from the middle of which a generator begins.
  thrust::minstd_rand one(first + 1), other(first + 1);
  for (int i = 0; i < 1000; i++) one();
  other.discard(1000);
  thrust::uniform_int_distribution<int> dice(1, 6);
  unsigned ones = one(), others = other();
  printf("%u %u, a die shows %d\n", ones, others, dice(one));
  return 0;
}
