// Reads the terms of a matrix product and refuses those that do not go together.
#include "matmul_terms.h"

#include <algorithm>

#include "plan_terms.h"

namespace warpcell {

namespace {

constexpr Epilogue kEpilogues[] = {
    {"none", 0, false, false},
    {"bias", 'n', false, false},
    {"relu", 0, false, false},
    {"bias_relu", 'n', false, false},
    {"relu_keep", 0, true, true},
    {"bias_relu_keep", 'n', true, true},
    {"gelu", 0, false, false},
    {"bias_gelu", 'n', false, false},
    {"gelu_keep", 0, true, false},
    {"bias_gelu_keep", 'n', true, false},
    {"relu_backward", 0, true, true},
    {"relu_backward_bias", 'n', true, true},
    {"gelu_backward", 0, true, false},
    {"gelu_backward_bias", 'n', true, false},
    // Sums of an operand over k: the gradient of a bias, beside that of its weights.
    {"sum_of_b", 'n', false, false},
    {"sum_of_a", 'm', false, false},
};

constexpr int64_t kUsualAlignment = 256;  // of a tensor's memory

struct Type {
  const char* name;
  uint64_t bytes;
};
constexpr Type kTypes[] = {{"float32", 4},  {"float64", 8},     {"float16", 2},
                           {"bfloat16", 2}, {"float8_e4m3", 1}, {"float8_e5m2", 1}};

// Scales of the lines of a matrix, which go along k: rows of a, columns of b. "one" for all; "line": for each;
// "vector": for 128 elements of each, all lines' first, then their second; "block": for 128 elements of 128 lines, a
// stretch of lines after the other, each filled up to a number of scales that 4 divides.
uint64_t scale_count(const std::string& scales, int64_t lines, int64_t k) {
  auto stretches = [](int64_t count) { return uint64_t((count + 127) / 128); };
  if (scales == "one") return 1;
  if (scales == "line") return uint64_t(lines);
  if (scales == "vector") return uint64_t(lines) * stretches(k);
  return stretches(lines) * ((stretches(k) + 3) / 4 * 4);
}

constexpr const char* kScales[] = {"none", "one", "line", "vector", "block"};

MatrixTerms matrix(const PlanRequest& request, const std::string& name, int64_t rows, int64_t columns) {
  MatrixTerms terms{};
  terms.type = text_term(request, request.terms.count(name + ".type") != 0 ? name + ".type" : "type");
  terms.transposed = size_term_or(request, name + ".transposed", 0) != 0;
  terms.leading = size_term_or(request, name + ".leading", std::max<int64_t>(1, terms.transposed ? rows : columns));
  terms.stride = size_term_or(request, name + ".stride", 0);
  terms.alignment = uint32_t(size_term_or(request, name + ".alignment", kUsualAlignment));

  terms.scales = request.terms.count(name + ".scales") != 0 ? text_term(request, name + ".scales") : "none";
  if (std::find(std::begin(kScales), std::end(kScales), terms.scales) == std::end(kScales))
    throw DeviceError("UNSUPPORTED", "No library knows the scales " + terms.scales + " of a matrix.");

  auto known =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& type) { return terms.type == type.name; });
  if (known == std::end(kTypes))
    throw DeviceError("UNSUPPORTED", "No library multiplies matrices of " + terms.type + ".");
  terms.element_bytes = known->bytes;
  if (terms.leading < (terms.transposed ? rows : columns))
    throw DeviceError("PROTOCOL",
                      "The rows of a matrix overlap: " + name + ".leading=" + std::to_string(terms.leading) + ".");
  return terms;
}

const Epilogue& epilogue_named(const std::string& name) {
  for (const Epilogue& epilogue : kEpilogues) {
    if (name == epilogue.name) return epilogue;
  }
  throw DeviceError("UNSUPPORTED", "No library knows the epilogue " + name + " of a matrix product.");
}

uint64_t bytes_of(const MatrixTerms& matrix, int64_t rows, int64_t columns, int64_t batches) {
  int64_t stored_rows = matrix.transposed ? columns : rows, stored_columns = matrix.transposed ? rows : columns;
  if (stored_rows == 0 || stored_columns == 0 || batches == 0) return 0;
  return uint64_t((batches - 1) * matrix.stride + (stored_rows - 1) * matrix.leading + stored_columns) *
         matrix.element_bytes;
}

}  // namespace

MatmulTerms::MatmulTerms(const PlanRequest& request)
    : m(size_term(request, "m")),
      n(size_term(request, "n")),
      k(size_term(request, "k")),
      batches(size_term_or(request, "batches", 1)),
      compute(text_term(request, "compute")),
      a(matrix(request, "a", m, k)),
      b(matrix(request, "b", k, n)),
      out(matrix(request, "out", m, n)),
      epilogue(&epilogue_named(request.terms.count("epilogue") != 0 ? text_term(request, "epilogue") : "none")),
      auxiliary_leading(size_term_or(request, "auxiliary.leading", n)),
      vector_alignment(uint32_t(size_term_or(request, "vector.alignment", kUsualAlignment))),
      auxiliary_alignment(uint32_t(size_term_or(request, "auxiliary.alignment", kUsualAlignment))),
      fast_accumulation(size_term_or(request, "fast", 0) != 0) {
  if (m == 0 || n == 0 || batches == 0)
    throw DeviceError("PROTOCOL", "The plan of " + request.call + " has no results.");
  if (out.transposed) throw DeviceError("PROTOCOL", "The plan of " + request.call + " has a transposed result.");
  if (auxiliary_leading < n)
    throw DeviceError("PROTOCOL", "The rows of what an epilogue keeps overlap: auxiliary.leading=" +
                                      std::to_string(auxiliary_leading) + ".");
  if ((a.scales == "none") != (b.scales == "none"))
    throw DeviceError("PROTOCOL", "The plan of " + request.call + " has scales for one of two matrices.");
  if (has_epilogue() && batches != 1)
    throw DeviceError("UNSUPPORTED",
                      "An epilogue takes one matrix product, not a batch of " + std::to_string(batches) + ".");
}

bool MatmulTerms::has_epilogue() const { return epilogue != kEpilogues; }

uint64_t MatmulTerms::vector_bytes() const {
  return epilogue->vector == 0
             ? 0
             : uint64_t(epilogue->vector == 'n' ? n : m) * (a.element_bytes == 1 ? 2 : out.element_bytes);
}

uint64_t MatmulTerms::auxiliary_bytes() const {
  if (!epilogue->auxiliary) return 0;
  uint64_t elements = uint64_t(auxiliary_leading) * uint64_t(m);
  return epilogue->bits ? (elements + 7) / 8 : elements * out.element_bytes;
}

std::vector<uint64_t> MatmulTerms::place_bytes() const {
  std::vector<uint64_t> bytes = {bytes_of(out, m, n, batches), bytes_of(a, m, k, batches), bytes_of(b, k, n, batches)};
  if (epilogue->vector != 0) bytes.push_back(vector_bytes());
  if (epilogue->auxiliary) bytes.push_back(auxiliary_bytes());
  if (is_scaled())
    bytes.insert(bytes.end(),
                 {sizeof(float) * scale_count(a.scales, m, k), sizeof(float) * scale_count(b.scales, n, k)});
  return bytes;
}

}  // namespace warpcell
