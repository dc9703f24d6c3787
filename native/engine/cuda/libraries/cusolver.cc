// Factorisations by cuSOLVER, and what is solved with them; batches of small matrices by cuBLAS. Both take column-major
// matrices: what is below the diagonal of a row-major one is above it there.
#include "solver_call.h"

namespace warpcell::cuda {
namespace {

// Matrices of more rows fill a GPU one by one sooner than all at a time.
constexpr int kBatchedRows = 256;
// Of one matrix with so few rows cuSOLVER's own factors have 0 where NaN was.
constexpr int kAloneBatchedRows = 32;
template <class T>
constexpr uint64_t bytes_of(int64_t rows, int64_t columns = 1) {
  return uint64_t(rows) * uint64_t(columns) * sizeof(T);
}

bool goes_at_once(const PlanRequest& request, int rows) {
  return size_term_or(request, "batches", 1) > 1 && rows <= kBatchedRows;
}

// a = l · lᵀ of a symmetric matrix, column-major, in place: its lower triangle becomes l, what is above it counts for
// nothing. Its status is the order of the first leading minor that is not positive. Places: matrix.
std::unique_ptr<PlannedCall> plan_cholesky(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int n = solver_size(request, "n");
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    if (goes_at_once(request, n))
      return std::make_unique<SolverCall>("cuSOLVER cholesky", context, request,
                                          SolverShape{{bytes_of<T>(n, n)}, 0, true, {0}},
                                          [=, &library, &calls](const SolverRun& run) {
                                            return calls.potrf_batched(library.handle, Triangle::lower, n,
                                                                       run.list<T>(0), n, run.status, int(run.batches));
                                          });
    int size = 0;
    library.check(calls.potrf_size(library.handle, Triangle::lower, n, nullptr, n, &size), "planning cholesky");
    return std::make_unique<SolverCall>("cuSOLVER cholesky", context, request,
                                        SolverShape{{bytes_of<T>(n, n)}, bytes_of<T>(size), true},
                                        [=, &library, &calls](const SolverRun& run) {
                                          return each_matrix(run.batches, [&](int64_t at) {
                                            return calls.potrf(library.handle, Triangle::lower, n, run.at<T>(0, at), n,
                                                               run.workspace<T>(), size, run.status + at);
                                          });
                                        });
  });
}

// The lower triangle of (l · lᵀ)⁻¹ in the place of l, a lower triangle, column-major. Its status is the first column
// with 0 on the diagonal. Places: matrix.
std::unique_ptr<PlannedCall> plan_cholesky_inverse(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int n = solver_size(request, "n"), size = 0;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    library.check(calls.potri_size(library.handle, Triangle::lower, n, nullptr, n, &size), "planning cholesky_inverse");
    return std::make_unique<SolverCall>("cuSOLVER cholesky_inverse", context, request,
                                        SolverShape{{bytes_of<T>(n, n)}, bytes_of<T>(size), true},
                                        [=, &library, &calls](const SolverRun& run) {
                                          return each_matrix(run.batches, [&](int64_t at) {
                                            return calls.potri(library.handle, Triangle::lower, n, run.at<T>(0, at), n,
                                                               run.workspace<T>(), size, run.status + at);
                                          });
                                        });
  });
}

// a = p · l · u, column-major, in place. Its status is the first column without a pivot. Places: matrix, pivots.
std::unique_ptr<PlannedCall> plan_lu(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int m = solver_size(request, "m"), n = solver_size(request, "n"), pivots = m < n ? m : n;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    SolverShape shape{{bytes_of<T>(m, n), bytes_of<int>(pivots)}, 0, true};
    if (m == n && (goes_at_once(request, n) || n <= kAloneBatchedRows)) {
      shape.listed = {0};
      return std::make_unique<SolverCall>("cuSOLVER lu", context, request, shape,
                                          [=, &library, &calls](const SolverRun& run) {
                                            return calls.getrf_batched(library.vectors, n, run.list<T>(0), n,
                                                                       run.at<int>(1), run.status, int(run.batches));
                                          });
    }
    int size = 0;
    library.check(calls.getrf_size(library.handle, m, n, nullptr, m, &size), "planning lu");
    shape.workspace = bytes_of<T>(size);
    return std::make_unique<SolverCall>("cuSOLVER lu", context, request, shape,
                                        [=, &library, &calls](const SolverRun& run) {
                                          return each_matrix(run.batches, [&](int64_t at) {
                                            return calls.getrf(library.handle, m, n, run.at<T>(0, at), m,
                                                               run.workspace<T>(), run.at<int>(1, at), run.status + at);
                                          });
                                        });
  });
}

