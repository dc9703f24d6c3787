// CUDA arrays, texture objects and surface objects by the driver. A surface writes to the array: its memory in the
// segment has what was copied there last, which a process that starts over makes the array of.
#include "textures.h"

#include <algorithm>

#include "../../host/refusals.h"

namespace warpcell::cuda {

int format_of(Texel texel) {
  constexpr int formats[] = {0x01, 0x08, 0x02, 0x09, 0x03, 0x0a, 0x10, 0x20};  // CUarray_format
  return formats[size_t(texel)];
}

TextureDescription texture_description(const TextureTerms& terms) {
  TextureDescription description{};
  // A GPU filters along an axis that there is not, too, at 0: halfway to the border.
  constexpr int kClamp = 1;
  for (int axis = 0; axis < 3; axis++)
    description.address[axis] = axis < int(terms.axes) ? int(terms.address[axis]) : kClamp;
  description.filter = terms.filters ? 1 : 0;
  // Without the first a texture makes fractions of integers.
  description.flags =
      (terms.reads_normalized ? 0 : kReadAsInteger) | (terms.is_normalized ? kNormalizedCoordinates : 0);
  return description;
}

ArrayDescription array_description(const TextureTerms& terms) {
  ArrayDescription description{};
  description.width = terms.size[0];
  description.height = terms.axes > 1 ? terms.size[1] : 0;
  description.depth = terms.layers > 0 ? terms.layers : terms.axes > 2 ? terms.size[2] : 0;
  description.format = format_of(terms.texel);
  description.channels = terms.channels;
  description.flags = (terms.layers > 0 ? kArrayLayered : 0) | (terms.is_surface ? kArraySurface : 0);
  return description;
}

TexelArray::TexelArray(const DriverApi& api, const TextureTerms& terms, DevicePointer memory)
    : api_(api),
      memory_(memory),
      row_(terms.size[0] * terms.texel_bytes()),
      rows_(terms.size[1]),
      planes_(terms.layers > 0 ? terms.layers : terms.size[2]) {
  ArrayDescription description = array_description(terms);
  api_.check(api_.cuArray3DCreate(&array_, &description), "making the array of a texture");
}

TexelArray::~TexelArray() { api_.cuArrayDestroy(array_); }

void TexelArray::copy(Stream stream, bool to_memory) const {
  MemoryEnd memory{}, array{};
  memory.type = kMemoryDevice;
  memory.device = memory_;
  memory.pitch = row_;
  memory.height = rows_;
  array.type = kMemoryArray;
  array.array = array_;
  CopyDescription description{to_memory ? array : memory, to_memory ? memory : array, row_, rows_, planes_};
  api_.check(api_.cuMemcpy3DAsync(&description, stream), "copying the texels of a texture");
}

void GpuTextures::create(uint32_t number, const TextureMemory& memory, const TextureTerms& terms) {
  release(number);
  DevicePointer at = segments_.address(memory.place, terms.bytes());
  Object object{0, terms.is_surface, nullptr};
  ResourceDescription resource{};
  if (terms.is_linear_memory) {
    resource.type = kResourceLinear;
    resource.linear = {at, format_of(terms.texel), terms.channels, size_t(terms.bytes())};
  } else {
    object.array = arrays_[memory.array].lock();
    if (object.array == nullptr) {
      object.array = std::make_shared<TexelArray>(api_, terms, at);
      arrays_[memory.array] = object.array;
      object.array->copy(streams_.at(0).handle(), false);
      streams_.at(0).synchronize();
    }
    resource.type = kResourceArray;
    resource.array = object.array->handle();
  }
  if (terms.is_surface) {
    api_.check(api_.cuSurfObjectCreate(&object.handle, &resource), "making a surface");
  } else {
    TextureDescription description = texture_description(terms);
    api_.check(api_.cuTexObjectCreate(&object.handle, &resource, &description, nullptr), "making a texture");
  }
  objects_[number] = object;
}

void GpuTextures::copy(uint32_t number, uint32_t stream, uint64_t sequence, bool to_memory) {
  const Object& texture = object(number);
  if (texture.array == nullptr) return;
  streams_.at(stream).submit(sequence, [&](Stream on) { texture.array->copy(on, to_memory); });
}

void GpuTextures::release(uint32_t number) {
  auto found = objects_.find(number);
  if (found == objects_.end()) return;
  Object object = std::move(found->second);
  objects_.erase(found);
  if (object.is_surface)
    api_.check(api_.cuSurfObjectDestroy(object.handle), "ending a surface");
  else
    api_.check(api_.cuTexObjectDestroy(object.handle), "ending a texture");
  object.array.reset();
  for (auto it = arrays_.begin(); it != arrays_.end();) it = it->second.expired() ? arrays_.erase(it) : std::next(it);
}

uint64_t GpuTextures::handle(uint32_t number) const { return object(number).handle; }

const GpuTextures::Object& GpuTextures::object(uint32_t number) const {
  auto found = objects_.find(number);
  if (found == objects_.end()) throw unknown_texture(number);
  return found->second;
}

}  // namespace warpcell::cuda
