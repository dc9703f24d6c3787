// The functions of CUDA's runtime about arrays, textures and surfaces that programs may call (Runtime API, "Texture
// Object Management", "Surface Object Management", "Memory Management").
#pragma once
#include "functions.h"
#include "texture_types.h"

extern "C" {
cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height = 0,
                            unsigned flags = 0, WARPCELL_LINE) WARPCELL_NAMED(cudaMallocArray);
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags = 0, WARPCELL_LINE) WARPCELL_NAMED(cudaMalloc3DArray);
cudaError_t cudaFreeArray(cudaArray_t array, WARPCELL_LINE) WARPCELL_NAMED(cudaFreeArray);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind, WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpy2DToArray);
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemcpy2DFromArray);
// Bytes in the order of an array's rows, from a place in one of them on.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind,
                              WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpyToArray);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind,
                                WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpyFromArray);
cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent, WARPCELL_LINE) WARPCELL_NAMED(cudaMalloc3D);
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemset3D);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream = nullptr,
                              WARPCELL_LINE) WARPCELL_NAMED(cudaMemset3DAsync);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* copy, WARPCELL_LINE) WARPCELL_NAMED(cudaMemcpy3D);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* copy, cudaStream_t stream = nullptr, WARPCELL_LINE)
    WARPCELL_NAMED(cudaMemcpy3DAsync);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view, WARPCELL_LINE)
    WARPCELL_NAMED(cudaCreateTextureObject);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDestroyTextureObject);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource, WARPCELL_LINE)
    WARPCELL_NAMED(cudaCreateSurfaceObject);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface, WARPCELL_LINE)
    WARPCELL_NAMED(cudaDestroySurfaceObject);
}

static inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc();
// clang-format off
#define WARPCELL_PROGRAM_CHANNELS(type, vector, bits, kind) \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() { return {bits, 0, 0, 0, kind}; } \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<vector##1>() { return {bits, 0, 0, 0, kind}; } \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<vector##2>() { return {bits, bits, 0, 0, kind}; } \
  template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<vector##4>() { return {bits, bits, bits, bits, kind}; }
// clang-format on
WARPCELL_PROGRAM_CHANNELS(signed char, char, 8, cudaChannelFormatKindSigned)
WARPCELL_PROGRAM_CHANNELS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
WARPCELL_PROGRAM_CHANNELS(short, short, 16, cudaChannelFormatKindSigned)
WARPCELL_PROGRAM_CHANNELS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
WARPCELL_PROGRAM_CHANNELS(int, int, 32, cudaChannelFormatKindSigned)
WARPCELL_PROGRAM_CHANNELS(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
WARPCELL_PROGRAM_CHANNELS(float, float, 32, cudaChannelFormatKindFloat)
#undef WARPCELL_PROGRAM_CHANNELS
template <>
inline cudaChannelFormatDesc cudaCreateChannelDesc<char>() {
  return {8, 0, 0, 0, cudaChannelFormatKindSigned};
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void* memory, size_t pitch, size_t width, size_t height) {
  return {memory, pitch, width, height};
}
