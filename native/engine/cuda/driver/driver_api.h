// The functions of libcuda.so.1, opened at run time, as one typed table.
//
// The types are declared here, as the driver's ABI has them, so that building needs no CUDA toolkit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpcell::cuda {

using Result = int;                 // CUresult
using DeviceHandle = int;           // CUdevice
using DevicePointer = uint64_t;     // CUdeviceptr
using AllocationHandle = uint64_t;  // CUmemGenericAllocationHandle
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using ArrayHandle = struct ArrayTag*;          // CUarray
using GraphHandle = struct GraphTag*;          // CUgraph
using GraphNode = struct GraphNodeTag*;        // CUgraphNode
using GraphExecutable = struct GraphExecTag*;  // CUgraphExec

constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;
constexpr Result kOutOfMemory = 2;
constexpr Result kNotReady = 600;

constexpr int kOldestDriver = 12040;  // CUDA 12.4, as cuDriverGetVersion counts

struct MemoryLocation {
  int type;
  int id;
};

// CUmemAllocationProp
struct AllocationProperties {
  int type;
  int handle_types;
  MemoryLocation location;
  void* win32_meta_data;
  unsigned char compression;
  unsigned char direct_rdma;
  unsigned short usage;
  unsigned char reserved[4];
};

// CUmemAccessDesc
struct AccessDescription {
  MemoryLocation location;
  int flags;
};

// CUDA_KERNEL_NODE_PARAMS_v2
struct KernelNodeParameters {
  Function function;
  unsigned grid[3], block[3], shared;
  void** parameters;
  void** packed;
  void* kernel;
  Context context;
};

// CUlaunchAttribute, of which only those with three numbers at most are used
struct LaunchAttribute {
  int id;
  char pad[4];
  unsigned value[16];
};
constexpr int kLaunchCooperative = 2;
constexpr int kLaunchCluster = 4;

// CUlaunchConfig
struct LaunchConfiguration {
  unsigned grid[3], block[3], shared;
  Stream stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

// CUDA_ARRAY3D_DESCRIPTOR
struct ArrayDescription {
  size_t width, height, depth;
  int format;
  unsigned channels;
  unsigned flags;
};
constexpr unsigned kArrayLayered = 1;
constexpr unsigned kArraySurface = 2;

// One end of a CUDA_MEMCPY3D, and all of it. Bytes; the height is of memory, in rows.
struct MemoryEnd {
  size_t x, y, z, level;
  int type;
  const void* host;
  DevicePointer device;
  ArrayHandle array;
  void* reserved;
  size_t pitch, height;
};
struct CopyDescription {
  MemoryEnd from, to;
  size_t width, height, depth;
};
constexpr int kMemoryHost = 1;
constexpr int kMemoryDevice = 2;
constexpr int kMemoryArray = 3;
constexpr int kMemoryUnified = 4;

// CUDA_RESOURCE_DESC
struct ResourceDescription {
  struct Linear {
    DevicePointer address;
    int format;
    unsigned channels;
    size_t bytes;
  };
  struct Rows {
    DevicePointer address;
    int format;
    unsigned channels;
    size_t width, height, pitch;
  };
  int type;
  union {
    ArrayHandle array;
    Linear linear;
    Rows rows;
    int reserved[32];
  };
  unsigned flags;
};
constexpr int kResourceArray = 0;
constexpr int kResourceLinear = 2;
constexpr int kResourceRows = 3;

// CUDA_TEXTURE_DESC
struct TextureDescription {
  int address[3];
  int filter;
  unsigned flags;
  unsigned anisotropy;
  int level_filter;
  float level_bias, least_level, most_level;
  float border[4];
  int reserved[12];
};
constexpr unsigned kReadAsInteger = 1;
constexpr unsigned kNormalizedCoordinates = 2;

constexpr int kAllocationPinned = 1;
constexpr int kLocationDevice = 1;
constexpr int kHandlePosixDescriptor = 1;
constexpr int kGranularityMinimum = 0;
constexpr int kAccessReadWrite = 3;
constexpr int kLimitPrintf = 1;
constexpr unsigned kStreamNonBlocking = 1;
constexpr int kCaptureRelaxed = 2;  // other calls of the process stay as they are
constexpr unsigned kEventDefault = 0;
constexpr unsigned kEventBlocking = 1 | 2;  // a blocking wait, no timing

// The two words that introduce a packed buffer of parameters in cuLaunchKernel's last argument.
inline void* const kParameterBuffer = reinterpret_cast<void*>(1);
inline void* const kParameterBytes = reinterpret_cast<void*>(2);

enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  shared_per_block = 8,
  warp_size = 10,
  registers_per_block = 12,
  multiprocessors = 16,
  threads_per_multiprocessor = 39,
  major = 75,
  minor = 76,
  shared_per_multiprocessor = 81,
  registers_per_multiprocessor = 82,
  cooperative_launch = 95,
  shared_per_block_optin = 97,
  virtual_memory = 102,
  posix_descriptors = 103,
  blocks_per_multiprocessor = 106,
  reserved_shared_per_block = 111,
};

