// Factorisations by the LAPACK that OpenBLAS brings, and what is solved with them. Its matrices are column-major: what
// is below the diagonal of a row-major one is above it there.
#include <algorithm>

#include "lapack_call.h"

namespace warpcell::cpu {
namespace {

constexpr int kUpper = 121, kLower = 122, kNonUnit = 131, kUnit = 132, kLeft = 141;  // CBLAS's own numbers

template <class T>
constexpr uint64_t bytes_of(int64_t rows, int64_t columns = 1) {
  return uint64_t(rows) * uint64_t(columns) * sizeof(T);
}

// The adjoint of a column-major matrix, of real numbers its transpose, by tiles that the nearest cache holds.
template <class T>
void turn(const T* in, int64_t rows, int64_t columns, T* out) {
  constexpr int64_t kTile = 32;
  for (int64_t top = 0; top < rows; top += kTile) {
    for (int64_t left = 0; left < columns; left += kTile) {
      int64_t bottom = std::min(rows, top + kTile), right = std::min(columns, left + kTile);
      for (int64_t row = top; row < bottom; row++) {
        for (int64_t column = left; column < right; column++) {
          const T value = in[column * rows + row];
          if constexpr (is_complex<T>)
            out[row * columns + column] = std::conj(value);
          else
            out[row * columns + column] = value;
        }
      }
    }
  }
}

// Workspace: numbers of the matrix's type, behind them real ones, and behind these integers.
struct Room {
  int64_t size, reals, whole;

  template <class T>
  uint64_t bytes() const {
    return whole_at<T>() + bytes_of<int>(whole);
  }
  template <class T>
  Real<T>* real_numbers(void* workspace) const {
    return reinterpret_cast<Real<T>*>(static_cast<uint8_t*>(workspace) + bytes_of<T>(size));
  }
  template <class T>
  int* whole_numbers(void* workspace) const {
    return reinterpret_cast<int*>(static_cast<uint8_t*>(workspace) + whole_at<T>());
  }

 private:
  template <class T>
  uint64_t whole_at() const {
    return bytes_of<T>(size) + bytes_of<Real<T>>(reals);
  }
};

// The numbers of workspace that a call asks for when it is told −1.
template <class Ask>
int workspace_of(Ask ask) {
  double wanted = 0;
  ask(&wanted);
  return wanted < 1 ? 1 : int(wanted);
}

// a = l · lᵀ of a symmetric matrix, column-major, in place: its lower triangle becomes l, what is above it counts for
// nothing. Its status is the order of the first leading minor that is not positive. Places: matrix.
std::unique_ptr<PlannedCall> plan_cholesky(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int n = lapack_size(request, "n");
    auto potrf = lapack<T>().potrf;
    LapackShape shape{{bytes_of<T>(n, n)}, 0, double(n) * n * n / 3, true};
    return std::make_unique<LapackCall>(
        "OpenBLAS cholesky", context, request, shape,
        [=](auto places, void*, int* status) { potrf("L", &n, numbers<T>(places, 0), &n, status); });
  });
}

// The lower triangle of (l · lᵀ)⁻¹ in the place of l, a lower triangle, column-major. Its status is the first column
// with 0 on the diagonal. Places: matrix.
std::unique_ptr<PlannedCall> plan_cholesky_inverse(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int n = lapack_size(request, "n");
    auto potri = lapack<T>().potri;
    LapackShape shape{{bytes_of<T>(n, n)}, 0, 2. * n * n * n / 3, true};
    return std::make_unique<LapackCall>(
        "OpenBLAS cholesky_inverse", context, request, shape,
        [=](auto places, void*, int* status) { potri("L", &n, numbers<T>(places, 0), &n, status); });
  });
}

