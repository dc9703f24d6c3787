// The library's matrices are column-major: a row-major product is the product of the transposes in the other order, on
// the same bytes.
#include "cublas_matmul.h"

#include <algorithm>
#include <climits>
#include <iterator>

namespace warpcell::cuda {
namespace {

struct Type {
  const char* name;
  int number;
};
constexpr Type kTypes[] = {{"float32", kTypeFloat32},   {"float64", kTypeFloat64},  {"float16", kTypeFloat16},
                           {"bfloat16", kTypeBfloat16}, {"float8_e4m3", kTypeE4m3}, {"float8_e5m2", kTypeE5m2}};

int type_number(const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type.number;
  }
  throw DeviceError("UNSUPPORTED", "cuBLASLt does not multiply matrices of " + name + ".");
}

struct Compute {
  const char* name;
  int number;
  int scale_type;
};
constexpr Compute kComputes[] = {{"float32", kComputeFloat32, kTypeFloat32},
                                 {"tf32", kComputeTf32, kTypeFloat32},
                                 {"float64", kComputeFloat64, kTypeFloat64}};

const Compute& compute_named(const std::string& name) {
  for (const Compute& compute : kComputes) {
    if (name == compute.name) return compute;
  }
  throw DeviceError("UNSUPPORTED", "cuBLASLt does not compute in " + name + ".");
}

// cublasLtEpilogue_t. Row-major operands are the library's in the other order, so a sum of a is one of its B.
struct EpilogueNumber {
  const char* name;
  int32_t number;
};
constexpr EpilogueNumber kEpilogueNumbers[] = {
    {"none", 1},
    {"bias", 4},
    {"relu", 2},
    {"bias_relu", 6},
    {"relu_keep", 130},
    {"bias_relu_keep", 134},
    {"gelu", 32},
    {"bias_gelu", 36},
    {"gelu_keep", 160},
    {"bias_gelu_keep", 164},
    {"relu_backward", 136},
    {"relu_backward_bias", 152},
    {"gelu_backward", 192},
    {"gelu_backward_bias", 208},
    {"sum_of_b", 256},
    {"sum_of_a", 512},
};

int32_t epilogue_number(const std::string& name) {
  for (const EpilogueNumber& epilogue : kEpilogueNumbers) {
    if (name == epilogue.name) return epilogue.number;
  }
  throw DeviceError("UNSUPPORTED", "cuBLASLt has no epilogue " + name + ".");
}

// cublasLtMatmulMatrixScale_t
struct ScaleMode {
  const char* name;
  int32_t number;
};
constexpr ScaleMode kScaleModes[] = {{"none", 0}, {"one", 0}, {"line", 3}, {"vector", 4}, {"block", 5}};

int32_t scale_mode(const std::string& name) {
  return std::find_if(std::begin(kScaleModes), std::end(kScaleModes),
                      [&](const ScaleMode& mode) { return name == mode.name; })
      ->number;
}

// Of a bias: the result's type, which for float8 factors has 16 bits.
int vector_type(const MatmulTerms& terms) {
  if (terms.a.element_bytes > 1) return type_number(terms.out.type);
  return terms.out.type == "float16" ? kTypeFloat16 : kTypeBfloat16;
}

const void* as_pointer(DevicePointer address) { return reinterpret_cast<const void*>(address); }

}  // namespace

CublasMatmul::CublasMatmul(const CublasApi& library, const MatmulTerms& terms) : library_(library), terms_(terms) {
  const Compute& compute = compute_named(terms.compute);
  try {
    library_.check(library_.cublasLtMatmulDescCreate(&description_, compute.number, compute.scale_type),
                   "describing a matrix product");
    if (terms.b.transposed) set(MatmulAttribute::transpose_a, kOperationTranspose);
    if (terms.a.transposed) set(MatmulAttribute::transpose_b, kOperationTranspose);
    set(MatmulAttribute::epilogue, epilogue_number(terms.epilogue->name));
    if (terms.epilogue->vector != 0) set(MatmulAttribute::bias_type, int32_t(vector_type(terms)));
    if (terms.epilogue->auxiliary) set(MatmulAttribute::auxiliary_leading, terms.auxiliary_leading);
    if (terms.fast_accumulation) set(MatmulAttribute::fast_accumulation, int8_t(1));

    set_scale_mode(MatmulAttribute::a_scale_mode, terms.b.scales);
    set_scale_mode(MatmulAttribute::b_scale_mode, terms.a.scales);

    left_ = terms.b.transposed ? layout(terms.b, terms.k, terms.n) : layout(terms.b, terms.n, terms.k);
    right_ = terms.a.transposed ? layout(terms.a, terms.m, terms.k) : layout(terms.a, terms.k, terms.m);
    result_ = layout(terms.out, terms.n, terms.m);

    // The library looks at how these are aligned, not at what is there.
    Operands aligned{};
    aligned.vector = terms.vector_alignment;
    aligned.auxiliary = terms.auxiliary_alignment;
    aligned.a_scale = aligned.b_scale = 256;
    point(aligned);
  } catch (...) {
    release();
    throw;
  }
}

// Libraries before 12.9 know one scale for a matrix.
void CublasMatmul::set_scale_mode(MatmulAttribute attribute, const std::string& scales) {
  int32_t mode = scale_mode(scales);
  if (mode == 0) return;
  if (library_.cublasLtMatmulDescSetAttribute(description_, attribute, &mode, sizeof mode) != kBlasSuccess)
    throw DeviceError("UNSUPPORTED", "This cuBLASLt knows no scales for each " + scales + " of a matrix.");
}

