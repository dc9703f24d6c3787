// A driver, a CUPTI and a cuBLASLt in one library, so that work which the driver is given appears in CUPTI's buffers:
// what they rarely do can be provoked on every machine, by variables of the environment. Layouts as NVIDIA's headers
// have them. Functions that are not here do nothing (made-gpu.ts adds them).
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

static int asked(const char* variable, int otherwise = 0) {
  const char* text = getenv(variable);
  return text == nullptr ? otherwise : atoi(text);
}

// CUPTI's records and callbacks.
struct Call {
  int site;
  const char* function;
  const void* parameters;
  void* result;
  const char* symbol;
  void* context;
  uint32_t number;
  uint64_t* data;
  uint32_t correlation;
};
static void (*callback)(void*, int, uint32_t, const void*);
static void* user;
static bool followed[1024], enabled[64], subscribed;
static void (*request)(uint8_t**, size_t*, size_t*);
static void (*complete)(void*, uint32_t, uint8_t*, size_t, size_t);
static uint64_t (*clock_of)();
static uint8_t* buffer;
static size_t used, size, dropped;
static uint32_t correlation;

static void flush() {
  if (buffer != nullptr) complete(nullptr, 0, buffer, size, used);
  buffer = nullptr;
  used = 0;
}

static uint32_t bytes_of(uint32_t kind) { return kind == 10 ? 216 : kind == 1 ? 96 : 88; }

static void add(const void* record, uint32_t bytes) {
  if (buffer != nullptr && used + bytes > size) flush();
  if (buffer == nullptr) {
    size_t most;
    request(&buffer, &size, &most);
    if (buffer == nullptr) {
      dropped++;
      return;
    }
    if (buffer[size - 1] != 0 || buffer[0] != 0) abort();
  }
  memcpy(buffer + used, record, bytes);
  used += bytes;
}

template <class T>
static void put(uint8_t* record, size_t at, T value) {
  memcpy(record + at, &value, sizeof value);
}

static void call(uint32_t function) {
  correlation += 3;
  if (callback == nullptr || !followed[function]) return;
  Call data = {};
  data.correlation = correlation;
  callback(user, 1, function, &data);
  data.site = 1;
  callback(user, 1, function, &data);
}

// The range profiler: the first numbers of the grids of what was launched since the start.
static bool counting;
static std::vector<uint32_t> ranges;

// Sampling: blocks of the kernels that were launched since the start, by name.
static bool sampling;
static std::map<std::string, uint32_t> sampled;

static void trace(uint32_t kind, uint64_t bytes, const char* name, const uint32_t* sizes) {
  if (!enabled[kind]) return;
  uint8_t record[216] = {};
  put(record, 0, kind);
  put(record, 16, clock_of());
  put(record, 24, clock_of() + 5);
  if (kind == 10) {
    put<uint16_t>(record, 6, 40);
    put<uint32_t>(record, 48, 14);
    memcpy(record + 52, sizes, 24);
    put<uint32_t>(record, 76, 1024);
    put<uint32_t>(record, 80, sizes[6]);
    put<uint32_t>(record, 84, 16);
    put(record, 92, correlation);
    put(record, 104, name);
  } else {
    put(record, 8, bytes);
    put<uint32_t>(record, 40, 77);
    put(record, 44, correlation);
    record[4] = kind == 1 ? 8 : 0;
  }
  add(record, bytes_of(kind));
}

static void work(uint32_t function, uint32_t kind, uint64_t bytes, const char* name, const uint32_t* sizes) {
  call(function);
  trace(kind, bytes, name, sizes);
  if (kind == 10 && sampling) sampled[name] += sizes[0];
  if (kind != 10 || !counting) return;
  if (ranges.size() < 32) ranges.push_back(sizes[0]);
  trace(10, 0, "WaitNs", sizes);
}

static void launch(const char* name, uint32_t blocks) {
  uint32_t sizes[] = {blocks, 1, 1, 32, 1, 1, 0};
  work(652, 10, 0, name, sizes);
}

extern "C" {

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 999;
  return 0;
}
int cuDeviceGetAttribute(int* value, int, int) {
  *value = 100000;
  return 0;
}
int cuGetErrorName(int, const char** text) {
  *text = "CUDA_ERROR";
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "error";
  return 0;
}
int cuMemGetAllocationGranularity(unsigned long* step) {
  *step = 1 << 21;
  return 0;
}
int cuFuncGetParamInfo() { return 1; }
int cuModuleLoadData() {
  work(400, 1, 12, nullptr, nullptr);
  return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = strdup(name);
  return 0;
}
int cuFuncGetAttribute(int* value, int attribute) {
  *value = attribute < 11 ? 1024 : 0;  // above: the clusters that it declares
  return 0;
}
int cuMemCreate(unsigned long* handle) {
  *handle = 1;
  return 0;
}
int cuMemExportToShareableHandle(int* descriptor) {
  *descriptor = dup(2);
  return 0;
}