// a = p · l · u, column-major, in place. Its status is the first column without a pivot. Places: matrix, pivots.
std::unique_ptr<PlannedCall> plan_lu(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int m = lapack_size(request, "m"), n = lapack_size(request, "n"), pivots = m < n ? m : n;
    auto getrf = lapack<T>().getrf;
    LapackShape shape{{bytes_of<T>(m, n), bytes_of<int>(pivots)}, 0, double(m) * n * pivots, true};
    return std::make_unique<LapackCall>("OpenBLAS lu", context, request, shape, [=](auto places, void*, int* status) {
      getrf(&m, &n, numbers<T>(places, 0), &m, numbers<int>(places, 1), status);
    });
  });
}

// x of a · x = b or, transposed, aᵀ · x = b, for the columns of b, in its place, with what lu made of a. Places:
// matrix, pivots, b.
std::unique_ptr<PlannedCall> plan_lu_solve(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int n = lapack_size(request, "n"), columns = lapack_size(request, "columns");
    const char* order = flag_term(request, "transposed") ? "T" : "N";
    auto getrs = lapack<T>().getrs;
    LapackShape shape{{bytes_of<T>(n, n), bytes_of<int>(n), bytes_of<T>(n, columns)}, 0, 2. * n * n * columns};
    return std::make_unique<LapackCall>("OpenBLAS lu_solve", context, request, shape,
                                        [=](auto places, void*, int* status) {
                                          getrs(order, &n, &columns, numbers<T>(places, 0), &n, numbers<int>(places, 1),
                                                numbers<T>(places, 2), &n, status);
                                        });
  });
}

// x of a · x = b or, transposed, aᵀ · x = b, in the place of b, for a triangle a; row-major. Places: a, b.
std::unique_ptr<PlannedCall> plan_triangular_solve(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int n = lapack_size(request, "n"), columns = lapack_size(request, "columns");
    int part = flag_term(request, "upper") ? kUpper : kLower;
    int order = flag_term(request, "transposed") ? kTransposed : kAsStored;
    int diagonal = flag_term(request, "unit") ? kUnit : kNonUnit;
    auto trsm = lapack<T>().trsm;
    LapackShape shape{{bytes_of<T>(n, n), bytes_of<T>(n, columns)}, 0, double(n) * n * columns};
    return std::make_unique<LapackCall>(
        "OpenBLAS triangular_solve", context, request, shape, [=](auto places, void*, int*) {
          T *a = numbers<T>(places, 0), *b = numbers<T>(places, 1), one = 1;
          if constexpr (is_complex<T>)
            trsm(kRowMajor, kLeft, part, order, diagonal, n, columns, &one, a, n, b, columns);
          else
            trsm(kRowMajor, kLeft, part, order, diagonal, n, columns, one, a, n, b, columns);
        });
  });
}

// a = q · r, column-major, in place: r above the diagonal, reflections below it. Places: matrix, factors of the
// reflections.
std::unique_ptr<PlannedCall> plan_qr(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int m = lapack_size(request, "m"), n = lapack_size(request, "n"), factors = m < n ? m : n;
    auto geqrf = lapack<T>().geqrf;
    int size = workspace_of([&](double* wanted) {
      T answer = 0, none = 0;
      int ask = -1, refused = 0;
      geqrf(&m, &n, &none, &m, &none, &answer, &ask, &refused);
      *wanted = std::real(answer);
    });
    LapackShape shape{{bytes_of<T>(m, n), bytes_of<T>(factors)}, bytes_of<T>(size), 2. * m * n * factors};
    return std::make_unique<LapackCall>(
        "OpenBLAS qr", context, request, shape, [=](auto places, void* workspace, int* status) {
          geqrf(&m, &n, numbers<T>(places, 0), &m, numbers<T>(places, 1), static_cast<T*>(workspace), &size, status);
        });
  });
}