void CublasMatmul::release() {
  for (MatrixLayout layout : {left_, right_, result_}) {
    if (layout != nullptr) library_.cublasLtMatrixLayoutDestroy(layout);
  }
  if (description_ != nullptr) library_.cublasLtMatmulDescDestroy(description_);
}

// `rows` and `columns` as the library counts them.
MatrixLayout CublasMatmul::layout(const MatrixTerms& matrix, int64_t rows, int64_t columns) {
  if (terms_.batches > INT_MAX)
    throw DeviceError("UNSUPPORTED",
                      "cuBLASLt does not take a batch of " + std::to_string(terms_.batches) + " matrices.");
  MatrixLayout made = nullptr;
  library_.check(library_.cublasLtMatrixLayoutCreate(&made, type_number(matrix.type), uint64_t(rows), uint64_t(columns),
                                                     matrix.leading),
                 "describing a matrix");
  int32_t count = int32_t(terms_.batches);
  BlasStatus status =
      library_.cublasLtMatrixLayoutSetAttribute(made, LayoutAttribute::batch_count, &count, sizeof count);
  if (status == kBlasSuccess)
    status = library_.cublasLtMatrixLayoutSetAttribute(made, LayoutAttribute::batch_stride, &matrix.stride,
                                                       sizeof matrix.stride);
  if (status != kBlasSuccess) library_.cublasLtMatrixLayoutDestroy(made);
  library_.check(status, "describing a batch of matrices");
  return made;
}

void CublasMatmul::point(const Operands& operands) {
  if (terms_.epilogue->vector != 0) set(MatmulAttribute::bias_pointer, as_pointer(operands.vector));
  if (terms_.epilogue->auxiliary) set(MatmulAttribute::auxiliary_pointer, as_pointer(operands.auxiliary));
  if (!terms_.is_scaled()) return;
  set(MatmulAttribute::a_scale_pointer, as_pointer(operands.b_scale));
  set(MatmulAttribute::b_scale_pointer, as_pointer(operands.a_scale));
}

std::vector<MatmulCandidate> CublasMatmul::candidates(int most, uint64_t workspace) const {
  MatmulPreference preference = nullptr;
  library_.check(library_.cublasLtMatmulPreferenceCreate(&preference), "asking for algorithms");
  auto prefer = [&](PreferenceAttribute attribute, const auto& value) {
    return library_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value);
  };
  std::vector<MatmulCandidate> found(static_cast<size_t>(most));
  int count = 0;
  BlasStatus failed = prefer(PreferenceAttribute::workspace, workspace) |
                      prefer(PreferenceAttribute::reduction_schemes, kReductionInComputeType) |
                      prefer(PreferenceAttribute::alignment_a, terms_.b.alignment) |
                      prefer(PreferenceAttribute::alignment_b, terms_.a.alignment) |
                      prefer(PreferenceAttribute::alignment_c, terms_.out.alignment) |
                      prefer(PreferenceAttribute::alignment_d, terms_.out.alignment);
  BlasStatus status = failed != kBlasSuccess ? failed
                                             : library_.cublasLtMatmulAlgoGetHeuristic(
                                                   library_.handle, description_, left_, right_, result_, result_,
                                                   preference, most, found.data(), &count);
  library_.cublasLtMatmulPreferenceDestroy(preference);

  found.resize(status == kBlasSuccess ? size_t(count) : 0);
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const MatmulCandidate& candidate) { return candidate.state != kBlasSuccess; }),
              found.end());
  if (found.empty())
    throw DeviceError("UNSUPPORTED", std::string("cuBLASLt has no algorithm for this matrix product (") +
                                         library_.cublasLtGetStatusName(status) + ").");
  return found;
}

bool CublasMatmul::admits(const MatmulCandidate& candidate) const {
  MatmulCandidate result{};
  BlasStatus status = library_.cublasLtMatmulAlgoCheck(library_.handle, description_, left_, right_, result_, result_,
                                                       &candidate.algorithm, &result);
  return status == kBlasSuccess && result.workspace <= candidate.workspace;
}

std::string CublasMatmul::describe(const MatmulAlgorithm& algorithm) const {
  std::string text;
  auto add = [&](const char* name, AlgorithmAttribute attribute) {
    int32_t value = 0;
    size_t written = 0;
    if (library_.cublasLtMatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written) !=
        kBlasSuccess)
      return;
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
  };
  add("algorithm", AlgorithmAttribute::id);
  add("tile", AlgorithmAttribute::tile);
  add("split", AlgorithmAttribute::split_k);
  add("stages", AlgorithmAttribute::stages);
  return text;
}

BlasStatus CublasMatmul::run(const MatmulCandidate& candidate, const Operands& operands, DevicePointer workspace,
                             Stream stream) {
  point(operands);
  float alpha = float(operands.alpha), beta = float(operands.beta);
  bool is_double = terms_.compute == "float64";
  const void* scale = is_double ? static_cast<const void*>(&operands.alpha) : &alpha;
  const void* keep = is_double ? static_cast<const void*>(&operands.beta) : &beta;
  void* out = reinterpret_cast<void*>(operands.out);
  return library_.cublasLtMatmul(library_.handle, description_, scale, as_pointer(operands.b), left_,
                                 as_pointer(operands.a), right_, keep, out, result_, out, result_, &candidate.algorithm,
                                 reinterpret_cast<void*>(workspace), candidate.workspace, stream);
}

}  // namespace warpcell::cuda
