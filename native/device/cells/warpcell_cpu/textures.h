// Textures and surfaces as cells read and write them (Programming Guide, "Texture Functions", "Surface Functions"):
// each call becomes one of the executor's, which knows what the object is of.
#pragma once
#include <warpcell_cpu/cuda.h>
#include <warpcell_cpu/texture_calls.h>

// What a kernel may be told of memory of three axes.
struct cudaPitchedPtr {
  void* ptr;
  unsigned long pitch, xsize, ysize;
};
struct cudaExtent {
  unsigned long width, height, depth;
};
struct cudaPos {
  unsigned long x, y, z;
};

using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

namespace warpcell_cpu {

template <class T>
WARPCELL_CPU_FN T texel_value(u32 bits, T*) {
  return T(bits);
}
WARPCELL_CPU_FN float texel_value(u32 bits, float*) { return __uint_as_float(bits); }

// What a call may return: how it says so, and how it is made of a texel's values.
template <class T>
struct Fetched;
#define WARPCELL_CPU_FETCHED_SCALAR(type, code)                                         \
  template <>                                                                           \
  struct Fetched<type> {                                                                \
    static constexpr u32 kind = 1 << kCountAt | code << kTypeAt;                        \
    WARPCELL_CPU_FN type of(const u32* v) { return texel_value(v[0], (type*)nullptr); } \
  };
#define WARPCELL_CPU_FETCHED(type, vector, code)                                                                       \
  WARPCELL_CPU_FETCHED_SCALAR(type, code)                                                                              \
  template <>                                                                                                          \
  struct Fetched<vector##1> {                                                                                          \
    static constexpr u32 kind = Fetched<type>::kind;                                                                   \
    WARPCELL_CPU_FN vector##1 of(const u32* v) { return {texel_value(v[0], (type*)nullptr)}; }                         \
  };                                                                                                                   \
  template <>                                                                                                          \
  struct Fetched<vector##2> {                                                                                          \
    static constexpr u32 kind = 2 << kCountAt | code << kTypeAt;                                                       \
    WARPCELL_CPU_FN vector##2 of(const u32* v) {                                                                       \
      return {texel_value(v[0], (type*)nullptr), texel_value(v[1], (type*)nullptr)};                                   \
    }                                                                                                                  \
  };                                                                                                                   \
  template <>                                                                                                          \
  struct Fetched<vector##4> {                                                                                          \
    static constexpr u32 kind = 4 << kCountAt | code << kTypeAt;                                                       \
    WARPCELL_CPU_FN vector##4 of(const u32* v) {                                                                       \
      return {texel_value(v[0], (type*)nullptr), texel_value(v[1], (type*)nullptr), texel_value(v[2], (type*)nullptr), \
              texel_value(v[3], (type*)nullptr)};                                                                      \
    }                                                                                                                  \
  };
WARPCELL_CPU_FETCHED_SCALAR(char, kInt8)
WARPCELL_CPU_FETCHED(signed char, char, kInt8)
WARPCELL_CPU_FETCHED(unsigned char, uchar, kUint8)
WARPCELL_CPU_FETCHED(short, short, kInt16)
WARPCELL_CPU_FETCHED(unsigned short, ushort, kUint16)
WARPCELL_CPU_FETCHED(int, int, kInt32)
WARPCELL_CPU_FETCHED(unsigned int, uint, kUint32)
WARPCELL_CPU_FETCHED(float, float, kFloat32)
#undef WARPCELL_CPU_FETCHED
#undef WARPCELL_CPU_FETCHED_SCALAR

WARPCELL_CPU_FN void texture_misread(u64 object, u32 call, const int* at, u32 line) {
  const unsigned block[3] = {blockIdx.x, blockIdx.y, blockIdx.z}, thread[3] = {threadIdx.x, threadIdx.y, threadIdx.z};
  warpcell_cpu_texture_misread(object, call, at, line, block, thread);
}

template <class T>
WARPCELL_CPU_FN T sampled(u64 object, u32 shape, u32 line, float x, float y = 0, float z = 0, int layer = 0) {
  u32 texel[4];
  const u32 call = shape | Fetched<T>::kind;
  if (__builtin_expect(!warpcell_cpu_texture(object, call, x, y, z, layer, texel), 0))
    texture_misread(object, call, nullptr, line);
  return Fetched<T>::of(texel);
}

WARPCELL_CPU_FN void surface_access(u64 object, u32 call, u32 line, void* texel, int x, int y = 0, int z = 0,
                                    int layer = 0) {
  const int at[4] = {x, y, z, layer};
  if (__builtin_expect(!warpcell_cpu_surface(object, call, at, texel), 0)) texture_misread(object, call, at, line);
}

}  // namespace warpcell_cpu