// The first `columns` columns of q, column-major, in the place of the reflections of qr, of which there are `n`.
// Places: matrix, factors of the reflections.
std::unique_ptr<PlannedCall> plan_orthonormal(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    int m = lapack_size(request, "m"), columns = lapack_size(request, "columns"), n = lapack_size(request, "n");
    auto orgqr = lapack<T>().orgqr;
    int size = workspace_of([&](double* wanted) {
      T answer = 0, none = 0;
      int ask = -1, refused = 0;
      orgqr(&m, &columns, &n, &none, &m, &none, &answer, &ask, &refused);
      *wanted = std::real(answer);
    });
    LapackShape shape{{bytes_of<T>(m, columns), bytes_of<T>(n)}, bytes_of<T>(size), 2. * m * columns * n};
    return std::make_unique<LapackCall>("OpenBLAS qr", context, request, shape,
                                        [=](auto places, void* workspace, int* status) {
                                          orgqr(&m, &columns, &n, numbers<T>(places, 0), &m, numbers<T>(places, 1),
                                                static_cast<T*>(workspace), &size, status);
                                        });
  });
}

// a = v · diag(w) · vᴴ of a symmetric, or Hermitian, matrix, column-major, of which the upper triangle is looked at, or
// with `lower` the lower one: w, which is real, ascending, and in place of a, where `vectors` is 1, v, column-major.
// Places: matrix, w. Its status is not 0 where it did not converge.
std::unique_ptr<PlannedCall> plan_eigh(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    using R = Real<T>;
    int n = lapack_size(request, "n");
    bool vectors = flag_term(request, "vectors");
    const char *job = vectors ? "V" : "N", *part = flag_term(request, "lower") ? "L" : "U";
    const auto& calls = lapack<T>();
    auto solve = [=, &calls](T* a, R* values, const Room& room, T* work, R* reals, int* whole, int* status) {
      const int size = int(room.size), real_size = int(room.reals), whole_size = int(room.whole);
      if constexpr (is_complex<T>)
        calls.heevd(job, part, &n, a, &n, values, work, &size, reals, &real_size, whole, &whole_size, status);
      else
        calls.syevd(job, part, &n, a, &n, values, work, &size, whole, &whole_size, status);
    };
    T answer = 0, none = 0;
    R reals = 0, values = 0;
    int whole = 0, refused = 0;
    solve(&none, &values, {-1, -1, -1}, &answer, &reals, &whole, &refused);
    const Room room{std::max(1, int(std::real(answer))), std::max(1, int(reals)), std::max(1, whole)};
    LapackShape shape{{bytes_of<T>(n, n), bytes_of<R>(n)}, room.bytes<T>(), (vectors ? 9. : 4. / 3) * n * n * n, true};
    return std::make_unique<LapackCall>(
        "OpenBLAS eigh", context, request, shape, [=](auto places, void* workspace, int* status) {
          solve(numbers<T>(places, 0), numbers<R>(places, 1), room, static_cast<T*>(workspace),
                room.real_numbers<T>(workspace), room.whole_numbers<T>(workspace), status);
        });
  });
}

// a · v = v · diag(w), column-major, and a is lost: of real numbers the real parts of w and behind them the imaginary
// ones, the positive one of a pair first; with `vectors` v, of a pair the real parts as one column and the imaginary
// ones as the next. Places: matrix, w and, with vectors, v. Its status is not 0 where it did not converge.
std::unique_ptr<PlannedCall> plan_eig(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    using R = Real<T>;
    int n = lapack_size(request, "n");
    const bool vectors = flag_term(request, "vectors");
    const char* job = vectors ? "V" : "N";
    const auto& calls = lapack<T>();
    auto solve = [=, &calls](T* a, T* values, T* right, T* work, const int* size, R* reals, int* status) {
      T unused = 0, *vectors_place = right == nullptr ? &unused : right;
      if constexpr (is_complex<T>)
        calls.geev("N", job, &n, a, &n, values, &unused, &n, vectors_place, &n, work, size, reals, status);
      else
        calls.geev("N", job, &n, a, &n, values, values + n, &unused, &n, vectors_place, &n, work, size, status);
    };
    T answer = 0, none = 0;
    R real = 0;
    int ask = -1, refused = 0;
    std::vector<T> values(2 * size_t(n));
    solve(&none, values.data(), nullptr, &answer, &ask, &real, &refused);
    const int size = std::max(1, int(std::real(answer)));
    const Room room{size, 2 * int64_t(n), 0};
    LapackShape shape{{bytes_of<T>(n, n), bytes_of<T>(n, is_complex<T> ? 1 : 2)},
                      room.bytes<T>(),
                      (vectors ? 25. : 10.) * n * n * n,
                      true};
    if (vectors) shape.bytes.push_back(bytes_of<T>(n, n));
    return std::make_unique<LapackCall>(
        "OpenBLAS eig", context, request, shape, [=](auto places, void* workspace, int* status) {
          solve(numbers<T>(places, 0), numbers<T>(places, 1), vectors ? numbers<T>(places, 2) : nullptr,
                static_cast<T*>(workspace), &size, room.real_numbers<T>(workspace), status);
        });
  });
}