// A kernel "lost" leaves no record.
int cuLaunchKernel(const char* name, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f,
                   unsigned shared) {
  uint32_t sizes[] = {a, b, c, d, e, f, shared};
  if (strcmp(name, "lost") != 0) work(307, 10, 0, name, sizes);
  return 0;
}
int cuMemcpyAsync(uint64_t, uint64_t, size_t bytes) {
  work(306, 1, bytes, nullptr, nullptr);
  return 0;
}
int cuMemsetD8Async(uint64_t, uint8_t, size_t bytes) {
  work(216, 2, bytes, nullptr, nullptr);
  return 0;
}
int cuMemsetD32Async(uint64_t, uint32_t, size_t items) {
  work(220, 2, items * 4, nullptr, nullptr);
  return 0;
}
int cuMemsetD2D32Async(uint64_t, size_t, uint32_t, size_t, size_t height) {
  work(226, 2, height * 4, nullptr, nullptr);
  return 0;
}
int cuStreamGetFlags(void*, unsigned* flags) {
  *flags = 1;
  call(369);
  return 0;
}
int cuEventElapsedTime(float* milliseconds) {
  *milliseconds = 0.5f;
  return 0;
}

// A product is two kernels and a fill.
size_t cublasLtGetVersion() { return 130100; }
const char* cublasLtGetStatusName(int) { return "CUBLAS_STATUS_OF_A_TEST"; }
int cublasLtMatmulAlgoGetHeuristic(void*, void*, void*, void*, void*, void*, void*, int, void*, int* count) {
  *count = 1;
  return 0;
}
int cublasLtCreate(void** handle) {
  *handle = &counting;
  uint32_t none[7] = {};
  work(218, 2, 16, nullptr, none);
  return 0;
}
int cublasLtMatmul() {
  launch("_ZN3lib5other4gemmILi4EEEvPKf", 70);
  uint32_t none[7] = {};
  work(218, 2, 64, nullptr, none);
  launch("reduce", 80);
  return 0;
}

int cuptiGetVersion(uint32_t* version) {
  *version = asked("FAKE_CUPTI_VERSION", 130000);
  return 0;
}
int cuptiGetResultString(int, const char** text) {
  *text = "CUPTI_ERROR_OF_A_TEST";
  return 0;
}
int cuptiSubscribe(void** subscriber, void (*to)(void*, int, uint32_t, const void*), void* data) {
  if (int refused = asked("FAKE_CUPTI_SUBSCRIBE")) return refused;
  if (subscribed) return 39;
  subscribed = true;
  callback = to;
  user = data;
  *subscriber = &subscribed;
  return 0;
}
int cuptiUnsubscribe(void* subscriber) {
  if (subscriber != &subscribed || !subscribed) return 1;
  subscribed = false;
  callback = nullptr;
  return 0;
}
int cuptiEnableCallback(uint32_t on, void*, int domain, uint32_t function) {
  if (domain == 1) followed[function] = on;
  return 0;
}
int cuptiGetStreamId(void*, void*, uint32_t* number) {
  *number = 14;
  return 0;
}
int cuptiActivityRegisterCallbacks(void (*r)(uint8_t**, size_t*, size_t*),
                                   void (*c)(void*, uint32_t, uint8_t*, size_t, size_t)) {
  request = r;
  complete = c;
  return 0;
}
int cuptiActivityRegisterTimestampCallback(uint64_t (*c)()) {
  clock_of = c;
  return 0;
}
int cuptiActivityEnable(uint32_t kind) {
  if (int refused = asked("FAKE_CUPTI_ENABLE")) return refused;
  enabled[kind] = true;
  return 0;
}
int cuptiActivityDisable(uint32_t kind) {
  enabled[kind] = false;
  return 0;
}
int cuptiActivityFlushAll(uint32_t) {
  if (complete != nullptr) flush();
  return 0;
}
int cuptiActivityGetNextRecord(uint8_t* bytes, size_t valid, uint8_t** record) {
  uint8_t* next = bytes;
  if (*record != nullptr) {
    uint32_t kind;
    memcpy(&kind, *record, 4);
    next = *record + bytes_of(kind);
  }
  if (next >= bytes + valid) return 12;
  *record = next;
  return 0;
}
int cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* count) {
  *count = dropped + asked("FAKE_CUPTI_DROPPED");
  dropped = 0;
  return 0;
}
// Its last word finds no buffer any more.
int cuptiFinalize() {
  memset(enabled, 0, sizeof enabled);
  memset(followed, 0, sizeof followed);
  request = nullptr;
  complete = nullptr;
  dropped++;
  return subscribed ? 1 : 0;
}

