// Matrix products by OpenBLAS, shared among cores.
#include <algorithm>
#include <climits>
#include <vector>

#include "../../host/json.h"
#include "../../host/matmul_terms.h"
#include "libraries.h"
#include "narrow.h"
#include "openblas_library.h"
#include "parts.h"

namespace warpcell::cpu {
namespace {

// What its products are summed in, and multiplied by the library as.
template <class Stored>
struct Summed {
  using Type = float;
};
template <>
struct Summed<double> {
  using Type = double;
};

// A part of a matrix; `rows` and `columns` as it is multiplied, which its transpose may be stored for.
template <class T>
struct Block {
  T* data;
  int64_t rows, columns;
  bool transposed;
  int64_t leading;

  int64_t stored_rows() const { return transposed ? columns : rows; }
  int64_t stored_columns() const { return transposed ? rows : columns; }
  // From one element of its only row or column to the next.
  int64_t step() const { return (rows == 1) == transposed ? leading : 1; }
  Block part(int64_t row, int64_t part_rows, int64_t column, int64_t part_columns) const {
    return {data + (transposed ? column * leading + row : row * leading + column), part_rows, part_columns, transposed,
            leading};
  }
};

template <class T>
Block<T> matrix(T* data, const MatrixTerms& terms, int64_t batch, int64_t rows, int64_t columns) {
  return {data + batch * terms.stride, rows, columns, terms.transposed, terms.leading};
}

// Part of the depth of 16-bit matrices that is converted at once: tiles of it stay in a core's own cache.
constexpr int64_t kNarrowDepth = 384;
// Elements of a matrix that meets a vector, so each only once: they stay in the nearest cache.
constexpr int64_t kNarrowPiece = 8192;

// Memory of this thread, for as long as it lives.
float* scratch(int64_t count) {
  thread_local std::vector<float> memory;
  if (int64_t(memory.size()) < count) memory.resize(size_t(count));
  return memory.data();
}

// The same block as float32, without gaps, from `memory` on, which then is behind it.
template <class Stored>
Block<float> widened(const Block<Stored>& from, float*& memory) {
  Block<float> to = {memory, from.rows, from.columns, from.transposed, from.stored_columns()};
  memory += from.rows * from.columns;
  if (from.leading == to.leading) {
    widen(from.data, to.data, from.rows * from.columns);
    return to;
  }
  for (int64_t row = 0; row < from.stored_rows(); row++)
    widen(from.data + row * from.leading, to.data + row * to.leading, from.stored_columns());
  return to;
}

template <class T>
T wide(T value) {
  return value;
}
float wide(Bfloat16 value) {
  float result;
  widen(&value, &result, 1);
  return result;
}
float wide(Float16 value) {
  float result;
  widen(&value, &result, 1);
  return result;
}

template <class Stored>
class Product final : public PlannedCall {
  using Sum = typename Summed<Stored>::Type;
  static constexpr bool kNarrow = !std::is_same_v<Stored, Sum>;

 public:
  Product(const LibraryContext& context, const MatmulTerms& terms, const OpenBlas& library)
      : PlannedCall("OpenBLAS matmul", terms.place_bytes().size(), kMatmulScalars),
        context_(context),
        terms_(terms),
        bytes_(terms.place_bytes()),
        calls_(calls_of<Sum>(library)),
        parts_(terms, context.streams.cores(), kNarrow),
        multiply_([this](uint64_t number) { multiply(parts_[number]); }) {
    if (parts_.splits() > 1)
      planned.host_workspace = uint64_t(terms.batches * parts_.splits() * terms.m * terms.n) * sizeof(Sum);
    planned.kept = sizeof *this;
    planned.chosen =
        JsonObject()
            .text("library", "OpenBLAS")
            .text("version", library.version)
            .text("path", library.path)
            .text("algorithm",
                  library.processor +
                      (parts_.count() == 1 ? ", 1 part" : ", " + std::to_string(parts_.count()) + " parts"))
            .done();
  }

  void run(const RunRequest& request) override {
    out_ = place(request, 0);
    a_ = place(request, 1);
    b_ = place(request, 2);
    alpha_ = Sum(request.scalars[0]);
    beta_ = Sum(request.scalars[1]);
    sums_ = static_cast<Sum*>(request.host_workspace);
    context_.streams.at(request.stream).pool.run_parts(parts_.count(), multiply_, request.sequence, title.number);
    if (parts_.splits() > 1) add_sums();
  }

