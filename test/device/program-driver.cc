// A driver for programs, made of this machine's memory: what CUDA's runtime makes of a program's calls can be followed
// without a GPU. It has one kernel, _Z5scalePfif, and one variable, weights. Functions that are not here do nothing
// (program-driver.test.ts adds them).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

static std::map<uint64_t, size_t> memory;
static float weights[4];
static bool lost;

static bool is_ours(uint64_t at, size_t bytes) {
  if (at >= uint64_t(weights) && at + bytes <= uint64_t(weights + 4)) return true;
  auto behind = memory.upper_bound(at);
  if (behind == memory.begin()) return false;
  auto& block = *--behind;
  return at + bytes <= block.first + block.second;
}

extern "C" {

int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuDeviceGetCount(int* count) { return *count = 2, 0; }
int cuDeviceGet(int* device, int index) { return *device = index, 0; }
int cuDeviceGetName(char* name, int size, int device) { return snprintf(name, size, "Made GPU %d", device), 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 8 ? 49152 : attribute <= 7 ? 1024 : attribute == 10 ? 32 : 16;
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = 1 << 30, 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &memory, 0; }
int cuGetErrorName(int, const char** text) { return *text = "CUDA_ERROR", 0; }
int cuGetErrorString(int, const char** text) { return *text = "an error", 0; }

int cuModuleLoadData(void** module, const void* image) {
  *module = &memory;
  return strcmp(static_cast<const char*>(image), "machine code") == 0 ? 0 : 200;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = &lost;
  return strcmp(name, "_Z5scalePfif") == 0 ? 0 : 500;
}
int cuModuleGetGlobal_v2(uint64_t* at, size_t* bytes, void*, const char* name) {
  *at = uint64_t(weights);
  *bytes = sizeof weights;
  return strcmp(name, "weights") == 0 ? 0 : 500;
}
int cuFuncGetAttribute(int* value, int attribute, void*) { return *value = attribute == 0 ? 512 : 7, 0; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void*, int threads, size_t) {
  return *blocks = 1024 / threads, 0;
}

int cuMemAlloc_v2(uint64_t* at, size_t bytes) {
  if (bytes > 1 << 30) return 2;
  *at = uint64_t(malloc(bytes));
  memory[*at] = bytes;
  return 0;
}
int cuMemAllocManaged(uint64_t* at, size_t bytes, unsigned) { return cuMemAlloc_v2(at, bytes); }
int cuMemHostAlloc(void** at, size_t bytes, unsigned) { return *at = malloc(bytes), 0; }
int cuMemFreeHost(void* at) { return free(at), 0; }
int cuMemFree_v2(uint64_t at) {
  if (memory.erase(at) == 0) return 1;
  free(reinterpret_cast<void*>(at));
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  if (lost) return 700;
  return is_ours(to, bytes) ? memcpy(reinterpret_cast<void*>(to), from, bytes), 0 : 1;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  if (lost) return 700;
  return is_ours(from, bytes) ? memcpy(to, reinterpret_cast<void*>(from), bytes), 0 : 1;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, void*) {
  return cuMemcpyHtoD_v2(to, from, bytes);
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void*) { return cuMemcpyDtoH_v2(to, from, bytes); }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  return is_ours(to, bytes) ? cuMemcpyDtoH_v2(reinterpret_cast<void*>(to), from, bytes) : 1;
}
int cuMemsetD8_v2(uint64_t at, unsigned char value, size_t bytes) {
  return is_ours(at, bytes) ? memset(reinterpret_cast<void*>(at), value, bytes), 0 : 1;
}
struct Copy2d {
  size_t from_x, from_y;
  int from_type;
  const char* from_host;
  const char* from_device;
  void* from_array;
  size_t from_pitch;
  size_t to_x, to_y;
  int to_type;
  char* to_host;
  char* to_device;
  void* to_array;
  size_t to_pitch, width, height;
};
int cuMemcpy2DUnaligned_v2(const Copy2d* c) {
  for (size_t row = 0; row < c->height; row++)
    memcpy((c->to_type == 1 ? c->to_host : c->to_device) + row * c->to_pitch,
           (c->from_type == 1 ? c->from_host : c->from_device) + row * c->from_pitch, c->width);
  return 0;
}
int cuCtxSynchronize() { return lost ? 700 : 0; }
int cuStreamCreate(void** stream, unsigned) { return *stream = &memory, 0; }
int cuEventCreate(void** event, unsigned) { return *event = &lost, 0; }
int cuEventElapsedTime(float* milliseconds, void*, void*) { return *milliseconds = 1.5f, 0; }
int cuStreamEndCapture(void*, void** graph) { return *graph = &weights, 0; }
int cuGraphInstantiateWithFlags(void** executable, void*, unsigned long long) { return *executable = &weights, 0; }
int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  printf("host function on %s\n", stream == nullptr ? "default" : "stream");
  return function(data), 0;
}
int cuGraphCreate(void** graph, unsigned) { return *graph = &memory, 0; }
int cuGraphAddChildGraphNode(void** node, void* graph, void* const* before, size_t count, void* child) {
  printf("node behind %d\n", count == 0 ? 0 : int(reinterpret_cast<size_t>(before[0])));
  static size_t nodes = 0;
  *node = reinterpret_cast<void*>(++nodes);
  return graph == &memory && child == &weights ? 0 : 1;
}
int cuGraphAddDependencies(void*, void* const* from, void* const* to, size_t count) {
  printf("%d edge from %d to %d\n", int(count), int(reinterpret_cast<size_t>(*from)),
         int(reinterpret_cast<size_t>(*to)));
  return 0;
}
int cuGraphGetNodes(void*, void*, size_t* count) { return *count = 5, 0; }

int cuLaunchKernel(void*, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned shared,
                   void* stream, void** arguments, void**) {
  float* x = *static_cast<float**>(arguments[0]);
  int n = *static_cast<int*>(arguments[1]);
  float by = *static_cast<float*>(arguments[2]);
  printf("launch %u %u %u %s\n", grid, block, shared, stream == nullptr ? "default" : "stream");
  if (!is_ours(uint64_t(x), n * sizeof(float))) return lost = true, 0;
  for (int i = 0; i < n; i++) x[i] = x[i] * by + weights[i % 4];
  return 0;
}
}