enum class FunctionAttribute : int {
  max_threads = 0,
  shared = 1,
  constant = 2,
  local = 3,
  registers = 4,
  binary = 6,
  max_dynamic_shared = 8,
  cluster_width = 11,
  cluster_height = 12,
  cluster_depth = 13,
};

using LogCallback = void (*)(void* data, int level, char* message, size_t length);
using SharedOfBlock = size_t (*)(int threads);

// X(name, symbol with the ABI version that the types above belong to, parameters)
// clang-format off
#define WARPCELL_DRIVER_FUNCTIONS(X) \
  X(cuDriverGetVersion, cuDriverGetVersion, (int*)) \
  X(cuInit, cuInit, (unsigned)) \
  X(cuGetErrorName, cuGetErrorName, (Result, const char**)) \
  X(cuGetErrorString, cuGetErrorString, (Result, const char**)) \
  X(cuDeviceGetCount, cuDeviceGetCount, (int*)) \
  X(cuDeviceGet, cuDeviceGet, (DeviceHandle*, int)) \
  X(cuDeviceGetName, cuDeviceGetName, (char*, int, DeviceHandle)) \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int*, DeviceAttribute, DeviceHandle)) \
  X(cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, (char*, int, DeviceHandle)) \
  X(cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t*, DeviceHandle)) \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context*, DeviceHandle)) \
  X(cuCtxSetCurrent, cuCtxSetCurrent, (Context)) \
  X(cuCtxSetLimit, cuCtxSetLimit, (int, size_t)) \
  X(cuModuleLoadData, cuModuleLoadData, (Module*, const void*)) \
  X(cuModuleUnload, cuModuleUnload, (Module)) \
  X(cuModuleGetFunction, cuModuleGetFunction, (Function*, Module, const char*)) \
  X(cuModuleGetGlobal, cuModuleGetGlobal_v2, (DevicePointer*, size_t*, Module, const char*)) \
  X(cuFuncLoad, cuFuncLoad, (Function)) \
  X(cuFuncGetAttribute, cuFuncGetAttribute, (int*, FunctionAttribute, Function)) \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (Function, FunctionAttribute, int)) \
  X(cuFuncGetParamInfo, cuFuncGetParamInfo, (Function, size_t, size_t*, size_t*)) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int*, Function, int, size_t)) \
  X(cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, (int*, int*, Function, SharedOfBlock, size_t, int)) \
  X(cuLaunchKernel, cuLaunchKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**)) \
  X(cuLaunchKernelEx, cuLaunchKernelEx, (const LaunchConfiguration*, Function, void**, void**)) \
  X(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**)) \
  X(cuMemGetInfo, cuMemGetInfo_v2, (size_t*, size_t*)) \
  X(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity, (size_t*, const AllocationProperties*, int)) \
  X(cuMemCreate, cuMemCreate, (AllocationHandle*, size_t, const AllocationProperties*, unsigned long long)) \
  X(cuMemRelease, cuMemRelease, (AllocationHandle)) \
  X(cuMemExportToShareableHandle, cuMemExportToShareableHandle, (void*, AllocationHandle, int, unsigned long long)) \
  X(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle, (AllocationHandle*, void*, int)) \
  X(cuMemAddressReserve, cuMemAddressReserve, (DevicePointer*, size_t, size_t, DevicePointer, unsigned long long)) \
  X(cuMemAddressFree, cuMemAddressFree, (DevicePointer, size_t)) \
  X(cuMemMap, cuMemMap, (DevicePointer, size_t, size_t, AllocationHandle, unsigned long long)) \
  X(cuMemUnmap, cuMemUnmap, (DevicePointer, size_t)) \
  X(cuMemSetAccess, cuMemSetAccess, (DevicePointer, size_t, const AccessDescription*, size_t)) \
  X(cuMemAlloc, cuMemAlloc_v2, (DevicePointer*, size_t)) \
  X(cuMemFree, cuMemFree_v2, (DevicePointer)) \
  X(cuMemHostRegister, cuMemHostRegister_v2, (void*, size_t, unsigned)) \
  X(cuMemHostUnregister, cuMemHostUnregister, (void*)) \
  X(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, (DevicePointer*, void*, unsigned)) \
  X(cuMemcpyAsync, cuMemcpyAsync, (DevicePointer, DevicePointer, size_t, Stream)) \
  X(cuMemsetD8Async, cuMemsetD8Async, (DevicePointer, unsigned char, size_t, Stream)) \
  X(cuMemsetD16Async, cuMemsetD16Async, (DevicePointer, unsigned short, size_t, Stream)) \
  X(cuMemsetD32Async, cuMemsetD32Async, (DevicePointer, unsigned, size_t, Stream)) \
  X(cuMemsetD2D32Async, cuMemsetD2D32Async, (DevicePointer, size_t, unsigned, size_t, size_t, Stream)) \
  X(cuArray3DCreate, cuArray3DCreate_v2, (ArrayHandle*, const ArrayDescription*)) \
  X(cuArrayDestroy, cuArrayDestroy, (ArrayHandle)) \
  X(cuMemcpy3DAsync, cuMemcpy3DAsync_v2, (const CopyDescription*, Stream)) \
  X(cuTexObjectCreate, cuTexObjectCreate, (uint64_t*, const ResourceDescription*, const TextureDescription*, const void*)) \
  X(cuTexObjectDestroy, cuTexObjectDestroy, (uint64_t)) \
  X(cuSurfObjectCreate, cuSurfObjectCreate, (uint64_t*, const ResourceDescription*)) \
  X(cuSurfObjectDestroy, cuSurfObjectDestroy, (uint64_t)) \
  X(cuStreamCreate, cuStreamCreate, (Stream*, unsigned)) \
  X(cuStreamQuery, cuStreamQuery, (Stream)) \
  X(cuStreamGetFlags, cuStreamGetFlags, (Stream, unsigned*)) \
  X(cuStreamSynchronize, cuStreamSynchronize, (Stream)) \
  X(cuStreamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned)) \
  X(cuStreamWriteValue64, cuStreamWriteValue64_v2, (Stream, DevicePointer, uint64_t, unsigned)) \
  X(cuStreamBeginCapture, cuStreamBeginCapture_v2, (Stream, int)) \
  X(cuStreamEndCapture, cuStreamEndCapture, (Stream, GraphHandle*)) \
  X(cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v2, (Stream, int*, uint64_t*, GraphHandle*, const GraphNode**, size_t*)) \
  X(cuGraphInstantiate, cuGraphInstantiateWithFlags, (GraphExecutable*, GraphHandle, unsigned long long)) \
  X(cuGraphLaunch, cuGraphLaunch, (GraphExecutable, Stream)) \
  X(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, (GraphExecutable, GraphNode, const KernelNodeParameters*)) \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (GraphExecutable)) \
  X(cuGraphDestroy, cuGraphDestroy, (GraphHandle)) \
  X(cuEventCreate, cuEventCreate, (Event*, unsigned)) \
  X(cuEventDestroy, cuEventDestroy_v2, (Event)) \
  X(cuEventQuery, cuEventQuery, (Event)) \
  X(cuEventRecord, cuEventRecord, (Event, Stream)) \
  X(cuEventSynchronize, cuEventSynchronize, (Event)) \
  X(cuEventElapsedTime, cuEventElapsedTime, (float*, Event, Event))
// clang-format on

// Null in a driver that lacks them.
#define WARPCELL_OPTIONAL_DRIVER_FUNCTIONS(X) \
  X(cuLogsRegisterCallback, cuLogsRegisterCallback, (LogCallback, void*, void**)) /* 12.9 */

struct DriverApi {
#define X(name, symbol, parameters) Result(*name) parameters = nullptr;
  // clang-format off
  WARPCELL_DRIVER_FUNCTIONS(X)
  WARPCELL_OPTIONAL_DRIVER_FUNCTIONS(X)
// clang-format on
#undef X
  int version = 0;  // 13000: made for CUDA 13.0

  // Throws DeviceError, fatal where the process is lost, when `result` is not success. `doing` as failure() in faults.h
  // takes it.
  void check(Result result, const char* doing) const;
};

// The driver, opened and initialised by the first call.
// Throws DeviceError NO_DRIVER, DRIVER_TOO_OLD or NO_DEVICE with what is missing and how to get it.
const DriverApi& driver();

// "13.0" of 13000.
std::string version_text(int version);

// What the driver itself has said about its failures since the last call; empty before CUDA 12.9.
std::string take_driver_log();

}  // namespace warpcell::cuda
