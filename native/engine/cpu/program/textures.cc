// Arrays, textures and surfaces of a program on the CPU: an array is memory of its texels, row by row.
#include <cstring>

#include "device.h"

namespace warpcell::cpu {

cudaError_t CpuProgram::array_create(const TextureTerms& terms, cudaArray_t* array) {
  size_t free = 0, total = 0;
  memory(&free, &total);
  if (terms.bytes() > total) return cudaErrorMemoryAllocation;
  auto made = std::make_unique<ProgramArray>(ProgramArray{terms, std::vector<uint8_t>(size_t(terms.bytes()))});
  *array = reinterpret_cast<cudaArray_t>(made.get());
  Turn turn(tables_);
  arrays_[*array] = std::move(made);
  return cudaSuccess;
}

cudaError_t CpuProgram::array_destroy(cudaArray_t array) {
  Turn turn(tables_);
  return arrays_.erase(array) == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t CpuProgram::array_copy(const ProgramVolume& volume) {
  struct End {
    uint8_t* base;
    size_t pitch, height;
  };
  auto end_of = [&](const ProgramVolume::End& end) -> End {
    size_t pitch = end.pitch, height = end.height;
    auto* base = static_cast<uint8_t*>(end.memory);
    if (end.array != nullptr) {
      Turn turn(tables_);
      ProgramArray& array = *arrays_.at(end.array);
      base = array.texels.data();
      pitch = array.terms.size[0] * array.terms.texel_bytes();
      height = array.terms.size[1];
    }
    return {base + (end.z * height + end.y) * pitch + end.x, pitch, height};
  };
  bool is_known = volume.kind != cudaMemcpyDefault;
  bool to_device = volume.kind == cudaMemcpyHostToDevice || volume.kind == cudaMemcpyDeviceToDevice;
  bool from_device = volume.kind == cudaMemcpyDeviceToHost || volume.kind == cudaMemcpyDeviceToDevice;
  End to = end_of(volume.to), from = end_of(volume.from);
  size_t rows = (volume.depth - 1) * std::max(to.height, volume.height) + volume.height;
  cudaError_t error = cudaSuccess;
  if (volume.to.array == nullptr) error = check(to.base, to.pitch, volume.width, rows, is_known, to_device);
  if (error == cudaSuccess && volume.from.array == nullptr) {
    rows = (volume.depth - 1) * std::max(from.height, volume.height) + volume.height;
    error = check(from.base, from.pitch, volume.width, rows, is_known, from_device);
  }
  if (error != cudaSuccess) return error;
  return perform(volume.stream, [to, from, volume] {
    for (size_t z = 0; z < volume.depth; z++)
      for (size_t y = 0; y < volume.height; y++)
        std::memmove(to.base + (z * to.height + y) * to.pitch, from.base + (z * from.height + y) * from.pitch,
                     volume.width);
    return cudaSuccess;
  });
}

cudaError_t CpuProgram::texels_create(const TextureTerms& terms, const ProgramTexels& texels,
                                      unsigned long long* object) {
  Turn turn(tables_);
  auto* memory = static_cast<uint8_t*>(texels.memory);
  if (texels.array != nullptr) {
    memory = arrays_.at(texels.array)->texels.data();
  } else {
    size_t row = size_t(terms.size[0]) * terms.texel_bytes();
    cudaError_t error = check(memory, texels.pitch, row, size_t(terms.size[1]), true, true);
    if (error != cudaSuccess) return error;
  }
  auto made = std::make_unique<TextureObject>(terms, memory);
  if (texels.pitch != 0) {
    made->row = texels.pitch;
    made->plane = texels.pitch * terms.size[1];
  }
  *object = reinterpret_cast<unsigned long long>(made.get());
  textures_[*object] = std::move(made);
  return cudaSuccess;
}

cudaError_t CpuProgram::texels_destroy(unsigned long long object, bool is_surface) {
  Turn turn(tables_);
  auto found = textures_.find(object);
  if (found == textures_.end() || found->second->terms.is_surface != is_surface) return cudaErrorInvalidValue;
  textures_.erase(found);
  return cudaSuccess;
}

}  // namespace warpcell::cpu
