// Kernels of every course: their barriers end loops over a block's threads. Several benchmarks measure them.
export const textbook = `__global__ void tree(const float* in, float* out, int n) {
  __shared__ float s[256];
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  s[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (tid < k) s[tid] += s[tid + k];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}
__global__ void scan(const float* in, float* out, int n) {
  __shared__ float s[256];
  int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    float v = 0;
    if (tid >= stride) v = s[tid - stride];
    __syncthreads();
    s[tid] += v;
  }
  if (i < n) out[i] = s[tid];
}
__global__ void histogram(const unsigned char* data, int n, int* out) {
  __shared__ int bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[data[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}
`;
