// The functions of CUDA's runtime about arrays, textures and surfaces: puts what a program says into the words that
// both devices know, and has the device do it.
#include <cstring>
#include <map>
#include <mutex>

#include "../../device/program/warpcell_program/textures.h"
#include "runtime.h"

using warpcell::Address;
using warpcell::program_runtime;
using warpcell::ProgramTexels;
using warpcell::ProgramVolume;
using warpcell::Texel;
using warpcell::TextureTerms;

namespace {

// Arrays that there are. Any thread of the program may ask.
std::mutex mutex;
std::map<cudaArray_t, TextureTerms> arrays;

warpcell::ProgramDevice& device() { return program_runtime->device; }

cudaError_t noted(const char* call, unsigned line, cudaError_t error) {
  return program_runtime->note(call, line, error);
}

// The legacy stream and that of a thread are the default one here.
cudaStream_t real(cudaStream_t stream) { return reinterpret_cast<size_t>(stream) <= 2 ? nullptr : stream; }

bool find(cudaArray_t array, TextureTerms* terms) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = arrays.find(array);
  if (found == arrays.end()) return false;
  *terms = found->second;
  return true;
}

// False: no texture has such values.
bool read_format(const cudaChannelFormatDesc& format, TextureTerms* terms) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  terms->channels = 0;
  while (terms->channels < 4 && bits[terms->channels] != 0) terms->channels++;
  for (uint32_t i = 0; i < 4; i++)
    if (bits[i] != (i < terms->channels ? format.x : 0)) return false;
  if (terms->channels != 1 && terms->channels != 2 && terms->channels != 4) return false;
  constexpr struct {
    int bits;
    cudaChannelFormatKind kind;
    Texel texel;
  } known[] = {
      {8, cudaChannelFormatKindUnsigned, Texel::uint8},   {8, cudaChannelFormatKindSigned, Texel::int8},
      {16, cudaChannelFormatKindUnsigned, Texel::uint16}, {16, cudaChannelFormatKindSigned, Texel::int16},
      {32, cudaChannelFormatKindUnsigned, Texel::uint32}, {32, cudaChannelFormatKindSigned, Texel::int32},
      {16, cudaChannelFormatKindFloat, Texel::float16},   {32, cudaChannelFormatKindFloat, Texel::float32},
  };
  for (const auto& each : known) {
    if (each.bits != format.x || each.kind != format.f) continue;
    terms->texel = each.texel;
    return true;
  }
  return false;
}

cudaError_t make_array(const char* call, unsigned line, cudaArray_t* array, const cudaChannelFormatDesc* format,
                       cudaExtent extent, unsigned flags) {
  constexpr unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore;
  TextureTerms terms;
  bool is_layered = (flags & cudaArrayLayered) != 0;
  if (array == nullptr || format == nullptr || (flags & ~known) != 0 || extent.width == 0 ||
      (is_layered && extent.depth == 0) || (!is_layered && extent.depth != 0 && extent.height == 0) ||
      !read_format(*format, &terms))
    return noted(call, line, cudaErrorInvalidValue);
  terms.is_surface = (flags & cudaArraySurfaceLoadStore) != 0;
  terms.size[0] = extent.width;
  terms.size[1] = extent.height == 0 ? 1 : extent.height;
  terms.axes = extent.height == 0 ? 1 : 2;
  if (is_layered) {
    terms.layers = uint32_t(extent.depth);
  } else if (extent.depth != 0) {
    terms.axes = 3;
    terms.size[2] = extent.depth;
  }
  cudaError_t error = device().array_create(terms, array);
  if (error == cudaSuccess) {
    std::lock_guard<std::mutex> lock(mutex);
    arrays[*array] = terms;
  }
  return noted(call, line, error);
}

// What a texture or a surface is of; false where it cannot be.
bool read_resource(const cudaResourceDesc& resource, TextureTerms* terms, ProgramTexels* texels) {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      texels->array = resource.res.array.array;
      return find(texels->array, terms);
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      if (linear.devPtr == nullptr || !read_format(linear.desc, terms)) return false;
      texels->memory = linear.devPtr;
      terms->is_linear_memory = true;
      terms->size[0] = linear.sizeInBytes / terms->texel_bytes();
      return terms->size[0] > 0;
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      if (rows.devPtr == nullptr || !read_format(rows.desc, terms)) return false;
      texels->memory = rows.devPtr;
      texels->pitch = rows.pitchInBytes;
      terms->axes = 2;
      terms->size[0] = rows.width;
      terms->size[1] = rows.height;
      return rows.width > 0 && rows.height > 0 && rows.pitchInBytes >= rows.width * terms->texel_bytes();
    }
    default:
      return false;
  }
}