// x of a · x = b or, transposed, aᵀ · x = b, for the columns of b, in its place, with what lu made of a. Places:
// matrix, pivots, b.
std::unique_ptr<PlannedCall> plan_lu_solve(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int n = solver_size(request, "n"), columns = solver_size(request, "columns");
    Turn turn = flag_term(request, "transposed") ? Turn::transposed : Turn::none;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    SolverShape shape{{bytes_of<T>(n, n), bytes_of<int>(n), bytes_of<T>(n, columns)}};
    if (goes_at_once(request, n)) {
      shape.listed = {0, 2};
      return std::make_unique<SolverCall>(
          "cuSOLVER lu_solve", context, request, shape, [=, &library, &calls](const SolverRun& run) {
            int refused = 0;
            return calls.getrs_batched(library.vectors, turn, n, columns, run.list<T>(0), n, run.at<int>(1),
                                       run.list<T>(2), n, &refused, int(run.batches));
          });
    }
    return std::make_unique<SolverCall>(
        "cuSOLVER lu_solve", context, request, shape, [=, &library, &calls](const SolverRun& run) {
          return each_matrix(run.batches, [&](int64_t at) {
            return calls.getrs(library.handle, turn, n, columns, run.at<T>(0, at), n, run.at<int>(1, at),
                               run.at<T>(2, at), n, run.status + at);
          });
        });
  });
}

// x of a · x = b or, transposed, aᵀ · x = b, in the place of b, for a triangle a; row-major, so that column-major xᵀ is
// found from the right. Places: a, b.
std::unique_ptr<PlannedCall> plan_triangular_solve(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int n = solver_size(request, "n"), columns = solver_size(request, "columns");
    Triangle part = flag_term(request, "upper") ? Triangle::lower : Triangle::upper;
    Turn turn = flag_term(request, "transposed") ? Turn::transposed : Turn::none;
    DiagonalOf diagonal = flag_term(request, "unit") ? DiagonalOf::ones : DiagonalOf::matrix;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    SolverShape shape{{bytes_of<T>(n, n), bytes_of<T>(n, columns)}};
    if (goes_at_once(request, n)) {
      shape.listed = {0, 1};
      return std::make_unique<SolverCall>(
          "cuSOLVER triangular_solve", context, request, shape, [=, &library, &calls](const SolverRun& run) {
            T one = 1;
            return calls.trsm_batched(library.vectors, Side::right, part, turn, diagonal, columns, n, &one,
                                      run.list<T>(0), n, run.list<T>(1), columns, int(run.batches));
          });
    }
    return std::make_unique<SolverCall>(
        "cuSOLVER triangular_solve", context, request, shape, [=, &library, &calls](const SolverRun& run) {
          T one = 1;
          return each_matrix(run.batches, [&](int64_t at) {
            return calls.trsm(library.vectors, Side::right, part, turn, diagonal, columns, n, &one, run.at<T>(0, at), n,
                              run.at<T>(1, at), columns);
          });
        });
  });
}

// a = q · r, column-major, in place: r above the diagonal, reflections below it. Places: matrix, factors of the
// reflections.
std::unique_ptr<PlannedCall> plan_qr(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int m = solver_size(request, "m"), n = solver_size(request, "n"), size = 0;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    library.check(calls.geqrf_size(library.handle, m, n, nullptr, m, &size), "planning qr");
    SolverShape shape{{bytes_of<T>(m, n), bytes_of<T>(m < n ? m : n)}, bytes_of<T>(size)};
    return std::make_unique<SolverCall>(
        "cuSOLVER qr", context, request, shape, [=, &library, &calls](const SolverRun& run) {
          return each_matrix(run.batches, [&](int64_t at) {
            return calls.geqrf(library.handle, m, n, run.at<T>(0, at), m, run.at<T>(1, at), run.workspace<T>(), size,
                               run.status + at);
          });
        });
  });
}

// The first `columns` columns of q, column-major, in the place of the reflections of qr, of which there are `n`.
// Places: matrix, factors of the reflections.
std::unique_ptr<PlannedCall> plan_orthonormal(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    int m = solver_size(request, "m"), columns = solver_size(request, "columns"), n = solver_size(request, "n");
    int size = 0;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    library.check(calls.orgqr_size(library.handle, m, columns, n, nullptr, m, nullptr, &size), "planning qr");
    SolverShape shape{{bytes_of<T>(m, columns), bytes_of<T>(n)}, bytes_of<T>(size)};
    return std::make_unique<SolverCall>(
        "cuSOLVER qr", context, request, shape, [=, &library, &calls](const SolverRun& run) {
          return each_matrix(run.batches, [&](int64_t at) {
            return calls.orgqr(library.handle, m, columns, n, run.at<T>(0, at), m, run.at<T>(1, at), run.workspace<T>(),
                               size, run.status + at);
          });
        });
  });
}