 private:
  Stored* place(const RunRequest& request, size_t which) {
    return reinterpret_cast<Stored*>(context_.segments.range(request.places[which], bytes_[which]));
  }

  Block<Sum> sums_of(int64_t batch, int64_t split, int64_t rows, int64_t columns) {
    return {sums_ + (batch * parts_.splits() + split) * terms_.m * terms_.n, rows, columns, false, columns};
  }

  void multiply(const ProductPart& part) {
    for (int64_t batch = part.batch; batch < part.batch + part.batches; batch++) {
      auto a = matrix(a_, terms_.a, batch, terms_.m, terms_.k).part(part.row, part.rows, part.depth, part.depths);
      auto b = matrix(b_, terms_.b, batch, terms_.k, terms_.n).part(part.depth, part.depths, part.column, part.columns);
      auto out =
          matrix(out_, terms_.out, batch, terms_.m, terms_.n).part(part.row, part.rows, part.column, part.columns);
      if (parts_.splits() > 1)
        multiply(a, b, sums_of(batch, part.split, part.rows, part.columns));
      else if constexpr (kNarrow)
        put(multiply(a, b, {scratch(most_scratch(part)), part.rows, part.columns, false, part.columns}), out);
      else
        call(a, b, out, alpha_, beta_);
    }
  }

  // `sums` itself, and what is converted.
  static int64_t most_scratch(const ProductPart& part) {
    int64_t depths = std::min(part.depths, kNarrowDepth);
    int64_t converted =
        part.rows == 1 || part.columns == 1 ? part.depths + kNarrowPiece : depths * (part.rows + part.columns);
    return part.rows * part.columns + converted;
  }

  // a · b alone. Behind sums that are in this thread's scratch there is room for what is converted.
  Block<Sum> multiply(const Block<Stored>& a, const Block<Stored>& b, const Block<Sum>& sums) {
    if constexpr (kNarrow) {
      float* memory = parts_.splits() == 1 ? sums.data + sums.rows * sums.columns
                                           : scratch(most_scratch({0, 1, 0, a.rows, 0, b.columns, 0, a.columns, 0}));
      if (sums.columns == 1)
        multiply_by_vector(a, b, sums, memory, false);
      else if (sums.rows == 1)
        multiply_by_vector(b, a, sums, memory, true);
      else
        multiply_narrow(a, b, sums, memory);
    } else {
      call(a, b, sums, 1, 0);
    }
    return sums;
  }

  void multiply_narrow(const Block<Stored>& a, const Block<Stored>& b, const Block<float>& sums, float* memory) {
    for (int64_t from = 0; from == 0 || from < a.columns; from += kNarrowDepth) {
      int64_t depths = std::min(kNarrowDepth, a.columns - from);
      float* behind = memory;
      Block<float> left = widened(a.part(0, a.rows, from, depths), behind);
      Block<float> right = widened(b.part(from, depths, 0, b.columns), behind);
      call(left, right, sums, 1, from == 0 ? 0 : 1);
    }
  }

  // matrix · vector, or with `is_left` vector · matrix, by pieces of its rows as they are stored.
  void multiply_by_vector(const Block<Stored>& matrix, const Block<Stored>& other, const Block<float>& sums,
                          float* memory, bool is_left) {
    Block<float> vector = widened(other, memory);
    int64_t most_columns = std::min(matrix.stored_columns(), kNarrowPiece), most_rows = kNarrowPiece / most_columns;
    for (int64_t row = 0; row < matrix.stored_rows(); row += most_rows) {
      for (int64_t column = 0; column < matrix.stored_columns(); column += most_columns) {
        int64_t rows = std::min(most_rows, matrix.stored_rows() - row);
        int64_t columns = std::min(most_columns, matrix.stored_columns() - column);
        float* behind = memory;
        Block<float> piece = widened(
            matrix.transposed ? matrix.part(column, columns, row, rows) : matrix.part(row, rows, column, columns),
            behind);
        bool along = matrix.transposed == is_left;  // its stored rows are what is summed
        int64_t depth = along ? column : row, result = along ? row : column;
        Sum beta = depth == 0 ? 0 : 1;
        if (is_left)
          call(vector.part(0, 1, depth, piece.rows), piece, sums.part(0, 1, result, piece.columns), 1, beta);
        else
          call(piece, vector.part(depth, piece.columns, 0, 1), sums.part(result, piece.rows, 0, 1), 1, beta);
      }
    }
  }