cudaError_t copy(const char* call, unsigned line, const ProgramVolume& volume) {
  std::fflush(stdout);
  if (unsigned(volume.kind) > cudaMemcpyDefault) return noted(call, line, cudaErrorInvalidMemcpyDirection);
  if (volume.width == 0 || volume.height == 0 || volume.depth == 0) return cudaSuccess;
  for (const ProgramVolume::End* end : {&volume.to, &volume.from}) {
    TextureTerms terms;
    if (end->array == nullptr) {
      if (end->memory == nullptr) return noted(call, line, cudaErrorInvalidValue);
      bool has_rows = volume.height > 1 || volume.depth > 1;
      if (has_rows && end->pitch < end->x + volume.width) return noted(call, line, cudaErrorInvalidPitchValue);
      continue;
    }
    if (!find(end->array, &terms) || end->x + volume.width > terms.size[0] * terms.texel_bytes() ||
        end->y + volume.height > terms.size[1] ||
        end->z + volume.depth > (terms.layers > 0 ? terms.layers : terms.size[2]))
      return noted(call, line, cudaErrorInvalidValue);
  }
  return noted(call, line, device().array_copy(volume));
}

// Up to three copies: the rest of the first row, whole rows, and the beginning of the last one. `array` is the end that
// is one.
cudaError_t copy_bytes(const char* call, unsigned line, ProgramVolume::End array, void* memory, size_t bytes,
                       cudaMemcpyKind kind, bool is_to_array) {
  TextureTerms terms;
  if (memory == nullptr || !find(array.array, &terms)) return noted(call, line, cudaErrorInvalidValue);
  const size_t row = terms.size[0] * terms.texel_bytes();
  cudaError_t error = cudaSuccess;
  while (bytes > 0 && error == cudaSuccess) {
    const bool is_part = array.x > 0 || bytes < row;
    const size_t width = is_part ? std::min(row - std::min(array.x, row), bytes) : row;
    if (width == 0) return noted(call, line, cudaErrorInvalidValue);
    const size_t rows = is_part ? 1 : bytes / row;
    const ProgramVolume::End other{nullptr, memory, width, rows, 0, 0, 0};
    const auto& [to, from] = is_to_array ? std::pair(array, other) : std::pair(other, array);
    error = copy(call, line, {to, from, width, rows, 1, kind, nullptr, true});
    memory = static_cast<char*>(memory) + width * rows;
    bytes -= width * rows;
    array.y += rows;
    array.x = 0;
  }
  return error;
}

cudaError_t copy_volume(const char* call, unsigned line, const cudaMemcpy3DParms* given, cudaStream_t stream,
                        bool waits) {
  if (given == nullptr) return noted(call, line, cudaErrorInvalidValue);
  TextureTerms terms;
  cudaArray_t array = given->srcArray != nullptr ? given->srcArray : given->dstArray;
  if (array != nullptr && !find(array, &terms)) return noted(call, line, cudaErrorInvalidValue);
  // Texels where an array has a part in it, else bytes.
  size_t unit = array == nullptr ? 1 : terms.texel_bytes();
  auto end = [&](cudaArray_t of, const cudaPitchedPtr& memory, const cudaPos& at) {
    return ProgramVolume::End{of,   memory.ptr, memory.pitch, memory.ysize, at.x * (of == nullptr ? 1 : unit),
                              at.y, at.z};
  };
  return copy(
      call, line,
      {end(given->dstArray, given->dstPtr, given->dstPos), end(given->srcArray, given->srcPtr, given->srcPos),
       given->extent.width * unit, given->extent.height, given->extent.depth, given->kind, real(stream), waits});
}

cudaError_t fill(const char* call, unsigned line, const cudaPitchedPtr& memory, int value, const cudaExtent& extent,
                 cudaStream_t stream, bool waits) {
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return cudaSuccess;
  if (memory.ptr == nullptr || memory.pitch < extent.width || (extent.depth > 1 && memory.ysize < extent.height))
    return noted(call, line, cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++) {
    void* slice = static_cast<char*>(memory.ptr) + z * memory.pitch * memory.ysize;
    error = device().fill({slice, memory.pitch, value & 0xff, extent.width, extent.height, real(stream), waits});
  }
  return noted(call, line, error);
}

}  // namespace

cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent extent, unsigned line) {
  size_t rows = 0;
  if (memory == nullptr) return noted("cudaMalloc3D", line, cudaErrorInvalidValue);
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return noted("cudaMalloc3D", line, cudaErrorMemoryAllocation);
  *memory = {nullptr, 0, extent.width, extent.height};
  return noted("cudaMalloc3D", line, cudaMallocPitch(&memory->ptr, &memory->pitch, extent.width, rows, line));
}
cudaError_t cudaMemset3D(cudaPitchedPtr memory, int value, cudaExtent extent, unsigned line) {
  return fill("cudaMemset3D", line, memory, value, extent, nullptr, true);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent, cudaStream_t stream, unsigned line) {
  return fill("cudaMemset3DAsync", line, memory, value, extent, stream, false);
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned flags, unsigned line) {
  return make_array("cudaMallocArray", line, array, format, {width, height, 0}, flags);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags, unsigned line) {
  return make_array("cudaMalloc3DArray", line, array, format, extent, flags);
}
cudaError_t cudaFreeArray(cudaArray_t array, unsigned line) {
  if (array == nullptr) return cudaSuccess;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (arrays.erase(array) == 0) return noted("cudaFreeArray", line, cudaErrorInvalidValue);
  }
  return noted("cudaFreeArray", line, device().array_destroy(array));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind, unsigned line) {
  if (to == nullptr) return noted("cudaMemcpy2DToArray", line, cudaErrorInvalidValue);
  return copy("cudaMemcpy2DToArray", line,
              {{to, nullptr, 0, 0, x, y, 0},
               {nullptr, const_cast<void*>(from), pitch, height, 0, 0, 0},
               width,
               height,
               1,
               kind,
               nullptr,
               true});
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind,
                              unsigned line) {
  return copy_bytes("cudaMemcpyToArray", line, {to, nullptr, 0, 0, x, y, 0}, const_cast<void*>(from), bytes, kind,
                    true);
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes, cudaMemcpyKind kind,
                                unsigned line) {
  return copy_bytes("cudaMemcpyFromArray", line, {const_cast<cudaArray_t>(from), nullptr, 0, 0, x, y, 0}, to, bytes,
                    kind, false);
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind, unsigned line) {
  if (from == nullptr) return noted("cudaMemcpy2DFromArray", line, cudaErrorInvalidValue);
  return copy("cudaMemcpy2DFromArray", line,
              {{nullptr, to, pitch, height, 0, 0, 0},
               {const_cast<cudaArray_t>(from), nullptr, 0, 0, x, y, 0},
               width,
               height,
               1,
               kind,
               nullptr,
               true});
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* given, unsigned line) {
  return copy_volume("cudaMemcpy3D", line, given, nullptr, true);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* given, cudaStream_t stream, unsigned line) {
  return copy_volume("cudaMemcpy3DAsync", line, given, stream, false);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view, unsigned line) {
  const char* call = "cudaCreateTextureObject";
  if (view != nullptr) return noted(call, line, cudaErrorNotSupported);
  TextureTerms terms;
  ProgramTexels texels{};
  if (texture == nullptr || resource == nullptr || sampling == nullptr || !read_resource(*resource, &terms, &texels))
    return noted(call, line, cudaErrorInvalidValue);
  terms.is_surface = false;
  terms.filters = sampling->filterMode == cudaFilterModeLinear;
  terms.is_normalized = sampling->normalizedCoords != 0;
  terms.reads_normalized = sampling->readMode == cudaReadModeNormalizedFloat;
  for (int axis = 0; axis < 3; axis++) terms.address[axis] = Address(sampling->addressMode[axis]);
  bool is_float = terms.texel >= Texel::float16;
  if ((terms.reads_normalized && terms.texel > Texel::int16) || (terms.filters && !is_float && !terms.reads_normalized))
    return noted(call, line, cudaErrorInvalidValue);
  return noted(call, line, device().texels_create(terms, texels, texture));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture, unsigned line) {
  return texture == 0 ? cudaSuccess : noted("cudaDestroyTextureObject", line, device().texels_destroy(texture, false));
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource, unsigned line) {
  TextureTerms terms;
  ProgramTexels texels{};
  if (surface == nullptr || resource == nullptr || !read_resource(*resource, &terms, &texels) || !terms.is_surface)
    return noted("cudaCreateSurfaceObject", line, cudaErrorInvalidValue);
  return noted("cudaCreateSurfaceObject", line, device().texels_create(terms, texels, surface));
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface, unsigned line) {
  return surface == 0 ? cudaSuccess : noted("cudaDestroySurfaceObject", line, device().texels_destroy(surface, true));
}
