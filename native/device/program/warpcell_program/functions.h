// The functions of CUDA's runtime that programs may call (Runtime API), each with the line of the call. Programs call
// them in the process that runs them, under names that no library of NVIDIA's has.
#pragma once
#include "types.h"
#include "vectors.h"

#define WARPCELL_LINE unsigned warpcell_line = __builtin_LINE()
#define WARPCELL_NAMED(name) __asm__("warpcell_program_" #name)

extern "C" {
const char* cudaGetErrorString(cudaError_t error) WARPCELL_NAMED(cudaGetErrorString);
const char* cudaGetErrorName(cudaError_t error) WARPCELL_NAMED(cudaGetErrorName);
cudaError_t cudaGetLastError() WARPCELL_NAMED(cudaGetLastError);
cudaError_t cudaPeekAtLastError() WARPCELL_NAMED(cudaPeekAtLastError);

cudaError_t cudaGetDeviceCount(int* count, WARPCELL_LINE) WARPCELL_NAMED(cudaGetDeviceCount);
cudaError_t cudaGetDevice(int* device, WARPCELL_LINE) WARPCELL_NAMED(cudaGetDevice);
cudaError_t cudaSetDevice(int device, WARPCELL_LINE) WARPCELL_NAMED(cudaSetDevice);
cudaError_t cudaSetDeviceFlags(unsigned flags, WARPCELL_LINE) WARPCELL_NAMED(cudaSetDeviceFlags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGetDeviceProperties);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetAttribute);
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetPCIBusId);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceGetByPCIBusId);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceGetLimit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceSetLimit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceSetCacheConfig);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceSetSharedMemConfig);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetSharedMemConfig);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceCanAccessPeer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceEnablePeerAccess);
cudaError_t cudaDeviceDisablePeerAccess(int peer, WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceDisablePeerAccess);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetP2PAttribute);
cudaError_t cudaCtxResetPersistingL2Cache(WARPCELL_LINE) WARPCELL_NAMED(cudaCtxResetPersistingL2Cache);
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted, WARPCELL_LINE) WARPCELL_NAMED(cudaChooseDevice);
cudaError_t cudaDeviceSynchronize(WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceSynchronize);
cudaError_t cudaDeviceReset(WARPCELL_LINE) WARPCELL_NAMED(cudaDeviceReset);
cudaError_t cudaDriverGetVersion(int* version, WARPCELL_LINE) WARPCELL_NAMED(cudaDriverGetVersion);
cudaError_t cudaRuntimeGetVersion(int* version, WARPCELL_LINE) WARPCELL_NAMED(cudaRuntimeGetVersion);
cudaError_t cudaProfilerStart(WARPCELL_LINE) WARPCELL_NAMED(cudaProfilerStart);
cudaError_t cudaProfilerStop(WARPCELL_LINE) WARPCELL_NAMED(cudaProfilerStop);

cudaError_t cudaMalloc(void** memory, size_t bytes, WARPCELL_LINE) WARPCELL_NAMED(cudaMalloc);
cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMallocAsync);
cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMallocPitch);
cudaError_t cudaMallocHost(void** memory, size_t bytes, unsigned flags = 0, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMallocHost);
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned flags = 0, WARPCELL_LINE) WARPCELL_NAMED(cudaHostAlloc);
cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned flags = 1, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMallocManaged);
cudaError_t cudaFree(void* memory, WARPCELL_LINE) WARPCELL_NAMED(cudaFree);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream, WARPCELL_LINE) WARPCELL_NAMED(cudaFreeAsync);
cudaError_t cudaFreeHost(void* memory, WARPCELL_LINE) WARPCELL_NAMED(cudaFreeHost);
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags, WARPCELL_LINE)
    WARPCELL_NAMED(cudaHostRegister);
cudaError_t cudaHostUnregister(void* memory, WARPCELL_LINE) WARPCELL_NAMED(cudaHostUnregister);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags, WARPCELL_LINE)
    WARPCELL_NAMED(cudaHostGetDevicePointer);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total, WARPCELL_LINE) WARPCELL_NAMED(cudaMemGetInfo);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory, WARPCELL_LINE)
    WARPCELL_NAMED(cudaPointerGetAttributes);
cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, int device, cudaStream_t stream = nullptr,
                                 WARPCELL_LINE) WARPCELL_NAMED(cudaMemPrefetchAsync);
cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice, int device, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemAdvise);

