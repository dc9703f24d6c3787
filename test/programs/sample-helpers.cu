// A program as CUDA's samples are: helper headers, arguments by name, a stop watch, marks for a profiler, a comparison
// with a reference, and EXIT_SUCCESS.
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

#include <helper_cuda.h>
#include <helper_functions.h>

#define BLOCK_SIZE 16

__global__ void smooth(float* __restrict__ out, const float* __restrict__ in, int width, int height) {
  int x = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  int y = blockIdx.y * BLOCK_SIZE + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      sum += in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
  out[y * width + x] = sum;
}

void reference(float* out, const float* in, int width, int height) {
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double sum = 0;
      for (int j = y - 1; j <= y + 1; j++)
        for (int i = x - 1; i <= x + 1; i++)
          sum += in[(j < 0 ? 0 : j < height ? j : height - 1) * width + (i < 0 ? 0 : i < width ? i : width - 1)];
      out[y * width + x] = (float)sum;
    }
}

int main(int argc, char** argv) {
  printf("[%s] - Starting...\n", "smooth");
  if (checkCmdLineFlag(argc, (const char**)argv, "help")) {
    printf("Usage -device=n (n >= 0 for deviceID)\n      -width=W -height=H\n");
    exit(EXIT_SUCCESS);
  }
  int width = 40, height = 30;
  if (checkCmdLineFlag(argc, (const char**)argv, "width"))
    width = getCmdLineArgumentInt(argc, (const char**)argv, "width");
  if (checkCmdLineFlag(argc, (const char**)argv, "height"))
    height = getCmdLineArgumentInt(argc, (const char**)argv, "height");
  float gain = getCmdLineArgumentFloat(argc, (const char**)argv, "gain");
  char* name = NULL;
  getCmdLineArgumentString(argc, (const char**)argv, "name", &name);
  int dev = findCudaDevice(argc, (const char**)argv);

  size_t bytes = width * height * sizeof(float);
  float *h_in = (float*)malloc(bytes), *h_out = (float*)malloc(bytes), *h_reference = (float*)malloc(bytes);
  for (int i = 0; i < width * height; i++) h_in[i] = gain * (i * 7 % 31);
  float *d_in, *d_out;
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_in), bytes));
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&d_out), bytes));

  StopWatchInterface* timer = NULL;
  sdkCreateTimer(&timer);
  sdkStartTimer(&timer);
  nvtxRangePushA("copy and run");
  checkCudaErrors(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));
  dim3 threads(BLOCK_SIZE, BLOCK_SIZE);
  dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
  smooth<<<blocks, threads>>>(d_out, d_in, width, height);
  getLastCudaError("smooth() execution failed\n");
  checkCudaErrors(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));
  nvtxRangePop();
  sdkStopTimer(&timer);
  reference(h_reference, h_in, width, height);
  double sum = 0;
  for (int i = 0; i < width * height; i++) sum += h_out[i];
  printf("device %d %s %d x %d, sum %.1f, timed %d\n", dev, name ? name : "(none)", width, height, sum,
         sdkGetTimerValue(&timer) >= 0 && sdkGetAverageTimerValue(&timer) == sdkGetTimerValue(&timer));
  sdkDeleteTimer(&timer);
  bool res = sdkCompareL2fe(h_reference, h_out, width * height, 1e-6f);
  h_out[5] += 100;
  bool spoilt = sdkCompareL2fe(h_reference, h_out, width * height, 1e-6f);
  printf("%s %d\n", res ? "Test passed" : "Test failed", spoilt);
  checkCudaErrors(cudaFree(d_in));
  checkCudaErrors(cudaFree(d_out));
  free(h_in);
  free(h_out);
  free(h_reference);
  exit(res ? EXIT_SUCCESS : EXIT_FAILURE);
}
