// "omp.h" as programs include it: OpenMP by one thread, as an implementation may have it (OpenMP API, "Execution
// Model"): its pragmas are passed over, and these tell of one thread.
#pragma once
#include <chrono>

typedef int omp_lock_t;

inline void omp_set_num_threads(int) {}
inline int omp_get_num_threads() { return 1; }
inline int omp_get_max_threads() { return 1; }
inline int omp_get_thread_num() { return 0; }
inline int omp_get_num_procs() { return 1; }
inline int omp_in_parallel() { return 0; }
inline void omp_set_dynamic(int) {}
inline int omp_get_dynamic() { return 0; }
inline void omp_set_nested(int) {}
inline void omp_init_lock(omp_lock_t* lock) { *lock = 0; }
inline void omp_set_lock(omp_lock_t*) {}
inline void omp_unset_lock(omp_lock_t*) {}
inline void omp_destroy_lock(omp_lock_t*) {}
// Seconds.
inline double omp_get_wtime() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
inline double omp_get_wtick() { return 1e-9; }