cudaError_t warpcell_program_attach(cudaStream_t stream, const void* memory, unsigned line);

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemcpy);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr, WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpyAsync);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind, WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpy2D);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemcpy2DAsync);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemcpyPeer);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream = nullptr, WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpyPeerAsync);
cudaError_t cudaMemset(void* memory, int value, size_t bytes, WARPCELL_LINE) WARPCELL_NAMED(cudaMemset);
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream = nullptr, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemsetAsync);
cudaError_t cudaMemset2D(void* memory, size_t pitch, int value, size_t width, size_t height, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemset2D);

cudaError_t cudaStreamCreate(cudaStream_t* stream, WARPCELL_LINE) WARPCELL_NAMED(cudaStreamCreate);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamCreateWithFlags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamCreateWithPriority);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDeviceGetStreamPriorityRange);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamGetPriority);
cudaError_t cudaStreamDestroy(cudaStream_t stream, WARPCELL_LINE) WARPCELL_NAMED(cudaStreamDestroy);
cudaError_t cudaStreamSynchronize(cudaStream_t stream, WARPCELL_LINE) WARPCELL_NAMED(cudaStreamSynchronize);
cudaError_t cudaStreamQuery(cudaStream_t stream, WARPCELL_LINE) WARPCELL_NAMED(cudaStreamQuery);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamWaitEvent);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data, WARPCELL_LINE)
    WARPCELL_NAMED(cudaLaunchHostFunc);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags,
                                  WARPCELL_LINE) WARPCELL_NAMED(cudaStreamAddCallback);

cudaError_t cudaEventCreate(cudaEvent_t* event, WARPCELL_LINE) WARPCELL_NAMED(cudaEventCreate);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags, WARPCELL_LINE)
    WARPCELL_NAMED(cudaEventCreateWithFlags);
cudaError_t cudaEventDestroy(cudaEvent_t event, WARPCELL_LINE) WARPCELL_NAMED(cudaEventDestroy);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr, WARPCELL_LINE)
    WARPCELL_NAMED(cudaEventRecord);
cudaError_t cudaEventSynchronize(cudaEvent_t event, WARPCELL_LINE) WARPCELL_NAMED(cudaEventSynchronize);
cudaError_t cudaEventQuery(cudaEvent_t event, WARPCELL_LINE) WARPCELL_NAMED(cudaEventQuery);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end, WARPCELL_LINE)
    WARPCELL_NAMED(cudaEventElapsedTime);

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamBeginCapture);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamEndCapture);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status, WARPCELL_LINE)
    WARPCELL_NAMED(cudaStreamIsCapturing);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags = 0,
                                          WARPCELL_LINE) WARPCELL_NAMED(cudaGraphInstantiateWithFlags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphLaunch);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphGetNodes);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream, WARPCELL_LINE)
    WARPCELL_NAMED(cudaGraphUpload);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable, WARPCELL_LINE) WARPCELL_NAMED(cudaGraphExecDestroy);
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph, WARPCELL_LINE) WARPCELL_NAMED(cudaGraphClone);
cudaError_t cudaGraphDestroy(cudaGraph_t graph, WARPCELL_LINE) WARPCELL_NAMED(cudaGraphDestroy);

// The same with a kernel by its address, or a variable by that of its stand-in.
cudaError_t warpcell_program_launch_kernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                           cudaStream_t stream, bool cooperative, unsigned line);
cudaError_t warpcell_program_kernel_attributes(cudaFuncAttributes* attributes, const void* kernel, unsigned line);
cudaError_t warpcell_program_set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute, int value,
                                                  unsigned line);
cudaError_t warpcell_program_active_blocks(int* blocks, const void* kernel, int threads, size_t shared, unsigned line);
cudaError_t warpcell_program_best_block(int* grid, int* block, const void* kernel, size_t shared, int limit,
                                        unsigned line);
cudaError_t warpcell_program_symbol(const void* variable, void** memory, size_t* bytes, const char* call,
                                    unsigned line);
cudaError_t warpcell_program_copy_symbol(const void* variable, void* memory, size_t bytes, size_t offset,
                                         cudaMemcpyKind kind, cudaStream_t stream, bool to_symbol, bool waits,
                                         unsigned line);
void* warpcell_program_managed(const char* symbol);
void warpcell_program_configure(unsigned line, const unsigned* grid, const unsigned* block, size_t shared,
                                cudaStream_t stream);
void warpcell_program_launch(void** arguments);
void warpcell_program_ignored(unsigned line, cudaError_t error);
}
