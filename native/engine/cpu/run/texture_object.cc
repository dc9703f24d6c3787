// Texels by their coordinates: addresses, filters and formats, and why a call cannot read an object.
#include "texture_object.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "../../../device/cpu/warpcell_cpu/texture_calls.h"
#include "faults.h"
#include "scheduler.h"

namespace warpcell::cpu {
namespace {

using namespace warpcell_cpu;

float half_value(uint16_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent == 0    ? std::ldexp(float(fraction), -24)
                    : exponent == 31 ? (fraction == 0 ? INFINITY : NAN)
                                     : std::ldexp(float(fraction | 1024), int(exponent) - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The values of one type in memory: `Stored` as they lie there.
template <class Stored>
struct Plain {
  static Stored stored(const uint8_t* at) {
    Stored value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static constexpr size_t bytes = sizeof(Stored);
};
template <class Stored>
struct AsInteger : Plain<Stored> {
  using Value = uint32_t;
  static Value load(const uint8_t* at) { return uint32_t(AsInteger::stored(at)); }
};
// The smallest integer and the one above it are both -1.
template <class Stored>
struct AsFraction : Plain<Stored> {
  using Value = float;
  static Value load(const uint8_t* at) {
    constexpr float most = float((uint64_t(1) << (8 * sizeof(Stored) - (Stored(-1) < 0))) - 1);
    return std::max(float(AsFraction::stored(at)) / most, -1.0f);
  }
};
struct AsHalf : Plain<uint16_t> {
  using Value = float;
  static Value load(const uint8_t* at) { return half_value(stored(at)); }
};
struct AsFloat : Plain<float> {
  using Value = float;
  static Value load(const uint8_t* at) { return stored(at); }
};

// Beyond this no texture has a texel; NaN is 0.
float limited(float x) {
  constexpr float most = 1 << 24;
  return x >= -most ? (x <= most ? x : most) : x < -most ? -most : 0;
}

// Of what is limited; std::floor is a call.
int floor_of(float x) {
  int whole = int(x);
  return float(whole) > x ? whole - 1 : whole;
}

// A coordinate among the texels.
float placed(const TextureObject& object, int axis, float x) {
  x = limited(x);
  if (!object.terms.is_normalized) return x;
  Address address = object.terms.address[axis];
  int whole = floor_of(x);
  if (address == Address::wrap) x -= float(whole);
  if (address == Address::mirror) x = (whole & 1) != 0 ? 1 - (x - float(whole)) : x - float(whole);
  return limited(x * float(object.size[axis]));
}

// Which texel stands for the one at `i`; -1: the border. A mirrored coordinate is inside already.
int chosen(const TextureObject& object, int axis, int i) {
  int size = object.size[axis];
  if (unsigned(i) < unsigned(size)) return i;
  switch (object.terms.address[axis]) {
    case Address::wrap:
      return object.terms.is_normalized ? (i % size + size) % size : std::clamp(i, 0, size - 1);
    case Address::border:
      return -1;
    default:
      return std::clamp(i, 0, size - 1);
  }
}

template <class Format>
void load(const TextureObject& object, uint64_t offset, bool is_border, typename Format::Value* values) {
  const uint8_t* texel = object.memory + offset;
  for (uint32_t c = 0; c < object.terms.channels; c++)
    values[c] = is_border ? 0 : Format::load(texel + c * Format::bytes);
}

// A layer is an unsigned number.
uint64_t layer_base(const TextureObject& object, int layer) {
  if (object.terms.layers == 0) return 0;
  return uint64_t(std::min(uint32_t(layer), object.terms.layers - 1)) * object.plane;
}

void put(const float* from, uint32_t count, uint32_t* values) {
  for (uint32_t c = 0; c < 4; c++) values[c] = c < count ? bits_of(from[c]) : 0;
}
void put(const uint32_t* from, uint32_t count, uint32_t* values) {
  for (uint32_t c = 0; c < 4; c++) values[c] = c < count ? from[c] : 0;
}

// How far texels are apart along an axis, in bytes.
uint64_t step_of(const TextureObject& object, int axis) {
  return axis == 0 ? object.texel : axis == 1 ? object.row : object.plane;
}

template <class Format, int axes>
void nearest(const TextureObject& object, float x, float y, float z, int layer, uint32_t* values) {
  const float coordinates[3] = {x, y, z};
  uint64_t offset = layer_base(object, layer);
  bool is_border = false;
  for (int axis = 0; axis < axes; axis++) {
    int at = chosen(object, axis, floor_of(placed(object, axis, coordinates[axis])));
    is_border = is_border || at < 0;
    offset += uint64_t(std::max(at, 0)) * step_of(object, axis);
  }
  typename Format::Value texel[4];
  load<Format>(object, offset, is_border, texel);
  put(texel, object.terms.channels, values);
}

// Between texels, whose weights have 8 bits behind the point.
template <class Format, int axes>
void linear(const TextureObject& object, float x, float y, float z, int layer, uint32_t* values) {
  const float coordinates[3] = {x, y, z};
  uint64_t offset[axes][2];
  bool is_border[axes][2];
  float weight[axes][2];
  for (int axis = 0; axis < axes; axis++) {
    float place = placed(object, axis, coordinates[axis]) - 0.5f;
    int below = floor_of(place);
    weight[axis][1] = float(int((place - float(below)) * 256 + 0.5f)) / 256;
    weight[axis][0] = 1 - weight[axis][1];
    for (int high = 0; high < 2; high++) {
      int at = chosen(object, axis, below + high);
      is_border[axis][high] = at < 0;
      offset[axis][high] = uint64_t(std::max(at, 0)) * step_of(object, axis);
    }
  }
  uint64_t base = layer_base(object, layer);
  float sum[4] = {0, 0, 0, 0};
  for (int corner = 0; corner < 1 << axes; corner++) {
    uint64_t at = base;
    float share = 1;
    bool is_outside = false;
    for (int axis = 0; axis < axes; axis++) {
      int high = corner >> axis & 1;
      at += offset[axis][high];
      share *= weight[axis][high];
      is_outside = is_outside || is_border[axis][high];
    }
    if (share == 0) continue;  // of what is infinite, too
    float texel[4];
    load<Format>(object, at, is_outside, texel);
    for (uint32_t c = 0; c < object.terms.channels; c++) sum[c] += share * texel[c];
  }
  put(sum, object.terms.channels, values);
}

// tex1Dfetch: by the index itself; beyond the end there is 0.
template <class Format>
void indexed(const TextureObject& object, float, float, float, int index, uint32_t* values) {
  typename Format::Value texel[4];
  bool is_outside = unsigned(index) >= unsigned(object.size[0]);
  load<Format>(object, is_outside ? 0 : uint64_t(index) * object.texel, is_outside, texel);
  put(texel, object.terms.channels, values);
}

using Fetch = decltype(TextureObject::fetch);

template <class Format>
Fetch fetch_of(const TextureTerms& terms) {
  if (terms.is_linear_memory) return indexed<Format>;
  if constexpr (std::is_same_v<typename Format::Value, float>) {
    constexpr Fetch mixed[] = {linear<Format, 1>, linear<Format, 2>, linear<Format, 3>};
    if (terms.filters) return mixed[terms.axes - 1];
  }
  constexpr Fetch plain[] = {nearest<Format, 1>, nearest<Format, 2>, nearest<Format, 3>};
  return plain[terms.axes - 1];
}

template <class Stored>
Fetch integer_fetch_of(const TextureTerms& terms) {
  return terms.reads_normalized ? fetch_of<AsFraction<Stored>>(terms) : fetch_of<AsInteger<Stored>>(terms);
}

Fetch fetch_of(const TextureTerms& terms) {
  switch (terms.texel) {
    case Texel::uint8:
      return integer_fetch_of<uint8_t>(terms);
    case Texel::int8:
      return integer_fetch_of<int8_t>(terms);
    case Texel::uint16:
      return integer_fetch_of<uint16_t>(terms);
    case Texel::int16:
      return integer_fetch_of<int16_t>(terms);
    case Texel::uint32:
      return fetch_of<AsInteger<uint32_t>>(terms);
    case Texel::int32:
      return fetch_of<AsInteger<int32_t>>(terms);
    case Texel::float16:
      return fetch_of<AsHalf>(terms);
    default:
      return fetch_of<AsFloat>(terms);
  }
}

constexpr const char* kTypes[] = {"unsigned char", "signed char", "unsigned short", "short",
                                  "unsigned int",  "int",         "half",           "float"};

void name_of(uint32_t shape, char (&name)[24]) {
  if ((shape & kFetch) != 0)
    std::snprintf(name, sizeof name, "tex1Dfetch");
  else
    std::snprintf(name, sizeof name, "%s%uD%s%s", (shape & kSurface) != 0 ? "surf" : "tex", shape & 3,
                  (shape & kLayered) != 0 ? "Layered" : "",
                  (shape & kSurface) == 0 ? ""
                  : (shape & kWrite) != 0 ? "write"
                                          : "read");
}

// Why the object cannot be read so.
void explain(const TextureObject& object, uint32_t call, const int* at, uint32_t line, char* text, size_t size) {
  constexpr uint32_t shapes = 3 | kLayered | kFetch | kSurface;
  char called[24], right[24];
  name_of(call, called);
  name_of(object.shape | (call & object.shape & kSurface ? call & kWrite : 0), right);
  uint32_t count = call >> kCountAt & 0xff;
  if ((call & shapes) != object.shape) {
    append(text, size, 0, "%s in line %u is given a %s that only %s reads.", called, line,
           object.terms.is_surface ? "surface" : "texture", right);
  } else if (object.terms.is_surface) {
    append(text, size, 0, "%s in line %u is outside of its surface: %u bytes at byte %d of x", called, line, count,
           at[0]);
    size_t used = std::strlen(text);
    if (object.terms.axes > 1) used = append(text, size, used, ", y = %d", at[1]);
    if (object.terms.axes > 2) used = append(text, size, used, ", z = %d", at[2]);
    if (object.terms.layers > 0) used = append(text, size, used, ", layer %d", at[3]);
    append(text, size, used, ". (x counts bytes: x * sizeof(float) of floats.)");
  } else if (count > object.terms.channels) {
    append(text, size, 0, "%s in line %u reads %u values of a texel, but the texture has %u.", called, line, count,
           object.terms.channels);
  } else {
    const char* advice = object.terms.texel <= Texel::int16 && !object.terms.reads_normalized
                             ? ", or make the texture with { read: \"normalized\" } to read float"
                             : "";
    append(text, size, 0, "%s in line %u reads %s, but the texture has values of %s: read these%s.", called, line,
           kTypes[call >> kTypeAt & 7], kTypes[object.value_type], advice);
  }
}

}  // namespace

TextureObject::TextureObject(const TextureTerms& given, uint8_t* memory) : terms(given), memory(memory) {
  for (int axis = 0; axis < 3; axis++) size[axis] = int(terms.size[axis]);
  texel = terms.texel_bytes();
  row = terms.size[0] * texel;
  plane = row * terms.size[1];
  shape = terms.is_linear_memory ? 1 | kFetch : terms.axes | (terms.layers > 0 ? kLayered : 0);
  if (terms.is_surface) shape |= kSurface;
  bool is_float = terms.reads_normalized || terms.texel >= Texel::float16;
  value_type = is_float ? uint32_t(kFloat32) : uint32_t(terms.texel);
  fetch = fetch_of(terms);
}

}  // namespace warpcell::cpu

using warpcell::cpu::TextureObject;
using namespace warpcell_cpu;

int warpcell_cpu_texture(unsigned long long handle, unsigned call, float x, float y, float z, int layer,
                         unsigned* texel) noexcept {
  const auto& object = *reinterpret_cast<const TextureObject*>(handle);
  uint32_t count = call >> kCountAt & 0xff;
  if ((call & 0xff) != object.shape || call >> kTypeAt != object.value_type || count > object.terms.channels) return 0;
  object.fetch(object, x, y, z, layer, texel);
  return 1;
}

int warpcell_cpu_surface(unsigned long long handle, unsigned call, const int* at, void* texel) noexcept {
  const auto& object = *reinterpret_cast<const TextureObject*>(handle);
  if ((call & 0xff & ~kWrite) != object.shape) return 0;
  constexpr uint32_t zero = 0, clamp = 1;
  uint32_t bytes = call >> kCountAt & 0xff, mode = call >> kTypeAt;
  int64_t last[4] = {int64_t(object.row) - bytes, object.size[1] - 1, object.size[2] - 1,
                     std::max(int64_t(object.terms.layers), int64_t(1)) - 1};
  int64_t place[4];
  for (int i = 0; i < 4; i++) {
    place[i] = at[i];
    if (place[i] >= 0 && place[i] <= last[i]) continue;
    if (mode == zero) {
      if ((call & kWrite) == 0) std::memset(texel, 0, bytes);
      return 1;
    }
    if (mode != clamp || last[i] < 0) return 0;
    place[i] = std::clamp(place[i], int64_t(0), last[i]);
  }
  uint8_t* memory = object.memory + place[0] + uint64_t(place[1]) * object.row + uint64_t(place[2]) * object.plane +
                    uint64_t(place[3]) * object.plane * uint64_t(object.size[2]);
  if ((call & kWrite) != 0)
    std::memcpy(memory, texel, bytes);
  else
    std::memcpy(texel, memory, bytes);
  return 1;
}

void warpcell_cpu_texture_misread(unsigned long long handle, unsigned call, const int* at, unsigned line,
                                  const unsigned* block, const unsigned* thread) noexcept {
  char text[warpcell::kErrorTextBytes] = "";
  warpcell::cpu::explain(*reinterpret_cast<const TextureObject*>(handle), call, at, line, text, sizeof text);
  const warpcell_cpu::Geometry& geometry = warpcell::cpu::scheduler->geometry();
  uint64_t linear_block = block[0] + uint64_t(geometry.grid[0]) * (block[1] + uint64_t(geometry.grid[1]) * block[2]);
  uint32_t linear_thread = thread[0] + geometry.block[0] * (thread[1] + geometry.block[1] * thread[2]);
  warpcell::cpu::fail_thread("TEXTURE", linear_block, geometry, linear_thread, "%s", text);
}