#ifndef WITHOUT_PROFILERS
static char host, profiler;
static std::vector<const char*> metrics;
static size_t started;

struct Head {
  size_t bytes;
  void* unused;
};
struct DeviceGetChipName {
  Head head;
  size_t device;
  const char* name;
};
struct ProfilerGetCounterAvailability {
  Head head;
  void* context;
  size_t size;
  uint8_t* image;
};
struct ProfilerHostInitialize {
  Head head;
  int type;
  const char* chip;
  const uint8_t* availability;
  void* host;
};
struct ProfilerHostConfigAddMetrics {
  Head head;
  void* host;
  const char** names;
  size_t count;
};
struct ProfilerHostGetConfigImageSize {
  Head head;
  void* host;
  size_t size;
};
struct ProfilerHostGetConfigImage {
  Head head;
  void* host;
  size_t size;
  uint8_t* image;
};
struct ProfilerHostGetNumOfPasses {
  Head head;
  size_t size;
  uint8_t* image;
  size_t passes;
};
struct RangeProfilerEnable {
  Head head;
  void* context;
  void* profiler;
};
struct RangeProfilerGetCounterDataSize {
  Head head;
  void* profiler;
  const char** names;
  size_t count, ranges;
  uint32_t nodes;
  size_t size;
};
struct RangeProfilerSetConfig {
  Head head;
  void* profiler;
  size_t config_size;
  const uint8_t* config;
  size_t image_size;
  uint8_t* image;
  int range, replay;
  size_t ranges;
  uint16_t levels, first;
  size_t pass;
  uint16_t level;
};
struct RangeProfilerGetCounterDataInfo {
  Head head;
  const uint8_t* image;
  size_t size, ranges;
};
struct ProfilerHostEvaluateToGpuValues {
  Head head;
  void* host;
  const uint8_t* image;
  size_t size, range;
  const char** names;
  size_t count;
  double* values;
};
int cuptiProfilerInitialize(Head* p) { return p->bytes == 16 ? 0 : 1; }
int cuptiDeviceGetChipName(DeviceGetChipName* p) {
  p->name = "GH100";
  return p->head.bytes == 32 ? 0 : 1;
}
int cuptiProfilerGetCounterAvailability(ProfilerGetCounterAvailability* p) {
  p->size = 8;
  return asked("FAKE_COUNTERS");
}
int cuptiProfilerHostInitialize(ProfilerHostInitialize* p) {
  metrics.clear();
  p->host = &host;
  return p->head.bytes == 48 && strcmp(p->chip, "GH100") == 0 ? 0 : 1;
}
// One metric that the chip lacks, and one for which it needs another pass.
int cuptiProfilerHostConfigAddMetrics(ProfilerHostConfigAddMetrics* p) {
  const char* lacking = getenv("FAKE_LACKS");
  for (size_t i = 0; i < p->count; i++) {
    if (lacking != nullptr && strstr(p->names[i], lacking) != nullptr) return 17;
    metrics.push_back(p->names[i]);
  }
  return p->host == &host ? 0 : 1;
}
int cuptiProfilerHostGetConfigImageSize(ProfilerHostGetConfigImageSize* p) {
  p->size = 1;
  return 0;
}
int cuptiProfilerHostGetConfigImage(ProfilerHostGetConfigImage* p) {
  const char* dear = getenv("FAKE_NEEDS_A_PASS");
  *p->image = 1;
  for (const char* metric : metrics) *p->image += dear != nullptr && strstr(metric, dear) != nullptr;
  return 0;
}
int cuptiProfilerHostGetNumOfPasses(ProfilerHostGetNumOfPasses* p) {
  p->passes = *p->image;
  return 0;
}
int cuptiRangeProfilerEnable(RangeProfilerEnable* p) {
  p->profiler = &profiler;
  return 0;
}
int cuptiRangeProfilerGetCounterDataSize(RangeProfilerGetCounterDataSize* p) {
  p->size = 64;
  return 0;
}
int cuptiRangeProfilerSetConfig(RangeProfilerSetConfig* p) {
  return p->head.bytes == 90 && *p->config == 1 && p->range == 1 && p->replay == 3 && p->level == 1 ? 0 : 1;
}
int cuptiRangeProfilerStart(Head*) {
  int last = asked("FAKE_STARTS", 1000);
  if (started++ >= size_t(last)) return 9;
  counting = true;
  ranges.clear();
  return 0;
}
int cuptiRangeProfilerStop(Head*) {
  counting = false;
  return 0;
}
int cuptiRangeProfilerGetCounterDataInfo(RangeProfilerGetCounterDataInfo* p) {
  p->ranges = ranges.size() - (ranges.empty() ? 0 : asked("FAKE_LOSES"));
  return 0;
}
int cuptiProfilerHostEvaluateToGpuValues(ProfilerHostEvaluateToGpuValues* p) {
  for (size_t i = 0; i < p->count; i++)
    p->values[i] = strstr(p->names[i], "tensor") != nullptr ? 0. / 0. : ranges[p->range] + i / 100.;
  return 0;
}