// a = u · diag(s) · vᴴ; all are column-major, and a is lost. `vectors`: "none", "thin" or "full". Places: matrix, s,
// which is real, and, with vectors, u and v. Its status is not 0 where it did not converge.
std::unique_ptr<PlannedCall> plan_svd(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    using R = Real<T>;
    int m = lapack_size(request, "m"), n = lapack_size(request, "n"), values = m < n ? m : n;
    const std::string& vectors = text_term(request, "vectors");
    const bool both = vectors != "none", is_full = vectors == "full";
    const char* job = !both ? "N" : is_full ? "A" : "S";
    const int left = is_full ? m : values, right = is_full ? n : values;
    const auto& calls = lapack<T>();
    auto solve = [=, &calls](T* a, R* s, T* u, T* rows, T* work, const int* size, R* reals, int* whole, int* status) {
      if constexpr (is_complex<T>)
        calls.gesdd(job, &m, &n, a, &m, s, u, &m, rows, &right, work, size, reals, whole, status);
      else
        calls.gesdd(job, &m, &n, a, &m, s, u, &m, rows, &right, work, size, whole, status);
    };
    T answer = 0, none = 0;
    R real = 0;
    int ask = -1, refused = 0, integer = 0;
    solve(&none, &real, &none, &none, &answer, &ask, &real, &integer, &refused);
    const int size = std::max(1, int(std::real(answer)));
    const int64_t turned = both ? int64_t(right) * n : 0;
    // As many as LAPACK 3.7 and later ask for.
    const int64_t least = values, most = std::max(m, n);
    const int64_t reals =
        !both ? 7 * least : std::max(5 * least * least + 5 * least, 2 * most * least + 2 * least * least + least);
    const Room room{size + turned, is_complex<T> ? reals : 0, 8 * int64_t(values)};
    LapackShape shape{
        {bytes_of<T>(m, n), bytes_of<R>(values)}, room.bytes<T>(), (both ? 14. : 4.) * m * n * values, true};
    if (both) shape.bytes.insert(shape.bytes.end(), {bytes_of<T>(m, left), bytes_of<T>(n, right)});
    return std::make_unique<LapackCall>(
        "OpenBLAS svd", context, request, shape, [=](auto places, void* workspace, int* status) {
          T* work = static_cast<T*>(workspace);
          T* rows = work + size;  // vᴴ
          solve(numbers<T>(places, 0), numbers<R>(places, 1), both ? numbers<T>(places, 2) : nullptr, rows, work, &size,
                room.real_numbers<T>(workspace), room.whole_numbers<T>(workspace), status);
          if (both) turn(rows, right, n, numbers<T>(places, 3));
        });
  });
}

}  // namespace

LibraryRows lapack_rows() {
  return {{"cholesky", plan_cholesky},
          {"cholesky_inverse", plan_cholesky_inverse},
          {"lu", plan_lu},
          {"lu_solve", plan_lu_solve},
          {"triangular_solve", plan_triangular_solve},
          {"qr", plan_qr},
          {"orthonormal", plan_orthonormal},
          {"eigh", plan_eigh},
          {"eig", plan_eig},
          {"svd", plan_svd}};
}

}  // namespace warpcell::cpu
