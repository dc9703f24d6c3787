// What a matrix product is planned by: turns the terms of the call "matmul" into numbers, and into the bytes that each
// of its places must hold.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "../device.h"

namespace warpcell {

// A batch of row-major matrices, of the term "type" unless it has its own, without gaps between rows and aligned to 256
// bytes unless told. Elements; `stride` is from one matrix to the next, 0 where all batches share one.
struct MatrixTerms {
  std::string type;  // "float32"
  uint64_t element_bytes;
  bool transposed;  // stored as its transpose
  int64_t leading;  // from one stored row to the next
  int64_t stride;
  uint32_t alignment;  // of its places, bytes
  std::string scales;  // what its numbers are multiplied by, float32: "none", or see matmul_terms.cc
};

// What is done to each result on the way out.
struct Epilogue {
  const char* name;  // "bias_gelu"; "none" for nothing
  uint32_t vector;   // its bias or bias gradient: 0 none, 'n' one for each column of the result, 'm' one for each row
  bool auxiliary;    // keeps, or takes, what the backward pass needs
  bool bits;         // … as one bit an element
};

// out[b] (m × n) = alpha · a[b] (m × k) · b[b] (k × n) + beta · out[b], then the epilogue. alpha and beta are the
// scalars of a run. Its places: out, a, b, then those that it has of: vector, auxiliary, scales of a, scales of
// b.
struct MatmulTerms {
  int64_t m, n, k, batches;
  std::string compute;  // "float32", "tf32", "float64": of products and sums
  MatrixTerms a, b, out;
  const Epilogue* epilogue;
  int64_t auxiliary_leading;                       // elements, or bits
  uint32_t vector_alignment, auxiliary_alignment;  // of their places, bytes
  bool fast_accumulation;                          // float8: sums may be kept in fewer bits

  // Throws DeviceError: PROTOCOL for terms that contradict themselves, UNSUPPORTED for an epilogue that nobody knows.
  explicit MatmulTerms(const PlanRequest& request);

  bool has_epilogue() const;
  bool is_scaled() const { return a.scales != "none"; }
  uint64_t vector_bytes() const;
  uint64_t auxiliary_bytes() const;
  // In the order of the places.
  std::vector<uint64_t> place_bytes() const;
};

// alpha and beta.
constexpr size_t kMatmulScalars = 2;

}  // namespace warpcell