struct Sampling {
  Head head;
  void* context;
};
struct Setting {
  int attribute, status;
  uint64_t values[3];
};
struct SamplingSettings {
  Sampling sampling;
  size_t count;
  Setting* settings;
};
struct Stall {
  uint32_t reason, samples;
};
struct Instruction {
  size_t bytes;
  uint64_t checksum, offset;
  uint32_t index, unused;
  char* function;
  size_t count;
  Stall* stalls;
  uint32_t correlation;
};
struct Samples {
  size_t bytes, room;
  uint64_t samples, dropped;
  size_t count, remaining;
  uint64_t range;
  Instruction* instructions;
  uint64_t foreign;
  uint8_t full;
};
struct SamplingData {
  Sampling sampling;
  Samples* samples;
};
struct ReasonCount {
  Sampling sampling;
  size_t* count;
};
struct Reasons {
  Sampling sampling;
  size_t count;
  uint32_t* numbers;
  char** names;
};
static const char* const reason_names[] = {
    "smsp__pcsamp_sample_count", "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued", "smsp__pcsamp_warps_issue_stalled_selected"};
static uint64_t settings_of[10], next_instruction;
static bool sampling_enabled;
int cuptiPCSamplingEnable(Sampling* p) {
  if (p->head.bytes != 24) return 1;
  if (int refused = asked("FAKE_SAMPLES")) return refused;
  sampling_enabled = true;
  return 0;
}
int cuptiPCSamplingGetNumStallReasons(ReasonCount* p) {
  *p->count = asked("FAKE_REASONS", 4);
  return sampling_enabled ? 0 : 7;
}
int cuptiPCSamplingGetStallReasons(Reasons* p) {
  for (uint32_t i = 0; i < p->count; i++) {
    p->numbers[i] = 10 + i;
    strcpy(p->names[i], reason_names[i]);
  }
  return 0;
}
int cuptiPCSamplingSetConfigurationAttribute(SamplingSettings* p) {
  for (size_t i = 0; i < p->count; i++) settings_of[p->settings[i].attribute] = p->settings[i].values[0];
  bool good = p->sampling.head.bytes == 40 && settings_of[5] == 1 && settings_of[6] == 1 && settings_of[2] == 2 &&
              settings_of[1] >= 5 && settings_of[1] <= 31;
  return good ? 0 : 1;
}
int cuptiPCSamplingStart(Sampling*) {
  if (int refused = asked("FAKE_SAMPLES_START")) {
    memset(enabled, 0, sizeof enabled);
    return refused;
  }
  sampling = true;
  sampled.clear();
  next_instruction = 0;
  return 0;
}
int cuptiPCSamplingStop(Sampling*) {
  if (!sampling) return 7;
  sampling = false;
  return asked("FAKE_SAMPLES_STOP");
}
// At the first instruction of each kernel a warp runs for each block, at all others two wait.
int cuptiPCSamplingGetData(SamplingData* p) {
  Samples& to = *p->samples;
  to.count = to.remaining = 0;
  to.dropped = next_instruction == 0 ? asked("FAKE_SAMPLES_DROPPED") : 0;
  to.full = asked("FAKE_SAMPLES_FULL");
  if (to.full) return 8;
  if (sampling || p->sampling.head.bytes != 32) return 1;
  uint64_t length = asked("FAKE_INSTRUCTIONS", 3), at = 0;
  for (auto& [name, blocks] : sampled) {
    for (uint64_t i = 0; i < length; i++, at++) {
      if (at < next_instruction) continue;
      if (to.count == to.room) {
        to.remaining++;
        continue;
      }
      Instruction& instruction = to.instructions[to.count++];
      if (instruction.bytes != 64) return 1;
      instruction.checksum = 7;
      instruction.offset = 16 * i;
      instruction.function = strdup(name.c_str());
      instruction.count = 1;
      instruction.stalls[0] = i == 0 ? Stall{13, blocks} : Stall{11, 2};
    }
  }
  next_instruction += to.count;
  return 0;
}
int cuptiPCSamplingDisable(Sampling*) {
  if (sampling || !sampling_enabled) return 7;
  sampling_enabled = false;
  return 0;
}
#endif
}