// X(name, shape, parameters, coordinates): a function that returns a texel, and one that writes it where it is told.
#define WARPCELL_CPU_TEXTURE(name, shape, parameters, ...)                                                             \
  template <class T>                                                                                                   \
  WARPCELL_CPU_FN T name(cudaTextureObject_t object, WARPCELL_CPU_LIST parameters, unsigned line = __builtin_LINE()) { \
    return warpcell_cpu::sampled<T>(object, warpcell_cpu::shape, line, __VA_ARGS__);                                   \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  WARPCELL_CPU_FN void name(T* texel, cudaTextureObject_t object, WARPCELL_CPU_LIST parameters,                        \
                            unsigned line = __builtin_LINE()) {                                                        \
    *texel = warpcell_cpu::sampled<T>(object, warpcell_cpu::shape, line, __VA_ARGS__);                                 \
  }
#define WARPCELL_CPU_LIST(...) __VA_ARGS__

namespace warpcell_cpu {
constexpr u32 kOneAxis = 1, kTwoAxes = 2, kThreeAxes = 3, kOneAxisLayered = 1 | kLayered,
              kTwoAxesLayered = 2 | kLayered, kOneAxisFetch = 1 | kFetch;
}

// A texture has one level: which one is asked for changes nothing.
WARPCELL_CPU_TEXTURE(tex1D, kOneAxis, (float x), x)
WARPCELL_CPU_TEXTURE(tex1DLod, kOneAxis, (float x, float), x)
WARPCELL_CPU_TEXTURE(tex1DGrad, kOneAxis, (float x, float, float), x)
WARPCELL_CPU_TEXTURE(tex2D, kTwoAxes, (float x, float y), x, y)
WARPCELL_CPU_TEXTURE(tex2DLod, kTwoAxes, (float x, float y, float), x, y)
WARPCELL_CPU_TEXTURE(tex2DGrad, kTwoAxes, (float x, float y, float2, float2), x, y)
WARPCELL_CPU_TEXTURE(tex3D, kThreeAxes, (float x, float y, float z), x, y, z)
WARPCELL_CPU_TEXTURE(tex3DLod, kThreeAxes, (float x, float y, float z, float), x, y, z)
WARPCELL_CPU_TEXTURE(tex3DGrad, kThreeAxes, (float x, float y, float z, float4, float4), x, y, z)
WARPCELL_CPU_TEXTURE(tex1DLayered, kOneAxisLayered, (float x, int layer), x, 0, 0, layer)
WARPCELL_CPU_TEXTURE(tex1DLayeredLod, kOneAxisLayered, (float x, int layer, float), x, 0, 0, layer)
WARPCELL_CPU_TEXTURE(tex2DLayered, kTwoAxesLayered, (float x, float y, int layer), x, y, 0, layer)
WARPCELL_CPU_TEXTURE(tex2DLayeredLod, kTwoAxesLayered, (float x, float y, int layer, float), x, y, 0, layer)
#undef WARPCELL_CPU_TEXTURE
// The index travels where a layer does: a float does not hold every one.
template <class T>
WARPCELL_CPU_FN T tex1Dfetch(cudaTextureObject_t object, int x, unsigned line = __builtin_LINE()) {
  return warpcell_cpu::sampled<T>(object, warpcell_cpu::kOneAxisFetch, line, 0, 0, 0, x);
}
template <class T>
WARPCELL_CPU_FN void tex1Dfetch(T* texel, cudaTextureObject_t object, int x, unsigned line = __builtin_LINE()) {
  *texel = tex1Dfetch<T>(object, x, line);
}

// X(name, shape, parameters, coordinates): a function that returns what is there, one that writes it where it is told,
// and one that writes to the surface. x is in bytes.
#define WARPCELL_CPU_SURFACE(name, shape, parameters, ...)                                                         \
  template <class T>                                                                                               \
  WARPCELL_CPU_FN T name##read(cudaSurfaceObject_t object, WARPCELL_CPU_LIST parameters,                           \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                                \
                               unsigned line = __builtin_LINE()) {                                                 \
    using namespace warpcell_cpu;                                                                                  \
    T texel;                                                                                                       \
    surface_access(object, shape | kSurface | sizeof(T) << kCountAt | mode << kTypeAt, line, &texel, __VA_ARGS__); \
    return texel;                                                                                                  \
  }                                                                                                                \
  template <class T>                                                                                               \
  WARPCELL_CPU_FN void name##read(T* texel, cudaSurfaceObject_t object, WARPCELL_CPU_LIST parameters,              \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                             \
                                  unsigned line = __builtin_LINE()) {                                              \
    using namespace warpcell_cpu;                                                                                  \
    surface_access(object, shape | kSurface | sizeof(T) << kCountAt | mode << kTypeAt, line, texel, __VA_ARGS__);  \
  }                                                                                                                \
  template <class T>                                                                                               \
  WARPCELL_CPU_FN void name##write(T texel, cudaSurfaceObject_t object, WARPCELL_CPU_LIST parameters,              \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                            \
                                   unsigned line = __builtin_LINE()) {                                             \
    using namespace warpcell_cpu;                                                                                  \
    surface_access(object, shape | kSurface | kWrite | sizeof(T) << kCountAt | mode << kTypeAt, line, &texel,      \
                   __VA_ARGS__);                                                                                   \
  }
WARPCELL_CPU_SURFACE(surf1D, kOneAxis, (int x), x)
WARPCELL_CPU_SURFACE(surf2D, kTwoAxes, (int x, int y), x, y)
WARPCELL_CPU_SURFACE(surf3D, kThreeAxes, (int x, int y, int z), x, y, z)
WARPCELL_CPU_SURFACE(surf1DLayered, kOneAxisLayered, (int x, int layer), x, 0, 0, layer)
WARPCELL_CPU_SURFACE(surf2DLayered, kTwoAxesLayered, (int x, int y, int layer), x, y, 0, layer)
#undef WARPCELL_CPU_SURFACE
#undef WARPCELL_CPU_LIST