// a = v · diag(w) · vᴴ of a symmetric, or Hermitian, matrix, column-major, of which the upper triangle is looked at, or
// with `lower` the lower one: w, which is real, ascending, and in place of a, where `vectors` is 1, v, column-major.
// Places: matrix, w. Its status is not 0 where it did not converge.
std::unique_ptr<PlannedCall> plan_eigh(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    using R = Real<T>;
    int n = solver_size(request, "n");
    int64_t batches = size_term_or(request, "batches", 1);
    Vectors vectors = flag_term(request, "vectors") ? Vectors::wanted : Vectors::none;
    const Triangle part = flag_term(request, "lower") ? Triangle::lower : Triangle::upper;
    const SolverApi& library = cusolver();
    const SolverCalls<T>& calls = library.calls<T>();
    SolverShape shape{{bytes_of<T>(n, n), bytes_of<R>(n)}, 0, true};
    if (batches > 1 && library.cusolverDnXsyevBatched != nullptr) {
      size_t device = 0, host = 0;
      constexpr int type = kTypeNumber<T>, of_values = kTypeNumber<R>;
      library.check(
          library.cusolverDnXsyevBatched_bufferSize(library.handle, library.options, vectors, part, n, type, nullptr, n,
                                                    of_values, nullptr, type, &device, &host, batches),
          "planning eigh");
      shape.workspace = device;
      auto own = std::make_shared<std::vector<char>>(host);
      return std::make_unique<SolverCall>(
          "cuSOLVER eigh", context, request, shape, [=, &library](const SolverRun& run) {
            return library.cusolverDnXsyevBatched(library.handle, library.options, vectors, part, n, type, run.at<T>(0),
                                                  n, of_values, run.at<R>(1), type, run.workspace<void>(), device,
                                                  own->data(), own->size(), run.status, run.batches);
          });
    }
    int size = 0;
    constexpr int kMostJacobi = 32;
    if (batches > 1 && n <= kMostJacobi) {
      library.check(calls.syevj_batched_size(library.handle, vectors, part, n, nullptr, n, nullptr, &size,
                                             library.eigen_options, int(batches)),
                    "planning eigh");
      shape.workspace = bytes_of<T>(size);
      return std::make_unique<SolverCall>(
          "cuSOLVER eigh", context, request, shape, [=, &library, &calls](const SolverRun& run) {
            return calls.syevj_batched(library.handle, vectors, part, n, run.at<T>(0), n, run.at<R>(1),
                                       run.workspace<T>(), size, run.status, library.eigen_options, int(run.batches));
          });
    }
    library.check(calls.syevd_size(library.handle, vectors, part, n, nullptr, n, nullptr, &size), "planning eigh");
    shape.workspace = bytes_of<T>(size);
    return std::make_unique<SolverCall>(
        "cuSOLVER eigh", context, request, shape, [=, &library, &calls](const SolverRun& run) {
          return each_matrix(run.batches, [&](int64_t at) {
            return calls.syevd(library.handle, vectors, part, n, run.at<T>(0, at), n, run.at<R>(1, at),
                               run.workspace<T>(), size, run.status + at);
          });
        });
  });
}

// a · v = v · diag(w), column-major, and a is lost: of real numbers the real parts of w and behind them the imaginary
// ones, the positive one of a pair first; with `vectors` v, of a pair the real parts as one column and the imaginary
// ones as the next. Places: matrix, w and, with vectors, v. Its status is not 0 where it did not converge.
std::unique_ptr<PlannedCall> plan_eig(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) -> std::unique_ptr<PlannedCall> {
    using T = decltype(number);
    const int64_t n = solver_size(request, "n");
    const bool both = flag_term(request, "vectors");
    const Vectors vectors = both ? Vectors::wanted : Vectors::none;
    const SolverApi& library = cusolver();
    if (library.cusolverDnXgeev == nullptr)
      throw DeviceError("UNSUPPORTED", "cuSOLVER " + library.version +
                                           " has no eigenvalues of matrices that are not symmetric: CUDA 12.8's has "
                                           "them, and so has the CPU, x.to(\"cpu\").");
    size_t device = 0, host = 0;
    constexpr int type = kTypeNumber<T>;
    library.check(
        library.cusolverDnXgeev_bufferSize(library.handle, library.options, Vectors::none, vectors, n, type, nullptr, n,
                                           type, nullptr, type, nullptr, n, type, nullptr, n, type, &device, &host),
        "planning eig");
    SolverShape shape{{bytes_of<T>(n, n), bytes_of<T>(n, is_complex<T> ? 1 : 2)}, device, true};
    if (both) shape.bytes.push_back(bytes_of<T>(n, n));
    auto own = std::make_shared<std::vector<char>>(host);
    return std::make_unique<SolverCall>("cuSOLVER eig", context, request, shape, [=, &library](const SolverRun& run) {
      return each_matrix(run.batches, [&](int64_t at) {
        T* right = both ? run.at<T>(2, at) : nullptr;
        return library.cusolverDnXgeev(library.handle, library.options, Vectors::none, vectors, n, type,
                                       run.at<T>(0, at), n, type, run.at<T>(1, at), type, nullptr, n, type, right, n,
                                       type, run.workspace<void>(), device, own->data(), host, run.status + at);
      });
    });
  });
}

}  // namespace

LibraryRows cusolver_rows() {
  return {{"cholesky", plan_cholesky},
          {"cholesky_inverse", plan_cholesky_inverse},
          {"lu", plan_lu},
          {"lu_solve", plan_lu_solve},
          {"triangular_solve", plan_triangular_solve},
          {"qr", plan_qr},
          {"orthonormal", plan_orthonormal},
          {"eigh", plan_eigh},
          {"eig", plan_eig}};
}

}  // namespace warpcell::cuda
