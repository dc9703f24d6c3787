// "helper_image.h" as programs after CUDA's samples include it: images and numbers in files (netpbm's PGM and PPM, of
// one byte a sample), and comparisons with a reference.
#pragma once
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_string.h"

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

// --- images

// Samples of a byte as a program wants them: bytes, or floats of [0, 1].
template <class T>
inline T warpcell_sample(unsigned char byte) {
  return T(byte) / T(255);
}
template <>
inline unsigned char warpcell_sample<unsigned char>(unsigned char byte) {
  return byte;
}
template <class T>
inline unsigned char warpcell_byte(T sample) {
  return (unsigned char)(sample * T(255));
}
template <>
inline unsigned char warpcell_byte<unsigned char>(unsigned char sample) {
  return sample;
}

// The next number of a netpbm header, behind spaces and comments.
static inline bool warpcell_header_number(FILE* file, unsigned* number) {
  for (int c; (c = fgetc(file)) != EOF;) {
    if (c == '#')
      while (c != '\n' && c != EOF) c = fgetc(file);
    else if (c >= '0' && c <= '9') {
      ungetc(c, file);
      return fscanf(file, "%u", number) == 1;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n')
      return false;
  }
  return false;
}

// Reads P5 (one channel) or P6 (three). Where `*data` is not null it is the place, of an image of that size.
inline bool __loadPPM(const char* name, unsigned char** data, unsigned* width, unsigned* height, unsigned* channels) {
  FILE* file = name == nullptr ? nullptr : fopen(name, "rb");
  if (file == nullptr) {
    std::cerr << "The image " << (name == nullptr ? "(null)" : name) << " cannot be opened.\n";
    return false;
  }
  char kind = 0;
  unsigned w = 0, h = 0, most = 0;
  bool is_right = fgetc(file) == 'P' && ((kind = char(fgetc(file))) == '5' || kind == '6') &&
                  warpcell_header_number(file, &w) && warpcell_header_number(file, &h) &&
                  warpcell_header_number(file, &most) && most <= 255;
  if (!is_right) {
    std::cerr << name << " is no PGM or PPM of one byte a sample.\n";
    fclose(file);
    return false;
  }
  fgetc(file);
  *channels = kind == '5' ? 1 : 3;
  if (*data != nullptr && (*width != w || *height != h)) {
    std::cerr << name << " has " << w << " x " << h << " pixels, but " << *width << " x " << *height
              << " are expected.\n";
    fclose(file);
    return false;
  }
  size_t bytes = size_t(w) * h * *channels;
  if (*data == nullptr) *data = (unsigned char*)malloc(bytes);
  *width = w;
  *height = h;
  is_right = fread(*data, 1, bytes, file) == bytes;
  fclose(file);
  if (!is_right) std::cerr << name << " ends too early.\n";
  return is_right;
}
inline bool __savePPM(const char* name, unsigned char* data, unsigned width, unsigned height, unsigned channels) {
  std::ofstream file(name, std::ios::binary);
  file << (channels == 1 ? "P5\n" : "P6\n") << width << "\n" << height << "\n255\n";
  file.write((const char*)data, std::streamsize(size_t(width) * height * channels));
  if (!file) std::cerr << "The image " << name << " cannot be written.\n";
  return bool(file);
}

template <class T>
inline bool sdkLoadPGM(const char* name, T** data, unsigned* width, unsigned* height) {
  unsigned char* bytes = nullptr;
  unsigned channels = 0;
  if (!__loadPPM(name, &bytes, width, height, &channels)) return false;
  size_t size = size_t(*width) * *height;
  if (*data == nullptr) *data = (T*)malloc(size * sizeof(T));
  for (size_t i = 0; i < size; i++) (*data)[i] = warpcell_sample<T>(bytes[i]);
  free(bytes);
  return true;
}
template <class T>
inline bool sdkSavePGM(const char* name, T* data, unsigned width, unsigned height) {
  std::vector<unsigned char> bytes(size_t(width) * height);
  std::transform(data, data + bytes.size(), bytes.begin(), warpcell_byte<T>);
  return __savePPM(name, bytes.data(), width, height, 1);
}
// Four samples a pixel, of which the file has three.
template <class T>
inline bool sdkLoadPPM4(const char* name, T** data, unsigned* width, unsigned* height) {
  unsigned char* bytes = nullptr;
  unsigned channels = 0;
  if (!__loadPPM(name, &bytes, width, height, &channels)) return false;
  size_t pixels = size_t(*width) * *height;
  if (*data == nullptr) *data = (T*)malloc(pixels * 4 * sizeof(T));
  for (size_t i = 0; i < pixels; i++) {
    for (unsigned c = 0; c < 3; c++)
      (*data)[4 * i + c] = warpcell_sample<T>(bytes[channels * i + (channels == 3 ? c : 0)]);
    (*data)[4 * i + 3] = T(0);
  }
  free(bytes);
  return true;
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned* width, unsigned* height) {
  return sdkLoadPPM4(name, data, width, height);
}
inline bool sdkLoadPPMub(const char* name, unsigned char** data, unsigned* width, unsigned* height) {
  unsigned channels = 0;
  return __loadPPM(name, data, width, height, &channels);
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned width, unsigned height) {
  std::vector<unsigned char> bytes(size_t(width) * height * 3);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = data[i / 3 * 4 + i % 3];
  return __savePPM(name, bytes.data(), width, height, 3);
}

// --- numbers in files

// Numbers in text. Where `*data` is not null, `*length` of them have room.
template <class T>
inline bool sdkReadFile(const char* name, T** data, unsigned* length, bool = false) {
  std::ifstream file(name == nullptr ? "" : name);
  std::vector<T> numbers;
  for (std::string word; file >> word;)
    if (word[0] == '#')
      std::getline(file, word);
    else
      numbers.push_back(T(atof(word.c_str())));
  if (!file.eof()) {
    std::cerr << "The file " << (name == nullptr ? "(null)" : name) << " cannot be read.\n";
    return false;
  }
  if (*data == nullptr) {
    *data = (T*)malloc(numbers.size() * sizeof(T));
    *length = unsigned(numbers.size());
  }
  std::copy_n(numbers.begin(), std::min(size_t(*length), numbers.size()), *data);
  return true;
}
template <class T, class S>
inline bool sdkWriteFile(const char* name, const T* data, unsigned length, const S epsilon, bool, bool append = false) {
  std::ofstream file(name, append ? std::ios::app : std::ios::trunc);
  file << "# " << epsilon << "\n";
  for (unsigned i = 0; i < length; i++) file << data[i] << ' ';
  file << "\n";
  if (!file) std::cerr << "The file " << name << " cannot be written.\n";
  return bool(file);
}
inline void sdkDumpBin(void* data, unsigned bytes, const char* name) {
  std::ofstream(name, std::ios::binary).write((const char*)data, bytes);
}

// --- comparisons

// At most a share of `threshold` of the elements is off by more than epsilon; none, where that is 0.
template <class T, class S>
inline bool compareData(const T* reference, const T* data, unsigned length, const S epsilon, float threshold) {
  assert(epsilon >= 0);
  unsigned wrong = 0;
  for (unsigned i = 0; i < length; i++) {
    double apart = double(reference[i]) - double(data[i]);
    // What is no number is not near.
    wrong += !(fabs(apart) <= double(epsilon));
  }
  bool is_right = threshold == 0 ? wrong == 0 : double(length) * threshold > wrong;
  if (!is_right) printf("%u of %u elements are off by more than %g.\n", wrong, length, double(epsilon));
  return is_right;
}
template <class T, class S>
inline bool compareDataAsFloatThreshold(const T* reference, const T* data, unsigned length, const S epsilon,
                                        float threshold) {
  double most = std::max(double(epsilon), 1e-3);
  unsigned wrong = 0;
  for (unsigned i = 0; i < length; i++) wrong += !(fabs(double(float(reference[i])) - double(float(data[i]))) < most);
  bool is_right = threshold == 0 ? wrong == 0 : double(length) * threshold > wrong;
  if (!is_right) printf("%u of %u elements are off by more than %g.\n", wrong, length, most);
  return is_right;
}
// Whether the difference is small beside the reference, both as lengths of vectors.
static inline bool sdkCompareL2fe(const float* reference, const float* data, unsigned length, float epsilon) {
  double error = 0, size = 0;
  for (unsigned i = 0; i < length; i++) {
    double apart = double(reference[i]) - data[i];
    error += apart * apart;
    size += double(reference[i]) * reference[i];
  }
  return size > 0 && sqrt(error) < epsilon * sqrt(size);
}

// The numbers of two files of bytes, the second of which is looked for as data of the program.
template <class T>
inline bool warpcell_compare_files(const char* name, const char* reference, unsigned length, T epsilon, float threshold,
                                   const char* program) {
  char* path = sdkFindFilePath(reference, program);
  std::vector<T> own(length), wanted(length);
  size_t bytes = size_t(length) * sizeof(T);
  bool is_read = path != nullptr && std::ifstream(name, std::ios::binary).read((char*)own.data(), bytes) &&
                 std::ifstream(path, std::ios::binary).read((char*)wanted.data(), bytes);
  free(path);
  if (is_read) return compareData(wanted.data(), own.data(), length, epsilon, threshold);
  std::cerr << name << " cannot be compared with " << reference << ": one of them cannot be read.\n";
  return false;
}
inline bool sdkCompareBin2BinUint(const char* name, const char* reference, unsigned length, float epsilon,
                                  float threshold, char* program) {
  return warpcell_compare_files<unsigned>(name, reference, length, unsigned(epsilon), threshold, program);
}
inline bool sdkCompareBin2BinFloat(const char* name, const char* reference, unsigned length, float epsilon,
                                   float threshold, char* program) {
  return warpcell_compare_files<float>(name, reference, length, epsilon, threshold, program);
}

template <class Load>
inline bool warpcell_compare_images(const char* name, const char* reference, float epsilon, float threshold,
                                    unsigned channels, Load load) {
  unsigned char *own = nullptr, *wanted = nullptr;
  unsigned width = 0, height = 0, wide = 0, high = 0;
  bool is_right = load(name, &own, &width, &height) && load(reference, &wanted, &wide, &high) && width == wide &&
                  height == high && compareData(wanted, own, width * height * channels, epsilon, threshold);
  free(own);
  free(wanted);
  return is_right;
}
inline bool sdkComparePPM(const char* name, const char* reference, float epsilon, float threshold, bool = false) {
  return warpcell_compare_images(name, reference, epsilon, threshold, 4, sdkLoadPPM4ub);
}
inline bool sdkComparePGM(const char* name, const char* reference, float epsilon, float threshold, bool = false) {
  return warpcell_compare_images(name, reference, epsilon, threshold, 1, sdkLoadPGM<unsigned char>);
}
