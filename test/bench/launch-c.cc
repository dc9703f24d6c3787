// The limit that launches are compared with: a C loop over cuLaunchKernel in one process, with nothing between. Prints
// one JSON object. Needs a driver and NVRTC at run time only: g++ -O2 -o launch-c launch-c.cc -ldl; ./launch-c
// libnvrtc.so.13 sm_90
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

void* library(const char* name) {
  void* handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(2);
  }
  return handle;
}

template <class F>
F symbol(void* from, const char* name) {
  void* found = dlsym(from, name);
  if (!found) {
    std::fprintf(stderr, "no %s\n", name);
    std::exit(2);
  }
  return reinterpret_cast<F>(found);
}

void check(int result, const char* call) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: error %d\n", call, result);
  std::exit(2);
}

double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int main(int count, char** arguments) {
  void* driver = library("libcuda.so.1");
  void* nvrtc = library(count > 1 ? arguments[1] : "libnvrtc.so");
  std::string arch = std::string("-arch=") + (count > 2 ? arguments[2] : "sm_90");

  int device;
  void *context, *module, *function, *stream;
  uint64_t memory;
  check(symbol<int (*)(unsigned)>(driver, "cuInit")(0), "cuInit");
  check(symbol<int (*)(int*, int)>(driver, "cuDeviceGet")(&device, 0), "cuDeviceGet");
  check(symbol<int (*)(void**, int)>(driver, "cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
  check(symbol<int (*)(void*)>(driver, "cuCtxSetCurrent")(context), "cuCtxSetCurrent");

  void* program;
  const char* source = "extern \"C\" __global__ void k3(float* x, int n, float a) {}";
  const char* options[] = {arch.c_str()};
  check(symbol<int (*)(void**, const char*, const char*, int, void*, void*)>(nvrtc, "nvrtcCreateProgram")(
            &program, source, "k.cu", 0, nullptr, nullptr),
        "nvrtcCreateProgram");
  check(symbol<int (*)(void*, int, const char**)>(nvrtc, "nvrtcCompileProgram")(program, 1, options),
        "nvrtcCompileProgram");
  size_t size;
  check(symbol<int (*)(void*, size_t*)>(nvrtc, "nvrtcGetCUBINSize")(program, &size), "nvrtcGetCUBINSize");
  std::vector<char> cubin(size);
  check(symbol<int (*)(void*, char*)>(nvrtc, "nvrtcGetCUBIN")(program, cubin.data()), "nvrtcGetCUBIN");
  check(symbol<int (*)(void**, const void*)>(driver, "cuModuleLoadData")(&module, cubin.data()), "cuModuleLoadData");
  check(symbol<int (*)(void**, void*, const char*)>(driver, "cuModuleGetFunction")(&function, module, "k3"),
        "cuModuleGetFunction");
  check(symbol<int (*)(void**, unsigned)>(driver, "cuStreamCreate")(&stream, 1), "cuStreamCreate");
  check(symbol<int (*)(uint64_t*, size_t)>(driver, "cuMemAlloc_v2")(&memory, 4096), "cuMemAlloc");
  auto launch = symbol<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                               void**, void**)>(driver, "cuLaunchKernel");
  auto synchronize = symbol<int (*)(void*)>(driver, "cuStreamSynchronize");

  int n = 1;
  float a = 1;
  void* values[] = {&memory, &n, &a};
  auto once = [&] { check(launch(function, 1, 1, 1, 64, 1, 1, 0, stream, values, nullptr), "cuLaunchKernel"); };
  for (int i = 0; i < 2000; i++) once();
  check(synchronize(stream), "cuStreamSynchronize");

  const int launches = 50000;
  double begin = now();
  for (int i = 0; i < launches; i++) once();
  check(synchronize(stream), "cuStreamSynchronize");
  double drained = (now() - begin) / launches;

  std::vector<double> each;
  for (int i = 0; i < 2000; i++) {
    begin = now();
    once();
    check(synchronize(stream), "cuStreamSynchronize");
    each.push_back(now() - begin);
  }
  std::nth_element(each.begin(), each.begin() + each.size() / 2, each.end());
  std::printf("{\"drained\": %.4f, \"launchSynchronize\": %.4f}\n", drained, each[each.size() / 2]);
}
