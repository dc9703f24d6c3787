// Singular values by cuSOLVER, by the method that is fastest for a size: measured on an H200.
#include "solver_call.h"

namespace warpcell::cuda {
namespace {

// Batches of at most so many rows and columns go by Jacobi's rotations at once.
constexpr int kBatchedSide = 32;
// From here on the polar decomposition takes half the time of Jacobi's rotations, where a matrix is not much higher
// than wide; below it, without vectors, a third of the time goes to QR's iteration.
constexpr int kPolarColumns = 256, kPolarHeight = 4;

template <class T>
constexpr uint64_t bytes_of(int64_t rows, int64_t columns = 1) {
  return uint64_t(rows) * uint64_t(columns) * sizeof(T);
}

// The terms of one matrix, m × n with m ≥ n, and what is wanted of it.
struct SvdTerms {
  int m, n, left;  // left: columns of u
  bool both, is_full;
  int64_t batches;

  Vectors vectors() const { return both ? Vectors::wanted : Vectors::none; }
};

template <class T>
SolverShape shape_of(const SvdTerms& terms) {
  SolverShape shape{{bytes_of<T>(terms.m, terms.n), bytes_of<Real<T>>(terms.n)}, 0, true};
  if (terms.both)
    shape.bytes.insert(shape.bytes.end(), {bytes_of<T>(terms.m, terms.left), bytes_of<T>(terms.n, terms.n)});
  return shape;
}

// Places of u and v; null without vectors.
template <class T>
T* vectors_at(const SvdTerms& terms, const SolverRun& run, size_t which, int64_t matrix = 0) {
  return terms.both ? run.at<T>(which, matrix) : nullptr;
}

// The library wants room for vectors that it does not compute, too, and all of u: what is wanted of it is copied.
template <class T>
std::unique_ptr<PlannedCall> batched(LibraryContext& context, const PlanRequest& request, const SvdTerms& terms) {
  const SolverApi& library = cusolver();
  const SolverCalls<T>& calls = library.calls<T>();
  int size = 0;
  library.check(
      calls.gesvdj_batched_size(library.handle, terms.vectors(), terms.m, terms.n, nullptr, terms.m, nullptr, nullptr,
                                terms.m, nullptr, terms.n, &size, library.singular_options, int(terms.batches)),
      "planning svd");
  SolverShape shape = shape_of<T>(terms);
  const bool copies = terms.both && terms.left < terms.m;
  const uint64_t whole =
      (!terms.both || copies ? bytes_of<T>(terms.m, terms.m) * uint64_t(terms.batches) + 255 : 0) / 256 * 256;
  const uint64_t other = (terms.both ? 0 : bytes_of<T>(terms.n, terms.n) * uint64_t(terms.batches) + 255) / 256 * 256;
  shape.workspace = whole + other + bytes_of<T>(size);
  const DriverApi& api = context.api;
  return std::make_unique<SolverCall>(
      "cuSOLVER svd", context, request, shape, [=, &library, &calls, &api](const SolverRun& run) {
        T* u = whole > 0 ? run.workspace<T>() : run.at<T>(2);
        T* v = other > 0 ? reinterpret_cast<T*>(run.memory + whole) : run.at<T>(3);
        SolverStatus status = calls.gesvdj_batched(library.handle, terms.vectors(), terms.m, terms.n, run.at<T>(0),
                                                   terms.m, run.at<Real<T>>(1), u, terms.m, v, terms.n,
                                                   reinterpret_cast<T*>(run.memory + whole + other), size, run.status,
                                                   library.singular_options, int(run.batches));
        for (int64_t matrix = 0; copies && matrix < run.batches; matrix++)
          api.cuMemcpyAsync(run.places[2] + uint64_t(matrix) * bytes_of<T>(terms.m, terms.left),
                            run.memory + uint64_t(matrix) * bytes_of<T>(terms.m, terms.m),
                            bytes_of<T>(terms.m, terms.left), run.stream);
        return status;
      });
}

// It writes vectors also where it is told that none are wanted: then they have room in the workspace.
template <class T>
std::unique_ptr<PlannedCall> by_polar(LibraryContext& context, const PlanRequest& request, const SvdTerms& terms) {
  const SolverApi& library = cusolver();
  constexpr int type = kTypeNumber<T>, of_values = kTypeNumber<Real<T>>;
  const int m = terms.m, n = terms.n, is_thin = terms.is_full ? 0 : 1;
  size_t device = 0, host = 0;
  library.check(library.cusolverDnXgesvdp_bufferSize(library.handle, library.options, Vectors::wanted, is_thin, m, n,
                                                     type, nullptr, m, of_values, nullptr, type, nullptr, m, type,
                                                     nullptr, n, type, &device, &host),
                "planning svd");
  SolverShape shape = shape_of<T>(terms);
  const uint64_t behind = (device + 255) / 256 * 256;
  shape.workspace = behind + (terms.both ? 0 : bytes_of<T>(m, n) + bytes_of<T>(n, n));
  auto own = std::make_shared<std::vector<char>>(host);
  return std::make_unique<SolverCall>("cuSOLVER svd", context, request, shape, [=, &library](const SolverRun& run) {
    return each_matrix(run.batches, [&](int64_t at) {
      double perturbed = 0;
      T* u = terms.both ? run.at<T>(2, at) : reinterpret_cast<T*>(run.memory + behind);
      T* v = terms.both ? run.at<T>(3, at) : u + int64_t(m) * n;
      return library.cusolverDnXgesvdp(library.handle, library.options, Vectors::wanted, is_thin, m, n, type,
                                       run.at<T>(0, at), m, of_values, run.at<Real<T>>(1, at), type, u, m, type, v, n,
                                       type, run.workspace<void>(), device, own->data(), host, run.status + at,
                                       &perturbed);
    });
  });
}

template <class T>
std::unique_ptr<PlannedCall> by_rotations(LibraryContext& context, const PlanRequest& request, const SvdTerms& terms) {
  const SolverApi& library = cusolver();
  const SolverCalls<T>& calls = library.calls<T>();
  const int m = terms.m, n = terms.n, is_thin = terms.is_full ? 0 : 1;
  int size = 0;
  library.check(calls.gesvdj_size(library.handle, terms.vectors(), is_thin, m, n, nullptr, m, nullptr, nullptr, m,
                                  nullptr, n, &size, library.singular_options),
                "planning svd");
  SolverShape shape = shape_of<T>(terms);
  shape.workspace = bytes_of<T>(size);
  return std::make_unique<SolverCall>(
      "cuSOLVER svd", context, request, shape, [=, &library, &calls](const SolverRun& run) {
        return each_matrix(run.batches, [&](int64_t at) {
          return calls.gesvdj(library.handle, terms.vectors(), is_thin, m, n, run.at<T>(0, at), m,
                              run.at<Real<T>>(1, at), vectors_at<T>(terms, run, 2, at), m,
                              vectors_at<T>(terms, run, 3, at), n, run.workspace<T>(), size, run.status + at,
                              library.singular_options);
        });
      });
}

template <class T>
std::unique_ptr<PlannedCall> values_alone(LibraryContext& context, const PlanRequest& request, const SvdTerms& terms) {
  const SolverApi& library = cusolver();
  const SolverCalls<T>& calls = library.calls<T>();
  const int m = terms.m, n = terms.n;
  int size = 0;
  library.check(calls.gesvd_size(library.handle, m, n, &size), "planning svd");
  SolverShape shape = shape_of<T>(terms);
  shape.workspace = bytes_of<T>(size);
  return std::make_unique<SolverCall>(
      "cuSOLVER svd", context, request, shape, [=, &library, &calls](const SolverRun& run) {
        return each_matrix(run.batches, [&](int64_t at) {
          return calls.gesvd(library.handle, 'N', 'N', m, n, run.at<T>(0, at), m, run.at<Real<T>>(1, at), nullptr, m,
                             nullptr, n, run.workspace<T>(), size, nullptr, run.status + at);
        });
      });
}

// a = u · diag(s) · vᴴ with no more columns than rows; all are column-major, and a is lost. `vectors`: "none", "thin"
// or "full". Places: matrix, s, which is real, and, with vectors, u and v. Its status is not 0 where it did not
// converge.
std::unique_ptr<PlannedCall> plan_svd(LibraryContext& context, const PlanRequest& request) {
  return for_type(request, [&](auto number) {
    using T = decltype(number);
    const std::string& vectors = text_term(request, "vectors");
    SvdTerms terms{};
    terms.m = solver_size(request, "m");
    terms.n = solver_size(request, "n");
    terms.both = vectors != "none";
    terms.is_full = vectors == "full";
    terms.left = terms.is_full ? terms.m : terms.n;
    terms.batches = size_term_or(request, "batches", 1);
    if (terms.m < terms.n) throw DeviceError("UNSUPPORTED", "cuSOLVER takes no matrix with more columns than rows.");
    if (terms.batches > 1 && terms.m <= kBatchedSide) return batched<T>(context, request, terms);
    if (terms.n >= kPolarColumns && terms.m <= kPolarHeight * terms.n) return by_polar<T>(context, request, terms);
    return terms.both ? by_rotations<T>(context, request, terms) : values_alone<T>(context, request, terms);
  });
}

}  // namespace

LibraryRows cusolver_svd_rows() { return {{"svd", plan_svd}}; }

}  // namespace warpcell::cuda