  // out = alpha · a · b + beta · out by the library. It takes a product with a vector for what it is only when told.
  void call(const Block<Sum>& a, const Block<Sum>& b, const Block<Sum>& out, Sum alpha, Sum beta) {
    auto order = [](bool transposed) { return transposed ? kTransposed : kAsStored; };
    if (out.rows > 1 && out.columns > 1) {
      calls_.gemm(kRowMajor, order(a.transposed), order(b.transposed), int(out.rows), int(out.columns), int(a.columns),
                  alpha, a.data, int(a.leading), b.data, int(b.leading), beta, out.data, int(out.leading));
      return;
    }
    const Block<Sum>&matrix = out.columns == 1 ? a : b, &vector = out.columns == 1 ? b : a;
    // What was there counts for nothing, also where it is not a number.
    if (beta == 0) {
      for (int64_t i = 0; i < out.rows * out.columns; i++) out.data[i * out.step()] = 0;
    }
    calls_.gemv(kRowMajor, order(matrix.transposed != (out.columns > 1)), int(matrix.stored_rows()),
                int(matrix.stored_columns()), alpha, matrix.data, int(matrix.leading), vector.data, int(vector.step()),
                beta, out.data, int(out.step()));
  }

  // out = alpha · sums + beta · out.
  void put(const Block<Sum>& sums, const Block<Stored>& out) {
    if (sums.leading == out.leading) return put_row(sums.data, out.data, out.rows * out.columns);
    for (int64_t row = 0; row < out.rows; row++)
      put_row(sums.data + row * sums.leading, out.data + row * out.leading, out.columns);
  }

  void put_row(Sum* from, Stored* to, int64_t count) {
    if (beta_ != 0) {
      for (int64_t i = 0; i < count; i++) from[i] = alpha_ * from[i] + beta_ * wide(to[i]);
    } else if (alpha_ != 1) {
      for (int64_t i = 0; i < count; i++) from[i] *= alpha_;
    }
    if constexpr (kNarrow)
      narrow(from, to, count);
    else
      std::copy_n(from, count, to);
  }

  // The sums over the parts of the depth, in their order.
  void add_sums() {
    for (int64_t batch = 0; batch < terms_.batches; batch++) {
      Block<Sum> total = sums_of(batch, 0, terms_.m, terms_.n);
      for (int64_t split = 1; split < parts_.splits(); split++) {
        const Sum* more = sums_of(batch, split, terms_.m, terms_.n).data;
        for (int64_t i = 0; i < terms_.m * terms_.n; i++) total.data[i] += more[i];
      }
      put(total, matrix(out_, terms_.out, batch, terms_.m, terms_.n));
    }
  }

  LibraryContext context_;
  const MatmulTerms terms_;
  const std::vector<uint64_t> bytes_;
  const BlasCalls<Sum>& calls_;
  const ProductParts parts_;
  const Part multiply_;
  // Of the run under way.
  Sum* sums_ = nullptr;  // of each part of the depth
  Stored *out_ = nullptr, *a_ = nullptr, *b_ = nullptr;
  Sum alpha_ = 1, beta_ = 0;
};

[[noreturn]] void refuse(const std::string& what) {
  throw DeviceError("UNSUPPORTED", "OpenBLAS does not multiply matrices " + what + ".");
}

std::unique_ptr<PlannedCall> plan_matmul(LibraryContext& context, const PlanRequest& request) {
  MatmulTerms terms(request);
  const std::string& type = terms.out.type;
  if (terms.a.type != type || terms.b.type != type)
    refuse("of " + terms.a.type + " and " + terms.b.type + " into " + type);
  if (terms.has_epilogue() || terms.is_scaled()) refuse("with an epilogue or scales");
  for (int64_t size : {terms.m, terms.n, terms.k, terms.a.leading, terms.b.leading, terms.out.leading}) {
    if (size > INT_MAX) refuse("with " + std::to_string(size) + " rows or columns");
  }

  auto planned = [&](auto stored) -> std::unique_ptr<PlannedCall> {
    return std::make_unique<Product<decltype(stored)>>(context, terms, openblas());
  };
  if (type == "float32") return planned(float{});
  if (type == "float64") return planned(double{});
  if (type == "bfloat16") return planned(Bfloat16{});
  if (type == "float16") return planned(Float16{});
  refuse("of " + type);
}

}  // namespace

LibraryRows openblas_rows() { return {{"matmul", plan_matmul}}; }

}  // namespace warpcell::cpu
