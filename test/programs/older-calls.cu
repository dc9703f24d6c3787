// Calls that older programs make: banks of shared memory, the nearest device, peers, memory of streams, pools,
// priorities.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                       \
  {                                                                       \
    const cudaError_t error = call;                                       \
    if (error != cudaSuccess) {                                           \
      printf("Error: %s:%d, ", __FILE__, __LINE__);                       \
      printf("code: %d, reason: %s\n", error, cudaGetErrorString(error)); \
      exit(-10 * error);                                                  \
    }                                                                     \
  }

#define DIM 16
#define PAD 1

__global__ void transposeBanks(double* out, const double* in) {
  __shared__ double tile[DIM][DIM + PAD];
  unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
  unsigned int irow = idx / blockDim.y, icol = idx % blockDim.y;
  tile[threadIdx.y][threadIdx.x] = in[idx];
  __syncthreads();
  out[idx] = tile[icol][irow];
}

__global__ void sumTile(const double* x, double* sum) {
  extern __shared__ double s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride] * (stride == 1 ? -1 : 1);
    __syncthreads();
  }
  if (threadIdx.x == 0) *sum = s[0];
}

int main(void) {
  cudaDeviceProp wanted;
  memset(&wanted, 0, sizeof(cudaDeviceProp));
  wanted.major = 1;
  int dev, can = 7;
  CHECK(cudaChooseDevice(&dev, &wanted));
  CHECK(cudaSetDevice(dev));
  CHECK(cudaDeviceCanAccessPeer(&can, dev, dev));
  cudaSharedMemConfig pConfig;
  CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
  CHECK(cudaDeviceGetSharedMemConfig(&pConfig));
  CHECK(cudaFuncSetSharedMemConfig(transposeBanks, cudaSharedMemBankSizeDefault));
  CHECK(cudaFuncSetCacheConfig(transposeBanks, cudaFuncCachePreferShared));
  printf("device %d peer %d with Bank Mode:%s\n", dev, can, pConfig == 1 ? "4-Byte" : "8-Byte");

  const size_t bytes = DIM * DIM * sizeof(double);
  double *in, *out, *other, *sum;
  CHECK(cudaMallocManaged((void**)&in, bytes));
  for (int i = 0; i < DIM * DIM; i++) in[i] = i;
  cudaStream_t stream;
  int least, greatest, priority = 9;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, least));
  CHECK(cudaStreamGetPriority(stream, &priority));
  CHECK(cudaStreamAttachMemAsync(stream, in));
  CHECK(cudaStreamSynchronize(stream));

  cudaMemPool_t pool;
  unsigned long long threshold = 1 << 20, kept = 0;
  int reuse = 0, off = 7;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, dev));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &off));
  CHECK(cudaMallocAsync(&out, bytes, stream));
  CHECK(cudaMallocFromPoolAsync(&other, bytes, pool, stream));
  CHECK(cudaMallocFromPoolAsync(&sum, sizeof(double), pool, stream));
  printf("priority %d threshold %llu reuse %d\n", priority == least, kept, off);

  dim3 block(DIM, DIM);
  transposeBanks<<<1, block, 0, stream>>>(out, in);
  CHECK(cudaMemcpyPeerAsync(other, dev, out, dev, bytes, stream));
  int grid, size;
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      &grid, &size, sumTile, [](int threads) { return threads * sizeof(double); }, 256));
  sumTile<<<1, size, size * sizeof(double), stream>>>(other, sum);
  double result[2], *row = (double*)malloc(bytes);
  CHECK(cudaMemcpyAsync(&result[0], sum, sizeof(double), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaMemcpyAsync(row, other, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("%d threads: %.1f, row", size, result[0]);
  for (int i = 0; i < 4; i++) printf(" %.0f", row[i]);
  printf("\n");
  CHECK(cudaFreeAsync(out, stream));
  CHECK(cudaFreeAsync(other, stream));
  CHECK(cudaFreeAsync(sum, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(in));
  free(row);
  CHECK(cudaDeviceReset());
  return EXIT_SUCCESS;
}
