// What CUDA's samples do beside their kernels: images and numbers in files, comparisons with a reference, the choice of
// a device, OpenMP's functions.
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_image.h>
#include <omp.h>

__global__ void invert(unsigned char* pixels, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pixels[i] = 255 - pixels[i];
}

int main(int argc, char** argv) {
  if (argc < 3) exit(EXIT_WAIVED);
  int first = atoi(argv[1]);
  std::string folder = argv[2];
  const unsigned width = 7, height = 5, n = width * height;
  std::vector<unsigned char> image(n);
  for (unsigned i = 0; i < n; i++) image[i] = (unsigned char)(first + i * 7);
  std::string name = folder + "/image.pgm";
  printf("saved %d\n", sdkSavePGM(name.c_str(), image.data(), width, height));

  char* path = sdkFindFilePath(name.c_str(), argv[0]);
  unsigned char* loaded = NULL;
  unsigned w = 0, h = 0;
  printf("loaded %d, ", sdkLoadPGM(path, &loaded, &w, &h));
  printf("%u x %u\n", w, h);
  float* samples = NULL;
  sdkLoadPGM(path, &samples, &w, &h);
  printf("as a float %.4f\n", samples[n - 1]);

  unsigned char* pixels;
  checkCudaErrors(cudaMalloc((void**)&pixels, n));
  checkCudaErrors(cudaMemcpy(pixels, loaded, n, cudaMemcpyHostToDevice));
  invert<<<1, MAX(n, 32)>>>(pixels, n);
  getLastCudaError("invert failed");
  checkCudaErrors(cudaMemcpy(loaded, pixels, n, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; i++) image[i] = 255 - image[i];
  printf("inverted %d\n", compareData(image.data(), loaded, n, 0.5f, 0.0f));
  loaded[MIN(3u, n)] ^= 64;
  printf("one off %d, and few %d\n", compareData(image.data(), loaded, n, 0.5f, 0.0f),
         compareData(image.data(), loaded, n, 0.5f, 0.1f));

  std::vector<unsigned char> colours(4 * n);
  for (unsigned i = 0; i < 4 * n; i++) colours[i] = (unsigned char)(first + i);
  name = folder + "/colours.ppm";
  sdkSavePPM4ub(name.c_str(), colours.data(), width, height);
  unsigned char* four = NULL;
  printf("four samples %d: ", sdkLoadPPM4ub(name.c_str(), &four, &w, &h));
  printf("%d\n", four[4 * 10 + 2] == colours[4 * 10 + 2] && four[4 * 10 + 3] == 0);
  printf("the same %d\n", sdkComparePPM(name.c_str(), name.c_str(), 0, 0));
  unsigned char* none = NULL;
  printf("no image %d\n", sdkLoadPGM((folder + "/none.pgm").c_str(), &none, &w, &h));

  float numbers[4] = {1.5f, -2, 0.25f, float(first)};
  name = folder + "/numbers.txt";
  sdkWriteFile(name.c_str(), numbers, 4, 0.0f, false);
  float* read = NULL;
  unsigned count = 0;
  sdkReadFile(name.c_str(), &read, &count);
  printf("%u numbers %g %g\n", count, read[1], read[3]);
  name = folder + "/numbers.bin";
  sdkDumpBin(numbers, sizeof numbers, name.c_str());
  printf("binary %d\n", sdkCompareBin2BinFloat(name.c_str(), name.c_str(), 4, 1e-6f, 0.0f, argv[0]));
  printf("not found %d\n", sdkFindFilePath("nowhere.txt", argv[0]) == NULL);

  char file[] = "regression.gold.dat", *extension;
  int length = getFileExtension(file, &extension);
  printf("%d %s %d\n", length, extension, stringRemoveDelimiter('-', "--key=1"));
  printf("device %d %d %d\n", findCudaDevice(argc, (const char**)argv), gpuGetMaxGflopsDeviceId(), gpuDeviceInit(0));
  printf("%d %d %s %d\n", _ConvertSMVer2Cores(8, 0), _ConvertSMVer2Cores(9, 0), _ConvertSMVer2ArchName(8, 6),
         checkCudaCapabilities(2, 0));
  printf("%s %d %d\n", _cudaGetErrorEnum(cudaErrorInvalidValue), ftoi(2.6f), ftoi(-2.6f));

  int total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < 10; i++) total += i;
  printf("%d by %d\n", total, omp_get_max_threads());
  cudaFree(pixels);
  return 0;
}
